//! The lines of a text.

use std::ops::Range;

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// The lines of a text, each with its line break.
pub fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The shortest way from some lines to others, in order. A call with a choice of algorithms would make the program half
/// a megabyte larger.
pub fn difference(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let mut steps = Compact::new(Replace::new(Capture::new()), before, after);
    let Ok(()) = myers::diff(&mut steps, before, 0..before.len(), after, 0..after.len());
    steps.into_inner().into_inner().into_ops()
}

/// The start of the line with the offset `at`. The first line starts after a byte order mark.
pub fn line_start(text: &str, at: usize) -> usize {
    let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8().min(at) } else { 0 };
    text[..at].rfind('\n').map_or(first, |newline| newline + 1)
}

/// The end of the line with the offset `at`, without its line break.
pub fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    if end > at && text[..end].ends_with('\r') { end - 1 } else { end }
}

/// The start of the line after the one with the offset `at`, or the end of the text.
pub fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The blanks at the start of the line with the offset `at`, up to `at`.
pub fn indent(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Widens a range to whole lines, and to a blank line if two blank lines, or one at an end of a block, would remain
/// without the range. At the start and the end of the text, all blank lines around it go. Returns the range itself if
/// other code is on these lines.
pub fn whole_lines(text: &str, part: Range<usize>) -> Range<usize> {
    let (start, end) = (line_start(text, part.start), next_line(text, part.end));
    let behind = text[part.end..end].trim();
    let ends_here = !behind.starts_with("/*") || behind.ends_with("*/");
    let is_comment = ["#", "//", "/*"].iter().any(|sign| behind.starts_with(sign)) && ends_here;
    if !text[start..part.start].trim().is_empty() || !(behind.is_empty() || is_comment) {
        return part;
    }
    let before = text[..start].trim_end_matches([' ', '\t', '\r', '\n', '\u{feff}']);
    let opens = before.ends_with(['{', '[', '(']);
    let is_blank_before = text[before.len()..start].matches('\n').count() > 1;
    let after = &text[end..];
    let first = text.len() - text.trim_start_matches('\u{feff}').len();
    if after.trim().is_empty() {
        let start = if before.is_empty() { first } else { next_line(text, before.len()) };
        return start..text.len();
    }
    if before.is_empty() {
        let next = text.len() - after.trim_start().len();
        return first..line_start(text, next);
    }
    let is_blank_after = after.lines().next().is_some_and(|line| line.trim().is_empty());
    if (is_blank_before || opens) && is_blank_after {
        return start..next_line(text, end);
    }
    if is_blank_before && after.trim_start().starts_with('}') {
        return next_line(text, before.len())..end;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    #[test]
    fn a_part_goes_with_its_lines() {
        let without = |text: &str, part: &str| {
            let at = text.find(part).expect("the part");
            let range = whole_lines(text, at..at + part.len());
            format!("{}{}", &text[..range.start], &text[range.end..])
        };
        assert_eq!(
            without(
                indoc! {"
                    b {
                      a = 1 # c
                      b = 2
                    }
                "},
                "a = 1"
            ),
            "b {\n  b = 2\n}\n"
        );
        assert_eq!(
            without(
                indoc! {"
                    b {
                      a = 1

                      b = 2

                      c = 3
                    }
                "},
                "b = 2"
            ),
            indoc! {"
                b {
                  a = 1

                  c = 3
                }
            "}
        );
        assert_eq!(
            without(
                indoc! {"
                    b {
                      a = 1

                      b = 2
                    }
                "},
                "a = 1"
            ),
            "b {\n  b = 2\n}\n"
        );
        assert_eq!(
            without(
                indoc! {"
                    b {
                      a = 1

                      b = 2
                    }
                "},
                "b = 2"
            ),
            "b {\n  a = 1\n}\n"
        );
        assert_eq!(without("a = 1\n\n\n  b = 2\n", "a = 1"), "  b = 2\n");
        assert_eq!(without("\n\na = 1\nb = 2\n", "a = 1"), "b = 2\n");
        assert_eq!(without("a = 1\n\n\nb = 2\n\n", "b = 2"), "a = 1\n");
        assert_eq!(without("a = 1\r\n\r\nb = 2\r\n", "b = 2"), "a = 1\r\n");
        assert_eq!(without("\n# c\nb = 2", "b = 2"), "\n# c\n");
        assert_eq!(without("\na = 1\n\n", "a = 1"), "");
        assert_eq!(without("b { a = 1 }\n", "a = 1"), "b {  }\n");
        assert_eq!(without("\u{feff}a = 1\nb = 2\n", "a = 1"), "\u{feff}b = 2\n");
        assert_eq!(without("a = 1 /* one\ntwo */\nb = 2\n", "a = 1"), " /* one\ntwo */\nb = 2\n");
    }
}
