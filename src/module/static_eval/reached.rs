//! Turns an expression into what early evaluation asks of it: the functions it calls, and whether its value is exact.

use crate::syntax::{Expr, ExprKind};
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
