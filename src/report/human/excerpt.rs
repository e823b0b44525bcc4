//! Turns the places of one finding into excerpts of their files, which miette reads as one source.
//!
//! miette marks places of a single source. So the excerpts lie behind one another on a line of numbers of our own, with
//! a gap between them that no span can cross: that keeps them apart where it would join neighbours. Only the lines to
//! be shown are in an excerpt, so a finding costs the same wherever in a file it stands, and a line as long as a file
//! is cut.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::report::{Style, one_line, sanitize};
use crate::text::{FileId, Position, Source, Sources, Span};

/// A place with the words that stand at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) span: Span,
    pub(super) words: Option<&'a str>,
    pub(super) primary: bool,
}

/// A place on the line of numbers.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) words: Option<String>,
    pub(super) primary: bool,
    position: Position,
}

/// What is shown of all files.
#[derive(Debug)]
pub(super) struct Excerpts {
    parts: Vec<Excerpt>,
    pub(super) marks: Vec<Mark>,
}

/// Lines of one file that follow one another.
#[derive(Debug)]
struct Excerpt {
    name: String,
    /// Where it lies on the line of numbers.
    base: usize,
    /// Number of its first line, counted from 0.
    first: usize,
    text: String,
    lines: Vec<Line>,
}

/// What is shown of a line.
#[derive(Debug)]
struct Line {
    /// Offsets in the file.
    from: usize,
    to: usize,
    /// Where that lies in the excerpt's text.
    at: usize,
}

/// Lines to be shown, both ends included, counted from 0, and the places on them.
#[derive(Debug)]
struct Range<'a> {
    file: FileId,
    from: usize,
    to: usize,
    places: Vec<Place<'a>>,
}

/// A place that covers more lines than these is shown by its first.
const MOST_LINES: usize = 6;
/// A line is cut when it is longer than this, in bytes.
const LONG_LINE: usize = 400;
/// How much of a long line is kept before what is marked, and in all.
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
    /// With lines around the span asked for, this is the whole excerpt, which was cut to what shall be seen;
    /// without, what the head of a frame is made of: where the span starts.
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
        let cut = if style.unicode { "…" } else { "..." };
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

    /// Where an offset of the file lies on the line of numbers: what is not shown lies at the edge of what is.
    fn locate(&self, offset: usize) -> usize {
        let number = self.lines.partition_point(|line| line.from <= offset).saturating_sub(1);
        let line = &self.lines[number];
        self.base + line.at + offset.clamp(line.from, line.to) - line.from
    }
}

/// Which lines are shown: file by file in the order in which the places name them, so that the finding's own comes
/// first.
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
                // A hole of one line is better filled than framed.
                Some(last) if last.file == file && next.from <= last.to + 2 => {
                    last.to = last.to.max(next.to);
                    last.places.extend(next.places);
                }
                Some(_) | None => ranges.push(next),
            }
        }
    }
    ranges
}

/// The lines of one place, and the line before if that says something.
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

/// Offsets of a line's first byte and of its line break; a byte order mark is no part of the first line.
fn bounds(source: &Source, line: usize) -> (usize, usize) {
    let (text, starts) = (source.text(), source.line_starts());
    let start = starts.get(line).map_or(text.len(), |start| *start as usize);
    let next = starts.get(line + 1).map_or(text.len(), |start| *start as usize);
    let shown = &text[start..next];
    let shown = shown.strip_suffix('\n').unwrap_or(shown);
    let end = start + shown.strip_suffix('\r').unwrap_or(shown).len();
    (if line == 0 && shown.starts_with('\u{feff}') { start + 3 } else { start }, end)
}

/// What is kept of a line: all, or what lies around the first mark on it.
fn window(text: &str, start: usize, end: usize, marked: Option<usize>) -> (usize, usize) {
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
