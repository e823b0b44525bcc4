//! What stands in brackets: tuples, objects, `for` expressions and the arguments of calls.

use std::ops::Range;

use super::{Extent, Kind, Parser, Portions, Token};

/// hcl-edit compares each key of an object with all before it, so it gets to see only as many at a time.
const PORTION: usize = 64;

impl<'a> Parser<'a> {
    pub(super) fn tuple(&mut self) -> Extent {
        let open = self.read();
        self.newlines.push(false);
        let close = self.tuple_items(open);
        self.newlines.pop();
        Extent::from(open).to(close.into())
    }

    fn tuple_items(&mut self, open: Token) -> Token {
        if self.is_word(self.peek(), "for") {
            return self.for_expression(open, Kind::CloseBracket);
        }
        loop {
            if self.peek().kind == Kind::CloseBracket {
                return self.read();
            }
            let errors = self.errors;
            self.expression();
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

    pub(super) fn object(&mut self) -> Extent {
        let open = self.read();
        // Line breaks separate the items of an object, but mean nothing before `for`.
        self.newlines.push(false);
        let is_for = self.is_word(self.peek(), "for");
        let close = if is_for {
            self.for_expression(open, Kind::CloseBrace)
        } else {
            self.newlines.push(true);
            let close = self.object_items(open);
            self.newlines.pop();
            close
        };
        self.newlines.pop();
        Extent::from(open).to(close.into())
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
            self.expression();
            if self.recovery && self.failed_since(errors) {
                return self.recover(Kind::CloseBrace);
            }
            portions.add(self.key(key_tokens), key.start as usize..self.previous().end as usize);
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

    fn split(&mut self, open: Token, close: Token, splitter: Splitter<'a>) {
        if splitter.ranges.len() > 1 {
            self.portions.insert(open.start, Portions { close: close.start, ranges: splitter.ranges });
        }
    }

    /// What is known about a key without evaluating it.
    fn key(&self, tokens: Range<usize>) -> Key<'a> {
        let tokens = self.tokens[tokens].iter().filter(|token| token.kind != Kind::Comment);
        let mut tokens = tokens.filter(|token| token.kind != Kind::Newline);
        let text = match (tokens.next(), tokens.next(), tokens.next(), tokens.next()) {
            (Some(name), None, None, None) if name.kind == Kind::Name => self.written(*name),
            (Some(open), Some(text), Some(_), None)
                if open.kind == Kind::OpenQuote && text.kind == Kind::QuotedText =>
            {
                self.written(*text)
            }
            _ => return Key::Calculated,
        };
        if text.contains('\\') { Key::Calculated } else { Key::Plain(text) }
    }

    /// What stands behind the opening bracket of a `for` expression, up to its closing one.
    fn for_expression(&mut self, open: Token, close: Kind) -> Token {
        const SUMMARY: &str = "Invalid 'for' expression";
        self.read();
        if let Err(detail) = self.for_names() {
            return self.bad_for(close, detail);
        }
        let errors = self.errors;
        self.expression();
        if self.recovery && self.failed_since(errors) {
            return self.recover(close);
        }
        if self.peek().kind != Kind::Colon {
            return self.bad_for(close, "A colon has to follow the collection.");
        }
        self.read();
        let errors = self.errors;
        let mut value = self.expression();
        let mut key = None;
        if self.peek().kind == Kind::FatArrow {
            self.read();
            key = Some(std::mem::replace(&mut value, Extent { start: 0, end: 0 }));
            value = self.expression();
        }
        if self.recovery && self.failed_since(errors) {
            return self.recover(close);
        }
        let next = self.peek();
        let group = (next.kind == Kind::Ellipsis).then(|| self.read());
        if self.is_word(self.peek(), "if") {
            self.read();
            let errors = self.errors;
            self.expression();
            if self.recovery && self.failed_since(errors) {
                return self.recover(close);
            }
        }
        let end = if self.peek().kind == close {
            self.read()
        } else {
            self.bad_for(close, "The expression has ended here, and its bracket has to be closed.")
        };
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
        end
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

    /// What follows the first word of the name of a function.
    pub(super) fn call(&mut self, name: Token) -> Extent {
        let mut open = self.read();
        while open.kind == Kind::DoubleColon {
            let part = self.read();
            if part.kind != Kind::Name {
                self.error("Missing function name", part, "The name of a function has to follow `::`.");
                self.recover_over_parentheses();
                return Extent::from(name).to(part.into());
            }
            open = self.read();
        }
        if open.kind != Kind::OpenParen {
            self.error(
                "Missing open parenthesis",
                open,
                "The name of a function has to be followed by its arguments in parentheses.",
            );
            self.recover_over_parentheses();
            return Extent::from(name).to(open.into());
        }
        self.newlines.push(false);
        let close = self.arguments(name, open);
        self.newlines.pop();
        Extent::from(name).to(close.into())
    }

    fn arguments(&mut self, name: Token, open: Token) -> Token {
        loop {
            if self.peek().kind == Kind::CloseParen {
                return self.read();
            }
            let errors = self.errors;
            self.expression();
            if self.recovery && self.failed_since(errors) {
                return self.recover(Kind::CloseParen);
            }
            let separator = self.read();
            match separator.kind {
                Kind::CloseParen => return separator,
                Kind::Comma => {}
                Kind::Ellipsis => {
                    if self.peek().kind == Kind::CloseParen {
                        return self.read();
                    }
                    if !self.recovery {
                        self.error(
                            "Missing closing parenthesis",
                            separator,
                            "An argument expanded with `...` is the last one, and a parenthesis has to follow it.",
                        );
                    }
                    return self.recover(Kind::CloseParen);
                }
                Kind::End => {
                    self.error(
                        "Unterminated function call",
                        Extent::from(name).to(open.into()),
                        "There is no closing parenthesis for this call before the end of the file. Parentheses \
                         nested wrongly elsewhere in the file may be the cause.",
                    );
                    return self.recover(Kind::CloseParen);
                }
                _ => {
                    self.error("Missing argument separator", separator, "Arguments are separated by commas.");
                    return self.recover(Kind::CloseParen);
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key<'a> {
    Plain(&'a str),
    /// Two of them may be one key to hcl-edit.
    Calculated,
}

/// Cuts the items of an object into portions that each hold no key twice, which hcl-edit refuses, and not too many.
#[derive(Default)]
struct Splitter<'a> {
    ranges: Vec<Range<usize>>,
    /// The keys of the last portion.
    keys: Vec<Key<'a>>,
}

impl<'a> Splitter<'a> {
    fn add(&mut self, key: Key<'a>, item: Range<usize>) {
        // Behind an error an item may turn out to be nothing at all.
        if item.is_empty() {
            return;
        }
        match self.ranges.last_mut() {
            Some(last) if self.keys.len() < PORTION && !self.keys.contains(&key) => last.end = item.end,
            _ => {
                self.keys.clear();
                self.ranges.push(item);
            }
        }
        self.keys.push(key);
    }
}
