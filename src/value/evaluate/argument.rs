//! What a call gives to a parameter.

use crate::syntax::Expr;
use crate::text::Span;
use crate::value::Value;

/// An argument that is given, or one of those that an expanded argument gives.
pub(super) struct Argument<'c> {
    pub(super) expr: &'c Expr,
    /// Of an expanded argument, what it is worth.
    pub(super) value: Option<Value>,
}

impl Argument<'_> {
    /// Where the engines say that it does not fit.
    pub(super) fn start(&self) -> Span {
        if self.value.is_some() { self.expr.span } else { self.expr.start_span() }
    }
}
