//! Splits a JSON file into tokens. Tokens are generous, so that an error covers a whole malformed word or number.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// A token and its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Comma,
    Colon,
    /// `=`, which is not JSON but has its own error message.
    Equals,
    /// From quote to quote, or to the end of the line.
    String,
    /// A run of digits, signs, dots and exponents.
    Number,
    /// A run of letters.
    Word,
    /// Any other character. Scanning ends there.
    Other,
    End,
}

/// An iterator over the tokens of a text.
pub(super) struct Scanner<'t> {
    text: &'t str,
    next: Token,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, next: token(text, 0) }
    }

    /// The next token, without consuming it.
    pub(super) fn peek(&self) -> &Token {
        &self.next
    }

    /// Consumes the next token. At the end of the text, returns [`Kind::End`] again and again.
    pub(super) fn read(&mut self) -> Token {
        let following = match self.next.kind {
            Kind::End => return self.next.clone(),
            Kind::Other => Token { kind: Kind::End, range: self.next.range.end..self.next.range.end },
            _ => token(self.text, self.next.range.end),
        };
        std::mem::replace(&mut self.next, following)
    }
}

fn token(text: &str, from: usize) -> Token {
    let rest = &text[from..];
    let start = text.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    let rest = &text[start..];
    let (kind, length) = match rest.bytes().next() {
        None => (Kind::End, 0),
        Some(b'{') => (Kind::OpenBrace, 1),
        Some(b'}') => (Kind::CloseBrace, 1),
        Some(b'[') => (Kind::OpenBracket, 1),
        Some(b']') => (Kind::CloseBracket, 1),
        Some(b',') => (Kind::Comma, 1),
        Some(b':') => (Kind::Colon, 1),
        Some(b'=') => (Kind::Equals, 1),
        Some(b'"') => (Kind::String, string_length(rest)),
        Some(b'-' | b'+' | b'.' | b'0'..=b'9') => {
            (Kind::Number, run(rest, |byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')))
        }
        Some(b'a'..=b'z' | b'A'..=b'Z') => {
            (Kind::Word, run(rest, |byte| byte.is_ascii_alphabetic() || byte == b'_'))
        }
        Some(_) => (Kind::Other, rest.chars().next().map_or(0, char::len_utf8)),
    };
    Token { kind, range: start..start + length }
}

/// Length in bytes of the string at the start of `text`.
fn string_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'"' => return at + 1,
            0..32 => break,
            // An escaped backslash or quote. The letter of any other escape is ordinary text.
            b'\\' if matches!(bytes.get(at + 1), Some(b'\\' | b'"')) => 2,
            0..128 => 1,
            // The engine advances by grapheme cluster, and some letters form a cluster with the quote after them.
            128.. => text[at..].graphemes(true).next().map_or(1, str::len),
        };
    }
    at
}

fn run(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|byte| !belongs(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Vec<(Kind, &str)> {
        let mut scanner = Scanner::new(text);
        let mut found = Vec::new();
        loop {
            let token = scanner.read();
            found.push((token.kind, &text[token.range.clone()]));
            if token.kind == Kind::End {
                return found;
            }
        }
    }

    #[test]
    fn signs_are_generous() {
        let found = scan("{\t\"a\" : -1.e+,\r\n nulL_=]");
        let kinds: Vec<_> = found.iter().map(|(kind, _)| *kind).collect();
        let expected = [
            Kind::OpenBrace,
            Kind::String,
            Kind::Colon,
            Kind::Number,
            Kind::Comma,
            Kind::Word,
            Kind::Equals,
            Kind::CloseBracket,
            Kind::End,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(found[3].1, "-1.e+");
        assert_eq!(found[5].1, "nulL_");
    }

    #[test]
    fn strings_end_at_a_quote_or_with_the_line() {
        let string = |text| scan(text)[0].1.len();
        assert_eq!(string(r#""a" b"#), 3);
        assert_eq!(string(r#""a\"b" c"#), 6);
        assert_eq!(string(r#""a\\" c"#), 5);
        assert_eq!(string(r#""a\n\"" c"#), 7);
        assert_eq!(string("\"a\nb\""), 2);
        assert_eq!(string("\"a"), 2);
        assert_eq!(string("\"\\"), 2);
        assert_eq!(string("\"e\u{301}ü\" "), 7);
        assert_eq!(string("\"\u{600}\" \""), 6, "that letter belongs to what follows it, even to a quote");
    }

    #[test]
    fn nothing_is_read_behind_an_unknown_sign() {
        let kinds: Vec<_> = scan("[ § ]").iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [Kind::OpenBracket, Kind::Other, Kind::End]);
        assert_eq!(scan("\u{feff}{}")[0].0, Kind::Other);
        assert_eq!(scan("")[0].0, Kind::End);
    }
}
