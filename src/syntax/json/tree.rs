//! The values of a JSON file, before a schema decides what each one means.

use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use crate::syntax::Attribute;
use crate::text::Span;

/// A value and its span.
#[derive(Debug)]
pub(in crate::syntax) struct Node {
    /// The whole value, with brackets or quotes.
    pub(in crate::syntax) span: Span,
    pub(in crate::syntax) kind: NodeKind,
}

#[derive(Debug)]
pub(in crate::syntax) enum NodeKind {
    Scalar(Scalar),
    Array(Vec<Arc<Node>>),
    /// The properties in source order. Names may repeat.
    Object(Vec<Property>),
    /// A value with an error that is already reported.
    Invalid,
}

#[derive(Debug)]
pub(in crate::syntax) enum Scalar {
    Null,
    Bool(bool),
    /// The digits as written.
    Number(SmolStr),
    /// The text with escapes resolved.
    String(SmolStr),
}

#[derive(Debug)]
pub(in crate::syntax) struct Property {
    pub(in crate::syntax) name: SmolStr,
    /// The name with its quotes.
    pub(in crate::syntax) name_span: Span,
    pub(in crate::syntax) value: Arc<Node>,
    /// The property as an argument, built on first use.
    attribute: OnceLock<Arc<Attribute>>,
}

impl Node {
    /// Where the engine reports a value of the wrong type.
    pub(in crate::syntax) fn start(&self) -> Span {
        match self.kind {
            NodeKind::Array(_) | NodeKind::Object(_) => Span { end: self.span.start + 1, ..self.span },
            NodeKind::Scalar(_) | NodeKind::Invalid => self.span,
        }
    }

    /// Whether the value has a syntax error.
    fn is_broken(&self) -> bool {
        match &self.kind {
            NodeKind::Array(elements) => elements.iter().any(|element| element.is_broken()),
            NodeKind::Object(properties) => properties.iter().any(|property| property.value.is_broken()),
            NodeKind::Invalid => true,
            NodeKind::Scalar(_) => false,
        }
    }
}

impl Property {
    pub(super) fn new(name: SmolStr, name_span: Span, value: Node) -> Self {
        Self { name, name_span, value: Arc::new(value), attribute: OnceLock::new() }
    }

    /// The property as an argument.
    pub(in crate::syntax) fn attribute(&self) -> &Arc<Attribute> {
        self.attribute.get_or_init(|| {
            Arc::new(Attribute {
                name: self.name.clone(),
                name_span: self.name_span,
                span: self.name_span.to(self.value.span),
                expr: self.value.expr(),
                is_broken: self.value.is_broken(),
            })
        })
    }
}
