//! Turns tokens into an outline of the file and into what the engines' parser says about it.
//!
//! It accepts and refuses what that parser does, in its words, and goes on behind an error where that parser does: a
//! flag silences what would only follow from an error before, and which items of a body survive is its answer as well.
//! Trees of expressions are left to hcl-edit; here only their extent is found, and what hcl-edit must not see of them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scan::{Kind, Token};
use crate::finding::{EngineRule, Finding};
use crate::limits::{Limit, Limits};
use crate::text::{FileId, Span};

mod body;
mod call;
mod collection;
mod cursor;
mod expression;
mod portion;
pub(super) mod remnant;
mod template;

/// What a file is made of.
#[derive(Debug)]
pub(super) struct Outline {
    /// Its items.
    pub(super) body: Body,
    /// What is wrong with it.
    pub(super) findings: Vec<Finding>,
    /// Whether parts of it were skipped.
    pub(super) complete: bool,
    /// What hcl-edit must not see, in order.
    pub(super) mends: Vec<Mend>,
    /// Objects to be read in portions, by offset of their `{`.
    pub(super) portions: BTreeMap<u32, Portions>,
}

/// The items between two braces, or of a file.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) attributes: Vec<Attribute>,
    pub(super) blocks: Vec<Block>,
    /// Whether the file ends before its closing brace.
    pub(super) is_unclosed: bool,
}

/// `name = expression`.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: Token,
    /// Its expression.
    pub(super) expr: remnant::Piece,
    /// End of the last token that belongs to it.
    pub(super) end: u32,
    /// Whether there is an error in its expression.
    pub(super) is_broken: bool,
}

/// A block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Token,
    pub(super) labels: Vec<Label>,
    pub(super) body: Body,
    /// On one line with a single argument: then something missing is said to be missing at that argument.
    pub(super) single_line: bool,
}

/// A label of a block.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Bytes that hcl-edit gets to see as something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mend {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) with: u8,
}

/// An object that is read in portions.
#[derive(Debug)]
pub(super) struct Portions {
    /// Where its `}` stands.
    pub(super) close: u32,
    /// From the first key of a portion to the end of its last value.
    pub(super) ranges: Vec<Range<usize>>,
}

/// Outlines a file.
pub(super) fn outline(file: FileId, text: &str, tokens: &[Token], limits: &Limits) -> Outline {
    let mut parser = Parser::new(file, text, tokens, limits);
    let body = parser.body(Kind::End);
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    parser.finish(Body { start: 0, end, ..body })
}

/// Checks a text that is one expression, in which line breaks mean nothing. Gives where it stands in the text.
pub(super) fn expression(
    file: FileId,
    text: &str,
    tokens: &[Token],
    limits: &Limits,
) -> (Range<usize>, Outline) {
    let mut parser = Parser::new(file, text, tokens, limits);
    parser.newlines.push(false);
    let start = parser.peek().start;
    parser.expression();
    let end = parser.previous().end.max(start);
    let next = parser.peek();
    if next.kind != Kind::End && !parser.recovery {
        parser.error("Extra characters after expression", next, "Nothing can follow the expression.");
    }
    (start as usize..end as usize, parser.finish(Body::default()))
}

/// Checks a text that is one template.
pub(super) fn template(file: FileId, text: &str, tokens: &[Token], limits: &Limits) -> Outline {
    let mut parser = Parser::new(file, text, tokens, limits);
    parser.template(Kind::End);
    parser.finish(Body::default())
}

/// A range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Extent {
    fn to(self, end: Extent) -> Extent {
        Extent { start: self.start, end: end.end }
    }
}

impl From<Token> for Extent {
    fn from(token: Token) -> Self {
        Extent { start: token.start, end: token.end }
    }
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: &'a [Token],
    limits: &'a Limits,
    /// Number of the token that is looked at next.
    next: usize,
    /// Whether line breaks count, innermost last.
    newlines: Vec<bool>,
    /// Whether the parser may have lost its place, so that most errors are no news.
    recovery: bool,
    /// How many errors there were, told or not: whether a part failed is whether this grew.
    errors: usize,
    /// How often something was not read as it is written, be it for an error or because an error before silenced one.
    breaks: usize,
    depth: usize,
    /// Whether the expression being read goes deeper than is read.
    limited: bool,
    /// What the collections that are being read consist of so far, innermost last.
    pieces: Vec<remnant::Piece>,
    complete: bool,
    findings: Vec<Finding>,
    mends: Vec<Mend>,
    portions: BTreeMap<u32, Portions>,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str, tokens: &'a [Token], limits: &'a Limits) -> Self {
        Self {
            file,
            text,
            tokens,
            limits,
            next: 0,
            newlines: vec![true],
            recovery: false,
            errors: 0,
            breaks: 0,
            depth: 0,
            limited: false,
            pieces: Vec::new(),
            complete: true,
            findings: Vec::new(),
            mends: Vec::new(),
            portions: BTreeMap::new(),
        }
    }

    fn finish(self, body: Body) -> Outline {
        Outline {
            body,
            findings: self.findings,
            complete: self.complete,
            mends: self.mends,
            portions: self.portions,
        }
    }

    fn error(&mut self, summary: &str, at: impl Into<Extent>, detail: impl Into<String>) {
        let finding = Finding::language(EngineRule::SyntaxError, summary).at(self.span(at)).detail(detail);
        self.report(finding);
    }

    fn report(&mut self, finding: Finding) {
        self.errors += 1;
        self.breaks += 1;
        self.complete = false;
        // One more than is told shows that there is more.
        if self.findings.len() <= self.limits.mistakes() {
            self.findings.push(finding);
        }
    }

    /// Says that something nests too deep to be read. To what is around it this is an error like any other.
    fn too_deep(&mut self, at: Token) {
        self.limited = true;
        let detail = "What is nested deeper is not read by this program.";
        let finding = Finding::limit(Limit::Nesting, self.limits, "Nesting too deep", detail);
        self.report(finding.at(self.span(at)));
    }

    fn failed_since(&self, errors: usize) -> bool {
        self.errors > errors
    }

    fn broken_since(&self, breaks: usize) -> bool {
        self.breaks > breaks
    }

    fn span(&self, at: impl Into<Extent>) -> Span {
        let at = at.into();
        Span { file: self.file, start: at.start, end: at.end.max(at.start) }
    }

    fn written(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn is_word(&self, token: Token, word: &str) -> bool {
        token.kind == Kind::Name && self.written(token) == word
    }
}

/// Names of arguments that a long body has set, each with the token that set it first.
type Names<'a> = BTreeMap<&'a str, Token>;
