//! Cuts objects into the portions that hcl-edit gets to see.

use std::ops::Range;

use super::{Kind, Parser, Portions, Token};

/// hcl-edit compares each key of an object with all before it, so it gets to see only as many at a time.
const PORTION: usize = 64;

impl<'a> Parser<'a> {
    pub(super) fn split(&mut self, open: Token, close: Token, splitter: Splitter<'a>) {
        if splitter.ranges.len() > 1 {
            self.portions.insert(open.start, Portions { close: close.start, ranges: splitter.ranges });
        }
    }

    /// What is known about a key without evaluating it.
    pub(super) fn key(&self, tokens: Range<usize>) -> Key<'a> {
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
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Key<'a> {
    Plain(&'a str),
    /// Two of them may be one key to hcl-edit.
    Calculated,
}

/// Cuts the items of an object into portions that each hold no key twice, which hcl-edit refuses, and not too many.
#[derive(Default)]
pub(super) struct Splitter<'a> {
    ranges: Vec<Range<usize>>,
    /// The keys of the last portion.
    keys: Vec<Key<'a>>,
}

impl<'a> Splitter<'a> {
    pub(super) fn add(&mut self, key: Key<'a>, item: Range<usize>) {
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
