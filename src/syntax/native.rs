//! Turns a file in native syntax into our tree, and into what the engines' parser would say about it.

use std::ops::Range;
use std::sync::Arc;

use hcl_edit::Span as _;
use hcl_edit::structure::{BlockLabel, Structure};
use smol_str::SmolStr;

use crate::finding::{Finding, Language, Severity};
use crate::syntax::{Attribute, Block, Body, Comment, Expr, File, Label};
use crate::text::{FileId, Source, Span};

mod escape;
mod fragment;
mod lower;
mod scan;

pub(super) use fragment::{expression, template};
use lower::{Excerpt, Lowering};
use scan::{Kind, Token};

/// Reads a file in native syntax.
pub(super) fn parse(id: FileId, source: &Source) -> (File, Vec<Finding>) {
    let tokens = scan::scan(source);
    let comments = comments(id, source, &tokens);
    let whole = Whole { text: source.text() };
    let mut lowering = Lowering::new(id, source.text(), &tokens, &whole);
    let span = Span::new(id, 0..source.text().len());
    match hcl_edit::parser::parse_body(source.text()) {
        Ok(body) => {
            let body = items(id, span, &body, &tokens, &mut lowering);
            let findings: Vec<Finding> = lowering.take_refused().into_iter().map(limit_reached).collect();
            (File { body, comments, complete: findings.is_empty() }, findings)
        }
        Err(error) => {
            let finding = Finding::language(Language::SyntaxError, "Invalid syntax")
                .severity(Severity::Error)
                .detail(error.message().to_owned())
                .at(span);
            let body = Body::native(span, Vec::new(), Vec::new());
            (File { body, comments, complete: false }, vec![finding])
        }
    }
}

/// Reads a text as one expression. Line breaks mean nothing in it, as inside of parentheses.
pub(super) fn parse_expression(text: &str) -> Option<Expr> {
    let source = Source::new("", text.as_bytes().to_vec());
    let tokens = scan::scan(&source);
    let mut on_one_line = text.to_owned();
    for token in tokens.iter().filter(|token| token.kind == Kind::Newline) {
        let range = token.start as usize..token.end as usize;
        on_one_line.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    let whole = Whole { text: &on_one_line };
    let mut lowering = Lowering::new(FileId::new(0), &on_one_line, &tokens, &whole);
    let expr = lowering.expression(0..on_one_line.len());
    lowering.take_refused().is_empty().then_some(expr)
}

fn limit_reached(span: Span) -> Finding {
    Finding::language(Language::LimitReached, "Expression not read")
        .severity(Severity::Notice)
        .detail("This expression is nested deeper, or is longer, than this program reads. What it refers to is not known.")
        .at(span)
}

struct Whole<'a> {
    text: &'a str,
}

impl Excerpt for Whole<'_> {
    fn text(&self, range: Range<usize>) -> String {
        self.text[range].to_owned()
    }

    fn portions(&self, _open: usize) -> Option<&[Range<usize>]> {
        None
    }
}

fn items(
    id: FileId,
    span: Span,
    body: &hcl_edit::structure::Body,
    tokens: &[Token],
    lowering: &mut Lowering<'_, Whole<'_>>,
) -> Body {
    let place = |range: Option<Range<usize>>| Span::new(id, range.expect("hcl-edit gives spans"));
    let mut attributes = Vec::new();
    let mut blocks = Vec::new();
    for structure in body {
        match structure {
            Structure::Attribute(attribute) => {
                let name_span = place(attribute.key.span());
                let expr = lowering.expression(attribute.value.span().expect("hcl-edit gives spans"));
                let name = SmolStr::new(attribute.key.as_str());
                attributes.push(Arc::new(Attribute { name, name_span, span: name_span.to(expr.span), expr }));
            }
            Structure::Block(block) => {
                let kind_span = place(block.ident.span());
                let labels: Vec<Label> = block
                    .labels
                    .iter()
                    .map(|label| match label {
                        BlockLabel::Ident(name) => {
                            Label { text: SmolStr::new(name.as_str()), span: place(name.span()) }
                        }
                        BlockLabel::String(text) => {
                            Label { text: SmolStr::new(text.as_str()), span: place(text.span()) }
                        }
                    })
                    .collect();
                let header = labels.last().map_or(kind_span, |label| kind_span.to(label.span));
                let open = tokens.partition_point(|token| token.start < header.end);
                let open = tokens[open..].iter().find(|token| token.kind == Kind::OpenBrace);
                let whole = place(block.span());
                let braces = Span { start: open.map_or(header.end, |token| token.start), ..whole };
                let body = items(id, braces, &block.body, tokens, lowering);
                let kind = SmolStr::new(block.ident.as_str());
                blocks.push(Arc::new(Block { kind, kind_span, labels, header, body }));
            }
        }
    }
    Body::native(span, attributes, blocks)
}

fn comments(id: FileId, source: &Source, tokens: &[Token]) -> Vec<Comment> {
    tokens
        .iter()
        .filter(|token| token.kind == Kind::Comment)
        .map(|token| {
            let range = token.start as usize..token.end as usize;
            let text = source.text()[range.clone()].trim_end_matches(['\n', '\r']);
            Comment { span: Span::new(id, range.start..range.start + text.len()) }
        })
        .collect()
}
