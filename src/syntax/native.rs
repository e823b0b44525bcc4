//! Parses a file in HCL native syntax into the tree and into the errors that HCL's parser reports.
//!
//! The scanner splits the text into tokens as `hclsyntax` does, and the grammar builds blocks, arguments and plain
//! expressions from them. hcl-edit parses the other expressions, one argument at a time.

use crate::finding::Finding;
use crate::limits::Limits;
use crate::syntax::{Comment, File};
use crate::text::{FileId, Source, Span};

mod escape;
mod fragment;
mod grammar;
mod hcl;
mod invalid;
mod layout;
mod lexed;
mod nodes;
mod scan;
#[cfg(test)]
mod tests;

pub(super) use fragment::{address, expression, template};
pub use layout::{aligned, reindented, stand_ins, with_carriage_returns, without_layout};
use lexed::Lexed;
use scan::{Scan, Token};

/// Parses a file in native syntax.
pub(super) fn parse(id: FileId, source: &Source, limits: &Limits) -> (File, Vec<Finding>) {
    let bytes = source.bytes();
    let Scan { tokens, comments } = scan::scan(&bytes);
    let raw = (!source.invalid().is_empty()).then_some(&*bytes);
    let lexed = Lexed { file: id, text: source.text(), tokens: &tokens, raw, within: None };
    let mut findings = invalid::findings(lexed, limits);
    let mut file = grammar::file(lexed, limits);
    let complete = file.complete && findings.is_empty();
    findings.append(&mut file.findings);
    let comments = comments.iter().map(|token| comment(lexed, *token)).collect();
    (File { body: file.value, comments, complete, compares: file.compares }, findings)
}

/// The comment without its final line break.
fn comment(lexed: Lexed<'_>, token: Token) -> Comment {
    let length = lexed.written(token).trim_end_matches(['\n', '\r']).len();
    let start = token.start as usize;
    Comment { span: Span::new(lexed.file, start..start + length) }
}
