//! Parses version constraints and matches versions against them.

use std::cmp::Ordering;

use super::version::{Version, compare_segments, numbers_end};

mod ceiling;

/// A list of conditions, all of which a version must meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    pub(super) conditions: Vec<Condition>,
}

/// One condition, such as `>= 1.2`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition {
    /// The operator.
    pub operator: Operator,
    /// The version to compare with.
    pub version: Version,
}

/// The operator of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    /// `~>`: only the last written number may increase.
    Pessimistic,
}

/// A range of versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Range {
    /// The lower end, if there is one.
    pub lower: Option<Bound>,
    /// The upper end, if there is one.
    pub upper: Option<Bound>,
}

/// One end of a [`Range`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The version at this end.
    pub version: Version,
    /// Whether that version is in the range.
    pub inclusive: bool,
}

impl Constraints {
    /// Parses constraints on an engine or a module. The error names the invalid part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let conditions = text.split(',').map(|part| {
            condition(part).ok_or_else(|| match part.trim_matches(blank) {
                "" if text.contains(',') => format!("A condition is missing beside a comma in {text:?}"),
                "" => "The version constraint is empty".to_owned(),
                part => format!("{part:?} is not a version constraint"),
            })
        });
        Ok(Self { conditions: conditions.collect::<Result<_, _>>()? })
    }

    /// The help for a text that [`Constraints::parse`] refuses.
    pub fn help(text: &str) -> String {
        let reversed = [("=>", ">="), ("=<", "<="), ("=~", "~>"), ("~=", "~>"), ("==", "=")];
        let corrected = reversed.iter().map(|(wrong, right)| text.replace(wrong, right));
        match corrected.into_iter().find(|corrected| Self::parse(corrected).is_ok()) {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => "write comma-separated conditions, as in \">= 1.2, < 2.0\"".to_owned(),
        }
    }

    /// Parses constraints on a provider. The engine parses these a second time, with stricter rules. The error names
    /// the part that either of them refuses.
    pub fn parse_for_provider(text: &str) -> Result<Self, String> {
        let constraints = Self::parse(text)?;
        text.split(',').try_for_each(strict)?;
        Ok(constraints)
    }

    /// The conditions, in source order.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether `version` meets all conditions.
    pub fn matches(&self, version: &Version) -> bool {
        self.conditions.iter().all(|condition| condition.matches(version))
    }

    /// Whether a version can meet these and the other constraints.
    pub fn agree_with(&self, other: &Self) -> bool {
        let conditions = self.conditions.iter().chain(&other.conditions);
        Self { conditions: conditions.cloned().collect() }.can_be_met()
    }

    /// Whether a version can meet all conditions.
    pub fn can_be_met(&self) -> bool {
        if let Some(only) = self.conditions.iter().find(|condition| condition.operator == Operator::Equal) {
            return self.matches(&only.version);
        }
        let Range { lower, upper } = self.range();
        let (Some(lower), Some(upper)) = (lower, upper) else { return true };
        match lower.version.cmp(&upper.version) {
            Ordering::Less => true,
            Ordering::Equal => lower.inclusive && upper.inclusive && self.matches(&lower.version),
            Ordering::Greater => false,
        }
    }

    /// The range of the versions that meet all conditions.
    pub fn range(&self) -> Range {
        let mut range = Range::default();
        for condition in &self.conditions {
            let (lower, upper) = condition.bounds();
            // Of two equal ends, the exclusive one is narrower.
            range.lower = narrower(range.lower, lower, Ordering::Greater);
            range.upper = narrower(range.upper, upper, Ordering::Less);
        }
        range
    }

    /// Whether a condition names a prerelease.
    pub fn names_prerelease(&self) -> bool {
        self.conditions.iter().any(|condition| condition.version.is_prerelease())
    }
}

impl Condition {
    /// Whether `version` meets the condition.
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

    /// The lowest and the highest version that meet the condition.
    fn bounds(&self) -> (Option<Bound>, Option<Bound>) {
        let bound = |inclusive| Some(Bound { version: self.version.clone(), inclusive });
        match self.operator {
            Operator::Equal => (bound(true), bound(true)),
            Operator::NotEqual => (None, None),
            Operator::Greater => (bound(false), None),
            Operator::GreaterOrEqual => (bound(true), None),
            Operator::Less => (None, bound(false)),
            Operator::LessOrEqual => (None, bound(true)),
            Operator::Pessimistic => {
                let next = self.version.next_above();
                (bound(true), next.map(|version| Bound { version, inclusive: false }))
            }
        }
    }

    /// A prerelease meets only conditions that name a prerelease of the same version.
    fn admits_prerelease(&self, version: &Version) -> bool {
        !version.is_prerelease()
            || self.version.is_prerelease()
                && compare_segments(&self.version.segments, &version.segments) == Ordering::Equal
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

fn narrower(own: Option<Bound>, other: Option<Bound>, wanted: Ordering) -> Option<Bound> {
    match (own, other) {
        (Some(own), Some(other)) => {
            let order = other.version.cmp(&own.version);
            Some(if order == wanted || order.is_eq() && !other.inclusive { other } else { own })
        }
        (own, other) => own.or(other),
    }
}

/// The additional requirements of the second parser for provider constraints.
fn strict(part: &str) -> Result<(), String> {
    let part = part.trim_matches(blank);
    let bare = part.trim_start_matches(['=', '!', '<', '>', '~']);
    let version = bare.trim_start_matches(blank);
    let between = &bare[..bare.len() - version.len()];
    if version.starts_with('v') {
        return Err("a provider version cannot start with \"v\"".to_owned());
    }
    if !matches!(between, "" | " ") {
        return Err(format!("at most one space is allowed between the operator and the version of {part:?}"));
    }
    let numbers = numbers_end(version);
    if version[..numbers].split('.').count() > 3 {
        return Err(format!("{version:?} has more than three numbers"));
    }
    let behind = &version[numbers..];
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    if !behind.is_empty() && (!behind.starts_with(['-', '+']) || !behind.chars().all(known)) {
        return Err(format!("{behind:?} is not allowed after the numbers of {version:?}"));
    }
    Ok(())
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
    fn constraints_on_providers_are_read_more_strictly() {
        for text in ["1", "~> 1.2.3-beta1", ">=1.0 , < 2", "1.0.0+meta"] {
            assert!(Constraints::parse_for_provider(text).is_ok(), "{text}");
        }
        for text in ["v1.0", ">= v1", "1.2.3.4", "1.0-a~b", ">=  1.0", "1.0beta", ""] {
            assert!(Constraints::parse_for_provider(text).is_err(), "{text}");
        }
    }

    #[test]
    fn which_constraints_agree() {
        for (a, b, agree) in [
            (">= 1.2", "< 1.2", false),
            (">= 1.2", "<= 1.2", true),
            ("~> 1.2", "~> 1.2.7", true),
            ("~> 1.2.0", ">= 1.3", false),
            ("~> 3.0", ">= 4.0, < 6.0", false),
            ("1.5.0", "~> 1.2", true),
            ("1.5.0", "1.5.1", false),
            ("!= 1.5.0", "1.5.0", false),
            ("<= 1.0, != 1.0", ">= 1.0", false),
            (">= 5", "!= 5.1", true),
            (">= 1.0", "1.1.0-rc1", false),
        ] {
            let (a, b) = (Constraints::parse(a).unwrap(), Constraints::parse(b).unwrap());
            assert_eq!(a.agree_with(&b), agree, "{a:?} {b:?}");
            assert_eq!(b.agree_with(&a), agree, "{b:?} {a:?}");
        }
    }

    #[test]
    fn the_last_number_of_a_pessimistic_constraint_has_no_bound() {
        for (text, upper) in [("~> 1.2.3", Some("1.3")), ("~> 1.2", Some("2")), ("~> 1", None)] {
            let upper = upper.map(version);
            let range = Constraints::parse(text).unwrap().range();
            assert_eq!(range.upper.map(|bound| bound.version), upper, "{text}");
            assert!(range.lower.is_some_and(|bound| bound.inclusive), "{text}");
        }
    }
}
