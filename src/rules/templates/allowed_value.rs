#![doc = include_str!("../../../policies/rules/allowed-value.md")]

use super::argument::ArgumentPath;
use super::blocks::{Blocks, Wants};
use super::reach::{Reached, as_text, follow};
use crate::finding::Finding;
use crate::graph::Node;
use crate::policy::{Options, Patterns};
use crate::rules::{Configure, Context, Rule};

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
            written: options.written("values")?.join(", "),
        })
    }
}

impl Rule for AllowedValue {
    const ID: &'static str = "allowed-value";

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let values = node.values();
        for part in self.blocks.of(node.module(), context) {
            for reached in follow(&part, &self.argument, &values) {
                let Reached::Value { parts: single, .. } = reached else { continue };
                for (at, value) in single {
                    // A null value is not set, and a value without text is unknown.
                    let Some(text) = as_text(&value).filter(|text| !self.values.has(text)) else { continue };
                    findings.push(
                        Self::finding("Value is not allowed")
                            .detail(format!(
                                "`{}` of `{}` is {:?}.",
                                self.argument,
                                part.address(),
                                text.as_str()
                            ))
                            .at(at)
                            .related(part.header, "in this block")
                            .help(format!("choose one of: {}", self.written))
                            .address(part.address()),
                    );
                }
            }
        }
    }
}
