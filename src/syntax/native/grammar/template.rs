//! Quoted strings and heredocs: their sequences, and whether directives pair up.

use super::remnant::{Piece, Remnant};
use super::{Extent, Kind, Mend, Parser, Token};
use crate::finding::{EngineRule, Finding};
use crate::text::similar;

/// A directive that opens, divides or closes a part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    If,
    Else,
    EndIf,
    For,
    EndFor,
}

impl Word {
    const ALL: [Self; 5] = [Self::If, Self::For, Self::Else, Self::EndIf, Self::EndFor];

    fn name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Else => "else",
            Self::EndIf => "endif",
            Self::For => "for",
            Self::EndFor => "endfor",
        }
    }
}

/// Why the string that opens with this mark has no end.
fn unterminated(opener: &str) -> String {
    match opener.trim_end().trim_start_matches("<<").trim_start_matches('-') {
        marker if opener.starts_with("<<") => {
            format!("No line that holds `{marker}` alone closes the heredoc that this is in.")
        }
        _ => "The string is not closed before this.".to_owned(),
    }
}

impl Parser<'_> {
    /// The template whose opening mark, if it has one, was read last, up to `end`.
    pub(super) fn template(&mut self, end: Kind) -> Piece {
        let mark = self.mark();
        let opener = self.tokens[self.next.saturating_sub(1)];
        let first = Extent::from(self.peek());
        let mut directives = Vec::new();
        let close = loop {
            let token = self.read();
            if token.kind == end {
                if token.start == opener.end && token.kind == Kind::CloseHeredoc {
                    self.replace_empty(opener, token);
                }
                break token;
            }
            match token.kind {
                Kind::QuotedText => {
                    self.pieces.push(token.into());
                    if memchr::memchr(b'\\', self.written(token).as_bytes()).is_some() {
                        self.meaning(token);
                    }
                }
                Kind::PlainText => {
                    self.pieces.push(token.into());
                    self.hide_marker(opener, token);
                }
                Kind::OpenInterpolation => {
                    self.newlines.push(false);
                    let inner = self.interpolation(first, end);
                    self.pieces.push(inner);
                    self.newlines.pop();
                }
                Kind::OpenDirective => {
                    self.newlines.push(false);
                    self.directive(token, &mut directives);
                    self.newlines.pop();
                }
                _ => {
                    if !self.recovery {
                        let finding =
                            Finding::language(EngineRule::SyntaxError, "Unterminated template string")
                                .at(self.span(token))
                                .detail(unterminated(self.written(opener)))
                                .related(self.span(opener), "opened here");
                        self.report(finding);
                    }
                    break self.recover(end);
                }
            }
        };
        self.pair(&directives, close);
        self.collected(mark, Extent::from(opener).to(close.into()), Remnant::Template)
    }

    fn interpolation(&mut self, first: Extent, end: Kind) -> Piece {
        const HINT: &str = "If this is meant for another language, write `$${` instead of `${`.";
        let inner = self.expression();
        let close = self.peek();
        if close.kind == Kind::CloseSequence {
            self.read();
            return inner;
        }
        if !self.recovery {
            match close.kind {
                Kind::End => self.error(
                    "Unclosed template interpolation sequence",
                    first,
                    "There is no closing brace for this sequence before the end of the file.",
                ),
                Kind::CloseQuote | Kind::OpenQuote if end == Kind::CloseQuote => self.error(
                    "Unclosed template interpolation sequence",
                    first,
                    "There is no closing brace for this sequence before the end of the string.",
                ),
                Kind::Colon => self.error(
                    "Extra characters after interpolation expression",
                    close,
                    format!("No colon can follow the expression. {HINT}"),
                ),
                _ => self.error(
                    "Extra characters after interpolation expression",
                    close,
                    format!("A closing brace has to follow the expression. {HINT}"),
                ),
            }
        }
        self.recover(Kind::CloseSequence);
        inner
    }

    fn directive(&mut self, open: Token, directives: &mut Vec<(Word, Extent)>) {
        let keyword = self.peek();
        if keyword.kind != Kind::Name {
            if !self.recovery {
                self.error(
                    "Invalid template directive",
                    keyword,
                    "A word such as `if` or `for` has to follow `%{`. A literal `%{` is written `%%{`.",
                );
            }
            self.recover(Kind::CloseSequence);
            return;
        }
        self.read();
        let given = self.written(keyword);
        let Some(word) = Word::ALL.into_iter().find(|word| word.name() == given) else {
            if !self.recovery {
                let near = similar(given, Word::ALL.map(Word::name));
                let near = near.map_or(String::new(), |word| format!(" Did you mean `{word}`?"));
                self.error(
                    "Invalid template control keyword",
                    keyword,
                    format!("`{given}` is no directive of a template.{near}"),
                );
            }
            self.recover(Kind::CloseSequence);
            return;
        };
        match word {
            Word::If => {
                self.expression();
            }
            Word::For => {
                if let Err(detail) = self.for_names() {
                    if !self.recovery {
                        self.error("Invalid 'for' directive", self.peek(), detail);
                    }
                    self.recover(Kind::CloseSequence);
                    return;
                }
                self.expression();
            }
            Word::Else | Word::EndIf | Word::EndFor => {}
        }
        let close = self.peek();
        self.pieces.push(Piece::broken(open, Remnant::Unknown));
        directives.push((word, Extent::from(open).to(close.into())));
        if close.kind == Kind::CloseSequence {
            self.read();
            return;
        }
        if !self.recovery {
            let summary = format!("Extra characters in {given} marker");
            self.error(&summary, close, "A closing brace has to end the directive here.");
        }
        self.recover(Kind::CloseSequence);
    }

    /// Reports directives that do not pair up. A pair that is broken is given up where it breaks.
    fn pair(&mut self, directives: &[(Word, Extent)], close: Token) {
        let mut open: Vec<(Word, Extent, bool)> = Vec::new();
        for (word, at) in directives {
            if matches!(word, Word::If | Word::For) {
                open.push((*word, *at, false));
                continue;
            }
            let detail = match (open.last_mut(), word) {
                (Some((Word::If, _, divided @ false)), Word::Else) => {
                    *divided = true;
                    continue;
                }
                (Some((Word::If, ..)), Word::EndIf) | (Some((Word::For, ..)), Word::EndFor) => {
                    open.pop();
                    continue;
                }
                (Some((Word::If, ..)), Word::Else) => "This `if` has an `else` already.",
                (Some((Word::For, ..)), Word::Else) => "A `for` has no `else`.",
                (Some((Word::For, ..)), _) => "An `endfor` has to close the `for` first.",
                (Some(_), _) => "An `endif` has to close the `if` first.",
                (None, _) => "No directive before it belongs to it.",
            };
            let summary = format!("Unexpected {} directive", word.name());
            let opening = open.pop().map(|(_, place, _)| place);
            self.unpaired(&summary, *at, detail, opening);
        }
        while let Some((word, place, _)) = open.pop() {
            let detail = format!("The template ends before the `end{}` of a directive.", word.name());
            self.unpaired("Unexpected end of template", close.into(), &detail, Some(place));
        }
    }

    fn unpaired(&mut self, summary: &str, at: Extent, detail: &str, opening: Option<Extent>) {
        let mut finding =
            Finding::language(EngineRule::SyntaxError, summary).at(self.span(at)).detail(detail);
        if let Some(opening) = opening {
            finding = finding.related(self.span(opening), "opened here");
        }
        self.report(finding);
    }

    /// hcl-edit takes a line that starts with the marker of its heredoc for the end of it, whatever follows there.
    fn hide_marker(&mut self, opener: Token, line: Token) {
        let marker = self.written(opener).trim_start_matches(['<', '-']).trim_end();
        let written = self.written(line);
        let text = written.trim_start_matches([' ', '\t']);
        if opener.kind != Kind::OpenHeredoc || !text.starts_with(marker) {
            return;
        }
        let start = line.start + u32::try_from(written.len() - text.len()).unwrap_or(0);
        let first = marker.chars().next().map_or(1, char::len_utf8);
        let with = if marker.starts_with('a') { b'b' } else { b'a' };
        self.mends.push(Mend { start, end: start + u32::try_from(first).unwrap_or(1), with });
    }

    /// hcl-edit seeks the end of a heredoc without any line in it behind the next one, so it gets to see `""` instead.
    fn replace_empty(&mut self, open: Token, close: Token) {
        let quotes = open.start + 2;
        self.mends.push(Mend { start: open.start, end: quotes, with: b'"' });
        self.mends.push(Mend { start: quotes, end: close.end, with: b' ' });
    }
}
