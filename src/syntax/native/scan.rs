//! Splits native syntax into tokens, as the scanner of `hclsyntax` does.

mod shape;
mod token;

pub(super) use token::{Kind, Token};

use shape::{
    blank_length, decode, line_break, name_length, number_length, plain_length, quoted_length, symbol, trim,
};

use crate::text::starts_name;

/// The tokens of a text.
pub(super) struct Scan {
    /// All tokens, including comments. White space is not a token, and the last token is [`Kind::End`].
    pub(super) tokens: Vec<Token>,
    /// The comments among the tokens.
    pub(super) comments: Vec<Token>,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Tokenizes the content of a file.
pub(super) fn scan(bytes: &[u8]) -> Scan {
    let skip = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    scan_bytes(bytes, skip, Mode::Normal, true)
}

/// The tokens of a text that is not a file.
pub(super) fn scan_text(text: &str, mode: Mode) -> Vec<Token> {
    scan_bytes(text.as_bytes(), 0, mode, false).tokens
}

/// Tokenizes `bytes` from offset `skip` on.
fn scan_bytes(bytes: &[u8], skip: usize, mode: Mode, joins_blank_lines: bool) -> Scan {
    let mut scanner = Scanner {
        bytes,
        at: skip,
        tokens: Vec::with_capacity((bytes.len() - skip) / 5 + 2),
        comments: Vec::new(),
        modes: vec![mode],
        braces: 0,
        sequences: Vec::new(),
        heredocs: Vec::new(),
        comments_close: true,
        joins_blank_lines,
    };
    while scanner.at < bytes.len() {
        match scanner.modes.last() {
            Some(Mode::Quoted) => scanner.quoted(),
            Some(Mode::Heredoc) => scanner.heredoc(),
            Some(Mode::Bare) => scanner.bare(),
            Some(Mode::Normal) | None => scanner.normal(),
        }
    }
    scanner.push(Kind::End, 0);
    Scan { tokens: scanner.tokens, comments: scanner.comments }
}

/// The construct that the scanner is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Normal,
    Quoted,
    Heredoc,
    /// A template without delimiters: the whole text.
    Bare,
}

struct Heredoc {
    marker: std::ops::Range<usize>,
    at_line_start: bool,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Token>,
    modes: Vec<Mode>,
    braces: i64,
    /// The brace depth at which each open `${` or `%{` ends.
    sequences: Vec<i64>,
    heredocs: Vec<Heredoc>,
    /// Whether a `*/` may still follow. If one search finds none, no later `/*` searches again.
    comments_close: bool,
    /// Whether a run of blank lines is reduced to three line break tokens.
    joins_blank_lines: bool,
}

impl Scanner<'_> {
    fn push(&mut self, kind: Kind, length: usize) {
        let token = self.cut(kind, length);
        self.tokens.push(token);
    }

    /// Of line breaks that only white space separates, a file keeps the first two and the last.
    fn newline(&mut self, length: usize) {
        const BREAK: Kind = Kind::Newline;
        if let [.., Token { kind: BREAK, .. }, Token { kind: BREAK, .. }, last @ Token { kind: BREAK, .. }] =
            &mut self.tokens[..]
            && self.joins_blank_lines
        {
            let offset = |at: usize| u32::try_from(at).expect("a source is smaller than 4 GiB");
            *last = Token { kind: Kind::Newline, start: offset(self.at), end: offset(self.at + length) };
            self.at += length;
        } else {
            self.push(Kind::Newline, length);
        }
    }

    fn push_comment(&mut self, length: usize) {
        let token = self.cut(Kind::Comment, length);
        self.tokens.push(token);
        self.comments.push(token);
    }

    fn cut(&mut self, kind: Kind, length: usize) -> Token {
        let offset = |at: usize| u32::try_from(at).expect("a source is smaller than 4 GiB");
        let token = Token { kind, start: offset(self.at), end: offset(self.at + length) };
        self.at += length;
        token
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn normal(&mut self) {
        let bytes = self.bytes;
        while let Some(byte) = bytes.get(self.at) {
            let next = self.peek(1);
            match byte {
                b' ' | b'\t' => self.at += blank_length(&bytes[self.at..]),
                b'\n' => self.newline(1),
                b'\r' if next == b'\n' => self.newline(2),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.push(Kind::Name, name_length(&bytes[self.at..])),
                b'0'..=b'9' => self.push(Kind::Number, number_length(&bytes[self.at..])),
                b'"' => {
                    self.push(Kind::OpenQuote, 1);
                    self.modes.push(Mode::Quoted);
                    return;
                }
                b'{' => {
                    self.push(Kind::OpenBrace, 1);
                    self.braces += 1;
                }
                b'}' => {
                    if self.close_brace(1, Kind::CloseBrace) {
                        return;
                    }
                }
                b'~' if next == b'}' => {
                    if self.close_brace(2, Kind::CloseSequence) {
                        return;
                    }
                }
                b'#' => self.line_comment(),
                b'/' if next == b'/' => self.line_comment(),
                b'/' if next == b'*' => self.block_comment(),
                b'<' if next == b'<' => {
                    if self.open_heredoc() {
                        return;
                    }
                    self.push(Kind::Less, 1);
                }
                0x80.. => match decode(&bytes[self.at..]) {
                    None => self.push(Kind::NotUtf8, 1),
                    Some((letter, _)) if starts_name(letter) => {
                        self.push(Kind::Name, name_length(&bytes[self.at..]));
                    }
                    Some((_, length)) => self.push(Kind::Unknown, length),
                },
                _ => {
                    let (kind, length) = symbol(*byte, next, self.peek(2));
                    self.push(kind, length);
                }
            }
        }
    }

    /// Ends the innermost `${` or `%{` if its brace closes here. Returns whether it did.
    fn close_brace(&mut self, length: usize, otherwise: Kind) -> bool {
        let ends = self.sequences.last() == Some(&self.braces);
        self.push(if ends { Kind::CloseSequence } else { otherwise }, length);
        self.braces -= 1;
        if ends {
            self.sequences.pop();
            self.modes.pop();
        }
        ends
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        self.push_comment(length);
    }

    fn block_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let close =
            if self.comments_close { memchr::memmem::find(&rest[2.min(rest.len())..], b"*/") } else { None };
        if let Some(at) = close {
            self.push_comment(at + 4);
        } else {
            self.comments_close = false;
            self.push(Kind::Slash, 1);
        }
    }

    /// `<<EOT` opens a heredoc only at the end of its line.
    fn open_heredoc(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let from = if rest.get(2) == Some(&b'-') { 3 } else { 2 };
        let starts = match rest.get(from) {
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => true,
            Some(0x80..) => decode(&rest[from..]).is_some_and(|(letter, _)| starts_name(letter)),
            Some(_) | None => false,
        };
        if !starts {
            return false;
        }
        let to = from + name_length(&rest[from..]);
        let length = match (rest.get(to), rest.get(to + 1)) {
            (Some(b'\n'), _) => to + 1,
            (Some(b'\r'), Some(b'\n')) => to + 2,
            _ => return false,
        };
        self.heredocs.push(Heredoc { marker: self.at + from..self.at + to, at_line_start: true });
        self.push(Kind::OpenHeredoc, length);
        self.modes.push(Mode::Heredoc);
        true
    }

    fn open_sequence(&mut self, kind: Kind) {
        self.push(kind, if self.peek(2) == b'~' { 3 } else { 2 });
        self.braces += 1;
        self.sequences.push(self.braces);
        if let Some(heredoc) = self.heredocs.last_mut() {
            heredoc.at_line_start = false;
        }
        self.modes.push(Mode::Normal);
    }

    /// The meaning of a `$` or `%` in a template: the start of a sequence, or text of some length.
    fn dollar(&self) -> Dollar {
        let own = self.peek(0);
        match self.bytes.get(self.at + 1) {
            None => Dollar::Last,
            Some(b'{') if own == b'$' => Dollar::Opens(Kind::OpenInterpolation),
            Some(b'{') => Dollar::Opens(Kind::OpenDirective),
            Some(next) if *next == own && self.peek(2) == b'{' => {
                Dollar::Text(if self.peek(3) == b'~' { 4 } else { 3 })
            }
            Some(_) => Dollar::Text(1),
        }
    }

    fn quoted(&mut self) {
        let bytes = self.bytes;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.push(Kind::CloseQuote, 1);
                    self.modes.pop();
                    return;
                }
                b'$' | b'%' => match self.dollar() {
                    Dollar::Opens(kind) => return self.open_sequence(kind),
                    Dollar::Text(length) => self.push(Kind::QuotedText, length),
                    Dollar::Last => self.push(Kind::Unknown, 1),
                },
                b'\n' | b'\r' => {
                    let rest = &bytes[self.at..];
                    let end = rest.iter().position(|byte| !matches!(byte, b'\n' | b'\r'));
                    self.push(Kind::QuotedNewline, end.unwrap_or(rest.len()));
                }
                _ => match quoted_length(&bytes[self.at..]) {
                    0 if *byte == b'\\' => self.push(Kind::Unknown, 1),
                    0 => self.push(Kind::NotUtf8, 1),
                    length => self.push(Kind::QuotedText, length),
                },
            }
        }
    }

    fn bare(&mut self) {
        let bytes = self.bytes;
        while let Some(byte) = bytes.get(self.at) {
            let length = match byte {
                b'$' | b'%' => match self.dollar() {
                    Dollar::Opens(kind) => return self.open_sequence(kind),
                    Dollar::Text(length) => length,
                    Dollar::Last => 1,
                },
                _ => plain_length(&bytes[self.at..]),
            };
            let length = length + line_break(&bytes[self.at + length..]);
            if length == 0 {
                // HCL's scanner cannot handle a carriage return alone: the rest is plain text.
                self.push(Kind::PlainText, bytes.len() - self.at);
            } else {
                self.push(Kind::PlainText, length);
            }
        }
    }

    fn heredoc(&mut self) {
        let bytes = self.bytes;
        while let Some(byte) = bytes.get(self.at) {
            let (length, ends_line) = match byte {
                b'$' | b'%' => match self.dollar() {
                    Dollar::Opens(kind) => return self.open_sequence(kind),
                    Dollar::Text(length) => (length, line_break(&bytes[self.at + length..])),
                    Dollar::Last => return self.push(Kind::Unknown, 1),
                },
                _ => {
                    let length = plain_length(&bytes[self.at..]);
                    (length, line_break(&bytes[self.at + length..]))
                }
            };
            if length == 0 && ends_line == 0 {
                if *byte == b'\r' {
                    // HCL's scanner stops at a carriage return alone in a heredoc.
                    return self.push(Kind::Unknown, bytes.len() - self.at);
                }
                self.push(Kind::NotUtf8, 1);
                continue;
            }
            let Some(heredoc) = self.heredocs.last_mut() else { return };
            if ends_line == 0 {
                heredoc.at_line_start = false;
                self.push(Kind::PlainText, length);
                continue;
            }
            let line = &bytes[self.at..self.at + length];
            if heredoc.at_line_start && trim(line) == &bytes[heredoc.marker.clone()] {
                self.heredocs.pop();
                self.modes.pop();
                self.push(Kind::CloseHeredoc, length);
                self.push(Kind::Newline, ends_line);
                return;
            }
            heredoc.at_line_start = true;
            self.push(Kind::PlainText, length + ends_line);
        }
    }
}

enum Dollar {
    Opens(Kind),
    Text(usize),
    /// The end of the text follows.
    Last,
}
