//! Everything in brackets: tuples, objects, `for` expressions, and the arguments of calls.

use smol_str::SmolStr;

use super::piece::{Piece, State};
use super::{Content, Kind, Parser, Token};
use crate::syntax::native::nodes::object_key;
use crate::syntax::{Expr, ExprKind, For, ObjectItem};

/// hcl-edit does not parse objects with more items than this: it compares each key with all keys before it, in
/// quadratic time.
const LONG_OBJECT: usize = 64;

const UNCLOSED_TUPLE: &str = "There is no closing bracket for this one before the end of the file. The cause may be \
a wrong bracket elsewhere in the file.";
const KEY_WITH_BLANKS: &str =
    "The value must be preceded by an equals sign. A key with dots or spaces must be quoted.";

impl Parser<'_> {
    pub(super) fn tuple(&mut self) -> Piece {
        let breaks = self.breaks;
        let open = self.read();
        self.newlines.push(false);
        if self.is_word(self.peek(), "for") {
            return self.for_expression(open, Kind::CloseBracket);
        }
        let mut items = Vec::new();
        let close = self.tuple_items(open, &mut items);
        items.shrink_to_fit();
        self.newlines.pop();
        self.piece(breaks, self.span(open).to(self.span(close)), ExprKind::Tuple(items))
    }

    fn tuple_items(&mut self, open: Token, items: &mut Vec<Expr>) -> Token {
        loop {
            if self.peek().kind == Kind::CloseBracket {
                return self.read();
            }
            let errors = self.errors;
            items.push(self.expression().expr);
            if self.lost_since(errors) {
                return self.recover(Kind::CloseBracket);
            }
            let next = self.peek();
            let (summary, at, detail) = match next.kind {
                Kind::CloseBracket => return self.read(),
                Kind::Comma => {
                    self.read();
                    continue;
                }
                Kind::End => ("Unterminated tuple constructor expression", open, UNCLOSED_TUPLE),
                _ => ("Missing item separator", next, "Items must be separated by commas."),
            };
            if !self.recovery {
                self.unexpected(summary, at, detail);
            }
            return self.recover(Kind::CloseBracket);
        }
    }

    pub(super) fn object(&mut self) -> Piece {
        let breaks = self.breaks;
        let open = self.read();
        // Line breaks separate the items of an object, but are ignored before `for`.
        self.newlines.push(false);
        if self.is_word(self.peek(), "for") {
            return self.for_expression(open, Kind::CloseBrace);
        }
        self.newlines.push(true);
        let mut items = Vec::new();
        let close = self.object_items(open, &mut items);
        items.shrink_to_fit();
        if items.len() > LONG_OBJECT {
            self.holds(Content::LongObject);
        }
        self.newlines.pop();
        self.newlines.pop();
        self.piece(breaks, self.span(open).to(self.span(close)), ExprKind::Object(items))
    }

    fn object_items(&mut self, open: Token, items: &mut Vec<ObjectItem>) -> Token {
        loop {
            match self.peek().kind {
                Kind::Newline => {
                    self.read();
                    continue;
                }
                Kind::CloseBrace => return self.read(),
                _ => {}
            }
            if !self.object_item(open, items) {
                return self.recover(Kind::CloseBrace);
            }
            let next = self.peek();
            match next.kind {
                Kind::CloseBrace => return self.read(),
                Kind::Comma | Kind::Newline => {
                    self.read();
                }
                _ => {
                    self.no_separator(open, next);
                    return self.recover(Kind::CloseBrace);
                }
            }
        }
    }

    /// Reads one item. Returns whether the parser still knows its position.
    fn object_item(&mut self, open: Token, items: &mut Vec<ObjectItem>) -> bool {
        let errors = self.errors;
        let key = object_key(self.expression().expr);
        if self.lost_since(errors) {
            return false;
        }
        let next = self.peek();
        if !matches!(next.kind, Kind::Equal | Kind::Colon) {
            self.no_value(open, next);
            return false;
        }
        self.read();
        let errors = self.errors;
        let value = self.expression();
        let is_lost = self.lost_since(errors);
        if !is_lost || value.state == State::Unnamed {
            items.push(ObjectItem { key, value: value.expr });
        }
        !is_lost
    }

    fn no_separator(&mut self, open: Token, next: Token) {
        let detail = "Object items must be separated by line breaks or commas.";
        match next.kind {
            Kind::End => self.unclosed_object(open),
            _ if self.recovery => {}
            _ => self.unexpected("Missing attribute separator", next, detail),
        }
    }

    fn no_value(&mut self, open: Token, next: Token) {
        const NO_SEPARATOR: &str = "Missing key/value separator";
        let (summary, detail) = match next.kind {
            Kind::Newline | Kind::Comma => {
                ("Missing attribute value", "An object key must be followed by an equals sign and a value.")
            }
            Kind::End => return self.unclosed_object(open),
            Kind::Name => (NO_SEPARATOR, KEY_WITH_BLANKS),
            _ => (NO_SEPARATOR, "A key and its value must be separated by an equals sign."),
        };
        self.first_error(summary, next, detail);
    }

    fn unclosed_object(&mut self, open: Token) {
        let detail = "There is no closing brace for this one before the end of the file. The cause may be a wrong \
        brace elsewhere in the file.";
        self.first_error("Unterminated object constructor expression", open, detail);
    }

    /// A `for` expression after its opening bracket. Line breaks are ignored already.
    fn for_expression(&mut self, open: Token, close: Kind) -> Piece {
        let breaks = self.breaks;
        self.holds(Content::Iteration);
        self.read();
        let (close, parts) = self.for_parts(open, close);
        self.newlines.pop();
        let span = self.span(open).to(self.span(close));
        match parts {
            Some(parts) if !self.broken_since(breaks) => {
                Expr { span, kind: ExprKind::For(Box::new(parts)) }.into()
            }
            // The brackets make the wrong type of collection; only its value is unknown.
            Some(parts) => {
                let value = Expr { span, kind: ExprKind::Invalid };
                let (key_name, value_name) = (None, SmolStr::default());
                let rest = For { key_name, value_name, key: None, value, condition: None, ..parts };
                let kind = ExprKind::For(Box::new(For { grouped: false, ..rest }));
                self.piece(breaks, span, kind)
            }
            None => Piece::broken(span),
        }
    }

    /// Reads everything after `for`. Returns the closing bracket, and the parts unless one of them has an error.
    fn for_parts(&mut self, open: Token, close: Kind) -> (Token, Option<For>) {
        let start = self.errors;
        let (key_name, value_name) = match self.for_names() {
            Ok(names) => names,
            Err(detail) => return (self.bad_for(close, detail), None),
        };
        let errors = self.errors;
        let collection = self.expression().expr;
        if self.lost_since(errors) {
            return (self.recover(close), None);
        }
        if self.peek().kind != Kind::Colon {
            return (self.bad_for(close, "The collection must be followed by a colon."), None);
        }
        self.read();
        let errors = self.errors;
        let mut value = self.expression().expr;
        let mut key = None;
        if self.takes(Kind::FatArrow) {
            let made = self.expression().expr;
            key = Some(std::mem::replace(&mut value, made));
        }
        if self.lost_since(errors) {
            return (self.recover(close), None);
        }
        let next = self.peek();
        let grouped = self.takes(Kind::Ellipsis);
        let mut condition = None;
        if self.is_word(self.peek(), "if") {
            self.read();
            let errors = self.errors;
            condition = Some(self.expression().expr);
            if self.lost_since(errors) {
                return (self.recover(close), None);
            }
        }
        let is_closed = self.peek().kind == close || self.recovery;
        let is_whole = is_closed && !self.failed_since(start);
        let end = if self.peek().kind == close {
            self.read()
        } else if self.recovery {
            self.recover(close)
        } else {
            self.bad_for(close, "The expression ends here, so a closing bracket is expected.")
        };
        let parts = For { key_name, value_name, collection, key, value, condition, grouped };
        self.check_for(open, &parts, next);
        (end, is_whole.then_some(parts))
    }

    /// Reports parts that the type of brackets does not allow.
    fn check_for(&mut self, open: Token, parts: &For, ellipsis: Token) {
        const SUMMARY: &str = "Invalid 'for' expression";
        if open.kind != Kind::OpenBracket {
            if parts.key.is_none() {
                let detail = "An object `for` expression requires a key: `key => value`.";
                self.error_at(SUMMARY, parts.value.span, detail);
            }
            return;
        }
        if let Some(key) = &parts.key {
            let detail = "A tuple has no keys. Use braces to make an object.";
            self.error_at(SUMMARY, key.span, detail);
        }
        if parts.grouped {
            let detail = "Only an object can be grouped by key with `...`, not a tuple.";
            self.error(SUMMARY, ellipsis, detail);
        }
    }

    /// Reads the names after `for`, of the key and of the value, and the `in` after them.
    pub(super) fn for_names(&mut self) -> Result<(Option<SmolStr>, SmolStr), &'static str> {
        let mut key = None;
        let mut value = self.name().ok_or("`for` must be followed by the name of a variable.")?;
        if self.takes(Kind::Comma) {
            let second =
                self.name().ok_or("The comma must be followed by the name of a variable for the value.")?;
            key = Some(std::mem::replace(&mut value, second));
        }
        if !self.is_word(self.peek(), "in") {
            return Err("A `for` expression has one or two names, and then the keyword `in`.");
        }
        self.read();
        Ok((key, value))
    }

    fn name(&mut self) -> Option<SmolStr> {
        let token = self.peek();
        let name = SmolStr::new(self.written(token));
        self.takes(Kind::Name).then_some(name)
    }

    fn bad_for(&mut self, close: Kind, detail: &str) -> Token {
        self.first_error("Invalid 'for' expression", self.peek(), detail);
        self.recover(close)
    }
}
