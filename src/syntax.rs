//! Turns the text of one file into blocks, arguments and expressions with spans, or into findings.
//!
//! Native syntax and JSON become one small tree of our own. How a JSON object reads depends on what its place expects
//! (an argument or blocks), so a [`Body`] is asked with a [`Schema`], as the engines do, and both notations answer
//! alike.

mod analysis;
mod attribute;
mod body;
mod editor;
mod expression;
mod json;
mod native;
mod remark;
mod written;

pub use analysis::{MapKey, Scope};
pub use attribute::Attribute;
pub use body::{AttributeSchema, Block, BlockSchema, Body, Content, Item, Iteration, Label, LeftOut, Schema};
pub use editor::{Editor, item_spans};
pub use expression::{
    BinaryOperator, Call, Expr, ExprKind, For, ForDirective, IfDirective, JsonProperty, JsonString,
    ObjectItem, ObjectKey, Part, Relative, Step, StepKind, Template, TemplateKind, Traversal, UnaryOperator,
};

pub use native::{aligned, reindented, stand_ins, with_carriage_returns, without_layout};
pub use remark::Remark;
pub use written::{escaped, key, quoted};

pub use crate::engine::Notation;

use crate::finding::Finding;
use crate::limits::{Limit, Limits};
use crate::text::{FileId, Source, Span};

/// One file, read.
#[derive(Debug, Clone)]
pub struct File {
    /// What it declares.
    pub body: Body,
    /// The comments, in order. JSON has none: there the property `"//"` is one, and it stays in the body.
    pub comments: Vec<Comment>,
    /// Whether all of it was understood. Where not, silence about absence is asked for: what seems undeclared may be
    /// in the part that was not read.
    pub complete: bool,
}

/// A comment of a native file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    /// From its marker to the end of the line, without the line break, or to the `*/`.
    pub span: Span,
}

/// Reads a file. What is wrong with it is found in the engines' words and places; what is left of it is in the tree.
pub fn parse(id: FileId, source: &Source, notation: Notation, limits: &Limits) -> (File, Vec<Finding>) {
    let (file, mut findings) = match notation {
        Notation::Native => native::parse(id, source, limits),
        Notation::Json => json::parse(id, source, limits),
    };
    bound(&mut findings, limits);
    (file, findings)
}

/// Leaves out mistakes beyond those that are told, and says so: text that is no configuration at all would else be told
/// sign by sign.
fn bound(findings: &mut Vec<Finding>, limits: &Limits) {
    let untold = findings.get(limits.mistakes()).and_then(|finding| finding.primary);
    findings.truncate(limits.mistakes());
    findings.extend(untold.map(|at| too_many(at, limits)));
}

fn too_many(at: Span, limits: &Limits) -> Finding {
    let detail = "This file has too many syntax errors, so overrule does not report the ones from here on.";
    Finding::limit(Limit::Mistakes, limits, "Too many syntax errors in one file", detail).at(at)
}

/// Reads a text as one expression; errors come back as findings. Spans in both count from the start of the text, in no
/// file of the run.
pub fn parse_expression(text: &str) -> Result<Expr, Vec<Finding>> {
    native::expression(FileId::new(0), text, None)
}

/// Reads the text of a JSON string as one expression. Spans count as the engines count them: as if the text started
/// where the string does, and as if nothing in it were escaped.
pub fn parse_string(text: &str, string: Span) -> Result<Expr, Vec<Finding>> {
    native::expression(string.file, text, Some(string))
}

/// Reads a text as one template; spans count from its start, in no file of the run.
pub fn parse_template(text: &str) -> Result<Expr, Vec<Finding>> {
    let file = FileId::new(0);
    let template = native::template(file, text, None)?;
    Ok(Expr { span: Span::new(file, 0..text.len()), kind: ExprKind::Template(template) })
}

/// Reads a text as one JSON value; none where it is nothing of the kind, or goes deeper than is read.
pub fn parse_json(text: &str) -> Option<Expr> {
    json::value(text)
}
