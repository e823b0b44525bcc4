//! Turns the text of a string into an address: a name and constant steps from it.
//!
//! Spaces, line breaks and comments between its signs mean nothing, as inside of parentheses.

use std::ops::Range;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::syntax::{Step, StepKind, Traversal, native, shift};
use crate::text::Span;

pub(super) fn parse(text: &str, place: Span) -> (Option<Traversal>, Vec<Finding>) {
    let mut parser = Parser { text, place, at: 0, findings: Vec::new() };
    let traversal = parser.address();
    let mut findings = native::invalid_tokens(place.file, text);
    for finding in &mut findings {
        shift::finding(finding, place);
    }
    findings.append(&mut parser.findings);
    (traversal, findings)
}

struct Parser<'t> {
    text: &'t str,
    place: Span,
    at: usize,
    findings: Vec<Finding>,
}

/// One sign of the text, with where it stands there.
struct Token {
    kind: Kind,
    range: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Name,
    Number,
    Quote,
    Dot,
    Open,
    Close,
    Star,
    Other,
    End,
}

impl Parser<'_> {
    fn address(&mut self) -> Option<Traversal> {
        let first = self.read();
        if first.kind != Kind::Name {
            let detail = "An address starts with a name.";
            self.found("Variable name required", detail, &first.range);
            return None;
        }
        let mut address = Traversal {
            root: self.text[first.range.clone()].into(),
            root_span: self.span(&first.range),
            steps: Vec::new(),
        };
        loop {
            let next = self.read();
            let step = match next.kind {
                Kind::End => break,
                Kind::Dot => self.attribute(&next),
                Kind::Open => self.index(&next),
                Kind::Name | Kind::Number | Kind::Quote | Kind::Close | Kind::Star | Kind::Other => {
                    let detail = "A name is followed by a point and another name, or by a key in brackets.";
                    self.found("Invalid character", detail, &next.range);
                    None
                }
            };
            address.steps.extend(step);
            if !self.findings.is_empty() {
                break;
            }
        }
        Some(address)
    }

    fn attribute(&mut self, dot: &Token) -> Option<Step> {
        let name = self.read();
        if name.kind != Kind::Name {
            let detail = match name.kind {
                Kind::Star => "An address names one thing, not all of a list.",
                _ => "A point is followed by the name of an attribute.",
            };
            self.found("Attribute name required", detail, &name.range);
            return None;
        }
        let text = self.text[name.range.clone()].into();
        Some(Step { span: self.span(&(dot.range.start..name.range.end)), kind: StepKind::Attribute(text) })
    }

    fn index(&mut self, open: &Token) -> Option<Step> {
        let key = self.read();
        let kind = match key.kind {
            Kind::Number => StepKind::Number(self.number(&key)),
            Kind::Quote => StepKind::Key(self.string(&key)?),
            Kind::Star => {
                let detail = "An address names one thing, not all of a list.";
                self.found("Attribute name required", detail, &key.range);
                return None;
            }
            Kind::Name | Kind::Dot | Kind::Open | Kind::Close | Kind::Other | Kind::End => {
                let detail =
                    "Only a number or a string in quotes may stand between the brackets of an address.";
                self.found("Index value required", detail, &key.range);
                return None;
            }
        };
        let close = self.read();
        if close.kind != Kind::Close {
            let detail = "The key is followed by a closing bracket.";
            self.found("Unclosed index brackets", detail, &close.range);
        }
        Some(Step { span: self.span(&(open.range.start..close.range.end)), kind })
    }

    fn number(&mut self, token: &Token) -> SmolStr {
        let text = &self.text[token.range.clone()];
        let digits = text.bytes().filter(|byte| *byte == b'.').count() < 2
            && text.bytes().filter(|byte| byte.eq_ignore_ascii_case(&b'e')).count() < 2;
        if !digits {
            self.found("Invalid number literal", "This is not a number.", &token.range);
        }
        text.into()
    }

    /// The rest of a string whose opening quote was read, with its escapes replaced.
    fn string(&mut self, open: &Token) -> Option<SmolStr> {
        let mut value = String::new();
        loop {
            let from = self.at;
            let rest = &self.text[from..];
            let Some(first) = rest.chars().next() else {
                let detail = "The quotes around this key are not closed.";
                self.found("Unterminated string literal", detail, &(from..from));
                return None;
            };
            self.at += first.len_utf8();
            match first {
                '"' => return Some(value.into()),
                '\n' => {
                    let detail = "A string in quotes ends on the line it starts on.";
                    self.found("Invalid multi-line string", detail, &(open.range.start..self.at));
                    return None;
                }
                '$' | '%' if rest[1..].starts_with('{') => {
                    let detail = format!(
                        "Nothing is filled in here: double the `{first}` if it is meant as it stands."
                    );
                    self.found("Invalid string literal", &detail, &(from..from + 2));
                    return None;
                }
                '$' | '%' if rest[1..].starts_with(first) && rest[2..].starts_with('{') => {
                    value.push(first);
                    value.push('{');
                    self.at += 2;
                }
                '\\' => value.push(self.escape(from)?),
                _ => value.push(first),
            }
        }
    }

    fn escape(&mut self, from: usize) -> Option<char> {
        let letter = self.text[self.at..].chars().next();
        self.at += letter.map_or(0, char::len_utf8);
        let digits = match letter {
            Some('n') => return Some('\n'),
            Some('r') => return Some('\r'),
            Some('t') => return Some('\t'),
            Some('"') => return Some('"'),
            Some('\\') => return Some('\\'),
            Some('u') => 4,
            Some('U') => 8,
            Some(_) | None => 0,
        };
        let code = self.text.get(self.at..self.at + digits).filter(|code| !code.is_empty());
        let value = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        if value.is_some() {
            self.at += digits;
        } else {
            let detail =
                "Behind a backslash stands one of n, r, t, \", \\, u with four digits or U with eight.";
            self.found("Invalid escape sequence", detail, &(from..self.at));
        }
        value
    }

    fn read(&mut self) -> Token {
        self.skip_blank();
        let rest = &self.text[self.at..];
        let (kind, length) = match rest.chars().next() {
            None => (Kind::End, 0),
            Some('.') => (Kind::Dot, 1),
            Some('[') => (Kind::Open, 1),
            Some(']') => (Kind::Close, 1),
            Some('*') => (Kind::Star, 1),
            Some('"') => (Kind::Quote, 1),
            Some('0'..='9') => (Kind::Number, number_length(rest)),
            Some(first) if starts_name(first) => (Kind::Name, name_length(rest)),
            Some(other) => (Kind::Other, other.len_utf8()),
        };
        let range = self.at..self.at + length;
        self.at = range.end;
        Token { kind, range }
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            let comment = match &rest[blank..] {
                line if line.starts_with('#') || line.starts_with("//") => {
                    line.find('\n').unwrap_or(line.len())
                }
                text if text.starts_with("/*") => text.find("*/").map_or(0, |end| end + 2),
                _ => 0,
            };
            if blank + comment == 0 {
                return;
            }
            self.at += blank + comment;
        }
    }

    fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.place.file, range.clone()).within(self.place)
    }

    fn found(&mut self, summary: &str, detail: &str, range: &Range<usize>) {
        let finding =
            Finding::language(EngineRule::InvalidReference, summary).detail(detail).at(self.span(range));
        self.findings.push(finding);
    }
}

fn starts_name(first: char) -> bool {
    first == '_' || unicode_ident::is_xid_start(first)
}

fn name_length(text: &str) -> usize {
    text.find(|c| c != '-' && !unicode_ident::is_xid_continue(c)).unwrap_or(text.len())
}

/// Digits, points and exponents, but no point at the end: that one starts an attribute.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut at, mut end) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'0'..=b'9' | b'.' => 1,
            b'e' | b'E' if digit(at + 1) => 2,
            b'e' | b'E' if matches!(bytes.get(at + 1), Some(b'+' | b'-')) && digit(at + 2) => 3,
            _ => break,
        };
        if *byte != b'.' {
            end = at;
        }
    }
    end
}
