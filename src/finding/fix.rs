//! What a program can do about a finding: edits of files, and what they may change beside it.

use crate::text::Span;

/// Edits that belong together, and mend a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What else they may change.
    pub safety: Safety,
    /// In whichever files; none overlaps another.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix that changes no behaviour: not of the module, and not of anybody who calls it, known or unknown.
    pub fn safe(edits: impl IntoIterator<Item = Edit>) -> Self {
        Self { safety: Safety::Safe, edits: edits.into_iter().collect() }
    }

    /// A fix that may change what a module does or asks of its callers, so that a person has to want it.
    pub fn on_request(edits: impl IntoIterator<Item = Edit>) -> Self {
        Self { safety: Safety::Unsafe, edits: edits.into_iter().collect() }
    }
}

/// What a fix may change beside what it mends; what is safer comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// Nothing.
    Safe,
    /// What a module does, or what it asks of its callers.
    Unsafe,
}

impl Safety {
    /// The word for it, as people write it behind `--fix`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }

    /// The option that asks for it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Safe => "--fix",
            Self::Unsafe => "--fix=unsafe",
        }
    }
}

/// Other text in the place of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What goes; an empty span where something is only added.
    pub span: Span,
    /// What comes, its lines ended by `\n` whatever ends those of the file.
    pub text: String,
}
