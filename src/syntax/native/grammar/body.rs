//! Bodies, arguments and blocks.

use std::collections::btree_map::Entry;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Extent, Kind, Names, Parser, Token, comparison};
use crate::finding::{EngineRule, Finding};
use crate::syntax::native::escape;
use crate::syntax::{Attribute, Block, Body, Expr, ExprKind, Label};
use crate::text::Span;

const UNCLOSED_BLOCK: &str = "There is no closing brace for this block before the end of the file. The cause may be \
a wrong brace elsewhere in the file.";
const ONE_ARGUMENT: &str = "A block on a single line can contain only one argument. Write each argument on its own \
line.";
const NOT_CLOSED: &str = "A block with its argument on the same line must also be closed on that line, directly \
after the argument.";
const NO_ITEM: &str = "Argument or block definition required";
const NO_DEFINITION: &str = "An argument or block definition is required here.";
const NO_EQUALS: &str = "An argument or block definition is required here. An argument is set with an equals sign: \
                         `name = value`.";

/// Up to this many arguments, names are compared one by one.
const FEW: usize = 16;

/// The items of a body so far.
#[derive(Default)]
struct Items<'a> {
    attributes: Vec<Arc<Attribute>>,
    blocks: Vec<Arc<Block>>,
    names: Names<'a>,
}

impl Items<'_> {
    fn into_body(self, span: Span) -> Body {
        Body::native(span, self.attributes, self.blocks)
    }
}

impl<'a> Parser<'a> {
    /// The body of the file.
    pub(super) fn file(&mut self) -> Body {
        let whole = self.lexed.whole();
        self.items(Kind::End).0.into_body(whole)
    }

    /// The body after the brace `open`.
    fn body(&mut self, open: Token) -> Body {
        let (items, last) = self.items(Kind::CloseBrace);
        let body = items.into_body(self.span(open).to(self.span(last)));
        if last.kind == Kind::End { body.unclosed() } else { body }
    }

    /// Items up to the token `end`. Returns them with the token that ends them: `end`, or a token that starts no
    /// item.
    fn items(&mut self, end: Kind) -> (Items<'a>, Token) {
        let open = self.previous();
        let mut items = Items::default();
        loop {
            let next = self.peek();
            match next.kind {
                kind if kind == end => return (items, self.read()),
                Kind::Newline => {
                    self.read();
                }
                Kind::Name => self.item(&mut items),
                _ => {
                    self.read();
                    self.no_item(next, open);
                    self.recover(end);
                    return (items, next);
                }
            }
        }
    }

    fn no_item(&mut self, bad: Token, open: Extent) {
        let (summary, at, detail) = match bad.kind {
            Kind::OpenQuote => {
                ("Invalid argument name", bad.into(), "Names of arguments are written without quotes.")
            }
            // The body of the file ends there, so this is the body of a block.
            Kind::End => ("Unclosed configuration block", open, UNCLOSED_BLOCK),
            _ => (NO_ITEM, bad.into(), NO_DEFINITION),
        };
        self.first_error(summary, at, detail);
    }

    fn item(&mut self, items: &mut Items<'a>) {
        let name = self.read();
        match self.peek().kind {
            Kind::Equal => {
                let attribute = self.attribute(name, false);
                match self.first(name, items) {
                    None => items.attributes.push(Arc::new(attribute)),
                    Some(first) => self.redefined(name, first),
                }
            }
            Kind::OpenQuote | Kind::OpenBrace | Kind::Name => {
                let block = self.block(name);
                items.blocks.push(Arc::new(block));
            }
            _ => {
                self.recover_after_item();
                self.error(NO_ITEM, name, NO_EQUALS);
            }
        }
    }

    /// The first definition of an argument that is set twice. Most bodies have few arguments, for which comparing is
    /// faster than sorting.
    fn first(&self, name: Token, items: &mut Items<'a>) -> Option<Span> {
        let mut set = items.attributes.iter();
        if items.attributes.len() < FEW {
            return set.find(|set| set.name == self.written(name)).map(|set| set.name_span);
        }
        if items.names.is_empty() {
            items.names.extend(set.map(|set| (&self.lexed.text[set.name_span.range()], set.name_span)));
        }
        match items.names.entry(self.written(name)) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                entry.insert(self.span(name));
                None
            }
        }
    }

    fn redefined(&mut self, name: Token, first: Span) {
        let complete = self.complete;
        let detail =
            format!("The argument `{}` is already set. It can be set only once.", self.written(name));
        let finding = Finding::language(EngineRule::SyntaxError, "Attribute redefined")
            .at(self.span(name))
            .detail(detail)
            .related(first, "first set here");
        self.report(finding);
        // Nothing was skipped.
        self.complete = complete;
    }

    fn attribute(&mut self, name: Token, single_line: bool) -> Attribute {
        self.read();
        let (errors, recovery) = (self.errors, self.recovery);
        let piece = self.value();
        let failed = self.failed_since(errors);
        let span = self.span(name).to(self.span(self.previous()));
        // Before anything else on the line, the value is only the first part of what was meant.
        let is_ended = matches!(self.peek().kind, Kind::Newline | Kind::End | Kind::Comma)
            || single_line && self.peek().kind == Kind::CloseBrace;
        let is_broken = failed || piece.is_broken() || !is_ended;
        let mut expr = piece.expr;
        if self.lost_since(errors) {
            self.recover_after_item();
            if std::mem::take(&mut self.limited) {
                // Exceeding a limit is no syntax error, so the parser continues without recovery.
                self.recovery = recovery;
                expr = Expr { kind: ExprKind::Unread, ..expr };
            }
        } else if !single_line {
            match self.peek().kind {
                Kind::Comma => {
                    let detail = "Arguments are separated by line breaks, not by commas.";
                    self.end_item("Unexpected comma after argument", detail, None);
                }
                kind => self.end_item(
                    "Missing newline after argument",
                    "An argument definition must end with a line break.",
                    comparison(kind),
                ),
            }
        }
        Attribute {
            name: SmolStr::new(self.written(name)),
            name_span: self.span(name),
            span,
            expr,
            is_broken,
        }
    }

    /// Reads the line break that ends an item, or reports that it is missing.
    fn end_item(&mut self, summary: &str, detail: &str, help: Option<String>) {
        let next = self.peek();
        if matches!(next.kind, Kind::Newline | Kind::End) {
            self.read();
        } else {
            if !self.recovery {
                let finding = Finding::language(self.rule, summary).at(self.span(next)).detail(detail);
                self.report(finding.help_if(help));
            }
            self.recover_after_item();
        }
    }

    fn block(&mut self, kind: Token) -> Block {
        let kind_span = self.span(kind);
        let mut labels = Vec::new();
        let open = loop {
            let token = self.peek();
            match token.kind {
                Kind::OpenBrace => break Some(self.read()),
                Kind::OpenQuote => labels.push(self.quoted_label()),
                Kind::Name => {
                    self.read();
                    labels.push(Label { text: SmolStr::new(self.written(token)), span: self.span(token) });
                }
                _ => {
                    self.no_block(token);
                    self.recover_after_item();
                    break None;
                }
            }
        };
        let body = match open {
            Some(open) => self.block_body(open),
            None => Items::default().into_body(kind_span),
        };
        labels.shrink_to_fit();
        let header = labels.last().map_or(kind_span, |label| kind_span.to(label.span));
        Block { kind: SmolStr::new(self.written(kind)), kind_span, labels, header, body }
    }

    /// The body after the brace `open`, and the line break after it.
    fn block_body(&mut self, open: Token) -> Body {
        if self.depth >= self.limits.nesting() {
            self.too_deep(open);
            self.limited = false;
            let recovery = self.recovery;
            let close = self.recover(Kind::CloseBrace);
            self.recovery = recovery;
            return Items::default().into_body(self.span(open).to(self.span(close)));
        }
        self.depth += 1;
        let body = match self.peek().kind {
            Kind::Newline | Kind::End | Kind::CloseBrace => self.body(open),
            _ => self.single_line_body(open),
        };
        self.depth -= 1;
        let detail = "A block definition must end with a line break.";
        self.end_item("Missing newline after block definition", detail, None);
        body
    }

    fn no_block(&mut self, token: Token) {
        let detail = match token.kind {
            Kind::Equal => "A block is defined without an equals sign.",
            Kind::Newline => {
                "The body of a block must be between `{` and `}`, with the `{` on the line of the block header."
            }
            _ if self.recovery => return,
            _ => "Either a label or the `{` of the block body is expected here.",
        };
        self.error("Invalid block definition", token, detail);
    }

    /// The single argument of `block { name = value }`, and the closing brace.
    fn single_line_body(&mut self, open: Token) -> Body {
        let findings = self.findings.len();
        let attribute = self.single_argument();
        // The engine reports an error at the brace before one in the argument.
        let inner = self.findings.split_off(findings);
        self.single_line_end(open);
        self.findings.extend(inner);
        let span = self.span(open).to(self.span(self.previous()));
        match attribute {
            Some(attribute) => Body::single_line(span, Arc::new(attribute)),
            None => Items::default().into_body(span),
        }
    }

    fn single_argument(&mut self) -> Option<Attribute> {
        let name = self.read();
        if name.kind != Kind::Name {
            self.recover_after_item();
            self.error(NO_ITEM, name, NO_DEFINITION);
            return None;
        }
        let next = self.peek();
        match next.kind {
            Kind::Equal => Some(self.attribute(name, true)),
            Kind::OpenQuote | Kind::OpenBrace | Kind::Name => {
                self.recover_after_item();
                let at = Extent::from(name).to(next.into());
                let detail = "A block on a single line can contain only one argument, set with an equals sign. Write \
                a nested block on a separate line.";
                self.error("Argument definition required", at, detail);
                None
            }
            _ => {
                self.recover_after_item();
                self.error(NO_ITEM, name, NO_EQUALS);
                None
            }
        }
    }

    fn single_line_end(&mut self, open: Token) {
        const SUMMARY: &str = "Invalid single-argument block definition";
        let next = self.peek();
        let (summary, at, detail) = match next.kind {
            Kind::CloseBrace => {
                self.read();
                return;
            }
            Kind::Comma => (SUMMARY, next, ONE_ARGUMENT),
            Kind::Newline => (SUMMARY, next, NOT_CLOSED),
            Kind::End => ("Unclosed configuration block", open, UNCLOSED_BLOCK),
            _ => (SUMMARY, next, "A block on a single line must be closed directly after its only argument."),
        };
        if !self.recovery || matches!(next.kind, Kind::Comma | Kind::Newline) {
            self.unexpected(summary, at, detail);
        }
        self.recover(Kind::CloseBrace);
    }

    /// A quoted label, which may not hold template sequences.
    pub(super) fn quoted_label(&mut self) -> Label {
        let open = self.read();
        let mut text = String::new();
        loop {
            let token = self.read();
            let end = match token.kind {
                Kind::CloseQuote => token.end,
                Kind::QuotedText => {
                    text.push_str(&self.meaning(token));
                    continue;
                }
                Kind::OpenInterpolation | Kind::OpenDirective => {
                    let mark = if token.kind == Kind::OpenInterpolation { "$" } else { "%" };
                    let detail = format!(
                        "Template sequences are not allowed in this string. Write a literal `{mark}{{` as \
                         `{mark}{mark}{{`."
                    );
                    self.error("Invalid string literal", token, detail);
                    text.push_str(mark);
                    text.push_str("{ ... }");
                    self.recover(Kind::CloseSequence);
                    continue;
                }
                Kind::End => {
                    let detail = "There is no closing quote before the end of the file.";
                    self.error("Unterminated string literal", token, detail);
                    token.end
                }
                _ => {
                    self.error("Invalid string literal", token, "This is not allowed in a string.");
                    self.recover(Kind::CloseQuote);
                    token.end
                }
            };
            let span = self.span(Extent { start: open.start, end });
            return Label { text: text.into(), span };
        }
    }

    /// The text of a quoted string token. Reports invalid escapes.
    pub(super) fn meaning(&mut self, token: Token) -> std::borrow::Cow<'a, str> {
        let mut bad = Vec::new();
        let meaning = escape::quoted(self.written(token), |escape| bad.push(escape));
        for escape in bad {
            let offset = |at: usize| token.start + u32::try_from(at).unwrap_or(0);
            let at = Extent { start: offset(escape.range.start), end: offset(escape.range.end) };
            self.error("Invalid escape sequence", at, escape.detail);
        }
        meaning
    }
}
