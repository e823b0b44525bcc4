//! Turns an expression into what early evaluation asks of it: the functions it calls, and whether its value shows those
//! that it is made of.

use crate::syntax::{Expr, ExprKind, Part};
use crate::text::Span;

/// The calls of functions that a provider has.
pub(super) fn provider_functions(expr: &Expr) -> Vec<Span> {
    let mut found = Vec::new();
    expr.for_each_call(|call, _| {
        if call.name.starts_with("provider::") {
            found.push(call.name_span);
        }
    });
    found
}

/// Whether it is worth here what it is worth to the engine: not all functions are, and nobody knows what a part is
/// worth that could not be read.
pub(super) fn is_plain(expr: &Expr) -> bool {
    let mut plain = true;
    expr.walk(&mut |inner, _| {
        plain &= match &inner.kind {
            ExprKind::Call(call) => call.name.starts_with("provider::"),
            ExprKind::Invalid | ExprKind::Unread => false,
            _ => true,
        };
    });
    plain
}

/// Whether a value that must not be shown certainly makes this one so: it does where it is taken as it is.
pub(super) fn carries_marks(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Traversal(_) => true,
        ExprKind::Template(template) => template.parts.iter().all(|part| match part {
            Part::Literal { .. } => true,
            Part::Interpolation(expr) => matches!(expr.kind, ExprKind::Traversal(_)),
            Part::If(_) | Part::For(_) => false,
        }),
        _ => false,
    }
}

/// Whether it is the function that makes a value sensitive.
pub(super) fn is_made_sensitive(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if call.name == "sensitive")
}
