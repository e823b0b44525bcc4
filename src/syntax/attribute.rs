//! Arguments, in both syntaxes.

use smol_str::SmolStr;

use crate::syntax::Expr;
use crate::text::Span;

/// An argument: `name = expression`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The name.
    pub name: SmolStr,
    /// Span of the name; in JSON with its quotes.
    pub name_span: Span,
    /// From the name to the end of the value.
    pub span: Span,
    /// The value.
    pub expr: Expr,
    /// Whether `expr` has a syntax error. It then holds what HCL's parser recovers, and its references and value are
    /// not reliable.
    pub is_broken: bool,
}
