//! What is left of an expression with an error in it: the engines go on with what they read of it until there.

use super::{Extent, Parser, Token};

/// An expression, as far as it was read.
#[derive(Debug)]
pub(in crate::syntax::native) struct Piece {
    /// What the engines would point at for the whole of it.
    pub(in crate::syntax::native) extent: Extent,
    /// What it is instead of what is written there; none if nothing in it is wrong.
    pub(in crate::syntax::native) remnant: Option<Box<Remnant>>,
}

/// What stands for an expression with an error in it.
#[derive(Debug)]
pub(in crate::syntax::native) enum Remnant {
    /// A value that is not known.
    Unknown,
    /// The same, where a name is missing behind a mark that asks for one. Only this one becomes an item of an object.
    Unnamed,
    /// What lies beyond the limits of this program.
    Unread,
    /// A tuple with these items.
    Tuple(Vec<Piece>),
    /// An object with these keys and values in turn.
    Object(Vec<Piece>),
    /// A call with these arguments.
    Call {
        /// All of its name.
        name: Extent,
        /// Its opening parenthesis.
        open: Extent,
        /// Whether `...` stands behind the last argument.
        expands_last: bool,
        /// Its arguments.
        arguments: Vec<Piece>,
    },
    /// A string of these pieces of text and expressions.
    Template(Vec<Piece>),
    /// A `for` expression through this, of which nothing else is known.
    For(Piece),
    /// An expression in parentheses.
    Parens(Piece),
    /// `a[b]`.
    Index {
        /// What is looked into.
        collection: Piece,
        /// What for.
        key: Piece,
        /// From `[` on.
        brackets: Extent,
    },
}

impl Piece {
    pub(super) fn broken(extent: impl Into<Extent>, remnant: Remnant) -> Self {
        Self { extent: extent.into(), remnant: Some(Box::new(remnant)) }
    }

    pub(super) fn is_unnamed(&self) -> bool {
        matches!(self.remnant.as_deref(), Some(Remnant::Unnamed))
    }

    /// This with more behind it. What follows something broken is as little known as that.
    pub(super) fn up_to(self, end: Extent) -> Self {
        let extent = self.extent.to(end);
        if self.remnant.is_none() {
            Self { extent, remnant: None }
        } else {
            Self::broken(extent, Remnant::Unknown)
        }
    }

    /// Several of them as one operation.
    pub(super) fn with(self, other: &Self) -> Self {
        let extent = self.extent.to(other.extent);
        if self.remnant.is_none() && other.remnant.is_none() {
            Self { extent, remnant: None }
        } else {
            Self::broken(extent, Remnant::Unknown)
        }
    }
}

impl From<Extent> for Piece {
    fn from(extent: Extent) -> Self {
        Self { extent, remnant: None }
    }
}

impl From<Token> for Piece {
    fn from(token: Token) -> Self {
        Self::from(Extent::from(token))
    }
}

impl Parser<'_> {
    /// Where the pieces start that are collected from here on.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.pieces.len(), self.breaks)
    }

    /// What was collected since `mark`, as one expression. It is taken apart only if there was an error in between.
    pub(super) fn collected(
        &mut self,
        (first, breaks): (usize, usize),
        extent: Extent,
        remnant: impl FnOnce(Vec<Piece>) -> Remnant,
    ) -> Piece {
        if self.broken_since(breaks) {
            let pieces = self.pieces.split_off(first);
            Piece::broken(extent, remnant(pieces))
        } else {
            self.pieces.truncate(first);
            extent.into()
        }
    }
}
