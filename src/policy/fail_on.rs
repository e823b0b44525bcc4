//! Turns the word after `fail_on =` into a question: does a finding of this level fail the run?

use crate::finding::Severity;

/// From which level on a run fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// At this level and those that are worse.
    Level(Severity),
    /// Whatever is found.
    Never,
}

impl FailOn {
    /// Every one of them.
    pub const ALL: [Self; 4] = [
        Self::Level(Severity::Error),
        Self::Level(Severity::Warning),
        Self::Level(Severity::Notice),
        Self::Never,
    ];

    /// The word that people write.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Level(severity) => severity.name(),
            Self::Never => "never",
        }
    }

    /// The one of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fail_on| fail_on.word() == word)
    }

    /// Whether a finding of this level fails the run.
    pub fn is_met_by(self, severity: Severity) -> bool {
        match self {
            Self::Level(least) => severity <= least,
            Self::Never => false,
        }
    }
}
