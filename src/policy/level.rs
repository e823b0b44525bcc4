//! The levels that a policy sets for a rule.

use crate::finding::Severity;

/// The level of a rule in a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The rule is on, and its findings have this severity.
    On(Severity),
    /// The rule is off.
    Off,
}

impl Level {
    /// All levels, the highest first.
    pub const ALL: [Self; 4] =
        [Self::On(Severity::Error), Self::On(Severity::Warning), Self::On(Severity::Notice), Self::Off];

    /// The level of a custom rule without one.
    pub const USUAL: Self = Self::On(Severity::Error);

    /// The word in policies.
    pub const fn word(self) -> &'static str {
        match self {
            Self::On(severity) => severity.name(),
            Self::Off => "off",
        }
    }

    /// Parses that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }

    /// The severity of findings. `None` if the rule is off.
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::On(severity) => Some(severity),
            Self::Off => None,
        }
    }
}
