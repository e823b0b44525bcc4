//! Turns a text and edits of it into the edited text.

use std::ops::Range;

/// Something else in the place of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    /// Bytes of the text.
    pub(super) range: Range<usize>,
    /// What is to stand there.
    pub(super) text: String,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }

    /// More text between two bytes.
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::new(at..at, text)
    }
}

/// The part `range` of `text` with the edits inside of it made. Of two that overlap only the first is.
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

/// Where the line starts that `at` is on.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line ends that `at` is on, its line break not counted.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    if end > at && text[..end].ends_with('\r') { end - 1 } else { end }
}

/// Where the line behind the one starts that `at` is on, or where the text ends.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The blanks before the first thing on the line that `at` is on; all that stands before `at` if that is blank.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// All of the lines that a part of a text takes, and where that leaves two blank lines or one at an end of a block,
/// a blank line more. Where other things stand on these lines, the part alone.
pub(super) fn whole_lines(text: &str, part: Range<usize>) -> Range<usize> {
    let (start, end) = (line_start(text, part.start), next_line(text, part.end));
    let behind = text[part.end..end].trim();
    let is_comment = ["#", "//", "/*"].iter().any(|sign| behind.starts_with(sign));
    if !text[start..part.start].trim().is_empty() || !(behind.is_empty() || is_comment) {
        return part;
    }
    let before = text[..start].trim_end_matches([' ', '\t', '\r', '\n']);
    let opens = before.is_empty() || before.ends_with(['{', '[', '(']);
    let is_blank_before = before.is_empty() || text[before.len()..start].matches('\n').count() > 1;
    let after = &text[end..];
    let is_blank_after = after.lines().next().is_some_and(|line| line.trim().is_empty());
    if (is_blank_before || opens) && is_blank_after {
        return start..next_line(text, end);
    }
    let closes = after.trim_start().starts_with('}') || after.trim().is_empty();
    if is_blank_before && closes && !before.is_empty() {
        return next_line(text, before.len())..end;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_where_they_are() {
        let mut edits = [Edit::insert(3, "!"), Edit::new(0..1, "x"), Edit::new(0..2, "lost")];
        assert_eq!(apply("abcdef", 0..4, &mut edits), "xbc!d");
    }

    #[test]
    fn a_part_goes_with_its_lines() {
        let without = |text: &str, part: &str| {
            let at = text.find(part).expect("the part");
            let range = whole_lines(text, at..at + part.len());
            format!("{}{}", &text[..range.start], &text[range.end..])
        };
        assert_eq!(without("b {\n  a = 1 # c\n  b = 2\n}\n", "a = 1"), "b {\n  b = 2\n}\n");
        assert_eq!(
            without("b {\n  a = 1\n\n  b = 2\n\n  c = 3\n}\n", "b = 2"),
            "b {\n  a = 1\n\n  c = 3\n}\n"
        );
        assert_eq!(without("b {\n  a = 1\n\n  b = 2\n}\n", "a = 1"), "b {\n  b = 2\n}\n");
        assert_eq!(without("b {\n  a = 1\n\n  b = 2\n}\n", "b = 2"), "b {\n  a = 1\n}\n");
        assert_eq!(without("b { a = 1 }\n", "a = 1"), "b {  }\n");
    }
}
