//! An argument, in either syntax.

use smol_str::SmolStr;

use crate::syntax::Expr;
use crate::text::Span;

/// `name = expression`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Left of the `=`.
    pub name: SmolStr,
    /// Where the name stands; in JSON with its quotes.
    pub name_span: Span,
    /// From name to the end of the value.
    pub span: Span,
    /// Right of the `=`.
    pub expr: Expr,
    /// Whether there is a syntax error in `expr`. It is then what the engines' parsers make of it, and nothing can be
    /// concluded from its references or its value.
    pub is_broken: bool,
}
