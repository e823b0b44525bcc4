//! Other ways to write the same expression.

use smol_str::SmolStr;

use crate::syntax::{Call, Expr, ExprKind, ObjectKey, Part, TemplateKind};

/// The expression that gives another one its value: a template of nothing but an interpolation has that of its
/// expression, and text that is joined with nothing that of the text.
pub(super) fn plain(expr: &Expr) -> &Expr {
    let mut expr = expr;
    loop {
        expr = match &expr.kind {
            ExprKind::Parens(inner) => inner,
            ExprKind::Template(template) if template.kind == TemplateKind::Quoted => {
                let [Part::Interpolation(inner)] = &*template.parts else { return expr };
                inner
            }
            // A fallback of an expression that has one, and that cannot fail for that reason.
            ExprKind::Call(call) if has_fallback(call) => match &call.arguments[0].kind {
                ExprKind::Call(inner)
                    if has_fallback(inner) && inner.arguments.last().is_some_and(is_constant) =>
                {
                    &call.arguments[0]
                }
                _ => return expr,
            },
            ExprKind::Call(call) => match &call.arguments[..] {
                [_, Expr { kind: ExprKind::Tuple(joined), .. }]
                    if call.name == "join"
                        && !call.expands_last
                        && matches!(&call.arguments[0].kind, ExprKind::Template(it) if it.is_literal()) =>
                {
                    match &joined[..] {
                        [text @ Expr { kind: ExprKind::Template(it), .. }] if it.parts.len() > 1 => text,
                        _ => return expr,
                    }
                }
                _ => return expr,
            },
            _ => return expr,
        };
    }
}

fn has_fallback(call: &Call) -> bool {
    call.name == "try" && !call.expands_last && call.arguments.len() > 1
}

fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => true,
        ExprKind::Template(template) => template.is_literal(),
        _ => false,
    }
}

/// Whether two expressions have the same elements, where at least one joins its parts with `concat` or `merge`.
pub(super) fn have_same_elements(was: &Expr, is: &Expr, same: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
    let is_joined = |expr: &Expr| matches!(expr.kind, ExprKind::Call(_));
    if !is_joined(was) && !is_joined(is) {
        return false;
    }
    if let (Some(was), Some(is)) = (elements(was), elements(is)) {
        return was.len() == is.len() && was.iter().zip(is).all(|(was, is)| was.is_same(&is, same));
    }
    let (Some(mut was), Some(mut is)) = (items(was), items(is)) else { return false };
    for items in [&mut was, &mut is] {
        items.sort_by_key(|(name, _)| *name);
        if items.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return false;
        }
    }
    was.len() == is.len() && was.iter().zip(is).all(|(was, is)| was.0 == is.0 && same(was.1, is.1))
}

/// An element of a tuple, or those that a `for` expression makes.
enum Element<'e> {
    One(&'e Expr),
    Some(&'e Expr),
}

impl Element<'_> {
    fn is_same(&self, other: &Self, same: &dyn Fn(&Expr, &Expr) -> bool) -> bool {
        match (self, other) {
            (Self::One(was), Self::One(is)) | (Self::Some(was), Self::Some(is)) => same(was, is),
            _ => false,
        }
    }
}

/// The elements of a tuple constructor, or of several that `concat` joins.
fn elements(expr: &Expr) -> Option<Vec<Element<'_>>> {
    let expr = plain(expr);
    match &expr.kind {
        ExprKind::Tuple(items) => Some(items.iter().map(Element::One).collect()),
        ExprKind::For(it) if it.key.is_none() => Some(vec![Element::Some(expr)]),
        ExprKind::Call(call) if call.name == "concat" && !call.expands_last => {
            let joined: Option<Vec<_>> = call.arguments.iter().map(elements).collect();
            joined.filter(|it| !it.is_empty()).map(|it| it.into_iter().flatten().collect())
        }
        _ => None,
    }
}

/// The items of an object constructor, or of several that `merge` joins. `None` if a key is not a name.
fn items(expr: &Expr) -> Option<Vec<(&SmolStr, &Expr)>> {
    match &plain(expr).kind {
        ExprKind::Object(items) => {
            let named = items.iter().map(|item| match &item.key {
                ObjectKey::Name(name, _) => Some((name, &item.value)),
                ObjectKey::Expr(_) => None,
            });
            named.collect()
        }
        ExprKind::Call(call) if call.name == "merge" && !call.expands_last => {
            let joined: Option<Vec<_>> = call.arguments.iter().map(items).collect();
            joined.filter(|it| !it.is_empty()).map(|it| it.into_iter().flatten().collect())
        }
        _ => None,
    }
}
