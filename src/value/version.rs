//! Parses and compares versions, as go-version does.

use std::cmp::Ordering;
use std::fmt;

use smol_str::SmolStr;

/// A version such as `1.2.3-beta1`.
#[derive(Debug, Clone)]
pub struct Version {
    /// The numbers; at least three, padded with zeros.
    pub(super) segments: Vec<i64>,
    /// The number of written segments.
    pub(super) written: usize,
    prerelease: SmolStr,
    metadata: SmolStr,
}

impl Version {
    /// Parses a version: numbers separated by dots, with an optional `v` before and an optional prerelease and
    /// metadata after them.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, metadata) = match text.split_once('+') {
            Some((text, metadata)) => (text, Some(metadata)),
            None => (text, None),
        };
        let numbers_end = numbers_end(text);
        let (numbers, prerelease) = text.split_at(numbers_end);
        let mut segments =
            numbers.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<i64>>>()?;
        let written = segments.len();
        if written < 3 {
            segments.resize(3, 0);
        }
        if !is_prerelease(prerelease) || metadata.is_some_and(|metadata| !dotted(metadata)) {
            return None;
        }
        let prerelease = match prerelease.strip_prefix('-') {
            Some(bare) if !bare.is_empty() && !bare.starts_with('.') => bare,
            Some(_) | None => prerelease,
        };
        Some(Self {
            segments,
            written,
            prerelease: prerelease.into(),
            metadata: metadata.unwrap_or("").into(),
        })
    }

    /// The numbers; at least three.
    pub fn segments(&self) -> &[i64] {
        &self.segments
    }

    /// How many of the numbers are written.
    pub fn written(&self) -> usize {
        self.written
    }

    /// The first version that `~>` with this one excludes. Returns `None` if it allows all newer versions.
    pub(super) fn next_above(&self) -> Option<Self> {
        let raised = self.written.checked_sub(2)?;
        let mut segments = self.segments[..=raised].to_vec();
        segments[raised] = segments[raised].checked_add(1)?;
        segments.resize(self.segments.len(), 0);
        Some(Self {
            segments,
            written: self.written,
            prerelease: SmolStr::default(),
            metadata: SmolStr::default(),
        })
    }

    /// Whether it has a prerelease, such as `-beta1`.
    pub fn is_prerelease(&self) -> bool {
        !self.prerelease.is_empty()
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

/// Metadata is ignored.
impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_segments(&self.segments, &other.segments).then_with(|| {
            match (self.is_prerelease(), other.is_prerelease()) {
                (false, false) => Ordering::Equal,
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (true, true) => compare_prereleases(&self.prerelease, &other.prerelease),
            }
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.segments.iter().enumerate() {
            write!(f, "{}{segment}", if i > 0 { "." } else { "" })?;
        }
        if !self.prerelease.is_empty() {
            write!(f, "-{}", self.prerelease)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

/// The end of the dotted numbers.
pub(super) fn numbers_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    let mut at = 0;
    loop {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return end;
        }
        end = at + digits;
        if bytes.get(end) != Some(&b'.') {
            return end;
        }
        at = end + 1;
    }
}

/// Whether the text after the numbers is valid: empty, or a prerelease.
fn is_prerelease(text: &str) -> bool {
    let Some(first) = text.bytes().next() else { return true };
    (first == b'-' || first == b'~' || first.is_ascii_alphabetic()) && dotted(text)
}

/// Whether these are words separated by dots.
fn dotted(text: &str) -> bool {
    text.split('.').all(|part| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'~')
    })
}

/// Compares number by number; missing ones are zero.
pub(super) fn compare_segments(a: &[i64], b: &[i64]) -> Ordering {
    let at = |segments: &[i64], i: usize| segments.get(i).copied().unwrap_or(0);
    (0..a.len().max(b.len()))
        .map(|i| at(a, i).cmp(&at(b, i)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn compare_prereleases(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('.').collect(), b.split('.').collect());
    let at = |parts: &[&str], i: usize| parts.get(i).copied().unwrap_or("").to_owned();
    (0..a.len().max(b.len()))
        .map(|i| compare_parts(&at(&a, i), &at(&b, i)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// A number sorts before a word. A missing part sorts before a number, but after a word, as in go-version.
fn compare_parts(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(_), _) if b.is_empty() => Ordering::Greater,
        (_, Ok(_)) if a.is_empty() => Ordering::Less,
        _ if a.is_empty() => Ordering::Greater,
        _ if b.is_empty() => Ordering::Less,
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|| panic!("{text} is a version"))
    }

    #[test]
    fn versions_have_an_order() {
        for (less, more) in [
            ("1.0", "1.0.1"),
            ("1.0.0-alpha", "1.0.0"),
            ("1.0.0-2", "1.0.0-10"),
            ("1.0.0-10", "1.0.0-alpha"),
            ("1.9", "1.10"),
        ] {
            assert!(version(less) < version(more), "{less} {more}");
        }
        assert_eq!(version("1.0+a"), version("1.0.0"));
    }
}
