//! The level from which a run fails.

use crate::finding::Severity;

/// The level from which a run fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// This level and higher ones.
    Level(Severity),
    /// No level.
    Never,
}

impl FailOn {
    /// All values.
    pub const ALL: [Self; 4] = [
        Self::Level(Severity::Error),
        Self::Level(Severity::Warning),
        Self::Level(Severity::Notice),
        Self::Never,
    ];

    /// The word in policies and options.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Level(severity) => severity.name(),
            Self::Never => "never",
        }
    }

    /// Parses that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fail_on| fail_on.word() == word)
    }

    /// Whether a finding of this level makes a run fail.
    pub fn is_met_by(self, severity: Severity) -> bool {
        match self {
            Self::Level(least) => severity <= least,
            Self::Never => false,
        }
    }
}
