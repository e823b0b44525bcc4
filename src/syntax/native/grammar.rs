//! The grammar: builds the tree of a file from tokens, and the errors that HCL's parser reports.
//!
//! The grammar accepts and refuses the same text as `hclsyntax`, with its summaries, and recovers where `hclsyntax`
//! does: a flag silences errors that only follow from an earlier one, and the tree keeps the parsed part of a broken
//! expression. hcl-edit then parses each expression that iterates; see [`super::hcl`].

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

/// A parse result and its errors.
#[derive(Debug)]
pub(super) struct Outcome<T> {
    pub(super) value: T,
    pub(super) findings: Vec<Finding>,
    /// Whether nothing was skipped.
    pub(super) complete: bool,
    /// Whether there is a comparison with `==` or `!=`.
    pub(super) compares: bool,
}

/// Parses a file.
pub(super) fn file(lexed: Lexed<'_>, limits: &Limits) -> Outcome<Body> {
    let mut parser = Parser::new(lexed, limits);
    let body = parser.file();
    parser.finish(body)
}

/// Parses a text that is one expression, ignoring line breaks.
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

/// The expression in `extent` as the grammar parses it, and whether it is free of errors.
#[cfg(test)]
pub(super) fn reading(lexed: Lexed<'_>, extent: Extent) -> (Expr, bool) {
    let limits = Limits::default();
    let mut parser = Parser::new(lexed, &limits);
    parser.next = lexed.token_at(extent.start);
    let expr = parser.expression().expr;
    (expr, parser.complete && parser.previous().end == extent.end)
}

/// Parses a text that is one template.
pub(super) fn template(lexed: Lexed<'_>, limits: &Limits) -> Outcome<Template> {
    let mut parser = Parser::new(lexed, limits);
    let template = parser.bare_template();
    parser.finish(template)
}

/// Parses a text that is one traversal. Steps before the first error are kept.
pub(super) fn address(lexed: Lexed<'_>, limits: &Limits) -> Outcome<Option<Traversal>> {
    let mut parser = Parser::new(lexed, limits);
    parser.rule = EngineRule::InvalidReference;
    parser.newlines.push(false);
    let address = parser.address();
    parser.finish(address)
}

/// The contents of an expression that decide which parser reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// No iteration.
    Plain,
    /// `for`, a splat or a template directive: hcl-edit parses it.
    Iteration,
    /// An object literal too long for hcl-edit, which takes quadratic time.
    LongObject,
}

struct Parser<'a> {
    lexed: Lexed<'a>,
    limits: &'a Limits,
    /// The rule of the reported errors.
    rule: EngineRule,
    /// Number of the next token.
    next: usize,
    /// Whether line breaks are tokens, innermost bracket last.
    newlines: Vec<bool>,
    /// Whether the parser may have lost its position, so that most further errors only follow from an earlier one.
    recovery: bool,
    /// Number of errors, reported or not. A part failed if the number grew.
    errors: usize,
    /// How often the tree differs from the source, because of an error or because an earlier error silenced it.
    breaks: usize,
    /// Depth of open blocks, brackets and values.
    depth: usize,
    /// The longest chain of operators, indexes and splats in the current brackets, each of which wraps its left
    /// operand.
    wraps: usize,
    /// Whether the current expression exceeds the nesting limit.
    limited: bool,
    /// The contents of the current expression.
    content: Content,
    /// The constant steps of the open traversals, innermost last.
    steps: Vec<Step>,
    complete: bool,
    /// Number of comparisons with `==` or `!=`.
    comparisons: usize,
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
            comparisons: 0,
            findings: Vec::new(),
        }
    }

    fn finish<T>(self, value: T) -> Outcome<T> {
        Outcome { value, findings: self.findings, complete: self.complete, compares: self.comparisons > 0 }
    }

    fn error(&mut self, summary: &str, at: impl Into<Extent>, detail: impl Into<String>) {
        self.error_at(summary, self.span(at), detail);
    }

    /// Reports an error, unless the parser is in recovery and the error may only follow from an earlier one.
    fn first_error(&mut self, summary: &str, at: impl Into<Extent>, detail: impl Into<String>) {
        if !self.recovery {
            self.error(summary, at, detail);
        }
    }

    /// Reports a token after an expression, such as an equals sign for `==`.
    fn unexpected(&mut self, summary: &str, next: Token, detail: &str) {
        let finding = Finding::language(self.rule, summary).at(self.span(next)).detail(detail);
        self.report(finding.help_if(comparison(next.kind)));
    }

    fn error_at(&mut self, summary: &str, at: Span, detail: impl Into<String>) {
        self.report(Finding::language(self.rule, summary).at(at).detail(detail));
    }

    fn report(&mut self, finding: Finding) {
        self.errors += 1;
        self.breaks += 1;
        self.complete = false;
        // One error above the limit shows that there are more.
        if self.findings.len() <= self.limits.mistakes() {
            self.findings.push(finding);
        }
    }

    /// Reports nesting above the limit. To the enclosing expression, this is an error like any other.
    fn too_deep(&mut self, at: impl Into<Extent>) {
        self.limited = true;
        let detail = "overrule does not read deeper nesting.";
        let finding = Finding::limit(Limit::Nesting, self.limits, "Nesting too deep", detail);
        self.report(finding.at(self.span(at)));
    }

    /// Records that the current expression holds `content`.
    fn holds(&mut self, content: Content) {
        self.content = self.content.max(content);
    }

    fn failed_since(&self, errors: usize) -> bool {
        self.errors > errors
    }

    /// Whether the parser lost its position since `errors` were counted.
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

/// The argument names of a long body, each with the span of its first definition.
type Names<'a> = BTreeMap<&'a str, Span>;

/// The help for an equals sign after an expression.
fn comparison(next: Kind) -> Option<String> {
    (next == Kind::Equal).then(|| "to compare two values, write `==`".to_owned())
}
