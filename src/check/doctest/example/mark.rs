//! Marks: the positions and texts of findings, as expected by comments with carets and as reported by a check.

use std::fmt;
use std::ops::Range;

use crate::check::Verdict;
use crate::finding::Severity;
use crate::text::{Sources, Span};

/// The position and text of a finding in an example.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The position, or `None` for a finding without one.
    pub place: Option<MarkedPlace>,
    /// The text.
    pub words: String,
}

/// Columns of one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MarkedPlace {
    /// The path of the file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The first column, counted from 1.
    pub from: usize,
    /// The column after the last one.
    pub to: usize,
}

/// The prefixes of comments that quote the label, the detail or the help of a finding.
const TEXTS: [&str; 3] = ["label: ", "detail: ", "help: "];

/// A difference between a page and a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The page expects it, and the check does not report it.
    Missing(Mark),
    /// The check reports it, and the page does not expect it.
    Unexpected(Mark),
}

impl Difference {
    /// The mark that only one side has.
    pub fn mark(&self) -> &Mark {
        match self {
            Self::Missing(mark) | Self::Unexpected(mark) => mark,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None if TEXTS.iter().any(|start| self.words.starts_with(start)) => f.write_str(&self.words),
            None => write!(f, "no place: {}", self.words),
            Some(MarkedPlace { file, line, from, to }) => {
                write!(f, "{file}:{line}, columns {from} to {}: {}", to - 1, self.words)
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(mark) => write!(f, "only on the page:  {mark}"),
            Self::Unexpected(mark) => write!(f, "only in the check: {mark}"),
        }
    }
}

/// The marks that a page needs for a verdict.
pub(super) fn marks(verdict: &Verdict, sources: &Sources) -> Vec<Mark> {
    let finding = &verdict.finding;
    let primary = Mark { place: finding.primary.map(|span| place(span, sources)), words: words(verdict) };
    let related = finding
        .related
        .iter()
        .map(|related| Mark { place: Some(place(related.span, sources)), words: related.message.clone() });
    std::iter::once(primary).chain(related).collect()
}

/// The other texts of a verdict, which a page may quote.
pub(super) fn texts(verdict: &Verdict) -> Vec<Mark> {
    let finding = &verdict.finding;
    let texts = [finding.label.as_ref(), Some(&finding.detail), finding.help.as_ref()];
    let quoted = TEXTS.iter().zip(texts).filter_map(|(start, text)| Some(format!("{start}{}", text?)));
    quoted.map(|words| Mark { place: None, words }).collect()
}

/// The text at the primary position.
pub(super) fn words(verdict: &Verdict) -> String {
    let summary = &verdict.finding.summary;
    match verdict.level {
        Severity::Error => summary.clone(),
        Severity::Warning | Severity::Notice => format!("{}: {summary}", verdict.level.name()),
    }
}

fn place(span: Span, sources: &Sources) -> MarkedPlace {
    let source = sources.get(span.file);
    let start = source.position(span.start);
    let rest = source.text().get(span.range()).unwrap_or("");
    let first = rest.lines().next().unwrap_or("");
    let end = u32::try_from(start.byte + first.len()).map_or(start, |end| source.position(end));
    MarkedPlace {
        file: source.name().to_owned(),
        line: start.line,
        from: start.column,
        to: end.column.max(start.column + 1),
    }
}

/// A comment that expects a finding.
pub(super) struct Comment<'a> {
    /// The columns, or `None` for a finding without a position.
    pub(super) columns: Option<Range<usize>>,
    pub(super) words: &'a str,
}

impl<'a> Comment<'a> {
    /// Parses a line, if it is such a comment.
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let inside = line.trim_start();
        let rest = inside.strip_prefix('#').or_else(|| inside.strip_prefix("//"))?;
        let carets = rest.trim_start();
        if let Some(words) = carets.strip_prefix("no place: ") {
            return Some(Self { columns: None, words });
        }
        if TEXTS.iter().any(|start| carets.starts_with(start)) {
            return Some(Self { columns: None, words: carets.trim_end() });
        }
        let words = carets.trim_start_matches('^');
        // A space or the line end must follow the carets, so that other comments may start with `^`.
        if words.len() == carets.len() || !(words.is_empty() || words.starts_with(' ')) {
            return None;
        }
        let start = if carets.len() == rest.len() { inside } else { carets };
        let columns = line.len() - start.len() + 1..line.len() - words.len() + 1;
        Some(Self { columns: Some(columns), words: words.trim() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_with_a_caret_in_it_is_a_comment() {
        assert!(Comment::read("# a ^^^ b").is_none());
        assert!(Comment::read("# ^a").is_none());
        assert!(Comment::read("a = 1 # ^^^ b").is_none());
    }
}
