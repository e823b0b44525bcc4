#![doc = include_str!("../../policies/rules/default-fails-validation.md")]

use super::{Context, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::graph::{Node, RefusedDefault, Role};
use crate::syntax::ExprKind;
use crate::text::Span;

pub(super) struct DefaultFailsValidation;

impl Rule for DefaultFailsValidation {
    const PAGE: Page = page!("default-fails-validation");

    // A test may use a default that fails on purpose.
    const ROLES: &'static [Role] = &[Role::Root, Role::Shared, Role::Example];

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let mut reported: Option<(Span, usize)> = None;
        for refused in node.refused_defaults() {
            // If a call uses the default, Terraform and OpenTofu report it.
            if refused.is_used || requires_a_value(&refused) {
                continue;
            }
            if let Some((_, at)) = reported.filter(|(default, _)| *default == refused.default) {
                findings[at] = findings[at].clone().related(refused.condition, "this condition fails too");
                continue;
            }
            reported = Some((refused.default, findings.len()));
            let name = &refused.variable.name;
            let why = match refused.error {
                Some(error) => format!("the condition fails with \"{error}\""),
                None => "the condition is false".to_owned(),
            };
            let finding = Self::finding("Default value fails its own validation")
                .detail(format!(
                    "With the default of `{name}`, {why}. `validate` does not check it, but every plan that does not \
                     set the variable fails.",
                ))
                .at(refused.default)
                .related(refused.condition, "the condition")
                .help("change the default or the condition, or remove the default so that the variable is required")
                .address(format!("variable.{name}"))
                .concerns(Concern::Argument("default".into()));
            findings.push(finding);
        }
    }
}

/// Whether the default is null and the condition compares with null, so that every caller has to set the variable.
fn requires_a_value(refused: &RefusedDefault<'_>) -> bool {
    let variable = refused.variable;
    let mut conditions = variable.validations.iter().filter_map(|validation| validation.condition.as_ref());
    let mut compares = false;
    if let Some(condition) = conditions.find(|condition| condition.expr.span == refused.condition) {
        condition.expr.walk(&mut |expr, _| compares |= matches!(expr.kind, ExprKind::Null));
    }
    compares
        && refused.error.is_none()
        && variable.default.as_ref().is_some_and(|default| default.value.is_null())
}
