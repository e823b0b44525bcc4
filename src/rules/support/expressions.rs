//! The expressions in the files of a module, each with its declaration.

use smol_str::SmolStr;

use crate::graph::Node;
use crate::module::top_blocks;
use crate::rules::Context;
use crate::syntax::{Block, Expr};

/// The position of an expression.
#[derive(Debug, Clone, Copy)]
pub(in crate::rules) struct Written<'w> {
    /// The iterators of the enclosing `dynamic` blocks, outermost first.
    pub(in crate::rules) iterators: &'w [SmolStr],
    /// The address of its declaration, which may be empty.
    pub(in crate::rules) address: &'w str,
    /// Whether it is in a JSON file.
    pub(in crate::rules) is_json: bool,
}

/// Calls `visit` with every expression in the files of a module that is evaluated to a value, including those in
/// override files.
///
/// In JSON, a whole property of a block is one expression, because only a schema distinguishes arguments from blocks.
pub(in crate::rules) fn for_each(
    node: Node<'_>,
    context: &Context<'_>,
    visit: &mut dyn FnMut(&Expr, Written<'_>),
) {
    let module = node.module();
    for (id, _) in context.module_files(module) {
        let Some(file) = context.file(id) else { continue };
        let is_json = file.body.is_json();
        for block in top_blocks(&file.body, &module.features) {
            let address = address(&block);
            block.body.for_each_expression_in_scope(&mut |expr, around| {
                if is_address_or_type(&block.kind, around.argument) {
                    return;
                }
                let address = if block.kind == "locals" && !around.argument.is_empty() {
                    format!("local.{}", around.argument)
                } else {
                    address.clone()
                };
                visit(expr, Written { iterators: around.names, address: &address, is_json });
            });
        }
    }
}

/// Whether the argument holds addresses or a type, which are not evaluated.
fn is_address_or_type(block: &str, argument: &str) -> bool {
    match argument {
        "depends_on" | "ignore_changes" | "replace_triggered_by" => true,
        "configuration_aliases" => block == "terraform",
        "from" | "to" => matches!(block, "moved" | "removed" | "import"),
        "provider" => matches!(block, "resource" | "data" | "ephemeral"),
        "providers" => block == "module",
        "type" => matches!(block, "variable" | "output"),
        _ => false,
    }
}

fn address(block: &Block) -> String {
    let labels = block.labels.iter().map(|label| label.text.as_str());
    let parts: Vec<&str> = match block.kind.as_str() {
        "resource" => labels.collect(),
        "locals" | "terraform" => Vec::new(),
        kind => std::iter::once(kind).chain(labels).collect(),
    };
    parts.join(".")
}
