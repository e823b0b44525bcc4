//! The values of a JSON file as they stand there, before a schema says what each of them means.

use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use crate::syntax::Attribute;
use crate::text::Span;

/// A value and where it stands.
#[derive(Debug)]
pub(in crate::syntax) struct Node {
    /// All of it, with brackets or quotes.
    pub(in crate::syntax) span: Span,
    pub(in crate::syntax) kind: NodeKind,
}

#[derive(Debug)]
pub(in crate::syntax) enum NodeKind {
    Null,
    Bool(bool),
    /// Digits as written.
    Number(SmolStr),
    /// Escapes replaced.
    String(SmolStr),
    Array(Vec<Arc<Node>>),
    /// In the order of the source; names may come twice.
    Object(Vec<Property>),
    /// What could not be read; its error is reported already.
    Invalid,
}

#[derive(Debug)]
pub(in crate::syntax) struct Property {
    pub(in crate::syntax) name: SmolStr,
    /// With the quotes.
    pub(in crate::syntax) name_span: Span,
    pub(in crate::syntax) value: Arc<Node>,
    /// The property read as an argument, made when somebody first asks.
    attribute: OnceLock<Arc<Attribute>>,
}

impl Node {
    /// Where the engines say that a value of another kind belongs.
    pub(in crate::syntax) fn start(&self) -> Span {
        match self.kind {
            NodeKind::Array(_) | NodeKind::Object(_) => Span { end: self.span.start + 1, ..self.span },
            NodeKind::Null
            | NodeKind::Bool(_)
            | NodeKind::Number(_)
            | NodeKind::String(_)
            | NodeKind::Invalid => self.span,
        }
    }
}

impl Node {
    /// Whether there is a syntax error in it.
    fn is_broken(&self) -> bool {
        match &self.kind {
            NodeKind::Array(elements) => elements.iter().any(|element| element.is_broken()),
            NodeKind::Object(properties) => properties.iter().any(|property| property.value.is_broken()),
            NodeKind::Invalid => true,
            NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::String(_) => false,
        }
    }
}

impl Property {
    pub(super) fn new(name: SmolStr, name_span: Span, value: Node) -> Self {
        Self { name, name_span, value: Arc::new(value), attribute: OnceLock::new() }
    }

    /// The property read as an argument.
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
