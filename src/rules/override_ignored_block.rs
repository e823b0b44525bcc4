#![doc = include_str!("../../policies/rules/override-ignored-block.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::graph::Node;
use crate::module::address::block_address;
use crate::policy::Options;

pub(super) struct OverrideIgnoredBlock;

impl Rule for OverrideIgnoredBlock {
    const ID: &'static str = "override-ignored-block";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let engine = module.features.engine.product.name();
        for block in &module.ignored_overrides {
            findings.push(
                Self::finding("Block in an override file is ignored")
                    .detail(format!(
                        "{engine} reads a `{}` block in an override file, and then drops it without a word.",
                        block.kind
                    ))
                    .at(block.header)
                    .label("has no effect here")
                    .help("move it into a file that is not an override file")
                    .address(block_address(block)),
            );
        }
    }
}
