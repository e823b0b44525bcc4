//! Marks, which restrict the use of a value. As in cty, evaluation propagates them.

use crate::text::Span;

/// The marks of a value, each with its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks {
    /// Set if the value must not be shown.
    pub sensitive: Option<MarkSource>,
    /// Set if the value must not be stored.
    pub ephemeral: Option<MarkSource>,
}

/// The origin of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkSource {
    /// An argument of a declaration, such as `sensitive = true`.
    Declaration(Span),
    /// The expression: it calls `sensitive`, or refers to a value that always has the mark.
    Expression,
}

impl Marks {
    /// No marks.
    pub const NONE: Self = Self { sensitive: None, ephemeral: None };

    /// The mark of values that are always ephemeral.
    pub const EPHEMERAL: Self = Self { ephemeral: Some(MarkSource::Expression), ..Self::NONE };

    /// The union of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { sensitive: self.sensitive.or(other.sensitive), ephemeral: self.ephemeral.or(other.ephemeral) }
    }
}
