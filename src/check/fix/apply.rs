//! Applies edits to a text. New lines get the line ending and the alignment of the lines around them.

use std::ops::Range;

use hashbrown::HashSet;

use crate::finding::Edit;
use crate::syntax::{aligned, with_carriage_returns};
use crate::text::lines::whole_lines;

/// Returns the text with the edits, which must not overlap.
///
/// Lines around an edit are aligned as `terraform fmt` does, unless they were not aligned before the edit.
pub(in crate::check) fn apply(text: &str, edits: &[&Edit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_unstable();
    edits.dedup();
    let is_of_windows = text.lines().next().is_some_and(|line| text[line.len()..].starts_with("\r\n"));
    let (mut edited, mut touched, mut at) = (String::with_capacity(text.len()), Vec::new(), 0);
    for (Range { start, end }, added) in joined(text, &edits) {
        edited.push_str(&text[at..start]);
        let from = edited.len();
        if is_of_windows {
            edited.push_str(&with_carriage_returns(added));
        } else {
            edited.push_str(added);
        }
        touched.push(from..edited.len());
        at = end;
    }
    edited.push_str(&text[at..]);
    tidied(text, &edited, &touched)
}

/// The edits, sorted, each with its new text. Removals next to each other become one, which also takes a blank line that
/// none of them takes alone.
fn joined<'e>(text: &str, edits: &[&'e Edit]) -> Vec<(Range<usize>, &'e str)> {
    let mut joined: Vec<(Range<usize>, &str)> = Vec::new();
    let touch = |one: &&Edit, next: &&Edit| {
        one.text.is_empty() && next.text.is_empty() && one.span.end == next.span.start
    };
    let mut groups = edits.chunk_by(touch).peekable();
    while let Some(group) = groups.next() {
        let (first, last) = (group[0].span.range(), group[group.len() - 1].span.range());
        let mut range = first.start..last.end;
        if group.len() > 1 {
            let end = text[..range.end].trim_end().len().max(range.start);
            let lines = whole_lines(text, range.start..end);
            let from = joined.last().map_or(0, |(before, _)| before.end);
            let to = groups.peek().map_or(text.len(), |next| next[0].span.range().start);
            if (from..=range.start).contains(&lines.start) && (range.end..=to).contains(&lines.end) {
                range = lines;
            }
        }
        joined.push((range, &group[0].text));
    }
    joined
}

/// Aligns the lines next to those that were changed, if they have the same indentation.
fn tidied(before: &str, edited: &str, touched: &[Range<usize>]) -> String {
    let mark = if edited.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let untidy = untidy(before);
    let tidy = aligned(&edited[mark..]);
    let lines: Vec<&str> = edited[mark..].split_inclusive('\n').collect();
    let tidy: Vec<&str> = tidy.split_inclusive('\n').collect();
    let mut written = edited[..mark].to_owned();
    let mut start = mark;
    let mut number = 0;
    for neighbours in lines.chunk_by(|line, next| indent(line) == indent(next)) {
        let end = start + neighbours.iter().map(|line| line.len()).sum::<usize>();
        // After a removal, the lines before and after it are neighbours.
        let is_touched = touched.iter().any(|range| range.start <= end && start <= range.end);
        let is_free = !neighbours.iter().any(|line| untidy.contains(line));
        let tidy = &tidy[number..number + neighbours.len()];
        written.extend(if is_touched && is_free { tidy } else { neighbours }.iter().copied());
        start = end;
        number += neighbours.len();
    }
    written
}

/// The lines that `terraform fmt` would align differently.
fn untidy(text: &str) -> HashSet<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tidy = aligned(text);
    let lines = text.split_inclusive('\n').zip(tidy.split_inclusive('\n'));
    lines.filter(|(line, tidy)| line != tidy).map(|(line, _)| line).collect()
}

/// The indentation of a line in blanks. `None` for a blank line.
fn indent(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches([' ', '\t']);
    (!rest.trim().is_empty()).then(|| line.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::text::{FileId, Span};

    fn edit(text: &str, what: &str, by: &str) -> Edit {
        let at = text.find(what).expect("the part");
        Edit { span: Span::new(FileId::new(0), at..at + what.len()), text: by.to_owned() }
    }

    #[test]
    fn neighbours_are_aligned_and_others_are_left_alone() {
        let text = indoc! {"
            a {
              x = 1
            }

            b {
              x   = 1
                yy = 2
            }
        "};
        let made = apply(text, &[&edit(text, "x = 1", "x = 1\n  sensitive = true")]);
        assert_eq!(
            made,
            indoc! {"
                a {
                  x         = 1
                  sensitive = true
                }

                b {
                  x   = 1
                    yy = 2
                }
            "}
        );
        let made = apply(text, &[&edit(text, "yy = 2", "yyy = 2")]);
        assert_eq!(made, text.replace("yy = 2", "yyy = 2"), "what was not aligned stays so");
    }

    #[test]
    fn what_is_left_of_neighbours_is_aligned_too() {
        let text = indoc! {"
            a {
              x    = 1 # one
              long = 2 # two
            }
        "};
        assert_eq!(apply(text, &[&edit(text, "  long = 2 # two\n", "")]), "a {\n  x = 1 # one\n}\n");
    }

    #[test]
    fn removals_next_to_each_other_leave_one_blank_line() {
        let text = indoc! {"
            a {
              x = 1
              y = 2

              z = 3

              u = 4
              v = 5

              w = 6
            }
        "};
        let remove = ["  x = 1\n", "  y = 2\n", "  u = 4\n", "  v = 5\n"].map(|line| edit(text, line, ""));
        let made = apply(text, &remove.iter().collect::<Vec<_>>());
        assert_eq!(made, "a {\n  z = 3\n\n  w = 6\n}\n");
        let items = "a = [1, 2, 3]\n";
        let remove = ["1, ", "2, "].map(|item| edit(items, item, ""));
        assert_eq!(apply(items, &remove.iter().collect::<Vec<_>>()), "a = [3]\n");
    }

    #[test]
    fn lines_end_as_those_of_the_file_and_a_mark_stays_first() {
        let text = "\u{feff}a {\r\n  x = 1\r\n}\r\n";
        let made = apply(text, &[&edit(text, "x = 1", "x = 1\n  yy = 2")]);
        assert_eq!(made, "\u{feff}a {\r\n  x  = 1\r\n  yy = 2\r\n}\r\n");
    }
}
