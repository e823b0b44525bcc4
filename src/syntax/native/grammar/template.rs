//! Quoted strings and heredocs: their sequences, and the pairing of directives.

use smol_str::SmolStr;

use super::piece::Piece;
use super::{Content, Extent, Kind, Parser, Token};
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

/// A directive at its position in a template.
struct Directive {
    word: Word,
    extent: Extent,
    /// The number of parts before it.
    before: usize,
    /// The condition of an `if`, or the collection of a `for`.
    expr: Option<Expr>,
    /// The names of a `for`: key and value.
    names: (Option<SmolStr>, SmolStr),
}

fn bare(parts: Vec<Part>) -> Template {
    Template { kind: TemplateKind::Bare, parts: parts.into() }
}

impl Parser<'_> {
    /// The whole text as a template. Like [`Parser::value`], hcl-edit parses it unless it is plain.
    pub(super) fn bare_template(&mut self) -> Template {
        let opener = self.peek();
        let (parts, _) = self.parts(opener, Kind::End, &Dedented::new());
        let template = Template { kind: TemplateKind::Bare, parts };
        if self.content != Content::Iteration || !self.complete {
            return template;
        }
        hcl::template(self.lexed).unwrap_or(template)
    }

    /// The quoted string or heredoc after its opening token `opener`, up to `end`.
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
                    if !self.can_nest(directive.as_ref(), depth) {
                        break self.recover(end);
                    }
                    directives.extend(directive);
                }
                _ => {
                    self.unterminated(token, opener);
                    break self.recover(end);
                }
            }
        };
        self.depth = depth;
        if !directives.is_empty() {
            parts = self.nested(parts, directives, close);
            if self.broken_since(breaks) {
                parts.push(Part::Interpolation(Box::new(Piece::broken(self.span(close)).expr)));
            }
        }
        (parts.into(), close)
    }

    /// The literal that starts with the last consumed token.
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

    /// Counts the nesting of a directive. `least` is the depth outside of the template. Returns false if it exceeds
    /// the limit.
    fn can_nest(&mut self, directive: Option<&Directive>, least: usize) -> bool {
        match directive.map(|directive| (directive.word, directive.extent)) {
            Some((Word::If | Word::For, _)) if self.depth < self.limits.nesting() => self.depth += 1,
            Some((Word::If | Word::For, at)) => {
                self.too_deep(at);
                return false;
            }
            Some((Word::EndIf | Word::EndFor, _)) => self.depth = least.max(self.depth.saturating_sub(1)),
            Some((Word::Else, _)) | None => {}
        }
        true
    }

    /// Nests the parts between a pair of directives into one part. Reports unpaired directives, and drops the pair
    /// around an unexpected one.
    fn nested(&mut self, parts: Vec<Part>, directives: Vec<Directive>, close: Token) -> Vec<Part> {
        self.holds(Content::Iteration);
        let count = parts.len();
        let mut rest = parts.into_iter();
        let mut current = Vec::new();
        // The open directives, each with the parts before it and the parts between it and its `else`.
        let mut open: Vec<(Directive, Vec<Part>, Option<Vec<Part>>)> = Vec::new();
        for directive in directives {
            let taken = count - rest.len();
            current.extend(rest.by_ref().take(directive.before - taken));
            let detail = match (open.last_mut().map(|(open, _, then)| (open.word, then)), directive.word) {
                (_, Word::If | Word::For) => {
                    open.push((directive, std::mem::take(&mut current), None));
                    continue;
                }
                (Some((Word::If, then @ None)), Word::Else) => {
                    *then = Some(std::mem::take(&mut current));
                    continue;
                }
                (Some((Word::If, _)), Word::EndIf) | (Some((Word::For, _)), Word::EndFor) => {
                    if let Some((opening, before, then)) = open.pop() {
                        let body = std::mem::replace(&mut current, before);
                        current.extend(self.paired(opening, directive.extent, then, body));
                    }
                    continue;
                }
                (Some((Word::If, _)), Word::Else) => "This `if` already has an `else`.",
                (Some((Word::For, _)), Word::Else) => "A `for` has no `else`.",
                (Some((Word::For, _)), _) => "The `for` must be closed by `endfor` first.",
                (Some(_), _) => "The `if` must be closed by `endif` first.",
                (None, _) => "There is no matching directive before it.",
            };
            let summary = format!("Unexpected {} directive", directive.word.name());
            let opening = open.pop().map(|(opening, before, _)| {
                current.splice(0..0, before);
                opening.extent
            });
            self.template_error(&summary, directive.extent, detail, opening);
        }
        while let Some((opening, before, _)) = open.pop() {
            current.splice(0..0, before);
            let detail = format!("The template ends before the `end{}` of a directive.", opening.word.name());
            self.template_error("Unexpected end of template", close.into(), &detail, Some(opening.extent));
        }
        current.extend(rest);
        current
    }

    /// The part that an opening and a closing directive form.
    fn paired(
        &self,
        opening: Directive,
        closing: Extent,
        then: Option<Vec<Part>>,
        body: Vec<Part>,
    ) -> Option<Part> {
        let span = self.span(opening.extent.to(closing));
        let Directive { word, expr, names: (key, value), .. } = opening;
        let expr = expr?;
        if word == Word::For {
            let directive = ForDirective { span, key, value, collection: expr, body: bare(body) };
            return Some(Part::For(Box::new(directive)));
        }
        let (then, otherwise) = match then {
            Some(then) => (then, Some(bare(body))),
            None => (body, None),
        };
        Some(Part::If(Box::new(IfDirective { span, condition: expr, then: bare(then), otherwise })))
    }

    fn unterminated(&mut self, token: Token, opener: Token) {
        if self.recovery {
            return;
        }
        let mark = self.written(opener).trim_end();
        let detail = match mark.strip_prefix("<<") {
            Some(marker) => {
                let marker = marker.trim_start_matches('-');
                format!("The heredoc is not closed by a line with only `{marker}`.")
            }
            None if token.kind == Kind::End => {
                "The string is not closed before the end of the file.".to_owned()
            }
            None => "The string is not closed before the end of the line.".to_owned(),
        };
        self.template_error("Unterminated template string", token.into(), &detail, Some(opener.into()));
    }

    fn interpolation(&mut self, first: Extent, end: Kind) -> Piece {
        const UNCLOSED: &str = "Unclosed template interpolation sequence";
        const EXTRA: &str = "Extra characters after interpolation expression";
        let inner = self.expression();
        let close = self.peek();
        if self.takes(Kind::CloseSequence) {
            return inner;
        }
        let (summary, at, detail) = match close.kind {
            Kind::End => {
                (UNCLOSED, first, "There is no closing brace for this sequence before the end of the file.")
            }
            Kind::CloseQuote | Kind::OpenQuote if end == Kind::CloseQuote => {
                (UNCLOSED, first, "There is no closing brace for this sequence before the end of the string.")
            }
            Kind::Colon => (
                EXTRA,
                close.into(),
                "The expression cannot be followed by a colon. If `${` is not for Terraform but for another language, such \
                 as a shell script, write `$${`.",
            ),
            _ => (
                EXTRA,
                close.into(),
                "The expression after `${` must be followed by a closing brace. If `${` is not for Terraform but for \
                 another language, such as a shell script, write `$${`.",
            ),
        };
        self.first_error(summary, at, detail);
        self.recover(Kind::CloseSequence);
        inner
    }

    /// The directive after the token `open`; `before` parts precede it. Returns `None` if its keyword is missing or
    /// unknown.
    fn directive(&mut self, open: Token, before: usize) -> Option<Directive> {
        let keyword = self.peek();
        let word = self.directive_word(keyword)?;
        let mut names = (None, SmolStr::default());
        if word == Word::For {
            match self.for_names() {
                Ok(read) => names = read,
                Err(detail) => {
                    self.first_error("Invalid 'for' directive", self.peek(), detail);
                    self.recover(Kind::CloseSequence);
                    return None;
                }
            }
        }
        let has_expression = matches!(word, Word::If | Word::For);
        let expr = has_expression.then(|| self.expression().expr);
        let close = self.peek();
        if !self.takes(Kind::CloseSequence) {
            let summary = format!("Extra characters in {} marker", word.name());
            self.first_error(&summary, close, "The directive must end with a closing brace here.");
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
            if is_name {
                let near = similar(given, Word::ALL.map(Word::name));
                let near = near.map_or(String::new(), |word| format!("Did you mean `{word}`? "));
                let detail = format!(
                    "`{given}` is not a template directive. {near}A literal `%{{` is written `%%{{`."
                );
                self.first_error("Invalid template control keyword", keyword, detail);
            } else {
                let detail = "`%{` must be followed by a keyword such as `if` or `for`. Write a literal `%{` as `%%{`.";
                self.first_error("Invalid template directive", keyword, detail);
            }
            self.recover(Kind::CloseSequence);
        }
        word
    }

    /// Reports an error in a template, with the token that opened the faulty sequence.
    fn template_error(&mut self, summary: &str, at: Extent, detail: &str, opening: Option<Extent>) {
        let finding = Finding::language(EngineRule::SyntaxError, summary).at(self.span(at)).detail(detail);
        self.report(match opening {
            Some(opening) => finding.related(self.span(opening), "opened here"),
            None => finding,
        });
    }
}
