//! Compares expressions without regard to white space and parentheses.

use crate::syntax::{Expr, ExprKind, For, ObjectItem, ObjectKey, Part, Step, Template};

/// Whether the engine considers two expressions equal. Types of expressions that it does not compare are never equal.
pub(crate) fn alike(a: &Expr, b: &Expr) -> bool {
    have_same_parts(a, b, &alike)
}

/// Whether two expressions have the same form, with parts that are the `same`.
pub(crate) fn have_same_parts(a: &Expr, b: &Expr, same: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
    let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    match (&bare(a).kind, &bare(b).kind) {
        (ExprKind::Traversal(a), ExprKind::Traversal(b)) => {
            a.root == b.root && same_steps(&a.steps, &b.steps)
        }
        (ExprKind::Null, ExprKind::Null) => true,
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Number(a), ExprKind::Number(b)) => a == b,
        (ExprKind::Relative(a), ExprKind::Relative(b)) => {
            same_steps(&a.steps, &b.steps) && same(&a.from, &b.from)
        }
        (ExprKind::Call(a), ExprKind::Call(b)) => a.name == b.name && all(&a.arguments, &b.arguments),
        (ExprKind::Conditional(a), ExprKind::Conditional(b)) => all(&a[..], &b[..]),
        (ExprKind::Index { collection: a, key: x, .. }, ExprKind::Index { collection: b, key: y, .. }) => {
            same(a, b) && same(x, y)
        }
        (ExprKind::Tuple(a), ExprKind::Tuple(b)) => all(a, b),
        (ExprKind::Object(a), ExprKind::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_item(a, b, same))
        }
        (ExprKind::For(a), ExprKind::For(b)) => same_for(a, b, same),
        (ExprKind::Binary(a, x), ExprKind::Binary(b, y)) => a == b && all(&x[..], &y[..]),
        (ExprKind::Unary(a, x), ExprKind::Unary(b, y)) => a == b && same(x, y),
        (ExprKind::Template(a), ExprKind::Template(b)) => same_template(a, b, same),
        _ => false,
    }
}

fn bare(expr: &Expr) -> &Expr {
    let mut expr = expr;
    while let ExprKind::Parens(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

/// Whether the steps of two traversals are the same.
pub(crate) fn same_steps(a: &[Step], b: &[Step]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.kind == b.kind)
}

fn same_item(a: &ObjectItem, b: &ObjectItem, same: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
    let keys = match (&a.key, &b.key) {
        (ObjectKey::Name(a, _), ObjectKey::Name(b, _)) => a == b,
        (ObjectKey::Expr(a), ObjectKey::Expr(b)) => same(a, b),
        _ => false,
    };
    keys && same(&a.value, &b.value)
}

fn same_for(a: &For, b: &For, same: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
    let both = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    };
    a.key_name == b.key_name
        && a.value_name == b.value_name
        && a.grouped == b.grouped
        && same(&a.collection, &b.collection)
        && both(&a.key, &b.key)
        && same(&a.value, &b.value)
        && both(&a.condition, &b.condition)
}

fn same_template(a: &Template, b: &Template, same: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
    a.parts.len() == b.parts.len()
        && a.parts.iter().zip(&b.parts).all(|(a, b)| match (a, b) {
            (Part::Literal { text: a, .. }, Part::Literal { text: b, .. }) => a == b,
            (Part::Interpolation(a), Part::Interpolation(b)) => same(a, b),
            _ => false,
        })
}
