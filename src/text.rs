//! Source files, and locations in them.
//!
//! A [`Span`] is a range of bytes in one file. It is small and `Copy`, so rules need no lifetimes. Only reports convert
//! it to lines and columns.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use memchr::memchr_iter;
use smol_str::SmolStr;
use unicode_segmentation::UnicodeSegmentation;

pub mod file_name;
mod letters;
pub mod lines;
mod nearest;
mod sentence;
mod control_chars;

pub use control_chars::{commands, is_obeyed};
pub use letters::{continues_name, is_identifier, starts_name};
pub use nearest::{Suggestions, distance, is_similar, may_be_near, nearest, similar};
pub use sentence::{counted, grouped, joined, module_at, with_article};

/// A file among the [`Sources`] of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    /// Creates the id of the file with this number, counted from 0 in the order of [`Sources`].
    pub fn new(number: usize) -> Self {
        Self(u32::try_from(number).expect("a run has fewer than 2^32 files"))
    }

    /// Returns the number given to [`FileId::new`].
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// A range of bytes in one file; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the span of `range` in `file`. Files are smaller than 4 GiB, which reading ensures.
    pub fn new(file: FileId, range: Range<usize>) -> Self {
        let offset = |n: usize| u32::try_from(n).expect("a source is smaller than 4 GiB");
        Self { file, start: offset(range.start), end: offset(range.end) }
    }

    /// Returns the span from the start of this one to the end of `other`, which follows it in the same file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.start), ..self }
    }

    /// Returns the empty span at the end of this one.
    #[must_use]
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// Reports whether the two spans share a byte. An empty span overlaps a span that contains its position.
    pub fn overlaps(self, other: Span) -> bool {
        let end = |span: Span| span.end.max(span.start + 1);
        self.file == other.file && self.start < end(other) && other.start < end(self)
    }

    /// Reports whether the other span is a part of this one.
    pub fn encloses(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Returns the range of offsets.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Converts a span relative to the start of `outer` into a span of the file, cut at the end of `outer`.
    #[must_use]
    pub fn within(self, outer: Span) -> Span {
        let moved = |offset: u32| outer.start.saturating_add(offset).min(outer.end);
        Span { start: moved(self.start), end: moved(self.end), ..outer }
    }
}

/// A line and a column as Terraform counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in grapheme clusters unless noted otherwise.
    pub column: usize,
    /// Offset in bytes, counted from 0.
    pub byte: usize,
}

/// A file as it was read. There are many, so the fields are boxes, which have no spare capacity.
#[derive(Debug)]
pub struct Source {
    name: SmolStr,
    text: Box<str>,
    invalid: Box<[u32]>,
    /// The bytes at these offsets.
    replaced: Box<[u8]>,
    lines: OnceLock<Box<[u32]>>,
    marks: OnceLock<Box<[Mark]>>,
}

/// A position in a long line with a known column, so that later positions need not count from the start of the line.
#[derive(Debug, Clone, Copy)]
struct Mark {
    byte: usize,
    /// Columns before it.
    columns: usize,
    /// Characters before it.
    characters: usize,
}

/// Longer lines have a mark about every so many bytes, because generated JSON is often a single line.
const MARK_EVERY: usize = 1024;

impl Source {
    /// Creates a source with the content `bytes`. `name` is the path from the top directory of the run, with `/`.
    ///
    /// Terraform accepts bytes that are not UTF-8 in comments, so any bytes are accepted: each byte that is not UTF-8
    /// becomes `?` in the text, without a change of offsets, and is listed in [`Source::invalid`].
    pub fn new(name: impl Into<SmolStr>, bytes: Vec<u8>) -> Self {
        let (text, invalid, replaced) = match String::from_utf8(bytes) {
            Ok(text) => (text, Vec::new(), Vec::new()),
            Err(error) => replace_invalid(error.into_bytes()),
        };
        Self {
            name: name.into(),
            text: text.into(),
            invalid: invalid.into(),
            replaced: replaced.into(),
            lines: OnceLock::new(),
            marks: OnceLock::new(),
        }
    }

    /// Returns the same file with another name.
    #[must_use]
    pub fn renamed(self, name: impl Into<SmolStr>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Returns the path from the top directory of the run, with `/`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the offsets of the bytes that are not UTF-8, ascending.
    pub fn invalid(&self) -> &[u32] {
        &self.invalid
    }

    /// Returns the content as it was read.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        let bytes = self.text.as_bytes();
        if self.invalid.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut bytes = bytes.to_vec();
        for (at, byte) in self.invalid.iter().zip(&self.replaced) {
            bytes[*at as usize] = *byte;
        }
        Cow::Owned(bytes)
    }

    /// Returns the start of the character that contains the byte at `offset`, or the end of the text.
    pub fn floor(&self, offset: usize) -> usize {
        floor_char_boundary(&self.text, offset)
    }

    /// Returns the text of `span`, cut to the file and to whole characters.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[self.whole(span).range()]
    }

    /// Returns the span, cut to the file and to whole characters.
    #[must_use]
    pub fn whole(&self, span: Span) -> Span {
        let start = self.floor(span.start as usize);
        Span::new(span.file, start..self.floor(span.end as usize).max(start))
    }

    /// Returns the offset of the first byte of every line.
    pub fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends =
                memchr_iter(b'\n', self.text.as_bytes()).map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX));
            std::iter::once(0).chain(ends).collect()
        })
    }

    /// Returns the line and column of the byte at `offset`. An offset past the end counts as the end.
    pub fn position(&self, offset: u32) -> Position {
        self.counted(offset, columns_of, |mark| mark.columns)
    }

    /// Like [`Source::position`], with the column counted in characters (Unicode code points), as in most report
    /// formats.
    pub fn position_in_characters(&self, offset: u32) -> Position {
        self.counted(offset, |text| text.chars().count(), |mark| mark.characters)
    }

    fn counted(
        &self,
        offset: u32,
        count: impl Fn(&str) -> usize,
        known: impl Fn(&Mark) -> usize,
    ) -> Position {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= offset).max(1);
        let byte = floor_char_boundary(&self.text, offset as usize);
        let mut start = starts[line - 1] as usize;
        if start == 0 && self.text.starts_with('\u{feff}') {
            // The engines drop a byte order mark before they count columns.
            start = '\u{feff}'.len_utf8().min(byte);
        }
        let mut columns = 0;
        if byte > start + MARK_EVERY {
            let marks = self.marks();
            let before = marks.partition_point(|mark| mark.byte <= byte).checked_sub(1).map(|at| &marks[at]);
            if let Some(mark) = before.filter(|mark| mark.byte > start) {
                (start, columns) = (mark.byte, known(mark));
            }
        }
        let column = columns + count(&self.text[start..byte.max(start)]) + 1;
        Position { line, column, byte }
    }

    fn marks(&self) -> &[Mark] {
        self.marks.get_or_init(|| {
            let mut marks = Vec::new();
            let mut start = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            for line in self.text[start..].split_inclusive('\n') {
                let (mut next, mut characters) = (MARK_EVERY, 0);
                let graphemes = line.grapheme_indices(true).enumerate();
                for (columns, (at, grapheme)) in graphemes.take_while(|_| line.len() > MARK_EVERY) {
                    if at >= next {
                        marks.push(Mark { byte: start + at, columns, characters });
                        next = at + MARK_EVERY;
                    }
                    characters += grapheme.chars().count();
                }
                start += line.len();
            }
            marks.into_boxed_slice()
        })
    }
}

/// All files of a run, in the order of their names. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<Arc<Source>>,
    /// By file: the paths of the symbolic links to it, sorted.
    links: BTreeMap<FileId, Vec<SmolStr>>,
}

impl Sources {
    /// Creates the sources of a run. The index of a file in `files` is its [`FileId`].
    pub fn new(files: Vec<Source>) -> Self {
        Self { files: files.into_iter().map(Arc::new).collect(), links: BTreeMap::new() }
    }

    /// Adds a source and returns its id.
    pub fn push(&mut self, source: Source) -> FileId {
        self.files.push(Arc::new(source));
        FileId::new(self.files.len() - 1)
    }

    /// Adds a path by which a symbolic link, of the file or of a directory above it, leads to the file.
    pub fn add_link(&mut self, id: FileId, path: impl Into<SmolStr>) {
        let (links, path) = (self.links.entry(id).or_default(), path.into());
        if let Err(place) = links.binary_search(&path) {
            links.insert(place, path);
        }
    }

    /// Returns the other paths by which symbolic links lead to a file.
    pub fn links(&self, id: FileId) -> &[SmolStr] {
        self.links.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Replaces the text of a file.
    pub fn replace(&mut self, id: FileId, text: &str) {
        let name = self.get(id).name.clone();
        self.files[id.number()] = Arc::new(Source::new(name, text.into()));
    }

    /// Returns the file with this id.
    pub fn get(&self, id: FileId) -> &Source {
        &self.files[id.number()]
    }

    /// Iterates over the files with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter().enumerate().map(|(number, source)| (FileId::new(number), &**source))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Reports whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the text of `span`.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file).slice(span)
    }

    /// Returns the start of `span` as `file:line,column`, the form that Terraform uses in messages.
    pub fn place(&self, span: Span) -> String {
        let source = self.get(span.file);
        let at = source.position(span.start);
        format!("{}:{},{}", source.name(), at.line, at.column)
    }
}

/// Replaces every byte that is not UTF-8 with `?`. Returns their offsets and the bytes themselves.
fn replace_invalid(mut bytes: Vec<u8>) -> (String, Vec<u32>, Vec<u8>) {
    let (mut invalid, mut replaced) = (Vec::new(), Vec::new());
    let mut from = 0;
    while let Err(error) = std::str::from_utf8(&bytes[from..]) {
        let start = from + error.valid_up_to();
        let end = error.error_len().map_or(bytes.len(), |len| start + len);
        for (at, byte) in bytes.iter_mut().enumerate().take(end).skip(start) {
            replaced.push(std::mem::replace(byte, b'?'));
            invalid.push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        from = end;
    }
    (String::from_utf8_lossy(&bytes).into_owned(), invalid, replaced)
}

/// Returns the number of columns of a part of one line. For ASCII that is the number of bytes.
fn columns_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).count() }
}

/// The last boundary between two characters at or before an offset.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(source: &Source, offset: u32) -> (usize, usize) {
        let position = source.position(offset);
        (position.line, position.column)
    }

    #[test]
    fn columns_count_grapheme_clusters() {
        let source = Source::new("a.tf", "a = \"e\u{301}\" # x\nb".into());
        assert_eq!(at(&source, 0), (1, 1));
        assert_eq!(at(&source, 8), (1, 7), "e and its accent are one column");
        assert_eq!(source.position_in_characters(8).column, 8, "and two characters");
        assert_eq!(at(&source, 14), (2, 1));
        assert_eq!(at(&source, 99), (2, 2), "past the end is the end");
    }

    #[test]
    fn columns_of_long_lines_are_the_same_from_any_mark() {
        let long = "e\u{301}🇩🇪🇫🇷👩‍👩‍👧x".repeat(200);
        let source = Source::new("a.tf", format!("\u{feff}{long}\n{long}\nb").into());
        for line in [0, 1] {
            let start = 3 + line * (long.len() + 1);
            for (columns, (byte, _)) in long.grapheme_indices(true).enumerate() {
                let offset = u32::try_from(start + byte).expect("small");
                assert_eq!(at(&source, offset), (line + 1, columns + 1));
                let characters = long[..byte].chars().count();
                assert_eq!(source.position_in_characters(offset).column, characters + 1);
            }
        }
        let end = u32::try_from(source.text().len()).expect("small");
        assert_eq!(at(&source, end), (3, 2));
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let source = Source::new("a.tf", "\u{feff}a".into());
        assert_eq!(at(&source, 3), (1, 1));
        assert_eq!(at(&source, 0), (1, 1));
    }

    #[test]
    fn bytes_that_are_not_utf8_keep_their_offsets() {
        let source = Source::new("a.tf", b"a\xff\xfeb\xe2\x82".to_vec());
        assert_eq!(source.text(), "a??b??");
        assert_eq!(source.invalid(), [1, 2, 4, 5]);
        assert_eq!(&*source.bytes(), b"a\xff\xfeb\xe2\x82");
    }
}
