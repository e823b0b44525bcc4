//! Automatic fixes: edits of files, and their safety.

use crate::text::Span;

/// Edits that together fix a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What they may change besides the finding.
    pub safety: Safety,
    /// The edits, in one or more files, sorted and without overlaps.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Creates a fix that does not change the behaviour of the module or of any caller, known or unknown.
    pub fn safe(edits: impl IntoIterator<Item = Edit>) -> Self {
        Self { safety: Safety::Safe, edits: without_overlaps(edits) }
    }

    /// Creates a fix that may change the behaviour or the interface of the module, so it needs a review.
    pub fn on_request(edits: impl IntoIterator<Item = Edit>) -> Self {
        Self { safety: Safety::Unsafe, edits: without_overlaps(edits) }
    }

    /// The edits of each file, in the order of the files.
    pub fn by_file(&self) -> impl Iterator<Item = &[Edit]> {
        self.edits.chunk_by(|edit, next| edit.span.file == next.span.file)
    }
}

/// Sorts the edits, and unites removals that share a byte: two blocks next to each other may both take the blank line
/// between them.
fn without_overlaps(edits: impl IntoIterator<Item = Edit>) -> Vec<Edit> {
    let mut edits: Vec<Edit> = edits.into_iter().collect();
    edits.sort_unstable();
    edits.dedup_by(|next, edit| {
        let is_shared = edit.is_removal() && next.is_removal() && edit.span.overlaps(next.span);
        if is_shared {
            edit.span.end = edit.span.end.max(next.span.end);
        }
        is_shared || edit == next
    });
    edits
}

/// The safety of a fix. The safer variant comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// Nothing.
    Safe,
    /// The behaviour or the interface of the module.
    Unsafe,
}

impl Safety {
    /// Returns the word for it in `--fix=WORD`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }

    /// Returns the option that applies such fixes.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Safe => "--fix",
            Self::Unsafe => "--fix=unsafe",
        }
    }
}

/// A replacement of a part of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The replaced part; empty for an insertion.
    pub span: Span,
    /// The new text. Its lines end in `\n`, whatever the file uses.
    pub text: String,
}

impl Edit {
    /// Reports whether it only removes text.
    fn is_removal(&self) -> bool {
        self.text.is_empty() && self.span.start < self.span.end
    }
}
