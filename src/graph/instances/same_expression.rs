//! Compares expressions without regard to white space and parentheses.

use crate::syntax::{Expr, ExprKind, For, ObjectItem, ObjectKey, Part, Step, Template};

/// Whether the engine considers two expressions equal. Types of expressions that it does not compare are never equal.
pub(super) fn alike(a: &Expr, b: &Expr) -> bool {
    match (&bare(a).kind, &bare(b).kind) {
        (ExprKind::Traversal(a), ExprKind::Traversal(b)) => {
            a.root == b.root && same_steps(&a.steps, &b.steps)
        }
        (ExprKind::Null, ExprKind::Null) => true,
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Number(a), ExprKind::Number(b)) => a == b,
        (ExprKind::Relative(a), ExprKind::Relative(b)) => {
            same_steps(&a.steps, &b.steps) && alike(&a.from, &b.from)
        }
        (ExprKind::Call(a), ExprKind::Call(b)) => a.name == b.name && all(&a.arguments, &b.arguments),
        (ExprKind::Conditional(a), ExprKind::Conditional(b)) => all(&a[..], &b[..]),
        (ExprKind::Index { collection: a, key: x, .. }, ExprKind::Index { collection: b, key: y, .. }) => {
            alike(a, b) && alike(x, y)
        }
        (ExprKind::Tuple(a), ExprKind::Tuple(b)) => all(a, b),
        (ExprKind::Object(a), ExprKind::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_item(a, b))
        }
        (ExprKind::For(a), ExprKind::For(b)) => same_for(a, b),
        (ExprKind::Binary(a, x), ExprKind::Binary(b, y)) => a == b && all(&x[..], &y[..]),
        (ExprKind::Unary(a, x), ExprKind::Unary(b, y)) => a == b && alike(x, y),
        (ExprKind::Template(a), ExprKind::Template(b)) => same_template(a, b),
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

fn all(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
}

fn same_steps(a: &[Step], b: &[Step]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.kind == b.kind)
}

fn same_item(a: &ObjectItem, b: &ObjectItem) -> bool {
    let keys = match (&a.key, &b.key) {
        (ObjectKey::Name(a, _), ObjectKey::Name(b, _)) => a == b,
        (ObjectKey::Expr(a), ObjectKey::Expr(b)) => alike(a, b),
        _ => false,
    };
    keys && alike(&a.value, &b.value)
}

fn same_for(a: &For, b: &For) -> bool {
    let same = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => alike(a, b),
        _ => false,
    };
    a.key_name == b.key_name
        && a.value_name == b.value_name
        && a.grouped == b.grouped
        && alike(&a.collection, &b.collection)
        && same(&a.key, &b.key)
        && alike(&a.value, &b.value)
        && same(&a.condition, &b.condition)
}

fn same_template(a: &Template, b: &Template) -> bool {
    a.parts.len() == b.parts.len()
        && a.parts.iter().zip(&b.parts).all(|(a, b)| match (a, b) {
            (Part::Literal { text: a, .. }, Part::Literal { text: b, .. }) => a == b,
            (Part::Interpolation(a), Part::Interpolation(b)) => alike(a, b),
            _ => false,
        })
}
