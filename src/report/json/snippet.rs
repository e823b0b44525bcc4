//! The `snippet` of a diagnostic: the lines of a location, as the engines cut and count them.

use std::ops::Range;

use serde::Serialize;

use crate::text::{Source, Span, floor_char_boundary};

/// A snippet.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Snippet {
    context: Option<String>,
    code: String,
    start_line: usize,
    highlight_start_offset: usize,
    highlight_end_offset: usize,
    values: [(); 0],
}

/// The maximum size of the code, and of the block header, in bytes. A generated file may be a single line of many
/// megabytes, which each of its findings would repeat.
const MOST_CODE: usize = 1024;
/// The number of bytes before the marked range in code that is cut.
const KEPT_BEFORE: usize = 256;

impl Snippet {
    /// Creates the snippet of the lines of `span`. `context` is the block that they are in.
    pub(super) fn new(span: Span, source: &Source, context: Option<String>) -> Self {
        // The engines widen an empty range by one byte.
        let (start, end) = (span.start as usize, (span.end as usize).max(span.start as usize + 1));
        let lines = lines(source, start, end);
        let code_start = lines.first().map_or(0, |line| line.start);
        let limit = lines.iter().map(|line| line.len() + 1).sum::<usize>().saturating_sub(1);
        // The line break of a blank line, which is left out, is before the code.
        let within = |offset: usize| offset.saturating_sub(code_start).min(limit);
        let (highlight_start, highlight_end) = (within(start), within(end));
        let (code, cut) = code(source.text(), &lines, limit, highlight_start);
        let header = |mut context: String| {
            context.truncate(floor_char_boundary(&context, MOST_CODE));
            context
        };
        Self {
            context: context.map(header),
            start_line: source.position(span.start).line,
            highlight_start_offset: highlight_start - cut,
            highlight_end_offset: (highlight_end - cut).min(code.len()),
            code,
            values: [],
        }
    }
}

/// The lines that overlap the range, without line breaks and without blank lines, up to the maximum size.
fn lines(source: &Source, start: usize, end: usize) -> Vec<Range<usize>> {
    let (text, starts) = (source.text(), source.line_starts());
    let first = starts.partition_point(|line| (*line as usize) < start).saturating_sub(1);
    let mut lines: Vec<Range<usize>> = Vec::new();
    for number in first..starts.len() {
        let from = starts[number] as usize;
        if from > end || from > start + MOST_CODE {
            break;
        }
        let next = starts.get(number + 1).map_or(text.len(), |next| *next as usize);
        let line = text[from..next].strip_suffix('\n').unwrap_or(&text[from..next]);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let to = from + line.len();
        let within = |offset: usize, from: usize, to: usize| from <= offset && offset < to;
        let overlaps = within(start, from, to)
            || within(end, from, to)
            || within(from, start, end)
            || within(to, start, end);
        if !line.is_empty() && overlaps {
            lines.push(from..to);
        }
    }
    lines
}

/// Joins the lines to a text of `length` bytes, or the part around the marked range if that is too long, and returns
/// the number of bytes before it. Only this part is read: a long line may have a finding for each word.
fn code(text: &str, lines: &[Range<usize>], length: usize, highlight_start: usize) -> (String, usize) {
    let (from, to) = if length <= MOST_CODE {
        (0, length)
    } else {
        let from = highlight_start.saturating_sub(KEPT_BEFORE);
        (from, from + MOST_CODE)
    };
    let (mut code, mut cut, mut before) = (String::new(), None, 0);
    for line in lines {
        let at = |offset: usize| {
            let at = line.start + offset.saturating_sub(before).min(line.len());
            (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
        };
        let (first, last) = (at(from), at(to));
        if before < to && from <= before + line.len() {
            if cut.is_none() {
                cut = Some(before + first - line.start);
            } else {
                code.push('\n');
            }
            code.push_str(&text[first..last]);
        }
        before += line.len() + 1;
    }
    (code, cut.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::FileId;

    /// Marks the text between `«` and `»`, and returns the code with the highlight between the same, and its first
    /// line.
    fn snippet(marked: &str) -> (String, usize) {
        let start = marked.find('«').expect("a start");
        let end = marked.find('»').expect("an end") - '«'.len_utf8();
        let source = Source::new("a.tf", marked.replace(['«', '»'], "").into());
        let snippet = Snippet::new(Span::new(FileId::new(0), start..end), &source, None);
        let (from, to) = (snippet.highlight_start_offset, snippet.highlight_end_offset);
        let code = &snippet.code;
        (format!("{}«{}»{}", &code[..from], &code[from..to], &code[to..]), snippet.start_line)
    }

    // Terraform 1.11.4 has these snippets for such locations.

    #[test]
    fn a_snippet_is_the_lines_that_the_place_touches() {
        assert_eq!(snippet("a = 1\nb = «foo»\nc = 2\n"), ("b = «foo»".to_owned(), 2));
        assert_eq!(snippet("a = «\"é${\n  1}»\" + foo\n}"), ("a = «\"é${\n  1}»\" + foo".to_owned(), 1));
    }

    #[test]
    fn a_line_break_brings_the_next_line_along() {
        assert_eq!(snippet("locals {\n  é = 1 + «\n»}\n"), ("  é = 1 + «\n»}".to_owned(), 2));
    }

    #[test]
    fn a_place_on_a_blank_line_lies_before_the_next() {
        assert_eq!(snippet("a {}\n«\n»b {}\n"), ("«»b {}".to_owned(), 2));
    }

    #[test]
    fn an_empty_place_is_widened_and_cut_to_what_is_there() {
        assert_eq!(snippet("a = «»1\n"), ("a = «1»".to_owned(), 1));
        assert_eq!(snippet("a {\n  b\n}«»"), ("}«»".to_owned(), 3));
    }

    #[test]
    fn a_line_of_megabytes_is_cut_around_the_place() {
        let long = "é".repeat(1_000_000);
        let (code, line) = snippet(&format!("{long}«foo»{long}"));
        assert!(code.contains("é«foo»é"), "the place is in it");
        assert!(code.len() < 2 * MOST_CODE, "{}", code.len());
        assert_eq!(line, 1);
    }
}
