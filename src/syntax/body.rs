//! Bodies: the arguments and blocks between two braces, or in a whole file, asked for by a schema.
//!
//! What a body holds shows only when it is asked: a JSON object is a block here and an argument there. So both
//! notations answer the three questions that the engines ask, each finding what they would find.

use std::collections::HashSet;
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

pub use canonical::LeftOut;
pub use iterators::Iteration;
use json::JsonBody;
use native::NativeBody;

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

/// An argument or a block of the native syntax.
#[derive(Debug, Clone, Copy)]
pub struct Item<'b> {
    /// All of it.
    pub span: Span,
    /// What stands in it, if it is a block.
    pub body: Option<&'b Body>,
}

impl Block {
    /// The argument of that name in it, if it is there.
    pub fn attribute(&self, name: &str) -> Option<Arc<Attribute>> {
        self.body.attribute(name)
    }

    /// The kind of block that it makes: its own, or the label of a `dynamic`.
    pub fn makes(&self) -> &str {
        match self.labels.first() {
            Some(label) if self.kind == "dynamic" => &label.text,
            _ => &self.kind,
        }
    }

    /// The blocks of that kind in it, with labels so called.
    pub fn blocks(&self, kind: &str, labels: &[&str]) -> Vec<Arc<Block>> {
        let schema = Schema { attributes: &[], blocks: &[BlockSchema::new(kind, labels)] };
        self.body.partial_content(&schema, &mut Vec::new()).0.blocks
    }
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

impl Schema<'_> {
    /// Of a place that expects nothing.
    pub const EMPTY: Self = Self { attributes: &[], blocks: &[] };

    /// Whether an argument of that name is expected.
    fn has_attribute(&self, name: &str) -> bool {
        self.attributes.iter().any(|expected| expected.name == name)
    }

    /// The same for many names.
    fn attribute_names(&self) -> ArgumentNames<'_> {
        if self.attributes.len() <= FEW {
            return ArgumentNames::Few(self.attributes);
        }
        ArgumentNames::Many(self.attributes.iter().map(|expected| expected.name).collect())
    }

    /// What is expected of blocks of that kind; none where they are not.
    fn block(&self, kind: &str) -> Option<&BlockSchema<'_>> {
        self.blocks.iter().find(|expected| expected.kind == kind)
    }
}

/// The number of names that are compared one by one faster than they are looked up.
const FEW: usize = 16;

/// The names of the arguments that a place expects. A call of a module expects those of all variables.
enum ArgumentNames<'a> {
    Few(&'a [AttributeSchema<'a>]),
    Many(HashSet<&'a str>),
}

impl ArgumentNames<'_> {
    fn has(&self, name: &str) -> bool {
        match self {
            Self::Few(attributes) => attributes.iter().any(|expected| expected.name == name),
            Self::Many(names) => names.contains(name),
        }
    }
}

/// An argument that a place expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeSchema<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it has to be there.
    pub required: bool,
}

impl<'a> AttributeSchema<'a> {
    /// An argument that has to be there.
    pub const fn required(name: &'a str) -> Self {
        Self { name, required: true }
    }

    /// An argument that may be there.
    pub const fn optional(name: &'a str) -> Self {
        Self { name, required: false }
    }
}

/// A kind of block that a place expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSchema<'a> {
    /// Its first word.
    pub kind: &'a str,
    /// What each of its labels is called in messages.
    pub labels: &'a [&'a str],
    /// The same for labels that may follow. JSON, where labels are known by their number only, has none.
    pub optional_labels: &'a [&'a str],
}

impl<'a> BlockSchema<'a> {
    /// A kind of block with labels so called in messages.
    pub const fn new(kind: &'a str, labels: &'a [&'a str]) -> Self {
        Self { kind, labels, optional_labels: &[] }
    }

    /// The same, with more labels that may follow.
    #[must_use]
    pub const fn and_maybe(self, optional_labels: &'a [&'a str]) -> Self {
        Self { optional_labels, ..self }
    }
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

    /// The blocks of that kind.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Arc<Block>> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }
}

/// A body, or what is left of one after some of its items were taken out; cheap to clone.
#[derive(Debug, Clone)]
pub struct Body {
    inner: Arc<Inner>,
    /// What was taken out already.
    hidden: Hidden,
    is_unclosed: bool,
}

#[derive(Debug)]
enum Inner {
    Native(NativeBody),
    Json(JsonBody),
}

/// Names that a body no longer shows, because they were taken out with an earlier schema.
#[derive(Debug, Clone, Default)]
struct Hidden {
    attributes: Names,
    blocks: Names,
}

/// Names in order, each once.
#[derive(Debug, Clone, Default)]
struct Names(Arc<[SmolStr]>);

impl Names {
    fn has(&self, name: &str) -> bool {
        self.0.binary_search_by(|own| own.as_str().cmp(name)).is_ok()
    }

    /// These and more.
    fn and(&self, more: impl Iterator<Item = SmolStr>) -> Self {
        let mut more = more.peekable();
        if more.peek().is_none() {
            return self.clone();
        }
        let mut names: Vec<SmolStr> = self.0.iter().cloned().chain(more).collect();
        names.sort_unstable();
        names.dedup();
        Self(names.into())
    }
}

impl Body {
    /// A body of the native syntax. `span` reaches from its `{` to its `}`, of a file from its start to its end;
    /// the items stand in the order of the source, and of arguments with one name only the first is among them.
    pub fn native(span: Span, attributes: Vec<Arc<Attribute>>, blocks: Vec<Arc<Block>>) -> Self {
        let missing_item = Span { end: span.start, ..span };
        let native = NativeBody { span, missing_item, attributes, blocks };
        Self { inner: Arc::new(Inner::Native(native)), hidden: Hidden::default(), is_unclosed: false }
    }

    /// A body on one line with a single argument, as in `block { name = value }`. To the engines that argument is all
    /// of the body, and what is missing from it is missing there.
    pub fn single_line(span: Span, attribute: Arc<Attribute>) -> Self {
        let missing_item = Span { end: attribute.span.start, ..attribute.span };
        let native = NativeBody { span, missing_item, attributes: vec![attribute], blocks: Vec::new() };
        Self { inner: Arc::new(Inner::Native(native)), hidden: Hidden::default(), is_unclosed: false }
    }

    /// The same body, where the file ends before its closing brace.
    #[must_use]
    pub fn unclosed(self) -> Self {
        Self { is_unclosed: true, ..self }
    }

    /// Whether the file ends before its closing brace: nobody knows then which of its items belong to it.
    pub fn is_unclosed(&self) -> bool {
        self.is_unclosed
    }

    /// A body that `value` stands for; whether it can shows when the body is asked.
    pub(super) fn json(value: Arc<Node>) -> Self {
        Self { inner: Arc::new(Inner::Json(JsonBody(value))), hidden: Hidden::default(), is_unclosed: false }
    }

    /// Takes what `schema` expects. Everything else that is there, and all that is missing, is a finding.
    pub fn content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> Content {
        match &*self.inner {
            Inner::Native(native) => native.content(&self.hidden, schema, findings),
            Inner::Json(json) => json.content(&self.hidden, schema, findings),
        }
    }

    /// Takes what `schema` expects, and gives a body of everything else. Only what is missing is a finding.
    pub fn partial_content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> (Content, Self) {
        let (content, hidden) = match &*self.inner {
            Inner::Native(native) => native.partial_content(&self.hidden, schema, findings),
            Inner::Json(json) => json.partial_content(&self.hidden, schema, findings),
        };
        (content, Self { inner: Arc::clone(&self.inner), hidden, ..*self })
    }

    /// The argument of that name left in it, if it is there.
    pub fn attribute(&self, name: &str) -> Option<Arc<Attribute>> {
        match &*self.inner {
            Inner::Native(native) => native.attribute(&self.hidden, name),
            Inner::Json(json) => {
                let schema = Schema { attributes: &[AttributeSchema::optional(name)], blocks: &[] };
                json.partial_content(&self.hidden, &schema, &mut Vec::new()).0.attributes.pop()
            }
        }
    }

    /// Takes all arguments, whatever they are called. A block is a finding.
    pub fn just_attributes(&self, findings: &mut Vec<Finding>) -> Vec<Arc<Attribute>> {
        match &*self.inner {
            Inner::Native(native) => native.just_attributes(&self.hidden, findings),
            Inner::Json(json) => json.just_attributes(&self.hidden, findings),
        }
    }

    /// Whether [`Body::content`] with an empty schema would find nothing to complain about.
    pub fn is_empty(&self) -> bool {
        match &*self.inner {
            Inner::Native(native) => native.is_empty(&self.hidden),
            Inner::Json(json) => json.is_empty(&self.hidden),
        }
    }

    /// Calls `visit` with the expression of every argument left in it, and of those in its blocks at any depth. In
    /// JSON nothing tells arguments from blocks without a schema: there every property is read as an expression.
    pub fn for_each_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        match &*self.inner {
            Inner::Native(native) => native.for_each_expression(&self.hidden, visit),
            Inner::Json(json) => json.for_each_expression(&self.hidden, visit),
        }
    }

    /// The names of all arguments left in it, and the kinds of blocks; a `dynamic` block counts as the kind it makes.
    pub fn names(&self) -> Vec<SmolStr> {
        match &*self.inner {
            Inner::Native(native) => native.names(&self.hidden),
            Inner::Json(json) => json.names(&self.hidden),
        }
    }

    /// The blocks left in it, whatever their kind. In JSON nothing tells blocks from arguments without a schema: none.
    pub fn any_blocks(&self) -> Vec<Arc<Block>> {
        match &*self.inner {
            Inner::Native(native) => native.any_blocks(&self.hidden),
            Inner::Json(_) => Vec::new(),
        }
    }

    /// The same body without arguments and blocks of these names.
    #[must_use]
    pub fn without(&self, names: &[SmolStr]) -> Self {
        let more = |hidden: &Names| hidden.and(names.iter().cloned());
        let hidden = Hidden { attributes: more(&self.hidden.attributes), blocks: more(&self.hidden.blocks) };
        Self { inner: Arc::clone(&self.inner), hidden, ..*self }
    }

    /// Of the native syntax: every argument and block that is written in it, in order. JSON tells what is a block only
    /// when it is asked with a schema.
    pub fn items(&self) -> Vec<Item<'_>> {
        match &*self.inner {
            Inner::Native(native) => native.items(),
            Inner::Json(_) => Vec::new(),
        }
    }

    /// The value that it stands for, where it is written in JSON.
    pub(super) fn json_node(&self) -> Option<&Node> {
        match &*self.inner {
            Inner::Native(_) => None,
            Inner::Json(json) => Some(&json.0),
        }
    }

    /// Where the engines say that something is missing.
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

    /// Whether it is written in JSON.
    pub fn is_json(&self) -> bool {
        match &*self.inner {
            Inner::Native(_) => false,
            Inner::Json(_) => true,
        }
    }
}

/// A required argument that is not there.
fn missing_argument(name: &str, at: Span) -> Finding {
    Finding::language(EngineRule::MissingArgument, "Missing required argument")
        .detail(format!("The argument `{name}` is required, but it is not set."))
        .at(at)
        .help(format!("set `{name}`"))
        .concerns(Concern::Argument(name.into()))
}
