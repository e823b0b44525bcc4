#![doc = include_str!("../../../policies/rules/required-argument.md")]

use super::argument::ArgumentPath;
use super::blocks::{Blocks, Wants};
use super::parts::Part;
use super::reach::{Reached, follow};
use crate::finding::{Concern, Finding};
use crate::rules::{Configure, Context, Node, Options, Page, Rule, page};
use crate::text::Span;

pub(super) struct RequiredArgument {
    blocks: Blocks,
    argument: ArgumentPath,
}

impl Configure for RequiredArgument {
    const OPTIONS: &'static [&'static str] = &["argument", "blocks", "except"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let (blocks, argument) = Blocks::with_argument(options, Wants::Presence)?;
        Ok(Self { blocks, argument })
    }
}

impl Rule for RequiredArgument {
    const PAGE: Page = page!("required-argument");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        if !node.module().knows_blocks() {
            return;
        }
        for part in self.blocks.of(node.module(), context) {
            for reached in follow((node, context), &part, &self.argument) {
                match reached {
                    Reached::Nothing { steps, at } => findings.push(self.missing(&part, steps, at)),
                    // The engine treats a null argument as not set.
                    Reached::Value { value, whole, .. } if value.is_null() => {
                        findings
                            .push(self.finding_in(&part, whole).label("is null, which counts as not set"));
                    }
                    Reached::Value { .. } | Reached::Block(_) | Reached::Unknown => {}
                }
            }
        }
    }
}

impl RequiredArgument {
    fn missing(&self, part: &Part, steps: usize, at: Span) -> Finding {
        let next = &self.argument.steps()[steps.min(self.argument.steps().len() - 1)];
        let finding = self.finding_in(part, at);
        if at == part.header { finding } else { finding.label(format!("has no `{next}`")) }
    }

    fn finding_in(&self, part: &Part, at: Span) -> Finding {
        let finding = Self::finding("Required argument is missing")
            .detail(format!("`{}` is not set in `{}`.", self.argument, part.address()))
            .at(at)
            .help(format!("set `{}`", self.argument))
            .address(part.address())
            .concerns(Concern::Argument(self.argument.to_string().into()));
        if at == part.header { finding } else { finding.related(part.header, "in this block") }
    }
}
