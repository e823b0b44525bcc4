#![doc = include_str!("../../policies/rules/override-ignored-block.md")]

use super::{Context, Finding, Node, Page, Rule, page};
use crate::module::Module;
use crate::module::address::block_address;
use crate::module::dropped::Why;
use crate::syntax::Block;
use crate::text::Span;

pub(super) struct OverrideIgnoredBlock;

impl Rule for OverrideIgnoredBlock {
    const PAGE: Page = page!("override-ignored-block");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let engine = module.features.engine.product.name();
        let ignored = module.dropped.values().filter(|dropped| dropped.why == Why::Ignored);
        for block in ignored.filter_map(|dropped| dropped.block.as_ref()) {
            let finding = Self::finding("Block in an override file is ignored")
                .detail(format!(
                    "{engine} ignores `{}` blocks in override files, and does not report them.",
                    block.kind
                ))
                .at(block.header)
                .label("has no effect here")
                .address(block_address(block));
            findings.push(if let Some(base) = base(block, module) {
                finding
                    .related(base.header, "the base block")
                    .help("change the base block, and remove this one")
            } else if let Some((address, declared)) = still_declared(block, module, context) {
                finding.related(declared, format!("`{address}` is declared here")).help(format!(
                    "move this block into a base file, and remove the declaration of `{address}`"
                ))
            } else {
                finding.help("move the block into a base file")
            });
        }
    }
}

/// The block in a base file with the same declaration.
fn base<'m>(block: &Block, module: &'m Module) -> Option<&'m Block> {
    let resources = module.resources.values().map(|resource| &resource.origin.base);
    let metas = module.provider_metas.values().map(|meta| &meta.block);
    let address = block_address(block);
    let mut blocks = resources.chain(metas).filter(|_| !block.labels.is_empty());
    blocks.find(|base| block_address(base) == address).map(|base| &**base)
}

/// The address in a `removed` block that the module still declares, with the span of the declaration.
fn still_declared(block: &Block, module: &Module, context: &Context<'_>) -> Option<(String, Span)> {
    let from = block.attribute("from").filter(|_| block.kind == "removed")?;
    let from = context.sources().slice(from.expr.span).trim_matches('"');
    let resources =
        module.resources.iter().map(|(address, resource)| (address.to_string(), &resource.origin));
    let calls = module.calls.values().map(|call| (format!("module.{}", call.name), &call.origin));
    let mut declared = resources.chain(calls).map(|(address, origin)| (address, origin.header()));
    declared.find(|(address, _)| address == from)
}
