//! Turns tokens into the tree of a file and into the errors that the engines' parser reports.
//!
//! The grammar accepts and refuses what `hclsyntax` does, with its summaries, and continues after an error where
//! `hclsyntax` does: a flag silences errors that would only follow from an earlier one, and what was read of a broken
//! expression stays in the tree. Expressions that are more than plain are then read by hcl-edit; see [`super::hcl`].

use std::collections::BTreeMap;

use super::lexed::{Extent, Lexed};
use super::scan::{Kind, Token};
use crate::finding::{EngineRule, Finding};
use crate::limits::{Limit, Limits};
use crate::syntax::{Body, Expr, Step, Template, Traversal};
use crate::text::Span;

mod address;
mod body;
mod call;
mod collection;
mod cursor;
mod expression;
mod piece;
mod steps;
mod template;
#[cfg(test)]
mod tests;

/// What was read, and what is wrong with it.
#[derive(Debug)]
pub(super) struct Outcome<T> {
    pub(super) value: T,
    pub(super) findings: Vec<Finding>,
    /// Whether nothing was skipped.
    pub(super) complete: bool,
}

/// Reads a file.
pub(super) fn file(lexed: Lexed<'_>, limits: &Limits) -> Outcome<Body> {
    let mut parser = Parser::new(lexed, limits);
    let body = parser.file();
    parser.finish(body)
}

/// Reads a text that is one expression, in which line breaks mean nothing.
pub(super) fn expression(lexed: Lexed<'_>, limits: &Limits) -> Outcome<Expr> {
    let mut parser = Parser::new(lexed, limits);
    parser.newlines.push(false);
    let piece = parser.value();
    let next = parser.peek();
    if next.kind != Kind::End && !parser.recovery {
        parser.error("Extra characters after expression", next, "Nothing can follow the expression.");
    }
    parser.finish(piece.expr)
}

/// The expression in `extent` as the grammar reads it, and whether nothing is wrong with it.
#[cfg(test)]
pub(super) fn reading(lexed: Lexed<'_>, extent: Extent) -> (Expr, bool) {
    let limits = Limits::default();
    let mut parser = Parser::new(lexed, &limits);
    parser.next = lexed.token_at(extent.start);
    let expr = parser.expression().expr;
    (expr, parser.complete && parser.previous().end == extent.end)
}

/// Reads a text that is one template.
pub(super) fn template(lexed: Lexed<'_>, limits: &Limits) -> Outcome<Template> {
    let mut parser = Parser::new(lexed, limits);
    let template = parser.bare_template();
    parser.finish(template)
}

/// Reads a text that is one address. Until the first error, its steps are kept.
pub(super) fn address(lexed: Lexed<'_>, limits: &Limits) -> Outcome<Option<Traversal>> {
    let mut parser = Parser::new(lexed, limits);
    parser.rule = EngineRule::InvalidReference;
    parser.newlines.push(false);
    let address = parser.address();
    parser.finish(address)
}

/// What an expression holds, which decides how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// Literals, addresses, and templates, collections and calls of such.
    Plain,
    /// More than that, so that hcl-edit reads it.
    Operations,
    /// More than hcl-edit reads in good time.
    LongObject,
}

struct Parser<'a> {
    lexed: Lexed<'a>,
    limits: &'a Limits,
    /// What errors are reported as.
    rule: EngineRule,
    /// Number of the next token.
    next: usize,
    /// Whether line breaks count, innermost last.
    newlines: Vec<bool>,
    /// Whether the parser may have lost its place, so that most errors would only follow from an earlier one.
    recovery: bool,
    /// Number of errors, reported or not: a part failed if this grew.
    errors: usize,
    /// How often something was not read as written, because of an error or because an earlier one silenced it.
    breaks: usize,
    /// Open blocks, brackets and values.
    depth: usize,
    /// The most operators, indexes and splats in the current brackets that each wrap what stands before them.
    wraps: usize,
    /// Whether the current expression is nested deeper than the limit.
    limited: bool,
    /// What the current expression holds.
    content: Content,
    /// The constant steps of the addresses that are being read, innermost last.
    steps: Vec<Step>,
    complete: bool,
    findings: Vec<Finding>,
}

impl<'a> Parser<'a> {
    fn new(lexed: Lexed<'a>, limits: &'a Limits) -> Self {
        Self {
            lexed,
            limits,
            rule: EngineRule::SyntaxError,
            next: 0,
            newlines: vec![true],
            recovery: false,
            errors: 0,
            breaks: 0,
            depth: 0,
            wraps: 0,
            limited: false,
            content: Content::Plain,
            steps: Vec::new(),
            complete: true,
            findings: Vec::new(),
        }
    }

    fn finish<T>(self, value: T) -> Outcome<T> {
        Outcome { value, findings: self.findings, complete: self.complete }
    }

    fn error(&mut self, summary: &str, at: impl Into<Extent>, detail: impl Into<String>) {
        self.error_at(summary, self.span(at), detail);
    }

    /// Reports an error, unless it may only follow from an earlier one.
    fn first_error(&mut self, summary: &str, at: impl Into<Extent>, detail: impl Into<String>) {
        if !self.recovery {
            self.error(summary, at, detail);
        }
    }

    fn error_at(&mut self, summary: &str, at: Span, detail: impl Into<String>) {
        self.report(Finding::language(self.rule, summary).at(at).detail(detail));
    }

    fn report(&mut self, finding: Finding) {
        self.errors += 1;
        self.breaks += 1;
        self.complete = false;
        // One more than the limit shows that there are more.
        if self.findings.len() <= self.limits.mistakes() {
            self.findings.push(finding);
        }
    }

    /// Reports that something is nested too deep. To what is around it, this is an error like any other.
    fn too_deep(&mut self, at: impl Into<Extent>) {
        self.limited = true;
        let detail = "overrule does not read deeper nesting.";
        let finding = Finding::limit(Limit::Nesting, self.limits, "Nesting too deep", detail);
        self.report(finding.at(self.span(at)));
    }

    /// Notes that the current expression holds that.
    fn holds(&mut self, content: Content) {
        self.content = self.content.max(content);
    }

    fn failed_since(&self, errors: usize) -> bool {
        self.errors > errors
    }

    /// Whether the parser has lost its place since then.
    fn lost_since(&self, errors: usize) -> bool {
        self.recovery && self.failed_since(errors)
    }

    fn broken_since(&self, breaks: usize) -> bool {
        self.breaks > breaks
    }

    fn span(&self, at: impl Into<Extent>) -> Span {
        self.lexed.span(at)
    }

    fn written(&self, token: Token) -> &'a str {
        self.lexed.written(token)
    }

    fn is_word(&self, token: Token, word: &str) -> bool {
        token.kind == Kind::Name && self.written(token) == word
    }
}

/// The names of the arguments that a long body sets, each with the place of the first.
type Names<'a> = BTreeMap<&'a str, Span>;
