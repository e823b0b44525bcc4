//! What the engine knows of an expression that is unknown here.

use crate::syntax::{Expr, ExprKind, Part, Template};
use crate::value::Function;

/// Functions of whose unknown results the engine knows at most that they are not null.
const UNREFINED: [&str; 13] = [
    "abs",
    "can",
    "ceil",
    "cidrhost",
    "cidrsubnet",
    "floor",
    "lower",
    "max",
    "min",
    "substr",
    "tonumber",
    "try",
    "upper",
];

/// Whether an expression is unknown for the engine if it is unknown here. The engine knows more of some unknown
/// values: that they are not null, and how a text begins.
pub(super) fn is_simple(expr: &Expr) -> bool {
    let mut simple = true;
    expr.walk(&mut |inner, _| {
        simple &= match &inner.kind {
            ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Traversal(_)
            | ExprKind::Relative(_)
            | ExprKind::Index { .. }
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Tuple(_)
            | ExprKind::Parens(_) => true,
            ExprKind::Call(call) => UNREFINED.contains(&call.name.as_str()),
            ExprKind::Template(template) => is_simple_template(template),
            ExprKind::JsonString(string) => string.template.as_ref().is_ok_and(is_simple_template),
            _ => false,
        };
    });
    simple
}

/// Whether the value of an expression follows from those that it refers to.
pub(super) fn is_pure(expr: &Expr) -> bool {
    let mut is_pure = true;
    expr.walk(&mut |inner, _| {
        if let ExprKind::Call(call) = &inner.kind {
            is_pure &= Function::named(&call.name).is_some_and(Function::is_pure);
        }
    });
    is_pure
}

/// Whether a template is constant, or has the value of the one expression in it, as in JSON.
fn is_simple_template(template: &Template) -> bool {
    template.is_literal() || matches!(&template.parts[..], [Part::Interpolation(_)])
}
