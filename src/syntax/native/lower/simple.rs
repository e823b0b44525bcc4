//! Turns the tokens of plain expressions into the tree without a parser: strings, heredocs, numbers, words, addresses,
//! and lists, objects and calls made of those. Nine of ten arguments are no more than that, and reading them here takes
//! a third off the time of a large repository.
//!
//! What is anything else, or may be wrong, is left to hcl-edit as a whole.

use std::ops::Range;

use smol_str::SmolStr;

use super::steps::literal_key;
use super::{Excerpt, Expr, ExprKind, Kind, Lowering, Traversal};
use crate::syntax::native::scan::Token;
use crate::syntax::{Call, ObjectItem, ObjectKey, Part, Step, StepKind, Template, TemplateKind};
use crate::text::Span;

/// Deeper ones are left to the parser, which knows when it is too much.
const DEEPEST: usize = 16;

impl<E: Excerpt> Lowering<'_, E> {
    /// The expression that takes the bytes of `range`, if it is a plain one.
    pub(super) fn simple(&mut self, range: &Range<usize>) -> Option<Expr> {
        let span = Span::new(self.file, range.clone());
        let at = self.token_at(span.start);
        self.steps.clear();
        let mut reader = Reader { lowering: self, at, depth: 0 };
        let expr = reader.expression()?;
        (expr.span == span).then_some(expr)
    }
}

/// Goes through the tokens of one expression.
struct Reader<'l, 'a, E> {
    lowering: &'l mut Lowering<'a, E>,
    /// The number of the next token.
    at: usize,
    depth: usize,
}

impl<E: Excerpt> Reader<'_, '_, E> {
    fn expression(&mut self) -> Option<Expr> {
        let token = self.next()?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let expr = match token.kind {
            Kind::Number => self.lowering.number(self.span(token)),
            Kind::Name => self.name(token)?,
            Kind::OpenQuote => self.quoted(token)?,
            Kind::OpenHeredoc => self.heredoc(token)?,
            Kind::OpenBracket => self.tuple(token)?,
            Kind::OpenBrace => self.object(token)?,
            _ => return None,
        };
        self.depth -= 1;
        Some(expr)
    }

    /// A word, an address or a call.
    fn name(&mut self, first: Token) -> Option<Expr> {
        let span = self.span(first);
        let written = self.lowering.slice(span);
        match (written, self.peek()) {
            ("true", _) => Some(Expr { span, kind: ExprKind::Bool(true) }),
            ("false", _) => Some(Expr { span, kind: ExprKind::Bool(false) }),
            ("null", _) => Some(Expr { span, kind: ExprKind::Null }),
            (_, Kind::OpenParen) => self.call(span),
            (_, Kind::DoubleColon) => None,
            _ => self.traversal(span),
        }
    }

    fn traversal(&mut self, root_span: Span) -> Option<Expr> {
        let root = SmolStr::new(self.lowering.slice(root_span));
        let first = self.lowering.steps.len();
        while matches!(self.peek(), Kind::Dot | Kind::OpenBracket) {
            let token = self.next()?;
            let open = self.span(token);
            let step = if token.kind == Kind::Dot {
                let name = self.take(Kind::Name)?;
                let kind = StepKind::Attribute(SmolStr::new(self.lowering.slice(name)));
                Step { span: open.to(name), kind }
            } else {
                let key = match self.next()? {
                    token if token.kind == Kind::Number => self.lowering.number(self.span(token)),
                    token if token.kind == Kind::OpenQuote => self.quoted(token)?,
                    _ => return None,
                };
                let close = self.take(Kind::CloseBracket)?;
                Step { span: open.to(close), kind: literal_key(&key)? }
            };
            self.lowering.steps.push(step);
        }
        let steps: Vec<Step> = self.lowering.steps.drain(first..).collect();
        let span = steps.last().map_or(root_span, |last| root_span.to(last.span));
        Some(Expr { span, kind: ExprKind::Traversal(Box::new(Traversal { root, root_span, steps })) })
    }

    fn call(&mut self, name_span: Span) -> Option<Expr> {
        let open = self.take(Kind::OpenParen)?;
        let (arguments, close) = self.list(Kind::CloseParen)?;
        let span = name_span.to(close);
        let name = SmolStr::new(self.lowering.slice(name_span));
        let call = Call { name, name_span, arguments, expands_last: false, open, close };
        self.ends().then(|| Expr { span, kind: ExprKind::Call(Box::new(call)) })
    }

    fn tuple(&mut self, open: Token) -> Option<Expr> {
        if self.is_for() {
            return None;
        }
        let (items, close) = self.list(Kind::CloseBracket)?;
        self.ends().then(|| Expr { span: self.span(open).to(close), kind: ExprKind::Tuple(items) })
    }

    /// Expressions with commas between them, up to a token that is given back.
    fn list(&mut self, close: Kind) -> Option<(Vec<Expr>, Span)> {
        let mut items = Vec::new();
        loop {
            self.skip_breaks();
            if self.peek() == close {
                break;
            }
            items.push(self.expression()?);
            self.skip_breaks();
            if self.peek() != close {
                self.take(Kind::Comma)?;
            }
        }
        items.shrink_to_fit();
        Some((items, self.take(close)?))
    }

    fn object(&mut self, open: Token) -> Option<Expr> {
        if self.is_for() {
            return None;
        }
        let mut items = Vec::new();
        loop {
            self.skip_breaks();
            if self.peek() == Kind::CloseBrace {
                break;
            }
            let key = self.key()?;
            let is_set = matches!(self.next()?.kind, Kind::Equal | Kind::Colon);
            let value = is_set.then(|| self.expression())??;
            items.push(ObjectItem { key, value });
            match self.peek() {
                Kind::Comma => self.at += 1,
                Kind::Newline | Kind::CloseBrace => {}
                Kind::Comment if self.is_line_end() => {}
                _ => return None,
            }
        }
        items.shrink_to_fit();
        let close = self.take(Kind::CloseBrace)?;
        self.ends().then(|| Expr { span: self.span(open).to(close), kind: ExprKind::Object(items) })
    }

    fn key(&mut self) -> Option<ObjectKey> {
        let token = self.next()?;
        let span = self.span(token);
        match token.kind {
            // A keyword in this place is a name like any other.
            Kind::Name => Some(ObjectKey::Name(SmolStr::new(self.lowering.slice(span)), span)),
            Kind::OpenQuote => Some(ObjectKey::Expr(self.quoted(token)?)),
            _ => None,
        }
    }

    fn quoted(&mut self, open: Token) -> Option<Expr> {
        let parts = self.parts(Kind::QuotedText)?;
        let close = self.take(Kind::CloseQuote)?;
        let template = Template { kind: TemplateKind::Quoted, parts };
        self.ends().then(|| Expr { span: self.span(open).to(close), kind: ExprKind::Template(template) })
    }

    fn heredoc(&mut self, open: Token) -> Option<Expr> {
        if self.lowering.slice(self.span(open)).starts_with("<<-") {
            self.lowering.dedent(self.at - 1);
        }
        let parts = self.parts(Kind::PlainText)?;
        let close = self.take(Kind::CloseHeredoc)?;
        let template = Template { kind: TemplateKind::Heredoc, parts };
        Some(Expr { span: self.span(open).to(close), kind: ExprKind::Template(template) })
    }

    /// Text and interpolations, up to what is neither.
    fn parts(&mut self, text: Kind) -> Option<Box<[Part]>> {
        // Most strings have one part, and there are as many of them as of everything else together.
        let mut parts = Vec::with_capacity(1);
        loop {
            match self.peek() {
                kind if kind == text => {
                    let first = self.at;
                    while self.peek() == text {
                        self.at += 1;
                    }
                    let end = self.lowering.tokens.get(self.at)?.start;
                    self.lowering.texts(first, end, &mut parts);
                }
                Kind::OpenInterpolation => {
                    self.at += 1;
                    self.skip_breaks();
                    parts.push(Part::Interpolation(Box::new(self.expression()?)));
                    self.skip_breaks();
                    self.take(Kind::CloseSequence)?;
                }
                _ => break,
            }
        }
        Some(parts.into())
    }

    /// Whether what follows cannot be a step from what stands before.
    fn ends(&self) -> bool {
        !matches!(self.peek(), Kind::Dot | Kind::OpenBracket)
    }

    fn is_for(&mut self) -> bool {
        self.skip_breaks();
        let token = self.lowering.tokens.get(self.at);
        token.is_some_and(|token| token.kind == Kind::Name && self.lowering.slice(self.span(*token)) == "for")
    }

    /// Whether the comment that comes next takes the line break with it.
    fn is_line_end(&self) -> bool {
        let token = self.lowering.tokens.get(self.at);
        token.is_some_and(|token| self.lowering.slice(self.span(*token)).ends_with('\n'))
    }

    fn skip_breaks(&mut self) {
        while matches!(self.peek(), Kind::Newline | Kind::Comment) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Kind {
        self.lowering.tokens.get(self.at).map_or(Kind::End, |token| token.kind)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.lowering.tokens.get(self.at).copied()?;
        self.at += 1;
        Some(token)
    }

    /// Where the next token stands, if it is of that kind.
    fn take(&mut self, kind: Kind) -> Option<Span> {
        let token = self.next().filter(|token| token.kind == kind)?;
        Some(self.span(token))
    }

    fn span(&self, token: Token) -> Span {
        self.lowering.token_span(token)
    }
}
