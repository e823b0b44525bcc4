#![doc = include_str!("../../../policies/rules/forbidden-value.md")]

use super::argument::ArgumentPath;
use super::blocks::{Blocks, Wants};
use super::reach::each_text;
use crate::policy::{Options, Patterns};
use crate::rules::{Configure, Context, Finding, Node, Page, Rule, page};

pub(super) struct ForbiddenValue {
    blocks: Blocks,
    argument: ArgumentPath,
    values: Patterns,
}

impl Configure for ForbiddenValue {
    const OPTIONS: &'static [&'static str] = &["argument", "blocks", "except", "values"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let order = "name values, or turn the rule off with `level = \"off\"`";
        options.refuse_empty("values", "Without values, nothing would be forbidden.", order)?;
        let (blocks, argument) = Blocks::with_argument(options, Wants::Value)?;
        Ok(Self { blocks, argument, values: options.required("values", options.patterns("values")?)? })
    }
}

impl Rule for ForbiddenValue {
    const PAGE: Page = page!("forbidden-value");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        each_text((node, context), &self.blocks, &self.argument, |part, at, text| {
            if !self.values.has(text) {
                return;
            }
            let address = part.address();
            Self::finding("Forbidden value")
                .detail(format!("`{}` of `{address}` must not be {:?}.", self.argument, text.as_str()))
                .at(at)
                .related(part.header, "in this block")
                .help("choose another value")
                .address(address)
                .push_to(findings);
        });
    }
}
