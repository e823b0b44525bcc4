//! Versions of engines, such as `1.11.4`.

use std::fmt;

/// A release of an engine. A pre-release has the features of its release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
    /// The third number.
    pub patch: u16,
}

impl Version {
    /// `major.minor.patch`.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Parses three numbers with dots between them, after an optional `v`.
    pub fn parse(text: &str) -> Option<Self> {
        match *numbers(text)?.as_slice() {
            [major, minor, patch] => Some(Self { major, minor, patch }),
            _ => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Parses the one to three numbers of `1`, `1.11` or `1.11.4`.
pub(super) fn numbers(text: &str) -> Option<Vec<u16>> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers: Option<Vec<u16>> = text.split('.').map(number).collect();
    numbers.filter(|numbers| numbers.len() <= 3)
}

/// Parses digits. `str::parse` would accept a sign.
fn number(text: &str) -> Option<u16> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_numbers_are_a_version() {
        assert_eq!(Version::parse("1.11.4"), Some(Version::new(1, 11, 4)));
        assert_eq!(Version::parse("v1.6.0"), Some(Version::new(1, 6, 0)));
        for wrong in ["", "1", "1.11", "1.11.4.0", "1.+1.4", "1..4", "1.11.4-rc1", "99999.0.0"] {
            assert_eq!(Version::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn versions_compare_by_number_and_not_by_text() {
        assert!(Version::new(1, 9, 8) < Version::new(1, 10, 0));
    }
}
