//! Turns words into coloured words, where colours may be written.

use crate::finding::Severity;

/// Whether there are colours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    color: bool,
}

impl Paint {
    pub(super) fn new(color: bool) -> Self {
        Self { color }
    }

    /// In the colour of a level.
    pub(super) fn level(self, level: Severity, words: &str) -> String {
        match level {
            Severity::Error => self.with("1;31", words),
            Severity::Warning => self.with("1;33", words),
            Severity::Notice => self.with("1;36", words),
        }
    }

    /// What a finding says.
    pub(super) fn bold(self, words: &str) -> String {
        self.with("1", words)
    }

    /// What introduces a paragraph.
    pub(super) fn title(self, words: &str) -> String {
        self.with("36", words)
    }

    fn with(self, code: &str, words: &str) -> String {
        if self.color && !words.is_empty() {
            format!("\u{1b}[{code}m{words}\u{1b}[0m")
        } else {
            words.to_owned()
        }
    }
}
