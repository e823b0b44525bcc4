//! The expressions in the files of a module, each with its declaration.

use smol_str::SmolStr;

use crate::graph::Node;
use crate::module::top_blocks;
use crate::rules::Context;
use crate::syntax::{Block, Expr, File};

/// The position of an expression.
#[derive(Debug, Clone, Copy)]
pub(in crate::rules) struct Written<'w> {
    /// The iterators of the enclosing `dynamic` blocks, outermost first.
    pub(in crate::rules) iterators: &'w [SmolStr],
    /// Whether it is in a JSON file.
    pub(in crate::rules) is_json: bool,
    /// The top-level block.
    block: &'w Block,
    /// The argument, which may be empty.
    argument: &'w str,
}

impl Written<'_> {
    /// The address of its declaration, which may be empty.
    pub(in crate::rules) fn address(&self) -> String {
        let labels = self.block.labels.iter().map(|label| label.text.as_str());
        let parts: Vec<&str> = match self.block.kind.as_str() {
            "resource" => labels.collect(),
            "locals" if !self.argument.is_empty() => vec!["local", self.argument],
            "locals" | "terraform" => Vec::new(),
            kind => std::iter::once(kind).chain(labels).collect(),
        };
        parts.join(".")
    }
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
    for_each_in(node, context, &|_| true, visit);
}

/// Like [`for_each`], only in the files that `may_matter` selects.
pub(in crate::rules) fn for_each_in(
    node: Node<'_>,
    context: &Context<'_>,
    may_matter: &dyn Fn(&File) -> bool,
    visit: &mut dyn FnMut(&Expr, Written<'_>),
) {
    let module = node.module();
    for (id, _) in context.module_files(module) {
        let Some(file) = context.file(id) else { continue };
        let is_json = file.body.is_json();
        if !may_matter(file) {
            continue;
        }
        for block in top_blocks(&file.body, &module.features) {
            block.body.for_each_expression_in_scope(&mut |expr, around| {
                if !is_address_or_type(&block.kind, around.argument) {
                    let (iterators, argument) = (around.names, around.argument);
                    visit(expr, Written { iterators, is_json, block: &block, argument });
                }
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
