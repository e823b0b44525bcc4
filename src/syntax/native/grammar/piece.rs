//! Partially parsed expressions: after an error, HCL's parser continues with the part before it.

use super::{Kind, Parser};
use crate::syntax::native::nodes::with_steps;
use crate::syntax::{Expr, ExprKind, Step};
use crate::text::Span;

/// An expression, as far as it was parsed.
#[derive(Debug)]
pub(super) struct Piece {
    /// The expression that the engine continues with.
    pub(super) expr: Expr,
    pub(super) state: State,
}

/// How much of an expression was parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Whole,
    Broken,
    /// Broken, because a name is missing after a mark that requires one. Of broken values, only these become items of
    /// objects.
    Unnamed,
}

impl Piece {
    /// An expression that is unknown because of an error.
    pub(super) fn broken(span: Span) -> Self {
        Self { expr: Expr { span, kind: ExprKind::Invalid }, state: State::Broken }
    }

    /// The same, for a missing name.
    pub(super) fn unnamed(span: Span) -> Self {
        Self { state: State::Unnamed, ..Self::broken(span) }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.state != State::Whole
    }

    pub(super) fn span(&self) -> Span {
        self.expr.span
    }

    /// Combines several expressions into one, which is unknown if one of them is broken.
    pub(super) fn joined<const N: usize>(parts: [Self; N], kind: impl FnOnce([Expr; N]) -> ExprKind) -> Self {
        let span = parts[0].span().to(parts[N - 1].span());
        if parts.iter().any(Self::is_broken) {
            return Self::broken(span);
        }
        Expr { span, kind: kind(parts.map(|part| part.expr)) }.into()
    }

    /// This expression followed by constant steps.
    pub(super) fn followed_by(self, steps: Vec<Step>) -> Self {
        match steps.last() {
            Some(last) if self.is_broken() => Self::broken(self.span().to(last.span)),
            _ => Self { expr: with_steps(self.expr, steps), state: self.state },
        }
    }
}

impl From<Expr> for Piece {
    fn from(expr: Expr) -> Self {
        Self { expr, state: State::Whole }
    }
}

impl Parser<'_> {
    /// An expression that keeps everything parsed of it. It is broken if there was an error since `breaks` were
    /// counted.
    pub(super) fn piece(&self, breaks: usize, span: Span, kind: ExprKind) -> Piece {
        let state = if self.broken_since(breaks) { State::Broken } else { State::Whole };
        Piece { expr: Expr { span, kind }, state }
    }

    /// Consumes the next token if it has this kind, and returns whether it does.
    pub(super) fn takes(&mut self, kind: Kind) -> bool {
        let takes = self.peek().kind == kind;
        if takes {
            self.read();
        }
        takes
    }
}
