//! Turns places in the text of a string into places in the file around it.

use crate::finding::Finding;
use crate::syntax::{Expr, ExprKind, ForDirective, IfDirective, JsonString, ObjectKey, Part, Step, Template};
use crate::text::Span;

/// Moves every place in `expr`, read from a text that stands at `outer`.
pub(super) fn expression(expr: &mut Expr, outer: Span) {
    span(&mut expr.span, outer);
    match &mut expr.kind {
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Number(_)
        | ExprKind::Element
        | ExprKind::Invalid
        | ExprKind::Unread => {}
        ExprKind::Template(inner) => template(inner, outer),
        ExprKind::Tuple(elements) => all(elements, outer),
        ExprKind::Object(items) => {
            for item in items {
                match &mut item.key {
                    ObjectKey::Name(_, place) => span(place, outer),
                    ObjectKey::Expr(key) => expression(key, outer),
                }
                expression(&mut item.value, outer);
            }
        }
        ExprKind::Traversal(traversal) => {
            span(&mut traversal.root_span, outer);
            steps(&mut traversal.steps, outer);
        }
        ExprKind::Relative(relative) => {
            expression(&mut relative.from, outer);
            steps(&mut relative.steps, outer);
        }
        ExprKind::Index { collection, key, brackets } => {
            expression(collection, outer);
            expression(key, outer);
            span(brackets, outer);
        }
        ExprKind::Splat { source, each, marker, full: _ } => {
            expression(source, outer);
            expression(each, outer);
            span(marker, outer);
        }
        ExprKind::Call(call) => {
            span(&mut call.name_span, outer);
            all(&mut call.arguments, outer);
            span(&mut call.open, outer);
            span(&mut call.close, outer);
        }
        ExprKind::Conditional(parts) => all(&mut parts[..], outer),
        ExprKind::Unary(_, inner) | ExprKind::Parens(inner) => expression(inner, outer),
        ExprKind::Binary(_, operands) => all(&mut operands[..], outer),
        ExprKind::For(inner) => {
            expression(&mut inner.collection, outer);
            for part in inner.key.iter_mut().chain([&mut inner.value]).chain(&mut inner.condition) {
                expression(part, outer);
            }
        }
        ExprKind::JsonString(string) => json_string(string, outer),
        ExprKind::JsonObject(properties) => {
            for property in properties {
                span(&mut property.name_span, outer);
                json_string(&mut property.name, outer);
                expression(&mut property.value, outer);
            }
        }
    }
}

/// Moves every place in `template` in the same way.
pub(super) fn template(template: &mut Template, outer: Span) {
    for part in &mut template.parts {
        match part {
            Part::Literal { text: _, span: place } => span(place, outer),
            Part::Interpolation(expr) => expression(expr, outer),
            Part::If(directive) => {
                let IfDirective { span: place, condition, then, otherwise } = &mut **directive;
                span(place, outer);
                expression(condition, outer);
                self::template(then, outer);
                if let Some(otherwise) = otherwise {
                    self::template(otherwise, outer);
                }
            }
            Part::For(directive) => {
                let ForDirective { span: place, key: _, value: _, collection, body } = &mut **directive;
                span(place, outer);
                expression(collection, outer);
                self::template(body, outer);
            }
        }
    }
}

/// Moves every place in `finding` in the same way.
pub(super) fn finding(finding: &mut Finding, outer: Span) {
    finding.places_mut().for_each(|place| span(place, outer));
}

fn all(expressions: &mut [Expr], outer: Span) {
    for expr in expressions {
        expression(expr, outer);
    }
}

fn steps(steps: &mut [Step], outer: Span) {
    for step in steps {
        span(&mut step.span, outer);
    }
}

fn json_string(string: &mut JsonString, outer: Span) {
    match &mut string.template {
        Ok(inner) => template(inner, outer),
        Err(findings) => {
            for wrong in findings {
                finding(wrong, outer);
            }
        }
    }
}

fn span(span: &mut Span, outer: Span) {
    *span = span.within(outer);
}
