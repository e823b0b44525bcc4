//! What stands in brackets: tuples, objects, `for` expressions and the arguments of calls.

use super::portion::Splitter;
use super::remnant::{Piece, Remnant};
use super::{Extent, Kind, Parser, Token};

impl Parser<'_> {
    pub(super) fn tuple(&mut self) -> Piece {
        let mark = self.mark();
        let open = self.read();
        self.newlines.push(false);
        if self.is_word(self.peek(), "for") {
            return self.for_expression(open, Kind::CloseBracket);
        }
        let close = self.tuple_items(open);
        self.newlines.pop();
        self.collected(mark, Extent::from(open).to(close.into()), Remnant::Tuple)
    }

    fn tuple_items(&mut self, open: Token) -> Token {
        loop {
            if self.peek().kind == Kind::CloseBracket {
                return self.read();
            }
            let errors = self.errors;
            let item = self.expression();
            self.pieces.push(item);
            if self.recovery && self.failed_since(errors) {
                return self.recover(Kind::CloseBracket);
            }
            let next = self.peek();
            match next.kind {
                Kind::CloseBracket => return self.read(),
                Kind::Comma => {
                    self.read();
                }
                _ => {
                    if !self.recovery {
                        if next.kind == Kind::End {
                            self.error(
                                "Unterminated tuple constructor expression",
                                open,
                                "There is no closing bracket for this one before the end of the file. Brackets nested \
                                 wrongly elsewhere in the file may be the cause.",
                            );
                        } else {
                            self.error(
                                "Missing item separator",
                                next,
                                "A comma has to stand before the next item.",
                            );
                        }
                    }
                    return self.recover(Kind::CloseBracket);
                }
            }
        }
    }

    pub(super) fn object(&mut self) -> Piece {
        let mark = self.mark();
        let open = self.read();
        // Line breaks separate the items of an object, but mean nothing before `for`.
        self.newlines.push(false);
        if self.is_word(self.peek(), "for") {
            return self.for_expression(open, Kind::CloseBrace);
        }
        self.newlines.push(true);
        let close = self.object_items(open);
        self.newlines.pop();
        self.newlines.pop();
        self.collected(mark, Extent::from(open).to(close.into()), Remnant::Object)
    }

    fn object_items(&mut self, open: Token) -> Token {
        let mut portions = Splitter::default();
        loop {
            match self.peek().kind {
                Kind::Newline => {
                    self.read();
                    continue;
                }
                Kind::CloseBrace => {
                    let close = self.read();
                    self.split(open, close, portions);
                    return close;
                }
                _ => {}
            }
            let first = self.next;
            let errors = self.errors;
            let key = self.expression();
            if self.recovery && self.failed_since(errors) {
                return self.recover(Kind::CloseBrace);
            }
            let key_tokens = first..self.next;
            let next = self.peek();
            if !matches!(next.kind, Kind::Equal | Kind::Colon) {
                self.no_value(open, next);
                return self.recover(Kind::CloseBrace);
            }
            self.read();
            let errors = self.errors;
            let value = self.expression();
            let broken = self.recovery && self.failed_since(errors);
            let start = key.extent.start as usize;
            if !broken || value.is_unnamed() {
                self.pieces.extend([key, value]);
            }
            if broken {
                return self.recover(Kind::CloseBrace);
            }
            portions.add(self.key(key_tokens), start..self.previous().end as usize);
            let next = self.peek();
            match next.kind {
                Kind::CloseBrace => {
                    let close = self.read();
                    self.split(open, close, portions);
                    return close;
                }
                Kind::Comma | Kind::Newline => {
                    self.read();
                }
                _ => {
                    if !self.recovery {
                        if next.kind == Kind::End {
                            self.unclosed_object(open);
                        } else {
                            self.error(
                                "Missing attribute separator",
                                next,
                                "A line break or a comma has to stand before the next item of an object.",
                            );
                        }
                    }
                    return self.recover(Kind::CloseBrace);
                }
            }
        }
    }

    fn no_value(&mut self, open: Token, next: Token) {
        if self.recovery {
            return;
        }
        match next.kind {
            Kind::Newline | Kind::Comma => self.error(
                "Missing attribute value",
                next,
                "A key of an object has to be followed by an equals sign and a value.",
            ),
            Kind::End => self.unclosed_object(open),
            Kind::Name => self.error(
                "Missing key/value separator",
                next,
                "An equals sign has to stand before the value. A key with points or blanks in it has to be quoted.",
            ),
            _ => self.error(
                "Missing key/value separator",
                next,
                "An equals sign has to stand between key and value.",
            ),
        }
    }

    fn unclosed_object(&mut self, open: Token) {
        self.error(
            "Unterminated object constructor expression",
            open,
            "There is no closing brace for this one before the end of the file. Braces nested wrongly elsewhere in \
             the file may be the cause.",
        );
    }

    /// A `for` expression behind its opening bracket, where line breaks mean nothing already.
    fn for_expression(&mut self, open: Token, close: Kind) -> Piece {
        let breaks = self.breaks;
        let (close, whole) = self.for_parts(open, close);
        self.newlines.pop();
        let extent = Extent::from(open).to(close.into());
        match whole {
            _ if !self.broken_since(breaks) => extent.into(),
            // It makes the wrong kind of thing, of what is all there.
            Some(collection) => Piece::broken(extent, Remnant::For(collection)),
            None => Piece::broken(extent, Remnant::Unknown),
        }
    }

    /// The last sign of it, and what it goes through if nothing is wrong but what it makes.
    fn for_parts(&mut self, open: Token, close: Kind) -> (Token, Option<Piece>) {
        const SUMMARY: &str = "Invalid 'for' expression";
        self.read();
        let start = self.errors;
        if let Err(detail) = self.for_names() {
            return (self.bad_for(close, detail), None);
        }
        let errors = self.errors;
        let collection = self.expression();
        if self.recovery && self.failed_since(errors) {
            return (self.recover(close), None);
        }
        if self.peek().kind != Kind::Colon {
            return (self.bad_for(close, "A colon has to follow the collection."), None);
        }
        self.read();
        let errors = self.errors;
        let mut value = self.expression().extent;
        let mut key = None;
        if self.peek().kind == Kind::FatArrow {
            self.read();
            key = Some(std::mem::replace(&mut value, Extent { start: 0, end: 0 }));
            value = self.expression().extent;
        }
        if self.recovery && self.failed_since(errors) {
            return (self.recover(close), None);
        }
        let next = self.peek();
        let group = (next.kind == Kind::Ellipsis).then(|| self.read());
        if self.is_word(self.peek(), "if") {
            self.read();
            let errors = self.errors;
            self.expression();
            if self.recovery && self.failed_since(errors) {
                return (self.recover(close), None);
            }
        }
        if self.peek().kind != close {
            let detail = "The expression has ended here, and its bracket has to be closed.";
            return (self.bad_for(close, detail), None);
        }
        let is_whole = !self.failed_since(start);
        let end = self.read();
        if open.kind == Kind::OpenBracket {
            if let Some(key) = key {
                self.error(
                    SUMMARY,
                    key,
                    "There are no keys in a tuple. With braces around it, it makes an object.",
                );
            }
            if let Some(group) = group {
                self.error(SUMMARY, group, "Only an object can be grouped by key with `...`, not a tuple.");
            }
        } else if key.is_none() {
            self.error(SUMMARY, value, "To make an object, a key is needed: `key => value`.");
        }
        (end, is_whole.then_some(collection))
    }

    /// The names behind `for`, and the `in` behind them.
    pub(super) fn for_names(&mut self) -> Result<(), &'static str> {
        if self.peek().kind != Kind::Name {
            return Err("The name of a variable has to follow `for`.");
        }
        self.read();
        if self.peek().kind == Kind::Comma {
            self.read();
            if self.peek().kind != Kind::Name {
                return Err("The name of a variable for the value has to follow the comma.");
            }
            self.read();
        }
        if !self.is_word(self.peek(), "in") {
            return Err("The word `in` has to follow the names.");
        }
        self.read();
        Ok(())
    }

    fn bad_for(&mut self, close: Kind, detail: &str) -> Token {
        if !self.recovery {
            self.error("Invalid 'for' expression", self.peek(), detail);
        }
        self.recover(close)
    }
}
