//! Colors and links, if the terminal shows them.

use crate::finding::Severity;

/// The words, painted with an ANSI code if colors are allowed.
pub fn painted(color: bool, code: &str, words: &str) -> String {
    if color && !words.is_empty() { format!("\u{1b}[{code}m{words}\u{1b}[0m") } else { words.to_owned() }
}

/// Whether to use colors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    color: bool,
}

impl Paint {
    pub(super) fn new(color: bool) -> Self {
        Self { color }
    }

    /// In the color of a severity.
    pub(super) fn level(self, level: Severity, words: &str) -> String {
        match level {
            Severity::Error => self.with("1;31", words),
            Severity::Warning => self.with("1;33", words),
            Severity::Notice => self.with("1;36", words),
        }
    }

    /// The summary of a finding.
    pub(super) fn bold(self, words: &str) -> String {
        self.with("1", words)
    }

    /// The title of a paragraph.
    pub(super) fn title(self, words: &str) -> String {
        self.with("36", words)
    }

    /// A removed line.
    pub(super) fn removed(self, line: &str) -> String {
        self.with("31", line)
    }

    /// An added line.
    pub(super) fn added(self, line: &str) -> String {
        self.with("32", line)
    }

    /// A link, if the terminal shows colors and there is a target, and otherwise the text alone.
    pub(super) fn link(self, words: &str, url: Option<&str>) -> String {
        match url {
            Some(url) if self.color => format!("\u{1b}]8;;{url}\u{1b}\\{words}\u{1b}]8;;\u{1b}\\"),
            Some(_) | None => words.to_owned(),
        }
    }

    fn with(self, code: &str, words: &str) -> String {
        painted(self.color, code, words)
    }
}
