//! A text with its tokens, and the text of template tokens.

use std::borrow::Cow;

use hashbrown::HashMap;
use smol_str::SmolStr;
use unicode_segmentation::UnicodeSegmentation;

use super::escape;
use super::scan::{Kind, Token};
use crate::syntax::Part;
use crate::text::{FileId, Span, file_name};

/// A tokenized text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexed<'a> {
    pub(super) file: FileId,
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    /// The bytes of the file if some are not UTF-8. The text has `?` for each of these.
    pub(super) raw: Option<&'a [u8]>,
    /// The JSON string that holds the text, or `None` for a file. Spans are then positions in that string, as if it
    /// had no escapes.
    pub(super) within: Option<Span>,
}

/// The lines of a `<<-` heredoc without their common indentation, by token number, each with the offset of its start.
pub(super) type Dedented = HashMap<usize, (String, u32)>;

/// A range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Extent {
    pub(super) fn to(self, end: Extent) -> Extent {
        Extent { start: self.start, end: end.end }
    }
}

impl From<Token> for Extent {
    fn from(token: Token) -> Self {
        Extent { start: token.start, end: token.end }
    }
}

impl<'a> Lexed<'a> {
    pub(super) fn span(self, at: impl Into<Extent>) -> Span {
        let Extent { start, end } = at.into();
        let span = Span { file: self.file, start, end: end.max(start) };
        self.within.map_or(span, |outer| span.within(outer))
    }

    /// The span of the whole text.
    pub(super) fn whole(self) -> Span {
        self.span(Extent { start: 0, end: u32::try_from(self.text.len()).unwrap_or(u32::MAX) })
    }

    pub(super) fn written(self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// The text of a token with a [stand-in](file_name) for each byte that is not UTF-8.
    fn content(self, token: Token) -> Cow<'a, str> {
        let range = token.start as usize..token.end as usize;
        self.raw.map_or(Cow::Borrowed(self.written(token)), |raw| file_name::decode(&raw[range]))
    }

    /// Number of the first token that ends after `offset`.
    pub(super) fn token_at(self, offset: u32) -> usize {
        self.tokens.partition_point(|token| token.end <= offset).min(self.tokens.len() - 1)
    }

    /// The literal of the text tokens from number `first` on, and the number of the token after it.
    pub(super) fn literal(self, first: usize, dedented: &Dedented) -> (Part, usize) {
        let mut text = Cow::Borrowed("");
        let mut end = first;
        let mut start = self.tokens[first].start;
        while let Some(token) = self.tokens.get(end)
            && matches!(token.kind, Kind::QuotedText | Kind::PlainText)
        {
            match dedented.get(&end) {
                Some((line, line_start)) => {
                    text += line.as_str();
                    start = if end == first { *line_start } else { start };
                }
                None => text += self.stripped(end),
            }
            end += 1;
        }
        let span = self.span(Extent { start, end: self.tokens[end.saturating_sub(1)].end });
        (Part::Literal { text: SmolStr::new(text), span }, end)
    }

    /// The text of a token after the strip markers `~` on both sides are applied.
    fn stripped(self, number: usize) -> Cow<'a, str> {
        match self.content(self.tokens[number]) {
            Cow::Borrowed(content) => self.meant(number, content),
            Cow::Owned(content) => self.meant(number, &content).into_owned().into(),
        }
    }

    fn meant(self, number: usize, written: &str) -> Cow<'_, str> {
        let meant = match self.tokens[number].kind {
            Kind::QuotedText => escape::quoted(written, |_| ()),
            _ => escape::plain(written),
        };
        let strips =
            |token: &Token, kinds: &[Kind]| kinds.contains(&token.kind) && self.written(*token).contains('~');
        let before = number.checked_sub(1).and_then(|before| self.tokens.get(before));
        let left = before.is_some_and(|token| strips(token, &[Kind::CloseSequence]));
        let right = self
            .tokens
            .get(number + 1)
            .is_some_and(|token| strips(token, &[Kind::OpenInterpolation, Kind::OpenDirective]));
        match (left, right) {
            (false, false) => meant,
            (true, false) => meant.trim_start().to_owned().into(),
            (false, true) => meant.trim_end().to_owned().into(),
            (true, true) => meant.trim().to_owned().into(),
        }
    }

    /// The lines of the heredoc of token `open` without their common indentation; empty unless it is a `<<-`. Each
    /// line that starts with text loses as many spaces as the least indented of these lines has.
    pub(super) fn dedent(self, open: usize) -> Dedented {
        let mut dedented = Dedented::new();
        if !self.written(self.tokens[open]).starts_with("<<-") {
            return dedented;
        }
        let mut at_line_start = true;
        let mut least = usize::MAX;
        let mut lines = Vec::new();
        let mut number = open + 1;
        while let Some(token) = self.tokens.get(number) {
            let literal = match token.kind {
                Kind::PlainText => Some(self.stripped(number).into_owned()),
                Kind::CloseHeredoc | Kind::End => break,
                _ => None,
            };
            if at_line_start {
                at_line_start = false;
                match &literal {
                    // A blank line does not count.
                    Some(text) if text.trim_start().is_empty() && text.ends_with('\n') => {}
                    Some(text) => {
                        let blanks = &text[..text.len() - text.trim_start().len()];
                        least = least.min(blanks.graphemes(true).count());
                        lines.push(number);
                    }
                    None => least = 0,
                }
            }
            match literal {
                Some(text) => {
                    at_line_start |= text.ends_with('\n');
                    dedented.insert(number, (text, token.start));
                    number += 1;
                }
                None => number = self.after_sequence(number),
            }
        }
        for number in lines {
            if let Some((text, start)) = dedented.get_mut(&number) {
                let taken: usize = text.graphemes(true).take(least).map(str::len).sum();
                text.drain(..taken);
                *start += u32::try_from(taken).unwrap_or(0);
            }
        }
        dedented
    }

    /// Number of the token after the `}` that closes the sequence of token `open`.
    fn after_sequence(self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::OpenInterpolation | Kind::OpenDirective => depth += 1,
                Kind::CloseSequence => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return number + 1;
            }
        }
        self.tokens.len()
    }
}
