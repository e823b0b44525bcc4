//! Turns the word after `level =` into what becomes of a rule's findings.

use crate::finding::Severity;

/// What a policy makes of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is asked for, and its findings are so bad.
    On(Severity),
    /// Nobody asks for it.
    Off,
}

impl Level {
    /// Every level, the worst first.
    pub const ALL: [Self; 4] =
        [Self::On(Severity::Error), Self::On(Severity::Warning), Self::On(Severity::Notice), Self::Off];

    /// That of a rule that a policy makes itself and gives none: what a team asks for is not met.
    pub const USUAL: Self = Self::On(Severity::Error);

    /// The word that people write.
    pub const fn word(self) -> &'static str {
        match self {
            Self::On(severity) => severity.name(),
            Self::Off => "off",
        }
    }

    /// The level of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }

    /// How bad findings are; none where nobody asks for them.
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::On(severity) => Some(severity),
            Self::Off => None,
        }
    }
}
