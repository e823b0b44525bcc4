//! Postfix steps of an expression: `.name`, `.0`, `[key]`, `.*` and `[*]`.

use smol_str::SmolStr;

use super::piece::{Piece, State};
use super::{Content, Kind, Parser, Token};
use crate::syntax::native::nodes::{element, indexed, literal_key, splat};
use crate::syntax::{Expr, Step, StepKind};
use crate::text::Span;

/// A postfix step.
enum Postfix {
    /// `.name`, `.0`, or brackets with a constant key.
    Constant(Step),
    /// `[key]`.
    Index { key: Expr, brackets: Span, is_whole: bool },
    /// `.*` with the steps that belong to it.
    AttributeSplat { marker: Span, steps: Vec<Step> },
    /// `[*]`, to which all following steps belong.
    FullSplat(Span),
    /// An error up to this span that makes the expression unknown.
    Unknown(Span, State),
    /// An error that leaves the expression as it is.
    Ignored,
}

impl Parser<'_> {
    /// `from` with all steps after it.
    pub(super) fn steps(&mut self, from: Piece) -> Piece {
        let first = self.steps.len();
        let mut whole = from;
        loop {
            let token = self.peek();
            let postfix = match token.kind {
                Kind::Dot => self.dot_step(),
                Kind::OpenBracket => self.bracket_step(),
                _ => return self.with_constants(whole, first),
            };
            if let Postfix::Constant(step) = postfix {
                self.steps.push(step);
                continue;
            }
            let from = self.with_constants(whole, first);
            if !self.can_wrap(token) {
                return Piece::broken(self.span(token));
            }
            whole = self.wrapped(from, postfix);
        }
    }

    /// `from` with the constant steps collected since there were `first`.
    fn with_constants(&mut self, from: Piece, first: usize) -> Piece {
        if self.steps.len() == first {
            return from;
        }
        let steps = self.steps.drain(first..).collect();
        from.followed_by(steps)
    }

    fn wrapped(&mut self, from: Piece, postfix: Postfix) -> Piece {
        match postfix {
            Postfix::Constant(step) => from.followed_by(vec![step]),
            Postfix::Index { key, brackets, is_whole } => {
                self.holds(Content::Iteration);
                if is_whole && from.is_broken() {
                    return Piece::broken(from.span().to(brackets));
                }
                let state = if is_whole { State::Whole } else { State::Broken };
                Piece { expr: indexed(from.expr, key, brackets), state }
            }
            Postfix::AttributeSplat { marker, steps } => {
                let each = Piece::from(element(marker)).followed_by(steps);
                self.splatted(from, each, marker, false)
            }
            Postfix::FullSplat(marker) => {
                let each = self.steps(element(marker).into());
                self.splatted(from, each, marker, true)
            }
            Postfix::Unknown(end, state) => Piece { state, ..Piece::broken(from.span().to(end)) },
            Postfix::Ignored => from,
        }
    }

    fn splatted(&mut self, from: Piece, each: Piece, marker: Span, full: bool) -> Piece {
        self.holds(Content::Iteration);
        if each.is_broken() {
            return Piece { state: each.state, ..Piece::broken(from.span().to(each.span())) };
        }
        Piece::joined([from, each], |[from, each]| splat(from, each, marker, full).kind)
    }

    fn dot_step(&mut self) -> Postfix {
        let dot = self.read();
        let token = self.peek();
        let breaks = self.breaks;
        let span = self.span(dot).to(self.span(token));
        let kind = match token.kind {
            Kind::Name => StepKind::Attribute(SmolStr::new(self.written(token))),
            Kind::Number => StepKind::Number(SmolStr::new(self.written(token))),
            Kind::Star => {
                self.read();
                return self.attribute_splat(token, span);
            }
            _ => {
                self.error("Invalid attribute name", token, "The dot must be followed by a name.");
                self.recovery = true;
                return Postfix::Unknown(self.span(dot), State::Unnamed);
            }
        };
        self.read();
        if token.kind == Kind::Number {
            self.legacy_index(token, token);
        }
        if self.broken_since(breaks) {
            return Postfix::Unknown(self.span(token), State::Broken);
        }
        Postfix::Constant(Step { span, kind })
    }

    /// `.0`, the index syntax before HCL 2. Two of them in a row form one decimal number token.
    fn legacy_index(&mut self, digits: Token, at: Token) {
        if let Some((first, second)) = self.written(digits).split_once('.') {
            let detail = "Two indexes in a row cannot be written with dots.";
            let detail = format!("{detail} Write `[{first}][{second}]` instead.");
            self.error("Invalid legacy index syntax", at, detail);
        } else {
            self.check_number(digits);
        }
    }

    /// `.name` and `.0` after `.*`.
    fn attribute_splat(&mut self, star: Token, marker: Span) -> Postfix {
        let breaks = self.breaks;
        let mut steps = Vec::new();
        while self.peek().kind == Kind::Dot {
            let dot = self.read();
            let token = self.peek();
            let text = SmolStr::new(self.written(token));
            let kind = match token.kind {
                Kind::Number => {
                    self.read();
                    self.legacy_index(token, star);
                    StepKind::Number(text)
                }
                Kind::Name => {
                    self.read();
                    StepKind::Attribute(text)
                }
                _ => {
                    self.no_splat_attribute(token, star);
                    return Postfix::Ignored;
                }
            };
            steps.push(Step { span: self.span(dot).to(self.span(token)), kind });
        }
        if self.broken_since(breaks) {
            return Postfix::Unknown(steps.last().map_or(marker, |last| last.span), State::Broken);
        }
        Postfix::AttributeSplat { marker, steps }
    }

    fn no_splat_attribute(&mut self, token: Token, star: Token) {
        let (summary, at, detail) = match token.kind {
            Kind::Star => {
                let detail = "A splat written `.*` cannot be nested in another one.";
                ("Nested splat expression not allowed", token, detail)
            }
            _ => ("Invalid attribute name", star, "The dot must be followed by a name."),
        };
        self.first_error(summary, at, detail);
        self.recovery = true;
    }

    fn bracket_step(&mut self) -> Postfix {
        let open = self.read();
        if self.peek().kind == Kind::Star {
            self.read();
            let close = self.read();
            if close.kind == Kind::CloseBracket || self.recovery {
                return Postfix::FullSplat(self.span(open).to(self.span(close)));
            }
            // The engine reports the bracket at which recovery ends, here and below.
            let close = self.recover(Kind::CloseBracket);
            let detail = "The `*` of a splat must be followed by `]`.";
            self.error("Missing close bracket on splat index", close, detail);
            return Postfix::Unknown(self.span(close), State::Broken);
        }
        self.newlines.push(false);
        let (errors, breaks) = (self.errors, self.breaks);
        let key = self.expression().expr;
        let close = if self.lost_since(errors) {
            self.recover(Kind::CloseBracket)
        } else {
            let close = self.read();
            if close.kind == Kind::CloseBracket || self.recovery {
                close
            } else {
                let close = self.recover(Kind::CloseBracket);
                self.error("Missing close bracket on index", close, "An index must end with `]`.");
                close
            }
        };
        self.newlines.pop();
        let brackets = self.span(open).to(self.span(close));
        let is_whole = !self.broken_since(breaks);
        match literal_key(&key).filter(|_| is_whole) {
            Some(kind) => Postfix::Constant(Step { span: brackets, kind }),
            None => Postfix::Index { key, brackets, is_whole },
        }
    }
}
