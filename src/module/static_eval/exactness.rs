//! Properties of expressions in early evaluation: provider functions, and whether the computed value is exact.

use crate::syntax::{Expr, ExprKind};
use crate::text::Span;

/// The names of the provider functions that an expression calls.
pub(super) fn provider_functions(expr: &Expr) -> Vec<Span> {
    let mut found = Vec::new();
    expr.for_each_call(|call, _| {
        if call.name.starts_with("provider::") {
            found.push(call.name_span);
        }
    });
    found
}

/// Whether the computed value is that of the engine: not all functions are implemented, and parts of the expression
/// may not be readable.
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
