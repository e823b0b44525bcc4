//! Which part of its block an expression is.

use crate::graph::references::sites::{Owner, Site};
use crate::syntax::{Attribute, Expr, ExprKind};

/// Whether a plan evaluates the block of a site if it has instances, and fails after an error.
pub(super) fn is_always_evaluated(site: &Site<'_>) -> bool {
    match &site.owner {
        Owner::Resource(resource) => resource.enabled.is_none() && resource.check.is_none(),
        Owner::Argument(call, _) => call.enabled.is_none(),
        Owner::Local(_) | Owner::Output(_) | Owner::Call(_) | Owner::Provider(_) | Owner::Check(_) => true,
        Owner::Variable(_) | Owner::Import(_) | Owner::Action(_) => false,
    }
}

/// Whether an expression is the `condition` of a precondition, postcondition or assertion. One without references is an
/// error of its own.
pub(super) fn is_condition(site: &Site<'_>, expr: &Expr) -> bool {
    let condition = site.condition.and_then(|condition| condition.condition.as_deref());
    has_conditions(site) && is_value_of(condition, expr) && !expr.variables().is_empty()
}

/// Whether an expression is the `condition` of an assertion.
pub(super) fn is_assertion(site: &Site<'_>, expr: &Expr) -> bool {
    matches!(site.owner, Owner::Check(_)) && is_condition(site, expr)
}

/// Whether an expression is the message of a precondition, postcondition or assertion, which is evaluated even if the
/// condition is true.
pub(super) fn is_message(site: &Site<'_>, expr: &Expr) -> bool {
    let message = site.condition.and_then(|condition| condition.error_message.as_deref());
    has_conditions(site) && is_value_of(message, expr)
}

/// Whether the block of a site can have preconditions or assertions.
fn has_conditions(site: &Site<'_>) -> bool {
    matches!(site.owner, Owner::Resource(_) | Owner::Output(_) | Owner::Check(_))
}

/// Whether an expression is the `count` or `for_each` of its block.
pub(super) fn is_repetition(site: &Site<'_>, expr: &Expr) -> bool {
    let (count, for_each) = site.repeated();
    is_value_of(count, expr) || is_value_of(for_each, expr)
}

pub(super) fn is_value_of(argument: Option<&Attribute>, expr: &Expr) -> bool {
    argument.is_some_and(|argument| argument.expr.span == expr.span)
}

/// Whether an expression is the name of a variable or local value, whose evaluation cannot fail.
pub(super) fn is_name(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Traversal(traversal) if traversal.steps.len() == 1)
}
