#![doc = include_str!("../../policies/rules/variable-type-missing.md")]

use super::{ADVICE, Context, Finding, Node, Page, Role, Rule, page};

pub(super) struct VariableTypeMissing;

impl Rule for VariableTypeMissing {
    const PAGE: Page = page!("variable-type-missing");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.knows_blocks() {
            return;
        }
        for variable in module.variables.values().filter(|variable| variable.constraint.is_none()) {
            Self::finding("Variable without a type")
                .detail(format!(
                    "`{}` accepts values of any type, so a wrong value is reported only where it is used.",
                    variable.name
                ))
                .at(variable.origin.header())
                .label("accepts any type")
                .help("add a `type`, or `type = any` if the variable really accepts any value")
                .address(format!("variable.{}", variable.name))
                .push_to(findings);
        }
    }
}
