//! Arguments of function calls.

use crate::syntax::Expr;
use crate::text::Span;
use crate::value::Value;

/// An argument, or an element of an expanded one.
pub(super) struct Argument<'c> {
    pub(super) expr: &'c Expr,
    /// For an element of an expanded argument, its value.
    pub(super) value: Option<Value>,
}

impl Argument<'_> {
    /// Where the engine reports an unsuitable value.
    pub(super) fn start(&self) -> Span {
        if self.value.is_some() { self.expr.span } else { self.expr.start_span() }
    }
}
