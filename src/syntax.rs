//! Parses the text of one file into blocks, arguments and expressions with spans, or into findings.
//!
//! Native syntax and JSON share one tree. A property of a JSON object can be an argument or a block, depending on
//! what the language expects there. A [`Body`] is therefore decoded with a [`Schema`], as in HCL, and gives the same
//! content for both syntaxes.

mod analysis;
mod attribute;
mod body;
mod comment;
mod editor;
mod expression;
mod json;
mod json_form;
mod native;
mod number;
mod quote;

pub use analysis::{MapKey, Scope};
pub(crate) use analysis::{alike, have_same_parts, same_steps};
pub use attribute::Attribute;
pub use body::{
    AttributeSchema, Block, BlockSchema, Body, Content, HasElements, Item, Iteration, Label, LeftOut, Schema,
};
pub use editor::{Editor, Items, item_spans};
pub use expression::{
    BinaryOperator, Call, Expr, ExprKind, For, ForDirective, IfDirective, JsonProperty, JsonString,
    ObjectItem, ObjectKey, Part, Relative, Step, StepKind, Template, TemplateKind, Traversal, UnaryOperator,
};

pub use comment::Remark;
pub use json::add_moved_to_json;
pub use json_form::json_form;
pub use native::{aligned, reindented, stand_ins, with_carriage_returns, without_layout};
pub use quote::{escaped, key, quoted};

pub use crate::engine::Notation;

use crate::finding::Finding;
use crate::limits::{Limit, Limits};
use crate::text::{FileId, Source, Span};

/// A parsed file.
#[derive(Debug, Clone)]
pub struct File {
    /// The arguments and blocks of the file.
    pub body: Body,
    /// The comments, in source order. Always empty for JSON: a `"//"` property is part of the body.
    pub comments: Vec<Comment>,
    /// Whether the whole file was understood. If not, no finding may conclude that something is missing: it may be in
    /// the part that was skipped.
    pub complete: bool,
    /// Whether there may be a comparison with `==` or `!=`.
    pub compares: bool,
}

/// A comment in native syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// From the comment marker to the end of the line, without the line break, or to `*/`.
    pub span: Span,
}

/// Parses a file. Findings use the summaries and positions of the engine; the tree holds everything that survived the
/// errors.
pub fn parse(id: FileId, source: &Source, notation: Notation, limits: &Limits) -> (File, Vec<Finding>) {
    let (file, mut findings) = match notation {
        Notation::Native => native::parse(id, source, limits),
        Notation::Json => json::parse(id, source, limits),
    };
    bound(&mut findings, limits);
    (file, findings)
}

/// Drops syntax errors above the limit and adds one finding about the limit. A file that is not configuration at all
/// would otherwise produce an error per token.
fn bound(findings: &mut Vec<Finding>, limits: &Limits) {
    let untold = findings.get(limits.mistakes()).and_then(|finding| finding.primary);
    findings.truncate(limits.mistakes());
    findings.extend(untold.map(|at| too_many(at, limits)));
}

fn too_many(at: Span, limits: &Limits) -> Finding {
    let detail = "This file has too many syntax errors, so overrule does not report the ones from here on.";
    Finding::limit(Limit::Mistakes, limits, "Too many syntax errors in one file", detail).at(at)
}

/// Parses a text as one expression, or returns the syntax errors. Spans are offsets into the text and belong to no
/// file of the run.
pub fn parse_expression(text: &str) -> Result<Expr, Vec<Finding>> {
    native::expression(FileId::new(0), text, None)
}

/// Parses the text of a JSON string as one expression. Spans are counted as the engine counts them: from the start of
/// the string, as if the string had no escapes.
pub fn parse_string(text: &str, string: Span) -> Result<Expr, Vec<Finding>> {
    native::expression(string.file, text, Some(string))
}

/// Parses a text as one template. Spans are offsets into the text and belong to no file of the run.
pub fn parse_template(text: &str) -> Result<Expr, Vec<Finding>> {
    let file = FileId::new(0);
    let template = native::template(file, text, None)?;
    Ok(Expr { span: Span::new(file, 0..text.len()), kind: ExprKind::Template(template) })
}

/// Parses a text as one JSON value. Returns `None` if it is invalid or nested deeper than the limit.
pub fn parse_json(text: &str) -> Option<Expr> {
    json::value(text)
}
