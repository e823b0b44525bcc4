//! Turns places in the text of a JSON string into places in the file around it.

use crate::finding::Finding;
use crate::syntax::{
    Expr, ExprKind, ForDirective, IfDirective, JsonString, ObjectKey, Part, Step, Template, Traversal,
};
use crate::text::Span;

/// Moves every place in `expr` to the right.
pub(super) fn expression(expr: &mut Expr, by: u32) {
    span(&mut expr.span, by);
    match &mut expr.kind {
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Number(_)
        | ExprKind::Element
        | ExprKind::Invalid
        | ExprKind::Unread => {}
        ExprKind::Template(inner) => template(inner, by),
        ExprKind::Tuple(elements) => all(elements, by),
        ExprKind::Object(items) => {
            for item in items {
                match &mut item.key {
                    ObjectKey::Name(_, place) => span(place, by),
                    ObjectKey::Expr(key) => expression(key, by),
                }
                expression(&mut item.value, by);
            }
        }
        ExprKind::Traversal(Traversal { root: _, root_span, steps: inner }) => {
            span(root_span, by);
            steps(inner, by);
        }
        ExprKind::Relative { from, steps: inner } => {
            expression(from, by);
            steps(inner, by);
        }
        ExprKind::Index { collection, key, brackets } => {
            expression(collection, by);
            expression(key, by);
            span(brackets, by);
        }
        ExprKind::Splat { source, each, marker, full: _ } => {
            expression(source, by);
            expression(each, by);
            span(marker, by);
        }
        ExprKind::Call(call) => {
            span(&mut call.name_span, by);
            all(&mut call.arguments, by);
            span(&mut call.open, by);
            span(&mut call.close, by);
        }
        ExprKind::Conditional(parts) => all(&mut parts[..], by),
        ExprKind::Unary(_, inner) | ExprKind::Parens(inner) => expression(inner, by),
        ExprKind::Binary(_, operands) => all(&mut operands[..], by),
        ExprKind::For(inner) => {
            expression(&mut inner.collection, by);
            for part in inner.key.iter_mut().chain([&mut inner.value]).chain(&mut inner.condition) {
                expression(part, by);
            }
        }
        ExprKind::JsonString(string) => json_string(string, by),
        ExprKind::JsonObject(properties) => {
            for property in properties {
                span(&mut property.name_span, by);
                json_string(&mut property.name, by);
                expression(&mut property.value, by);
            }
        }
    }
}

/// Moves every place in `template` to the right.
pub(super) fn template(template: &mut Template, by: u32) {
    for part in &mut template.parts {
        match part {
            Part::Literal { text: _, span: place } => span(place, by),
            Part::Interpolation(expr) => expression(expr, by),
            Part::If(directive) => {
                let IfDirective { span: place, condition, then, otherwise } = &mut **directive;
                span(place, by);
                expression(condition, by);
                self::template(then, by);
                if let Some(otherwise) = otherwise {
                    self::template(otherwise, by);
                }
            }
            Part::For(directive) => {
                let ForDirective { span: place, key: _, value: _, collection, body } = &mut **directive;
                span(place, by);
                expression(collection, by);
                self::template(body, by);
            }
        }
    }
}

/// Moves every place in `finding` to the right.
pub(super) fn finding(finding: &mut Finding, by: u32) {
    for place in finding.primary.iter_mut().chain(finding.related.iter_mut().map(|related| &mut related.span))
    {
        span(place, by);
    }
}

fn all(expressions: &mut [Expr], by: u32) {
    for expr in expressions {
        expression(expr, by);
    }
}

fn steps(steps: &mut [Step], by: u32) {
    for step in steps {
        span(&mut step.span, by);
    }
}

fn json_string(string: &mut JsonString, by: u32) {
    match &mut string.template {
        Ok(inner) => template(inner, by),
        Err(findings) => {
            for wrong in findings {
                finding(wrong, by);
            }
        }
    }
}

fn span(span: &mut Span, by: u32) {
    *span = span.shifted(by);
}
