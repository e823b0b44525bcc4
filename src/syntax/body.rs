//! The body of a block or file, decoded with a schema.
//!
//! A JSON property is a block or an argument depending on the schema. Both syntaxes therefore implement the three
//! methods of HCL's `Body`, `Content`, `PartialContent` and `JustAttributes`, each with the diagnostics of HCL.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{Concern, EngineRule, Finding};
use crate::syntax::json::Node;
use crate::syntax::{Attribute, Expr};
use crate::text::Span;

mod canonical;
mod context;
mod iterators;
mod json;
mod native;
mod path;
mod schema;

pub use canonical::LeftOut;
pub use iterators::{HasElements, Iteration};
use json::JsonBody;
use native::NativeBody;
pub use schema::{AttributeSchema, BlockSchema, Schema};

/// A block: `type "label" { … }`.
#[derive(Debug, Clone)]
pub struct Block {
    /// The block type.
    pub kind: SmolStr,
    /// Span of the block type; in JSON of the property name with its quotes.
    pub kind_span: Span,
    /// The labels.
    pub labels: Vec<Label>,
    /// HCL's `DefRange`, where the engine reports the block: in native syntax from the block type to the last label,
    /// in JSON the `{` of its body.
    pub header: Span,
    /// The arguments and blocks inside.
    pub body: Body,
}

/// An argument or a block in native syntax.
#[derive(Debug, Clone, Copy)]
pub struct Item<'b> {
    /// The span of the whole item.
    pub span: Span,
    /// The body, if this is a block.
    pub body: Option<&'b Body>,
}

impl Block {
    /// The argument of this name in the block.
    pub fn attribute(&self, name: &str) -> Option<Arc<Attribute>> {
        self.body.attribute(name)
    }

    /// The block type that the item produces: its own, or the label of a `dynamic` block.
    pub fn makes(&self) -> &str {
        match self.labels.first() {
            Some(label) if self.kind == "dynamic" => &label.text,
            _ => &self.kind,
        }
    }

    /// The nested blocks of this type with these labels.
    pub fn blocks(&self, kind: &str, labels: &[&str]) -> Vec<Arc<Block>> {
        let schema = Schema { attributes: &[], blocks: &[BlockSchema::new(kind, labels)] };
        self.body.matching(&schema).blocks
    }
}

/// A block label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The label without quotes, with escapes resolved.
    pub text: SmolStr,
    /// Span of the label, with quotes.
    pub span: Span,
}

/// The arguments and blocks of a body that match a schema.
#[derive(Debug, Clone)]
pub struct Content {
    /// The arguments, in source order.
    pub attributes: Vec<Arc<Attribute>>,
    /// The blocks, in source order. Blocks with a wrong number of labels are reported and left out.
    pub blocks: Vec<Arc<Block>>,
    /// Where the engine reports missing items.
    pub missing_item: Span,
}

impl Content {
    /// The argument of this name.
    pub fn attribute(&self, name: &str) -> Option<&Arc<Attribute>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The blocks of this type.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Arc<Block>> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }
}

/// A body, or the remainder of one after `partial_content`. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Body {
    inner: Arc<Inner>,
    /// The names that earlier schemas took.
    hidden: Hidden,
    is_unclosed: bool,
}

#[derive(Debug)]
enum Inner {
    Native(NativeBody),
    Json(JsonBody),
}

/// The names that a body hides because an earlier schema took them, or an override replaces them.
#[derive(Debug, Clone, Default)]
struct Hidden {
    attributes: Names,
    /// The block types as written, where `dynamic` is one.
    blocks: Names,
    /// The block types that are hidden where a `dynamic` block makes them too.
    made: Names,
}

/// A sorted set of names. Nearly all sets are empty, and have no memory that threads would share.
#[derive(Debug, Clone, Default)]
struct Names(Option<Arc<Box<[SmolStr]>>>);

impl Names {
    fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|own| own.binary_search_by(|own| own.as_str().cmp(name)).is_ok())
    }

    /// This set with more names.
    fn and(&self, more: impl Iterator<Item = SmolStr>) -> Self {
        let mut more = more.peekable();
        if more.peek().is_none() {
            return self.clone();
        }
        let own = self.0.iter().flat_map(|own| own.iter().cloned());
        let mut names: Vec<SmolStr> = own.chain(more).collect();
        names.sort_unstable();
        names.dedup();
        Self(Some(Arc::new(names.into_boxed_slice())))
    }
}

impl Body {
    /// A body in native syntax. `span` reaches from `{` to `}`, or over the whole file. The items are in source
    /// order, and only the first argument of a name is among them.
    pub fn native(span: Span, attributes: Vec<Arc<Attribute>>, blocks: Vec<Arc<Block>>) -> Self {
        let missing_item = Span { end: span.start, ..span };
        let native = NativeBody { span, missing_item, attributes: attributes.into(), blocks: blocks.into() };
        Self { inner: Arc::new(Inner::Native(native)), hidden: Hidden::default(), is_unclosed: false }
    }

    /// A body on one line with a single argument: `block { name = value }`. The engine treats the argument as the
    /// whole body, and reports missing items there.
    pub fn single_line(span: Span, attribute: Arc<Attribute>) -> Self {
        let missing_item = Span { end: attribute.span.start, ..attribute.span };
        let native =
            NativeBody { span, missing_item, attributes: Box::new([attribute]), blocks: Box::default() };
        Self { inner: Arc::new(Inner::Native(native)), hidden: Hidden::default(), is_unclosed: false }
    }

    /// The same body, marked as one that ends with the file before its closing brace.
    #[must_use]
    pub fn unclosed(self) -> Self {
        Self { is_unclosed: true, ..self }
    }

    /// Whether the file ends before the closing brace. It is then unknown which of the items belong to this body.
    pub fn is_unclosed(&self) -> bool {
        self.is_unclosed
    }

    /// A body for a JSON value. A value of the wrong type is reported when the body is decoded.
    pub(super) fn json(value: Arc<Node>) -> Self {
        Self { inner: Arc::new(Inner::Json(JsonBody(value))), hidden: Hidden::default(), is_unclosed: false }
    }

    /// Decodes the items that `schema` expects. Adds a finding for each unexpected or missing item.
    pub fn content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> Content {
        match &*self.inner {
            Inner::Native(native) => native.content(&self.hidden, schema, findings),
            Inner::Json(json) => json.content(&self.hidden, schema, findings),
        }
    }

    /// Decodes the items that `schema` expects, and returns the remaining body. Adds a finding for each missing item
    /// only.
    pub fn partial_content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> (Content, Self) {
        let (content, hidden) = match &*self.inner {
            Inner::Native(native) => native.partial_content(&self.hidden, schema, findings),
            Inner::Json(json) => json.partial_content(&self.hidden, schema, findings),
        };
        (content, Self { inner: Arc::clone(&self.inner), hidden, ..*self })
    }

    /// Returns the items that `schema` expects, without findings.
    pub fn matching(&self, schema: &Schema<'_>) -> Content {
        let mut ignored = Vec::new();
        match &*self.inner {
            Inner::Native(native) => native.expected(&self.hidden, schema, &mut ignored),
            Inner::Json(json) => json.partial_content(&self.hidden, schema, &mut ignored).0,
        }
    }

    /// The argument of this name, if it was not taken yet.
    pub fn attribute(&self, name: &str) -> Option<Arc<Attribute>> {
        match &*self.inner {
            Inner::Native(native) => native.attribute(&self.hidden, name),
            Inner::Json(json) => {
                let schema = Schema { attributes: &[AttributeSchema::optional(name)], blocks: &[] };
                json.partial_content(&self.hidden, &schema, &mut Vec::new()).0.attributes.pop()
            }
        }
    }

    /// All arguments, whatever their names. Adds a finding for each block.
    pub fn just_attributes(&self, findings: &mut Vec<Finding>) -> Vec<Arc<Attribute>> {
        match &*self.inner {
            Inner::Native(native) => native.just_attributes(&self.hidden, findings),
            Inner::Json(json) => json.just_attributes(&self.hidden, findings),
        }
    }

    /// Whether [`Body::content`] with an empty schema would report nothing.
    pub fn is_empty(&self) -> bool {
        match &*self.inner {
            Inner::Native(native) => native.is_empty(&self.hidden),
            Inner::Json(json) => json.is_empty(&self.hidden),
        }
    }

    /// Calls `visit` with the expression of each remaining argument, in nested blocks too. In JSON, each property
    /// counts as an expression, because only a schema distinguishes arguments from blocks.
    pub fn for_each_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        match &*self.inner {
            Inner::Native(native) => native.for_each_expression(&self.hidden, visit),
            Inner::Json(json) => json.for_each_expression(&self.hidden, visit),
        }
    }

    /// The names of the remaining arguments and block types; a `dynamic` block counts as the type that it produces.
    pub fn names(&self) -> Vec<SmolStr> {
        match &*self.inner {
            Inner::Native(native) => native.names(&self.hidden),
            Inner::Json(json) => json.names(&self.hidden),
        }
    }

    /// The remaining blocks of all types. Empty in JSON, where only a schema distinguishes blocks from arguments.
    pub fn any_blocks(&self) -> Vec<Arc<Block>> {
        match &*self.inner {
            Inner::Native(native) => native.any_blocks(&self.hidden),
            Inner::Json(_) => Vec::new(),
        }
    }

    /// The same body without the arguments and blocks of these [names](Self::names).
    #[must_use]
    pub fn without(&self, names: &[SmolStr]) -> Self {
        let more = |hidden: &Names| hidden.and(names.iter().cloned());
        let Hidden { attributes, blocks, made } = &self.hidden;
        let hidden = Hidden { attributes: more(attributes), blocks: blocks.clone(), made: more(made) };
        Self { inner: Arc::clone(&self.inner), hidden, ..*self }
    }

    /// The arguments and blocks in source order. Empty in JSON, where only a schema distinguishes them.
    pub fn items(&self) -> Vec<Item<'_>> {
        match &*self.inner {
            Inner::Native(native) => native.items(),
            Inner::Json(_) => Vec::new(),
        }
    }

    /// The argument or block around an offset. `None` in JSON.
    pub fn item_at(&self, offset: u32) -> Option<Item<'_>> {
        match &*self.inner {
            Inner::Native(native) => native.item_at(offset),
            Inner::Json(_) => None,
        }
    }

    /// The JSON value of the body, if it is written in JSON.
    pub(super) fn json_node(&self) -> Option<&Node> {
        match &*self.inner {
            Inner::Native(_) => None,
            Inner::Json(json) => Some(&json.0),
        }
    }

    /// Where the engine reports missing items.
    pub fn missing_item(&self) -> Span {
        match &*self.inner {
            Inner::Native(native) => native.missing_item,
            Inner::Json(json) => json.missing_item(),
        }
    }

    /// From brace to brace.
    pub fn span(&self) -> Span {
        match &*self.inner {
            Inner::Native(native) => native.span,
            Inner::Json(json) => json.0.span,
        }
    }

    /// Whether the body is written in JSON.
    pub fn is_json(&self) -> bool {
        match &*self.inner {
            Inner::Native(_) => false,
            Inner::Json(_) => true,
        }
    }
}

/// The finding for a missing required argument.
fn missing_argument(name: &str, at: Span) -> Finding {
    Finding::language(EngineRule::MissingArgument, "Missing required argument")
        .detail(format!("The argument `{name}` is required, but it is not set."))
        .at(at)
        .help(format!("set `{name}`"))
        .concerns(Concern::Argument(name.into()))
}
