//! Turns a file in native syntax into our tree, and into what the engines' parser would say about it.
//!
//! The scanner cuts the text into tokens as the engines do, and the grammar finds from them what is wrong and how the
//! file is laid out. Expressions are then read by hcl-edit, one argument at a time, and lowered at once: its trees take
//! twenty times the memory of their source, and what it cannot read costs one argument, not the file.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding, Severity};
use crate::limits::Limits;
use crate::syntax::{Attribute, Block, Body, Comment, File, Label};
use crate::text::{FileId, Source, Span};

mod escape;
mod fragment;
mod grammar;
mod invalid;
mod layout;
mod lower;
mod repair;
mod scan;
#[cfg(test)]
mod tests;

pub(super) use fragment::{expression, invalid_tokens, template};
pub use layout::{aligned, reindented, stand_ins, with_carriage_returns};
use lower::Lowering;
use repair::Repair;
use scan::{Scan, Token};

/// Reads a file in native syntax.
pub(super) fn parse(id: FileId, source: &Source, limits: &Limits) -> (File, Vec<Finding>) {
    let text = source.text();
    let Scan { tokens, comments } = scan::scan(source);
    let mut findings = invalid::findings(id, text, &tokens, limits);
    let mut outline = grammar::outline(id, text, &tokens, limits);
    let mut complete = outline.complete && findings.is_empty();
    findings.append(&mut outline.findings);
    let repair = Repair { text, outline: &outline };
    let mut tree = Tree { id, text, lowering: Lowering::new(id, text, &tokens, &repair) };
    let body = tree.body(&outline.body);
    let refused = tree.lowering.take_refused();
    complete &= refused.is_empty();
    // Behind an error the grammar lets things pass in silence that hcl-edit rightly refuses: that is no news.
    if outline.complete {
        findings.extend(refused.into_iter().map(limit_reached));
    }
    (File { body, comments: said(id, text, &comments), complete }, findings)
}

fn limit_reached(span: Span) -> Finding {
    Finding::language(EngineRule::LimitReached, "Expression not read")
        .severity(Severity::Notice)
        .detail(
            "This expression is nested deeper, or is longer, than this program reads. What it refers to is not known.",
        )
        .at(span)
}

/// Comments without the line breaks that end them.
fn said(id: FileId, text: &str, comments: &[Token]) -> Vec<Comment> {
    comments
        .iter()
        .map(|token| {
            let range = token.start as usize..token.end as usize;
            let length = text[range.clone()].trim_end_matches(['\n', '\r']).len();
            Comment { span: Span::new(id, range.start..range.start + length) }
        })
        .collect()
}

/// Builds the tree of a file along its outline.
struct Tree<'a> {
    id: FileId,
    text: &'a str,
    lowering: Lowering<'a, Repair<'a>>,
}

impl Tree<'_> {
    fn body(&mut self, outline: &grammar::Body) -> Body {
        let attributes: Vec<_> =
            outline.attributes.iter().map(|attribute| Arc::new(self.attribute(attribute))).collect();
        let blocks = outline.blocks.iter().map(|block| Arc::new(self.block(block))).collect();
        let body = Body::native(self.span(outline.start, outline.end), attributes, blocks);
        if outline.is_unclosed { body.unclosed() } else { body }
    }

    fn attribute(&mut self, outline: &grammar::Attribute) -> Attribute {
        let name_span = self.span(outline.name.start, outline.name.end);
        let span = self.span(outline.name.start, outline.end);
        let mut expr = self.lowering.piece(&outline.expr);
        // Where an expression is missing, the engines point at what stands behind the argument instead.
        expr.span.start = expr.span.start.min(span.end);
        expr.span.end = expr.span.end.min(span.end);
        let is_broken = outline.is_broken;
        Attribute { name: SmolStr::new(&self.text[name_span.range()]), name_span, span, expr, is_broken }
    }

    fn block(&mut self, outline: &grammar::Block) -> Block {
        let kind_span = self.span(outline.kind.start, outline.kind.end);
        let label = |label: &grammar::Label| Label {
            text: SmolStr::new(&label.text),
            span: self.span(label.start, label.end),
        };
        let labels: Vec<Label> = outline.labels.iter().map(label).collect();
        let header = labels.last().map_or(kind_span, |label| kind_span.to(label.span));
        let body = match outline.body.attributes.as_slice() {
            [attribute] if outline.single_line => {
                let span = self.span(outline.body.start, outline.body.end);
                Body::single_line(span, Arc::new(self.attribute(attribute)))
            }
            _ => self.body(&outline.body),
        };
        Block { kind: SmolStr::new(&self.text[kind_span.range()]), kind_span, labels, header, body }
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { file: self.id, start, end: end.max(start) }
    }
}
