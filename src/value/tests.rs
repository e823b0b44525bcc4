//! Tests of constants, types and defaults, as tables.

use crate::finding::Finding;
use crate::limits::Limits;
use crate::syntax::{self, Expr, Notation};
use crate::text::{FileId, Source, Span};

use super::{Value, constant};

mod constants;
mod conversion;
mod functions;
mod marks;
mod patterns;
mod types;

/// The expression of `x = …`.
fn expression(text: &str) -> (Source, Expr) {
    let source = Source::new("main.tf", format!("x = {text}\n").into_bytes());
    let (file, findings) = syntax::parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    assert_eq!(findings, [], "{text}");
    let schema =
        syntax::Schema { attributes: &[syntax::AttributeSchema { name: "x", required: true }], blocks: &[] };
    let content = file.body.content(&schema, &mut Vec::new());
    let expr = content.attribute("x").expect("an argument x").expr.clone();
    (source, expr)
}

/// Each finding as its summary and the marked text.
fn reported(source: &Source, findings: &[Finding]) -> Vec<String> {
    let place = |span: Option<Span>| source.slice(span.expect("a place")).to_owned();
    findings.iter().map(|finding| format!("{} @ {}", finding.summary, place(finding.primary))).collect()
}

fn value(text: &str) -> (Value, Vec<String>) {
    let (source, expr) = expression(text);
    let mut findings = Vec::new();
    let value = constant(&expr, &mut findings);
    (value, reported(&source, &findings))
}
