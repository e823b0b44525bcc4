//! Excerpts of the files with the locations of one finding, as one source for miette.
//!
//! miette marks ranges of a single source. So the excerpts have positions one after the other, with gaps that no range
//! can cross: without gaps, miette would join neighbouring excerpts. An excerpt has only the lines to show, and long
//! lines are cut, so the cost of a finding does not depend on the size of the file.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::report::{Style, one_line, sanitize};
use crate::text::{FileId, Position, Source, Sources, Span};

/// A location with its label.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) span: Span,
    pub(super) words: Option<&'a str>,
    pub(super) primary: bool,
}

/// A location by its position in the source.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) words: Option<String>,
    pub(super) primary: bool,
    position: Position,
}

/// The excerpts of all files.
#[derive(Debug)]
pub(super) struct Excerpts {
    parts: Vec<Excerpt>,
    pub(super) marks: Vec<Mark>,
}

/// Consecutive lines of one file.
#[derive(Debug)]
struct Excerpt {
    name: String,
    /// The position of the excerpt in the source.
    base: usize,
    /// The number of its first line, from 0.
    first: usize,
    text: String,
    lines: Vec<Line>,
}

/// The part of a line that is shown.
#[derive(Debug)]
struct Line {
    /// Its offsets in the file.
    from: usize,
    to: usize,
    /// Its offsets in the text of the excerpt.
    at: usize,
}

/// Lines to show, inclusive, from 0, with the locations in them.
#[derive(Debug)]
struct Range<'a> {
    file: FileId,
    from: usize,
    to: usize,
    places: Vec<Place<'a>>,
}

/// A location with more lines than this is shown as its first line.
const MOST_LINES: usize = 6;
/// A longer line, in bytes, is cut.
const LONG_LINE: usize = 400;
/// The number of bytes that are kept of a cut line: before the marked range, and in total.
const KEPT_BEFORE: usize = 60;
const KEPT: usize = 240;

impl Excerpts {
    pub(super) fn new(places: &[Place<'_>], sources: &Sources, style: &Style) -> Self {
        let mut excerpts = Self { parts: Vec::new(), marks: Vec::new() };
        let mut base = 0;
        for range in ranges(places, sources) {
            let source = sources.get(range.file);
            let part = Excerpt::new(&range, source, base, style);
            for place in &range.places {
                let (start, end) = (place.span.start as usize, place.span.end as usize);
                let start_at = part.locate(start);
                excerpts.marks.push(Mark {
                    start: start_at,
                    len: part.locate(end).saturating_sub(start_at),
                    words: place.words.map(|words| one_line(words).into_owned()),
                    primary: place.primary,
                    position: source.position(place.span.start),
                });
            }
            base = part.base + part.text.len() + 1;
            excerpts.parts.push(part);
        }
        excerpts.marks.sort_by_key(|mark| (mark.start, mark.len));
        excerpts
    }
}

impl SourceCode for Excerpts {
    /// With lines around the requested range, returns the whole excerpt, which has only the lines to show. Without,
    /// returns the start of the range for the head of a frame.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let part =
            self.parts.iter().rfind(|part| part.base <= span.offset()).ok_or(MietteError::OutOfBounds)?;
        let end = part.base + part.text.len();
        if span.offset() + span.len() > end {
            return Err(MietteError::OutOfBounds);
        }
        let mark = self.marks.iter().find(|mark| before == 0 && mark.start == span.offset());
        let (start, line, column) = match mark {
            Some(mark) => (mark.start, mark.position.line - 1, mark.position.column - 1),
            None => (part.base, part.first, 0),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            part.name.clone(),
            &part.text.as_bytes()[start - part.base..],
            (start, end - start).into(),
            line,
            column,
            part.lines.len(),
        )))
    }
}

impl Excerpt {
    fn new(range: &Range<'_>, source: &Source, base: usize, style: &Style) -> Self {
        let name = one_line(&style.names.of(source.name())).into_owned();
        let cut = style.ellipsis();
        let (mut text, mut lines) = (String::new(), Vec::new());
        for number in range.from..=range.to {
            let (start, end) = bounds(source, number);
            let marked = range.places.iter().map(|place| place.span.start as usize);
            let (from, to) =
                window(source.text(), start, end, marked.filter(|at| (start..=end).contains(at)).min());
            if from > start {
                text.push_str(cut);
            }
            lines.push(Line { from, to, at: text.len() });
            text.push_str(&sanitize(&source.text()[from..to]));
            if to < end {
                text.push_str(cut);
            }
            text.push('\n');
        }
        Self { name, base, first: range.from, text, lines }
    }

    /// The position of an offset of the file. An offset that is not shown gets the nearest position that is.
    fn locate(&self, offset: usize) -> usize {
        let number = self.lines.partition_point(|line| line.from <= offset).saturating_sub(1);
        let line = &self.lines[number];
        self.base + line.at + offset.clamp(line.from, line.to) - line.from
    }
}

/// The lines to show, by file. The lines of the primary location come first, and then the others of its file.
fn ranges<'a>(places: &[Place<'a>], sources: &Sources) -> Vec<Range<'a>> {
    let mut files: Vec<FileId> = Vec::new();
    for place in places {
        if !files.contains(&place.span.file) {
            files.push(place.span.file);
        }
    }
    let mut ranges: Vec<Range<'a>> = Vec::new();
    for file in files {
        let mut own: Vec<Range<'a>> = places
            .iter()
            .filter(|place| place.span.file == file)
            .map(|place| range(place, sources))
            .collect();
        own.sort_by_key(|range| (range.from, range.to));
        for next in own {
            match ranges.last_mut() {
                // A gap of one line is filled.
                Some(last) if last.file == file && next.from <= last.to + 2 => {
                    last.to = last.to.max(next.to);
                    last.places.extend(next.places);
                }
                Some(_) | None => ranges.push(next),
            }
        }
    }
    if let Some(first) = ranges.iter().position(|range| range.places.iter().any(|place| place.primary)) {
        ranges[..=first].rotate_right(1);
    }
    ranges
}

/// The lines of one location, with the line before if it is not blank.
fn range<'a>(place: &Place<'a>, sources: &Sources) -> Range<'a> {
    let source = sources.get(place.span.file);
    let line =
        |offset: usize| source.line_starts().partition_point(|start| *start as usize <= offset).max(1) - 1;
    let (start, end) = (place.span.start as usize, (place.span.end as usize).min(source.text().len()));
    let (first, last) = (line(start), line(end.saturating_sub(1).max(start)));
    let mut place = *place;
    let to = if last - first < MOST_LINES {
        last
    } else {
        place.span.end = u32::try_from(bounds(source, first).1).unwrap_or(place.span.end);
        first
    };
    let says_something = |number: usize| {
        let (start, end) = bounds(source, number);
        source.text()[start..end].contains(|c: char| !c.is_whitespace() && !"{}[]()".contains(c))
    };
    let from = if first > 0 && says_something(first - 1) { first - 1 } else { first };
    Range { file: place.span.file, from, to, places: vec![place] }
}

/// The offsets of the first byte and the line break of a line, without a byte order mark.
fn bounds(source: &Source, line: usize) -> (usize, usize) {
    let (text, starts) = (source.text(), source.line_starts());
    let start = starts.get(line).map_or(text.len(), |start| *start as usize);
    let next = starts.get(line + 1).map_or(text.len(), |start| *start as usize);
    let shown = &text[start..next];
    let shown = shown.strip_suffix('\n').unwrap_or(shown);
    let end = start + shown.strip_suffix('\r').unwrap_or(shown).len();
    (if line == 0 && shown.starts_with('\u{feff}') { start + 3 } else { start }, end)
}

/// The part of a line to show: all, or the part around its first mark.
pub(super) fn window(text: &str, start: usize, end: usize, marked: Option<usize>) -> (usize, usize) {
    if end - start <= LONG_LINE {
        return (start, end);
    }
    let whole = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let from = whole(marked.unwrap_or(start).saturating_sub(KEPT_BEFORE).max(start));
    (from, whole((from + KEPT).min(end)))
}
