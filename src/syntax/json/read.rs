//! Builds values from tokens. After an error, the enclosing value is invalid, and the reader continues after its
//! presumed end. Recovery follows HCL's JSON parser, so the same parts survive with the same errors.

use std::sync::Arc;

use super::scan::{Kind, Scanner, Token};
use super::tree::{Node, NodeKind, Property, Scalar};
use super::{string, syntax_error, too_deep};
use crate::finding::Finding;
use crate::limits::Limits;
use crate::syntax::number;
use crate::text::{FileId, Source, Span, similar};

/// Reads the single value of a file.
pub(super) fn root(id: FileId, source: &Source, limits: &Limits, findings: &mut Vec<Finding>) -> Node {
    let tokens = Scanner::new(source.text());
    let mut reader = Reader { id, source, tokens, limits, findings, depth: 0 };
    let root = reader.value();
    let behind = reader.tokens.peek().clone();
    if reader.findings.is_empty() && behind.kind != Kind::End {
        let detail = "A JSON file contains a single value, and this follows it.";
        findings
            .push(syntax_error("Extraneous data after value", Span::new(id, behind.range)).detail(detail));
    }
    root
}

struct Reader<'r> {
    id: FileId,
    source: &'r Source,
    tokens: Scanner<'r>,
    limits: &'r Limits,
    findings: &'r mut Vec<Finding>,
    depth: usize,
}

const VALUE: &str =
    "A value starts with a brace, a bracket, a quote, a digit or a minus sign, or is true, false or null.";

const BYTE_ORDER_MARK: &str = "The file starts with a byte order mark, which is not allowed in JSON. Save it as UTF-8 without a byte order mark.";

impl Reader<'_> {
    fn value(&mut self) -> Node {
        let first = self.tokens.peek().clone();
        let read = match first.kind {
            Kind::OpenBrace | Kind::OpenBracket if self.depth >= self.limits.nesting() => {
                Some(self.skip_too_deep())
            }
            Kind::OpenBrace => self.nested(Self::object),
            Kind::OpenBracket => self.nested(Self::array),
            Kind::Number => self.number(),
            Kind::String => self.string(),
            Kind::Word => self.word(),
            Kind::CloseBrace => self.found("Missing JSON value", &first, VALUE),
            Kind::CloseBracket => self.found("Missing array element value", &first, VALUE),
            Kind::End => self.found("Missing value", &first, "The file ends where a value is expected."),
            Kind::Other if first.range.start == 0 && self.source.text().starts_with('\u{feff}') => {
                self.found("Invalid start of value", &first, BYTE_ORDER_MARK)
            }
            Kind::Comma | Kind::Colon | Kind::Equals | Kind::Other => {
                self.found("Invalid start of value", &first, VALUE)
            }
        };
        read.unwrap_or_else(|| Node { span: self.span(&first), kind: NodeKind::Invalid })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Node>) -> Option<Node> {
        self.depth += 1;
        let node = read(self);
        self.depth -= 1;
        node
    }

    fn object(&mut self) -> Option<Node> {
        let open = self.tokens.read();
        let mut properties = Vec::new();
        while self.tokens.peek().kind != Kind::CloseBrace {
            let name = self.value();
            let name_span = name.span;
            let NodeKind::Scalar(Scalar::String(name)) = name.kind else {
                let detail = "The name of a property must be a string in quotes.";
                self.report(syntax_error("Invalid object property name", name.start()).detail(detail));
                return None;
            };
            self.colon()?;
            let value = self.value();
            properties.push(Property::new(name, name_span, value));

            match self.tokens.peek().kind {
                Kind::CloseBrace => break,
                Kind::Comma => {
                    let comma = self.tokens.read();
                    if self.tokens.peek().kind == Kind::CloseBrace {
                        let detail = "The last property of an object must not be followed by a comma.";
                        return self.found("Trailing comma in object", &comma, detail);
                    }
                }
                Kind::End => return self.found("Unclosed object", &open, "This brace is never closed."),
                Kind::CloseBracket => {
                    self.tokens.read();
                    let detail = "An object must be closed by a brace, not a bracket.";
                    return self.found_here("Mismatched braces", detail);
                }
                _ => {
                    self.skip_to(Kind::OpenBrace, Kind::CloseBrace);
                    let detail = "The properties of an object must be separated by commas.";
                    return self.found_here("Missing attribute seperator comma", detail);
                }
            }
        }
        let close = self.tokens.read();
        Some(Node { span: self.span(&open).to(self.span(&close)), kind: NodeKind::Object(properties) })
    }

    fn colon(&mut self) -> Option<()> {
        let colon = self.tokens.peek().clone();
        if colon.kind == Kind::Colon {
            self.tokens.read();
            return Some(());
        }
        self.skip_to(Kind::OpenBrace, Kind::CloseBrace);
        match colon.kind {
            Kind::CloseBrace | Kind::Comma => {
                let detail = "A property needs a colon and a value; for a list of strings use brackets.";
                self.found("Missing object value", &colon, detail)
            }
            Kind::Equals => {
                let detail = "JSON requires a colon between name and value, not an equals sign.";
                self.found("Missing property value colon", &colon, detail)
            }
            _ => {
                let detail = "The name and the value of a property must be separated by a colon.";
                self.found("Missing property value colon", &colon, detail)
            }
        }
    }

    fn array(&mut self) -> Option<Node> {
        let open = self.tokens.read();
        let mut elements = Vec::new();
        while self.tokens.peek().kind != Kind::CloseBracket {
            elements.push(Arc::new(self.value()));

            let (summary, detail) = match self.tokens.peek().kind {
                Kind::CloseBracket => break,
                Kind::Comma => {
                    let comma = self.tokens.read();
                    if self.tokens.peek().kind == Kind::CloseBracket {
                        let detail = "The last value of an array must not be followed by a comma.";
                        return self.found("Trailing comma in array", &comma, detail);
                    }
                    continue;
                }
                // The engine reports "Unclosed object" for arrays, too.
                Kind::End => return self.found("Unclosed object", &open, "This bracket is never closed."),
                Kind::Colon => ("Invalid array value", "The values of an array cannot have names."),
                Kind::CloseBrace => {
                    ("Mismatched brackets", "An array must be closed by a bracket, not a brace.")
                }
                _ => (
                    "Missing attribute seperator comma",
                    "The values of an array must be separated by commas.",
                ),
            };
            self.skip_to(Kind::OpenBracket, Kind::CloseBracket);
            return self.found_here(summary, detail);
        }
        let close = self.tokens.read();
        Some(Node { span: self.span(&open).to(self.span(&close)), kind: NodeKind::Array(elements) })
    }

    fn number(&mut self) -> Option<Node> {
        let token = self.tokens.read();
        let text = &self.source.text()[token.range.clone()];
        if !string::is_number(text) || !number::is_in_range(text) {
            return self.found("Invalid JSON number", &token, "This is not a valid JSON number.");
        }
        Some(Node { span: self.span(&token), kind: NodeKind::Scalar(Scalar::Number(text.into())) })
    }

    fn string(&mut self) -> Option<Node> {
        let token = self.tokens.read();
        let source = &self.source.text()[token.range.clone()];
        if let Some(at) = string::mistake(source) {
            let at = token.range.start + at + 1;
            // The engine counts this way. The result may lie after the text or within a character.
            let [start, end] = [at, at + 1].map(|at| self.source.floor(at));
            let detail = "A string must end on the line it starts on, and may contain only JSON escapes.";
            let finding = syntax_error("Invalid JSON string", Span::new(self.id, start..end)).detail(detail);
            self.report(finding);
            return None;
        }
        let invalid = self.source.invalid();
        let replaced = |at: usize| {
            u32::try_from(token.range.start + at).is_ok_and(|at| invalid.binary_search(&at).is_ok())
        };
        Some(Node {
            span: self.span(&token),
            kind: NodeKind::Scalar(Scalar::String(string::text(source, replaced).into())),
        })
    }

    fn word(&mut self) -> Option<Node> {
        let token = self.tokens.read();
        let word = &self.source.text()[token.range.clone()];
        let value = match word {
            "true" => Scalar::Bool(true),
            "false" => Scalar::Bool(false),
            "null" => Scalar::Null,
            _ => {
                let finding = syntax_error("Invalid JSON keyword", self.span(&token))
                    .detail(format!("`{word}` is not a JSON keyword."))
                    .help("write strings in quotes")
                    .meant(similar(word, ["false", "true", "null"]));
                self.report(finding);
                return None;
            }
        };
        Some(Node { span: self.span(&token), kind: NodeKind::Scalar(value) })
    }

    /// Skips to the `close` that presumably ends the value with the error. The engine's counting: each `open` on the
    /// way only skips to its own end.
    fn skip_to(&mut self, open: Kind, close: Kind) {
        let mut depth = 1;
        loop {
            let kind = self.tokens.read().kind;
            if kind == open {
                depth += 1;
            } else if kind == close {
                depth -= 1;
                if depth <= 1 {
                    return;
                }
            } else if kind == Kind::End {
                return;
            }
        }
    }

    /// Skips a value that exceeds the nesting limit.
    fn skip_too_deep(&mut self) -> Node {
        let first = self.tokens.peek().clone();
        let mut last = first.clone();
        let mut depth = 0_usize;
        loop {
            let token = self.tokens.read();
            match token.kind {
                Kind::OpenBrace | Kind::OpenBracket => depth += 1,
                Kind::CloseBrace | Kind::CloseBracket => depth -= 1,
                Kind::End => break,
                _ => {}
            }
            last = token;
            if depth == 0 {
                break;
            }
        }
        self.report(too_deep(self.span(&first), self.limits));
        Node { span: self.span(&first).to(self.span(&last)), kind: NodeKind::Invalid }
    }

    fn report(&mut self, finding: Finding) {
        // One error above the limit shows that there are more.
        if self.findings.len() <= self.limits.mistakes() {
            self.findings.push(finding);
        }
    }

    fn span(&self, token: &Token) -> Span {
        Span::new(self.id, token.range.clone())
    }

    fn found<T>(&mut self, summary: &str, at: &Token, detail: &str) -> Option<T> {
        self.report(syntax_error(summary, self.span(at)).detail(detail));
        None
    }

    /// The finding for an error that the engine reports at the token where it continues.
    fn found_here<T>(&mut self, summary: &str, detail: &str) -> Option<T> {
        let here = self.tokens.peek().clone();
        self.found(summary, &here, detail)
    }
}
