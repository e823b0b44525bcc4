#![doc = include_str!("../../../policies/rules/allowed-value.md")]

use super::argument::ArgumentPath;
use super::blocks::{Blocks, Wants};
use super::reach::each_text;
use crate::policy::{Options, Patterns};
use crate::rules::{Configure, Context, Finding, Node, Page, Rule, page};

pub(super) struct AllowedValue {
    blocks: Blocks,
    argument: ArgumentPath,
    values: Patterns,
    /// The patterns as written.
    written: String,
}

impl Configure for AllowedValue {
    const OPTIONS: &'static [&'static str] = &["argument", "blocks", "except", "values"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let order = "name values, or use the template `forbidden-argument`";
        options.refuse_empty("values", "Without values, nothing would be allowed.", order)?;
        if options.written("values")?.iter().any(|value| value == "*") {
            let why = "`*` allows every value, so the rule can never report anything.";
            return Err(options
                .refuse("values", why)
                .help("remove `*`, or turn the rule off with `level = \"off\"`"));
        }
        let (blocks, argument) = Blocks::with_argument(options, Wants::Value)?;
        Ok(Self {
            blocks,
            argument,
            values: options.required("values", options.patterns("values")?)?,
            written: options
                .written("values")?
                .iter()
                .map(|value| format!("`{value}`"))
                .collect::<Vec<_>>()
                .join(", "),
        })
    }
}

impl Rule for AllowedValue {
    const PAGE: Page = page!("allowed-value");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        each_text((node, context), &self.blocks, &self.argument, |part, at, text| {
            if self.values.has(text) {
                return;
            }
            let address = part.address();
            Self::finding("Value is not allowed")
                .detail(format!("`{}` of `{address}` is {:?}.", self.argument, text.as_str()))
                .at(at)
                .related(part.header, "in this block")
                .help(format!("write an allowed value: {}", self.written))
                .address(address)
                .push_to(findings);
        });
    }
}
