//! Applies edits to a text.

use std::ops::Range;

/// The replacement of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// The range of bytes to replace.
    pub(super) range: Range<usize>,
    /// The new text.
    pub(super) text: String,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }

    /// Inserts text between two bytes.
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::new(at..at, text)
    }
}

/// The part `range` of `text` with the edits in it applied. Of two overlapping edits, only the first is applied.
pub(super) fn apply(text: &str, range: Range<usize>, edits: &mut [Edit]) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let (mut written, mut at) = (String::with_capacity(range.len()), range.start);
    for edit in edits.iter().filter(|edit| edit.range.end <= range.end) {
        if edit.range.start >= at {
            written.push_str(&text[at..edit.range.start]);
            written.push_str(&edit.text);
            at = edit.range.end;
        }
    }
    written.push_str(&text[at..range.end]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_where_they_are() {
        let mut edits = [Edit::insert(3, "!"), Edit::new(0..1, "x"), Edit::new(0..2, "lost")];
        assert_eq!(apply("abcdef", 0..4, &mut edits), "xbc!d");
    }
}
