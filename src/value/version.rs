//! Turns texts into versions and version constraints, and says which satisfy which.

use std::cmp::Ordering;
use std::fmt;

use smol_str::SmolStr;

/// A version such as `1.2.3-beta1`.
#[derive(Debug, Clone)]
pub struct Version {
    /// The numbers; at least three, filled up with zeros.
    segments: Vec<i64>,
    /// How many numbers are written.
    written: usize,
    prerelease: SmolStr,
    metadata: SmolStr,
}

/// A list of conditions that a version must all meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    conditions: Vec<Condition>,
}

/// One condition, such as `>= 1.2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// How a version is compared.
    pub operator: Operator,
    /// With what.
    pub version: Version,
}

/// How a version is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    /// `~>`: only the last number written may be greater.
    Pessimistic,
}

impl Constraints {
    /// Reads constraints as the engines read those of themselves and of modules; the error says which part is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let conditions = text.split(',').map(|part| {
            condition(part)
                .ok_or_else(|| format!("{:?} is not a version constraint", part.trim_matches(blank)))
        });
        Ok(Self { conditions: conditions.collect::<Result<_, _>>()? })
    }

    /// The conditions, in the order they are written in.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether `version` meets all of them.
    pub fn matches(&self, version: &Version) -> bool {
        self.conditions.iter().all(|condition| condition.matches(version))
    }

    /// Whether a condition names a prerelease.
    pub fn names_prerelease(&self) -> bool {
        self.conditions.iter().any(|condition| condition.version.is_prerelease())
    }
}

impl Condition {
    /// Whether `version` meets it.
    pub fn matches(&self, version: &Version) -> bool {
        let own = &self.version;
        let order = version.cmp(own);
        match self.operator {
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::Greater => self.admits_prerelease(version) && order == Ordering::Greater,
            Operator::GreaterOrEqual => self.admits_prerelease(version) && order != Ordering::Less,
            Operator::Less => self.admits_prerelease(version) && order == Ordering::Less,
            Operator::LessOrEqual => self.admits_prerelease(version) && order != Ordering::Greater,
            Operator::Pessimistic => {
                let length = own.segments.len();
                self.admits_prerelease(version)
                    && (own.is_prerelease() <= version.is_prerelease())
                    && order != Ordering::Less
                    && length <= version.segments.len()
                    && own.segments[..own.written - 1] == version.segments[..own.written - 1]
                    && own.segments[length - 1] <= version.segments[length - 1]
            }
        }
    }

    /// A prerelease meets only conditions that name one of the same numbers.
    fn admits_prerelease(&self, version: &Version) -> bool {
        !version.is_prerelease()
            || self.version.is_prerelease()
                && compare_segments(&self.version.segments, &version.segments) == Ordering::Equal
    }
}

impl Version {
    /// Reads a version: numbers with points between, perhaps a `v` before, perhaps a prerelease and metadata behind.
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

    /// Whether something like `-beta1` stands behind the numbers.
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

/// Metadata does not count.
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

fn condition(text: &str) -> Option<Condition> {
    let text = text.trim_matches(blank);
    let operators = [
        ("!=", Operator::NotEqual),
        (">=", Operator::GreaterOrEqual),
        ("<=", Operator::LessOrEqual),
        ("~>", Operator::Pessimistic),
        ("=", Operator::Equal),
        (">", Operator::Greater),
        ("<", Operator::Less),
    ];
    let (operator, rest) = operators
        .into_iter()
        .find_map(|(sign, operator)| Some((operator, text.strip_prefix(sign)?)))
        .unwrap_or((Operator::Equal, text));
    Some(Condition { operator, version: Version::parse(rest.trim_start_matches(blank))? })
}

fn blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Where the numbers with their points end.
fn numbers_end(text: &str) -> usize {
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

/// Whether what stands behind the numbers can stand there: nothing, or a prerelease.
fn is_prerelease(text: &str) -> bool {
    let Some(first) = text.bytes().next() else { return true };
    (first == b'-' || first == b'~' || first.is_ascii_alphabetic()) && dotted(text)
}

/// Whether these are words with points between.
fn dotted(text: &str) -> bool {
    text.split('.').all(|part| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'~')
    })
}

/// Compares number by number; what is missing is zero.
fn compare_segments(a: &[i64], b: &[i64]) -> Ordering {
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

/// A number comes before a word; nothing comes before a number and, of all things, after a word.
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
    use super::{Constraints, Version};

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|| panic!("{text} is a version"))
    }

    #[test]
    fn what_is_a_constraint() {
        for text in
            ["1", "v1.0", ">= 1.2, < 2", "~>1.0.1-beta1", " = 1.2.3.4.5 ", "!= 1.0+meta", "1.0beta", "1-1"]
        {
            assert!(Constraints::parse(text).is_ok(), "{text}");
        }
        for text in
            ["", ">= 1,", "1.x", "=> 1", ">1 <2", "latest", "1..2", "99999999999999999999", "1.0+", "> v"]
        {
            assert!(Constraints::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn which_versions_match() {
        for (constraint, matching, others) in [
            (">= 1.2", ["1.2.0", "3.0"], ["1.1.9", "1.3.0-beta1"]),
            ("~> 1.2", ["1.2.0", "1.9.9"], ["2.0.0", "1.1.0"]),
            ("~> 1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.2.2"]),
            ("~> 1", ["1.0.0", "2.5.0"], ["0.9.0", "2.0.0-rc1"]),
            ("!= 1.2, < 2", ["1.2.1", "1.1"], ["1.2.0", "2.0.0"]),
            ("1.0.0-rc1", ["1.0.0-rc1", "1-rc1"], ["1.0.0", "1.0.0-rc2"]),
            (">= 1.0.0-rc1", ["1.0.0-rc2", "1.0.0"], ["1.0.0-beta9", "1.1.0-rc1"]),
        ] {
            let constraints = Constraints::parse(constraint).unwrap();
            for text in matching {
                assert!(constraints.matches(&version(text)), "{text} for {constraint}");
            }
            for text in others {
                assert!(!constraints.matches(&version(text)), "{text} for {constraint}");
            }
        }
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
