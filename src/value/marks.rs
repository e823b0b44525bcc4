//! Marks: what a value must not be used for. Evaluation carries them along with values, as cty does in the engines.

use crate::text::Span;

/// The marks of a value, each with what set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks {
    /// On a value that must not be shown.
    pub sensitive: Option<MarkSource>,
    /// On a value that must not be stored.
    pub ephemeral: Option<MarkSource>,
}

/// What set a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkSource {
    /// An argument of a declaration, such as `sensitive = true`.
    Declaration(Span),
    /// The expression: it calls `sensitive`, or refers to something that always has the mark.
    Expression,
}

impl Marks {
    /// The marks of an ordinary value.
    pub const NONE: Self = Self { sensitive: None, ephemeral: None };

    /// The mark of what is ephemeral by itself.
    pub const EPHEMERAL: Self = Self { ephemeral: Some(MarkSource::Expression), ..Self::NONE };

    /// The marks of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { sensitive: self.sensitive.or(other.sensitive), ephemeral: self.ephemeral.or(other.ephemeral) }
    }
}
