#![doc = include_str!("../../../policies/rules/forbidden-block.md")]

use super::blocks::{Among, Blocks};
use crate::rules::{Configure, Context, Finding, Node, Options, Page, Rule, page};

pub(super) struct ForbiddenBlock {
    blocks: Blocks,
}

impl Configure for ForbiddenBlock {
    const OPTIONS: &'static [&'static str] = &["blocks", "except"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { blocks: Blocks::configure(options, Among::All)? })
    }
}

impl Rule for ForbiddenBlock {
    const PAGE: Page = page!("forbidden-block");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for part in self.blocks.of(node.module(), context) {
            Self::finding("Forbidden block")
                .detail(format!("`{}` must not be declared here.", part.address()))
                .at(part.header)
                .help("remove the block")
                .address(part.address())
                .push_to(findings);
        }
    }
}
