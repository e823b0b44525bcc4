#![doc = include_str!("../../policies/rules/variable-description-missing.md")]

use super::{ADVICE, Context, Finding, Node, Page, Role, Rule, page};

pub(super) struct VariableDescriptionMissing;

impl Rule for VariableDescriptionMissing {
    const PAGE: Page = page!("variable-description-missing");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.knows_blocks() {
            return;
        }
        for variable in module.variables.values() {
            let is_given = variable.description.as_ref().is_some_and(|given| !given.value.trim().is_empty());
            // The argument may exist with an error that the engine reports.
            if is_given || (node.is_broken() && variable.origin.writes("description")) {
                continue;
            }
            Self::finding("Variable without a description")
                .detail(format!(
                    "Registries and generated documentation show the description; `{}` has none.",
                    variable.name
                ))
                .at(variable.origin.header())
                .label("no description")
                .help("add a `description` that explains what the variable is for")
                .address(format!("variable.{}", variable.name))
                .push_to(findings);
        }
    }
}
