//! Converts JSON values to expressions, for properties that are arguments.

use smol_str::SmolStr;

use super::tree::{Node, NodeKind, Scalar};
use crate::finding::Finding;
use crate::syntax::{Expr, ExprKind, JsonProperty, JsonString, Part, Template, TemplateKind, native};
use crate::text::Span;

impl Node {
    /// The value as an expression. The reader limits its depth.
    pub(super) fn expr(&self) -> Expr {
        let kind = match &self.kind {
            // In native syntax, the bare words are names as well. In JSON they are only values, as if in parentheses.
            NodeKind::Scalar(Scalar::Null) => {
                ExprKind::Parens(Box::new(Expr { span: self.span, kind: ExprKind::Null }))
            }
            NodeKind::Scalar(Scalar::Bool(value)) => {
                ExprKind::Parens(Box::new(Expr { span: self.span, kind: ExprKind::Bool(*value) }))
            }
            NodeKind::Scalar(Scalar::Number(digits)) => ExprKind::Number(digits.clone()),
            NodeKind::Scalar(Scalar::String(text)) => ExprKind::JsonString(Box::new(string(text, self.span))),
            NodeKind::Array(elements) => {
                ExprKind::Tuple(elements.iter().map(|element| element.expr()).collect())
            }
            NodeKind::Object(properties) => ExprKind::JsonObject(
                properties
                    .iter()
                    .map(|property| JsonProperty {
                        name_span: property.name_span,
                        name: string(&property.name, property.name_span),
                        value: property.value.expr(),
                    })
                    .collect(),
            ),
            NodeKind::Invalid => ExprKind::Invalid,
        };
        Expr { span: self.span, kind }
    }
}

fn string(text: &SmolStr, span: Span) -> JsonString {
    JsonString { text: text.clone(), template: template(text, span) }
}

/// The engine counts positions in the template from the opening quote and as if the string had no escapes. A byte
/// that is not UTF-8 counts as three, and a position that this moves past the string is reported at its end.
fn template(text: &SmolStr, span: Span) -> Result<Template, Vec<Finding>> {
    let inside = Span { start: span.start + 1, ..span };
    if !text.contains("${") && !text.contains("%{") {
        let span = Span::new(span.file, 0..text.len()).within(inside);
        let literal = Part::Literal { text: text.clone(), span };
        let parts = if text.is_empty() { Box::default() } else { Box::from([literal]) };
        return Ok(Template { kind: TemplateKind::Bare, parts });
    }
    native::template(inside.file, text, Some(inside))
}
