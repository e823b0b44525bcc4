//! How `count` and `for_each` determine the instances of a resource or module call.

use crate::syntax::Attribute;

/// How the instances at an address are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// One instance, without a key.
    One,
    /// `count`.
    Count,
    /// `for_each`.
    ForEach,
}

impl Repetition {
    /// The repetition of a block with these arguments.
    pub(super) fn of(count: Option<&Attribute>, for_each: Option<&Attribute>) -> Self {
        match (count, for_each) {
            (Some(_), _) => Self::Count,
            (None, Some(_)) => Self::ForEach,
            (None, None) => Self::One,
        }
    }

    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "neither `count` nor `for_each`",
            Self::Count => "`count`",
            Self::ForEach => "`for_each`",
        }
    }

    /// The change from this repetition to another one, in words.
    pub(super) fn change_to(self, after: Self) -> String {
        match (self, after) {
            (Self::One, _) => format!("{} added", after.name()),
            (_, Self::One) => format!("{} removed", self.name()),
            (_, _) => format!("{} replaced by {}", self.name(), after.name()),
        }
    }

    /// Whether a change to `after` loses the instances of a resource. Terraform and OpenTofu move a single instance
    /// of a resource to key 0 by themselves, and back. They do not move modules.
    pub(super) fn loses_resources(self, after: Self) -> bool {
        self != after && (self == Self::ForEach || after == Self::ForEach)
    }
}
