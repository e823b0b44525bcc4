//! Quoted strings and heredocs: their sequences, and whether directives pair up.

use smol_str::SmolStr;

use super::piece::Piece;
use super::{Extent, Kind, Parser, Token};
use crate::finding::{EngineRule, Finding};
use crate::syntax::native::hcl;
use crate::syntax::native::lexed::Dedented;
use crate::syntax::{Expr, ExprKind, ForDirective, IfDirective, Part, Template, TemplateKind};
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

/// A directive as it stands in a template.
struct Directive {
    word: Word,
    extent: Extent,
    /// How many parts of the template stand before it.
    before: usize,
    /// The condition of an `if`, the collection of a `for`.
    expr: Option<Expr>,
    /// The names that a `for` sets: of the key and of the value.
    names: (Option<SmolStr>, SmolStr),
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

fn bare(parts: Vec<Part>) -> Template {
    Template { kind: TemplateKind::Bare, parts: parts.into() }
}

impl Parser<'_> {
    /// All of the text as a template: like [`Parser::value`], as hcl-edit reads it unless it is plain.
    pub(super) fn bare_template(&mut self) -> Template {
        let opener = self.peek();
        let (parts, _) = self.parts(opener, Kind::End, &Dedented::new());
        let read =
            if self.is_plain || self.is_long || !self.complete { None } else { hcl::template(self.lexed) };
        read.unwrap_or(Template { kind: TemplateKind::Bare, parts })
    }

    /// The quoted string or heredoc whose opening mark was read last, up to `end`.
    pub(super) fn template(&mut self, opener: Token, end: Kind) -> Piece {
        let breaks = self.breaks;
        let dedented = self.lexed.dedent(self.next - 1);
        let (parts, close) = self.parts(opener, end, &dedented);
        let kind = if end == Kind::CloseHeredoc { TemplateKind::Heredoc } else { TemplateKind::Quoted };
        let span = self.span(opener).to(self.span(close));
        self.piece(breaks, span, ExprKind::Template(Template { kind, parts }))
    }

    /// The parts of a template up to `end`, and the token that ends it.
    fn parts(&mut self, opener: Token, end: Kind, dedented: &Dedented) -> (Box<[Part]>, Token) {
        let (breaks, depth) = (self.breaks, self.depth);
        let first = Extent::from(self.peek());
        // Most strings have one part.
        let mut parts = Vec::with_capacity(1);
        let mut directives = Vec::new();
        let close = loop {
            let token = self.read();
            match token.kind {
                kind if kind == end => break token,
                Kind::QuotedText | Kind::PlainText => parts.push(self.literal(dedented)),
                Kind::OpenInterpolation => {
                    self.newlines.push(false);
                    let inner = self.interpolation(first, end);
                    parts.push(Part::Interpolation(Box::new(inner.expr)));
                    self.newlines.pop();
                }
                Kind::OpenDirective => {
                    self.newlines.push(false);
                    let directive = self.directive(token, parts.len());
                    self.newlines.pop();
                    directives.extend(directive);
                    if !self.can_nest(directives.last(), depth) {
                        break self.recover(end);
                    }
                }
                _ => {
                    self.unterminated(token, opener);
                    break self.recover(end);
                }
            }
        };
        self.depth = depth;
        self.pair(&directives, close);
        let parts = match (directives.is_empty(), self.broken_since(breaks)) {
            (true, _) => parts,
            (false, false) => self.nested(parts, directives),
            (false, true) => self.flat(parts, &directives),
        };
        (parts.into(), close)
    }

    /// The text that starts with the token that was read last.
    fn literal(&mut self, dedented: &Dedented) -> Part {
        let first = self.next - 1;
        let (part, next) = self.lexed.literal(first, dedented);
        self.next = next;
        for number in first..next {
            let token = self.lexed.tokens[number];
            let is_quoted = token.kind == Kind::QuotedText;
            if is_quoted && memchr::memchr(b'\\', self.written(token).as_bytes()).is_some() {
                self.meaning(token);
            }
        }
        part
    }

    /// Whether a template can nest as deep as after its last directive.
    fn can_nest(&mut self, last: Option<&Directive>, least: usize) -> bool {
        match last.map(|directive| (directive.word, directive.extent)) {
            Some((Word::If | Word::For, _)) if self.depth < self.limits.nesting() => self.depth += 1,
            Some((Word::If | Word::For, at)) => {
                self.too_deep(at);
                return false;
            }
            Some((Word::EndIf | Word::EndFor, _)) => self.depth = least.max(self.depth - 1),
            Some((Word::Else, _)) | None => {}
        }
        true
    }

    /// The parts with what stands between a pair of directives inside one part.
    fn nested(&mut self, parts: Vec<Part>, directives: Vec<Directive>) -> Vec<Part> {
        self.is_plain = false;
        let count = parts.len();
        let mut rest = parts.into_iter();
        let mut current = Vec::new();
        let mut open: Vec<(Directive, Option<Template>, Vec<Part>)> = Vec::new();
        for directive in directives {
            let taken = count - rest.len();
            current.extend(rest.by_ref().take(directive.before - taken));
            match directive.word {
                Word::If | Word::For => open.push((directive, None, std::mem::take(&mut current))),
                Word::Else => {
                    if let Some((_, then, _)) = open.last_mut() {
                        *then = Some(bare(std::mem::take(&mut current)));
                    }
                }
                Word::EndIf | Word::EndFor => {
                    let Some((opening, then, before)) = open.pop() else { continue };
                    let body = bare(std::mem::replace(&mut current, before));
                    current.extend(self.paired(opening, directive.extent, then, body));
                }
            }
        }
        current.extend(rest);
        current
    }

    fn paired(
        &self,
        opening: Directive,
        closing: Extent,
        then: Option<Template>,
        body: Template,
    ) -> Option<Part> {
        let span = self.span(opening.extent.to(closing));
        let Directive { word, expr, names: (key, value), .. } = opening;
        let expr = expr?;
        if word == Word::For {
            return Some(Part::For(Box::new(ForDirective { span, key, value, collection: expr, body })));
        }
        let (then, otherwise) = match then {
            Some(then) => (then, Some(body)),
            None => (body, None),
        };
        Some(Part::If(Box::new(IfDirective { span, condition: expr, then, otherwise })))
    }

    /// The parts of a broken template, in which directives are unknown.
    fn flat(&self, mut parts: Vec<Part>, directives: &[Directive]) -> Vec<Part> {
        for directive in directives.iter().rev() {
            let unknown = Piece::broken(self.span(directive.extent)).expr;
            parts.insert(directive.before, Part::Interpolation(Box::new(unknown)));
        }
        parts
    }

    fn unterminated(&mut self, token: Token, opener: Token) {
        if !self.recovery {
            let finding = Finding::language(EngineRule::SyntaxError, "Unterminated template string")
                .at(self.span(token))
                .detail(unterminated(self.written(opener)))
                .related(self.span(opener), "opened here");
            self.report(finding);
        }
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

    /// The directive that opens with that mark after so many parts; none where it cannot be told which one it is.
    fn directive(&mut self, open: Token, before: usize) -> Option<Directive> {
        let keyword = self.peek();
        let word = self.directive_word(keyword)?;
        let mut names = (None, SmolStr::default());
        if word == Word::For {
            match self.for_names() {
                Ok(read) => names = read,
                Err(detail) => {
                    if !self.recovery {
                        self.error("Invalid 'for' directive", self.peek(), detail);
                    }
                    self.recover(Kind::CloseSequence);
                    return None;
                }
            }
        }
        let has_expression = matches!(word, Word::If | Word::For);
        let expr = has_expression.then(|| self.expression().expr);
        let close = self.peek();
        if close.kind == Kind::CloseSequence {
            self.read();
        } else {
            if !self.recovery {
                let summary = format!("Extra characters in {} marker", word.name());
                self.error(&summary, close, "A closing brace has to end the directive here.");
            }
            self.recover(Kind::CloseSequence);
        }
        Some(Directive { word, extent: Extent::from(open).to(close.into()), before, expr, names })
    }

    fn directive_word(&mut self, keyword: Token) -> Option<Word> {
        let is_name = keyword.kind == Kind::Name;
        if is_name {
            self.read();
        }
        let given = self.written(keyword);
        let word = Word::ALL.into_iter().find(|word| is_name && word.name() == given);
        if word.is_none() {
            if !self.recovery && is_name {
                let near = similar(given, Word::ALL.map(Word::name));
                let near = near.map_or(String::new(), |word| format!(" Did you mean `{word}`?"));
                let detail = format!("`{given}` is no directive of a template.{near}");
                self.error("Invalid template control keyword", keyword, detail);
            } else if !self.recovery {
                let detail =
                    "A word such as `if` or `for` has to follow `%{`. A literal `%{` is written `%%{`.";
                self.error("Invalid template directive", keyword, detail);
            }
            self.recover(Kind::CloseSequence);
        }
        word
    }

    /// Reports directives that do not pair up. A pair that is broken is given up where it breaks.
    fn pair(&mut self, directives: &[Directive], close: Token) {
        let mut open: Vec<(Word, Extent, bool)> = Vec::new();
        for Directive { word, extent: at, .. } in directives {
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
}
