#![doc = include_str!("../../../policies/rules/forbidden-value.md")]

use super::argument::ArgumentPath;
use super::blocks::{Blocks, Wants};
use super::reach::{Reached, as_text, follow};
use crate::finding::Finding;
use crate::graph::Node;
use crate::policy::{Options, Patterns};
use crate::rules::{Configure, Context, Rule};

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
    const ID: &'static str = "forbidden-value";

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let values = node.values();
        for part in self.blocks.of(node.module(), context) {
            for reached in follow(&part, &self.argument, &values) {
                let Reached::Value { parts: single, .. } = reached else { continue };
                for (at, value) in single {
                    let Some(text) = as_text(&value).filter(|text| self.values.has(text)) else { continue };
                    findings.push(
                        Self::finding("Forbidden value")
                            .detail(format!(
                                "`{}` of `{}` must not be {:?}.",
                                self.argument,
                                part.address(),
                                text.as_str()
                            ))
                            .at(at)
                            .related(part.header, "in this block")
                            .help("choose another value")
                            .address(part.address()),
                    );
                }
            }
        }
    }
}
