//! Builds tree nodes that both parsers of native syntax share: steps, splats, and keys of objects.

use smol_str::SmolStr;

use crate::syntax::{Expr, ExprKind, ObjectKey, Part, Relative, Step, StepKind};
use crate::text::Span;

/// `expr` followed by constant steps.
pub(super) fn with_steps(mut expr: Expr, steps: Vec<Step>) -> Expr {
    let Some(last) = steps.last() else { return expr };
    let span = expr.span.to(last.span);
    match &mut expr.kind {
        ExprKind::Traversal(traversal) if traversal.steps.is_empty() => traversal.steps = steps,
        ExprKind::Traversal(traversal) => traversal.steps.extend(steps),
        ExprKind::Relative(relative) => relative.steps.extend(steps),
        _ => {
            let relative = Relative { from: expr, steps };
            return Expr { span, kind: ExprKind::Relative(Box::new(relative)) };
        }
    }
    expr.span = span;
    expr
}

/// `collection[key]`, for a key that is not constant.
pub(super) fn indexed(collection: Expr, key: Expr, brackets: Span) -> Expr {
    let span = collection.span.to(brackets);
    let (collection, key) = (Box::new(collection), Box::new(key));
    Expr { span, kind: ExprKind::Index { collection, key, brackets } }
}

/// `source[*]` or `source.*`; `each` is the expression for one element.
pub(super) fn splat(source: Expr, mut each: Expr, marker: Span, full: bool) -> Expr {
    let span = source.span.to(each.span);
    // In HCL, the expression for an element includes the star of `[*]`, but not that of `.*`.
    if let (ExprKind::Relative(relative), false) = (&each.kind, full) {
        each.span.start = relative.steps.first().map_or(each.span.start, |first| first.span.start);
    }
    Expr { span, kind: ExprKind::Splat { source: Box::new(source), each: Box::new(each), marker, full } }
}

/// The element of the splat with this marker.
pub(super) fn element(marker: Span) -> Expr {
    Expr { span: marker, kind: ExprKind::Element }
}

/// The step for a key in brackets, if the key is constant.
pub(super) fn literal_key(key: &Expr) -> Option<StepKind> {
    match &key.kind {
        ExprKind::Number(digits) => Some(StepKind::Number(digits.clone())),
        ExprKind::Bool(value) => Some(StepKind::Word(Some(*value))),
        ExprKind::Null => Some(StepKind::Word(None)),
        ExprKind::Template(template) => match &*template.parts {
            [] => Some(StepKind::Key(SmolStr::default())),
            [Part::Literal { text, .. }] => Some(StepKind::Key(text.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// A key as `hclsyntax` parses it: a single name is a literal, even if it is a keyword.
pub(super) fn object_key(key: Expr) -> ObjectKey {
    let span = key.span;
    match key.kind {
        ExprKind::Traversal(traversal) if traversal.steps.is_empty() => ObjectKey::Name(traversal.root, span),
        ExprKind::Null => ObjectKey::Name("null".into(), span),
        ExprKind::Bool(value) => ObjectKey::Name(if value { "true" } else { "false" }.into(), span),
        _ => ObjectKey::Expr(key),
    }
}
