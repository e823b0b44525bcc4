#![doc = include_str!("../../policies/rules/output-description-missing.md")]

use super::{ADVICE, Context, Finding, Node, Page, Role, Rule, page};

pub(super) struct OutputDescriptionMissing;

impl Rule for OutputDescriptionMissing {
    const PAGE: Page = page!("output-description-missing");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.knows_blocks() {
            return;
        }
        for output in module.outputs.values() {
            let is_given = output.description.as_ref().is_some_and(|given| !given.value.trim().is_empty());
            // The argument may exist with an error that the engine reports.
            if is_given || (node.is_broken() && output.origin.writes("description")) {
                continue;
            }
            Self::finding("Output without a description")
                .detail(format!(
                    "Registries and generated documentation show the description; `{}` has none.",
                    output.name
                ))
                .at(output.origin.header())
                .label("no description")
                .help("add a `description` that explains the value")
                .address(format!("output.{}", output.name))
                .push_to(findings);
        }
    }
}
