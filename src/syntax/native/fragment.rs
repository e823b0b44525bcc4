//! Parses native syntax in strings: expressions and templates of JSON files, and traversals.

use super::lexed::Lexed;
use super::scan::{Mode, scan_text};
use super::{grammar, invalid};
use crate::finding::{EngineRule, Finding, Severity};
use crate::limits::Limits;
use crate::syntax::{Expr, Template, Traversal, bound};
use crate::text::{FileId, Span};

/// Parses all of `text` as one expression, ignoring line breaks. Spans refer to the JSON string `within`, or without
/// it to the text.
pub(in crate::syntax) fn expression(
    file: FileId,
    text: &str,
    within: Option<Span>,
) -> Result<Expr, Vec<Finding>> {
    whole(file, text, within, Mode::Normal, grammar::expression)
}

/// Parses all of `text` as a template. Spans refer to the JSON string `within`, or without it to the text.
pub(in crate::syntax) fn template(
    file: FileId,
    text: &str,
    within: Option<Span>,
) -> Result<Template, Vec<Finding>> {
    whole(file, text, within, Mode::Bare, grammar::template)
}

/// Parses all of `text`, whose span is `within`, as a traversal. Steps before the first error are kept.
pub(in crate::syntax) fn address(text: &str, within: Span) -> (Option<Traversal>, Vec<Finding>) {
    let tokens = scan_text(text, Mode::Normal);
    let lexed = Lexed { file: within.file, text, tokens: &tokens, raw: None, within: Some(within) };
    let mut findings = invalid::findings(lexed, &Limits::default());
    let address = grammar::address(lexed, &Limits::default());
    findings.extend(address.findings);
    (address.value, findings)
}

fn whole<T>(
    file: FileId,
    text: &str,
    within: Option<Span>,
    mode: Mode,
    read: impl FnOnce(Lexed<'_>, &Limits) -> grammar::Outcome<T>,
) -> Result<T, Vec<Finding>> {
    let limits = Limits::default();
    let tokens = scan_text(text, mode);
    let lexed = Lexed { file, text, tokens: &tokens, raw: None, within };
    let mut findings = invalid::findings(lexed, &limits);
    let read = read(lexed, &limits);
    findings.extend(read.findings);
    // No option sets the nesting limit of expressions in strings, so the message differs from that of files.
    if findings.iter().any(|finding| finding.rule == EngineRule::LimitReached.id()) {
        return Err(vec![too_deep(lexed.whole())]);
    }
    bound(&mut findings, &limits);
    if findings.is_empty() { Ok(read.value) } else { Err(findings) }
}

fn too_deep(span: Span) -> Finding {
    Finding::language(EngineRule::LimitReached, "Expression not read")
        .severity(Severity::Notice)
        .detail(
            "This expression is nested too deeply, so overrule did not read it. Its references are unknown.",
        )
        .at(span)
}
