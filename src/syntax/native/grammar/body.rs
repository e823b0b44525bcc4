//! Bodies, arguments and blocks.

use std::collections::btree_map::Entry;

use super::remnant::{Piece, Remnant};
use super::{Attribute, Block, Body, Extent, Kind, Label, Names, Parser, Token};
use crate::finding::{EngineRule, Finding};
use crate::syntax::native::escape;

const UNCLOSED_BLOCK: &str = "There is no closing brace for this block before the end of the file. Braces nested \
                              wrongly elsewhere in the file may be the cause.";
const NO_DEFINITION: &str = "An argument or a block has to be defined here.";
const NO_EQUALS: &str = "An argument or a block has to be defined here. An argument is set with an equals sign: \
                         `name = value`.";

/// As many arguments are a few.
const FEW: usize = 16;

impl<'a> Parser<'a> {
    /// Items up to the token `end`, which is read as well.
    pub(super) fn body(&mut self, end: Kind) -> Body {
        let open = self.previous();
        let mut body = Body { start: open.start, ..Body::default() };
        let mut names = Names::new();
        loop {
            let next = self.peek();
            if next.kind == end {
                self.read();
                body.end = next.end;
                return body;
            }
            match next.kind {
                Kind::Newline => {
                    self.read();
                }
                Kind::Name => self.item(&mut body, &mut names),
                _ => {
                    let bad = self.read();
                    self.no_item(bad, open);
                    body.end = self.previous().end;
                    body.is_unclosed = bad.kind == Kind::End;
                    self.recover(end);
                    return body;
                }
            }
        }
    }

    fn no_item(&mut self, bad: Token, open: Extent) {
        if self.recovery {
            return;
        }
        match bad.kind {
            Kind::OpenQuote => {
                self.error("Invalid argument name", bad, "Names of arguments are written without quotes.");
            }
            // The body of the file itself ends there, so this is the body of a block.
            Kind::End => self.error("Unclosed configuration block", open, UNCLOSED_BLOCK),
            _ => self.error("Argument or block definition required", bad, NO_DEFINITION),
        }
    }

    fn item(&mut self, body: &mut Body, names: &mut Names<'a>) {
        let name = self.read();
        match self.peek().kind {
            Kind::Equal => {
                let attribute = self.attribute(name, false);
                match self.first(name, body, names) {
                    None => body.attributes.push(attribute),
                    Some(first) => self.redefined(name, first),
                }
            }
            Kind::OpenQuote | Kind::OpenBrace | Kind::Name => {
                let block = self.block(name);
                body.blocks.push(block);
            }
            _ => {
                self.recover_after_item();
                self.error("Argument or block definition required", name, NO_EQUALS);
            }
        }
    }

    /// Where a name is set that is set again. Most bodies have a handful of arguments, which takes less time to compare
    /// than to keep in order.
    fn first(&self, name: Token, body: &Body, names: &mut Names<'a>) -> Option<Token> {
        let mut before = body.attributes.iter().map(|attribute| attribute.name);
        if body.attributes.len() < FEW {
            return before.find(|before| self.written(*before) == self.written(name));
        }
        if names.is_empty() {
            names.extend(before.map(|before| (self.written(before), before)));
        }
        match names.entry(self.written(name)) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                entry.insert(name);
                None
            }
        }
    }

    fn redefined(&mut self, name: Token, first: Token) {
        let complete = self.complete;
        let detail =
            format!("The argument `{}` is set already. It can be set only once.", self.written(name));
        let finding = Finding::language(EngineRule::SyntaxError, "Attribute redefined")
            .at(self.span(name))
            .detail(detail)
            .related(self.span(first), "first set here");
        self.report(finding);
        // All of it was understood.
        self.complete = complete;
    }

    fn attribute(&mut self, name: Token, single_line: bool) -> Attribute {
        self.read();
        let (errors, recovery) = (self.errors, self.recovery);
        let mut expr = self.expression();
        let failed = self.failed_since(errors);
        let end = self.previous().end;
        if self.recovery && failed {
            self.recover_after_item();
            if std::mem::take(&mut self.limited) {
                // That was no error, and what follows is read as if nothing had been.
                self.recovery = recovery;
                expr = Piece::broken(expr.extent, Remnant::Unread);
            }
        } else if !single_line {
            let behind = self.peek();
            if matches!(behind.kind, Kind::Newline | Kind::End) {
                self.read();
            } else {
                if !self.recovery {
                    self.no_newline(behind);
                }
                self.recover_after_item();
            }
        }
        let is_broken = failed || expr.remnant.is_some();
        Attribute { name, expr, end, is_broken }
    }

    fn no_newline(&mut self, behind: Token) {
        if behind.kind == Kind::Comma {
            self.error(
                "Unexpected comma after argument",
                behind,
                "Arguments are separated by line breaks, not by commas.",
            );
        } else {
            self.error(
                "Missing newline after argument",
                behind,
                "The definition of an argument ends with its line.",
            );
        }
    }

    fn block(&mut self, kind: Token) -> Block {
        let mut labels = Vec::new();
        let open = loop {
            let token = self.peek();
            match token.kind {
                Kind::OpenBrace => break self.read(),
                Kind::OpenQuote => labels.push(self.quoted_label()),
                Kind::Name => {
                    self.read();
                    let text = self.written(token).to_owned();
                    labels.push(Label { text, start: token.start, end: token.end });
                }
                _ => {
                    self.no_block(token);
                    self.recover_after_item();
                    let body = Body { start: kind.start, end: kind.end, ..Body::default() };
                    return Block { kind, labels, body, single_line: false };
                }
            }
        };
        if self.depth >= self.limits.nesting() {
            self.too_deep(open);
            self.limited = false;
            let recovery = self.recovery;
            let close = self.recover(Kind::CloseBrace);
            self.recovery = recovery;
            let body = Body { start: open.start, end: close.end, ..Body::default() };
            return Block { kind, labels, body, single_line: false };
        }
        self.depth += 1;
        let single_line = !matches!(self.peek().kind, Kind::Newline | Kind::End | Kind::CloseBrace);
        let mut body = if single_line { self.single_line_body(open) } else { self.body(Kind::CloseBrace) };
        self.depth -= 1;
        if single_line {
            body.start = open.start;
            body.end = self.previous().end;
        }
        let behind = self.peek();
        if matches!(behind.kind, Kind::Newline | Kind::End) {
            self.read();
        } else {
            if !self.recovery {
                self.error(
                    "Missing newline after block definition",
                    behind,
                    "The definition of a block ends with its line.",
                );
            }
            self.recover_after_item();
        }
        Block { kind, labels, body, single_line }
    }

    fn no_block(&mut self, token: Token) {
        const SUMMARY: &str = "Invalid block definition";
        match token.kind {
            Kind::Equal => self.error(
                SUMMARY,
                token,
                "An equals sign belongs to an argument; a block is defined without one.",
            ),
            Kind::Newline => self.error(
                SUMMARY,
                token,
                "The content of a block stands between `{` and `}`, and the `{` on the line of the block's header.",
            ),
            _ => {
                if !self.recovery {
                    self.error(
                        SUMMARY,
                        token,
                        "Either a label in quotes or the `{` of the block's content is expected here.",
                    );
                }
            }
        }
    }

    /// The one argument of `block { name = value }`, and the brace behind it.
    fn single_line_body(&mut self, open: Token) -> Body {
        let findings = self.findings.len();
        let attribute = self.single_argument();
        // The engines say what is wrong with the brace before what is wrong with the argument.
        let inner = self.findings.split_off(findings);
        self.single_line_end(open);
        self.findings.extend(inner);
        Body { attributes: attribute.into_iter().collect(), ..Body::default() }
    }

    fn single_argument(&mut self) -> Option<Attribute> {
        let name = self.read();
        if name.kind != Kind::Name {
            self.recover_after_item();
            self.error("Argument or block definition required", name, NO_DEFINITION);
            return None;
        }
        let next = self.peek();
        match next.kind {
            Kind::Equal => Some(self.attribute(name, true)),
            Kind::OpenQuote | Kind::OpenBrace | Kind::Name => {
                self.recover_after_item();
                let at = Extent::from(name).to(next.into());
                self.error(
                    "Argument definition required",
                    at,
                    "A block on a single line can hold only one argument, set with an equals sign. A block inside it \
                     has to stand on a line of its own.",
                );
                None
            }
            _ => {
                self.recover_after_item();
                self.error("Argument or block definition required", name, NO_EQUALS);
                None
            }
        }
    }

    fn single_line_end(&mut self, open: Token) {
        const SUMMARY: &str = "Invalid single-argument block definition";
        let next = self.peek();
        match next.kind {
            Kind::CloseBrace => {
                self.read();
                return;
            }
            Kind::Comma => self.error(
                SUMMARY,
                next,
                "A block on a single line can hold only one argument. To set more, give each a line of its own.",
            ),
            Kind::Newline => self.error(
                SUMMARY,
                next,
                "A block whose argument stands on the line of its header has to be closed on that line, right behind \
                 the argument.",
            ),
            Kind::End if !self.recovery => self.error("Unclosed configuration block", open, UNCLOSED_BLOCK),
            _ if !self.recovery => self.error(
                SUMMARY,
                next,
                "A block on a single line has to be closed right behind its only argument.",
            ),
            _ => {}
        }
        self.recover(Kind::CloseBrace);
    }

    /// A label in quotes; sequences are not allowed in it.
    fn quoted_label(&mut self) -> Label {
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
                    self.error(
                        "Invalid string literal",
                        token,
                        format!(
                            "No template sequence can stand in this string. A literal `{mark}{{` is written \
                             `{mark}{mark}{{`."
                        ),
                    );
                    text.push_str(mark);
                    text.push_str("{ ... }");
                    self.recover(Kind::CloseSequence);
                    continue;
                }
                Kind::End => {
                    self.error(
                        "Unterminated string literal",
                        token,
                        "There is no closing quote before the end of the file.",
                    );
                    token.end
                }
                _ => {
                    self.error("Invalid string literal", token, "This cannot stand in a string.");
                    self.recover(Kind::CloseQuote);
                    token.end
                }
            };
            return Label { text, start: open.start, end };
        }
    }

    /// What a piece of a quoted string means; reports escapes that mean nothing.
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
