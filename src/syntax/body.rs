//! Bodies: the arguments and blocks between two braces, or in a whole file.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::syntax::Expr;
use crate::text::Span;

/// `name = expression`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Left of the `=`.
    pub name: SmolStr,
    /// Where the name stands; in JSON with its quotes.
    pub name_span: Span,
    /// From name to the end of the value.
    pub span: Span,
    /// Right of the `=`.
    pub expr: Expr,
}

/// `kind "label" { … }`.
#[derive(Debug, Clone)]
pub struct Block {
    /// Its first word.
    pub kind: SmolStr,
    /// Where that stands; in JSON the property's name with its quotes.
    pub kind_span: Span,
    /// What follows the kind.
    pub labels: Vec<Label>,
    /// How the engines point at it: in native syntax from the kind through the last label, in JSON the `{` of its body.
    pub header: Span,
    /// What stands between the braces.
    pub body: Body,
}

/// A label of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Without quotes, escapes replaced.
    pub text: SmolStr,
    /// With quotes.
    pub span: Span,
}

/// What a place in the language expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema<'a> {
    /// Arguments.
    pub attributes: &'a [AttributeSchema<'a>],
    /// Blocks.
    pub blocks: &'a [BlockSchema<'a>],
}

/// An argument that a place expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeSchema<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it has to be there.
    pub required: bool,
}

/// A kind of block that a place expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSchema<'a> {
    /// Its first word.
    pub kind: &'a str,
    /// What each of its labels is called in messages.
    pub labels: &'a [&'a str],
}

/// What a body holds of a schema.
#[derive(Debug, Clone)]
pub struct Content {
    /// The arguments that are there, in the order of the source.
    pub attributes: Vec<Arc<Attribute>>,
    /// The blocks, in the order of the source. Those with a wrong number of labels are left out, after a finding.
    pub blocks: Vec<Arc<Block>>,
    /// Where the engines say that something is missing.
    pub missing_item: Span,
}

impl Content {
    /// The argument of that name.
    pub fn attribute(&self, name: &str) -> Option<&Arc<Attribute>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// A body, or what is left of one after some of its items were taken out; cheap to clone.
#[derive(Debug, Clone)]
pub struct Body {
    inner: Arc<Inner>,
    /// Names of arguments taken out already; in JSON also those of blocks.
    hidden_attributes: Arc<[SmolStr]>,
    /// Kinds of blocks taken out already.
    hidden_blocks: Arc<[SmolStr]>,
}

#[derive(Debug)]
enum Inner {
    Native(NativeBody),
}

#[derive(Debug)]
struct NativeBody {
    span: Span,
    attributes: Vec<Arc<Attribute>>,
    blocks: Vec<Arc<Block>>,
}

impl Body {
    /// A body of the native syntax. `span` reaches from its `{` to its `}`, of a file from its start to its end;
    /// the items stand in the order of the source, and of arguments with one name only the first is among them.
    pub fn native(span: Span, attributes: Vec<Arc<Attribute>>, blocks: Vec<Arc<Block>>) -> Self {
        Self {
            inner: Arc::new(Inner::Native(NativeBody { span, attributes, blocks })),
            hidden_attributes: Arc::default(),
            hidden_blocks: Arc::default(),
        }
    }

    /// From brace to brace.
    pub fn span(&self) -> Span {
        match &*self.inner {
            Inner::Native(native) => native.span,
        }
    }
}
