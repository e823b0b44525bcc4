#![doc = include_str!("../../../policies/rules/forbidden-block.md")]

use super::blocks::Blocks;
use crate::finding::Finding;
use crate::policy::Options;
use crate::rules::{Context, Rule};
use crate::tree::Node;

pub(super) struct ForbiddenBlock {
    blocks: Blocks,
}

impl Rule for ForbiddenBlock {
    const ID: &'static str = "forbidden-block";
    const OPTIONS: &'static [&'static str] = &["blocks", "except"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { blocks: Blocks::configure(options)? })
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for part in self.blocks.of(node.module()) {
            findings.push(
                Self::finding("Forbidden block")
                    .detail(format!("`{}` may not be declared here.", part.address()))
                    .at(part.header)
                    .help("remove the block")
                    .address(part.address()),
            );
        }
    }
}
