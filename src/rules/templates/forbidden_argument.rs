#![doc = include_str!("../../../policies/rules/forbidden-argument.md")]

use super::argument::ArgumentPath;
use super::blocks::{Blocks, Wants};
use super::reach::{Reached, follow};
use crate::rules::{Configure, Context, Finding, Node, Options, Page, Rule, page};

pub(super) struct ForbiddenArgument {
    blocks: Blocks,
    argument: ArgumentPath,
}

impl Configure for ForbiddenArgument {
    const OPTIONS: &'static [&'static str] = &["argument", "blocks", "except"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let (blocks, argument) = Blocks::with_argument(options, Wants::Presence)?;
        Ok(Self { blocks, argument })
    }
}

impl Rule for ForbiddenArgument {
    const PAGE: Page = page!("forbidden-argument");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for part in self.blocks.of(node.module(), context) {
            for reached in follow((node, context), &part, &self.argument) {
                let at = match reached {
                    Reached::Block(header) => header,
                    Reached::Value { value, whole, .. } if !value.is_null() => whole,
                    Reached::Value { .. } | Reached::Nothing { .. } | Reached::Unknown => continue,
                };
                Self::finding("Forbidden argument")
                    .detail(format!("`{}` must not be set in `{}`.", self.argument, part.address()))
                    .at(at)
                    .related(part.header, "in this block")
                    .help(format!("remove `{}`", self.argument))
                    .address(part.address())
                    .push_to(findings);
            }
        }
    }
}
