//! Properties of version constraints: their upper end, and whether one includes another.

use smol_str::SmolStr;

use super::{Bound, Condition, Constraints, Operator};

impl Constraints {
    /// The constraints as the engine applies them to providers, where `~> 2` means `~> 2.0`.
    #[must_use]
    pub fn for_provider(&self) -> Self {
        let conditions = self.conditions.iter().map(|condition| {
            let mut condition = condition.clone();
            if condition.floats() {
                condition.version.written = 2;
            }
            condition
        });
        Self { conditions: conditions.collect() }
    }

    /// Whether they exclude some newer version.
    pub fn has_upper_bound(&self) -> bool {
        self.range().upper.is_some()
    }

    /// The oldest version that they allow, with at least two numbers. Returns `None` if there is no lower end, or if
    /// it is a prerelease.
    pub fn oldest(&self) -> Option<SmolStr> {
        let Bound { version, inclusive } = self.range().lower?;
        let numbers = version.segments().iter().take(version.written().max(2));
        let numbers: Vec<String> = numbers.map(ToString::to_string).collect();
        (inclusive && !version.is_prerelease()).then(|| numbers.join(".").into())
    }

    /// Whether they allow a single version only.
    pub fn is_exact(&self) -> bool {
        self.conditions.iter().any(|condition| condition.operator == Operator::Equal)
    }

    /// Whether every version that meets them meets the others, too. If a prerelease is named, which no range
    /// describes, returns true only for equal constraints.
    pub fn is_within(&self, other: &Self) -> bool {
        let excluded = other.conditions.iter().flat_map(Condition::complement);
        let together = |condition| Self { conditions: [&self.conditions[..], &[condition]].concat() };
        self == other || !excluded.map(together).any(|both| both.can_be_met())
    }

    /// The constraints with these conditions.
    pub fn of(conditions: Vec<Condition>) -> Self {
        Self { conditions }
    }
}

impl Condition {
    /// Whether this is a `~>` with a single number, which allows all newer versions.
    pub fn floats(&self) -> bool {
        self.operator == Operator::Pessimistic && self.version.written() == 1
    }

    /// The opposite of this condition, as alternatives: a version meets one of them if and only if it does not meet this
    /// condition. Prereleases are ignored.
    fn complement(&self) -> Vec<Self> {
        let opposite = |operator| Self { operator, version: self.version.clone() };
        match self.operator {
            Operator::Equal => vec![opposite(Operator::Less), opposite(Operator::Greater)],
            Operator::NotEqual => vec![opposite(Operator::Equal)],
            Operator::Greater => vec![opposite(Operator::LessOrEqual)],
            Operator::GreaterOrEqual => vec![opposite(Operator::Less)],
            Operator::Less => vec![opposite(Operator::GreaterOrEqual)],
            Operator::LessOrEqual => vec![opposite(Operator::Greater)],
            Operator::Pessimistic => {
                let above = self.version.next_above();
                let above = above.map(|version| Self { operator: Operator::GreaterOrEqual, version });
                std::iter::once(opposite(Operator::Less)).chain(above).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Version;

    fn constraints(text: &str) -> Constraints {
        Constraints::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_single_number_is_a_ceiling_for_providers_alone() {
        for (text, engine, provider) in [
            ("~> 2", false, true),
            ("~> 2.0", true, true),
            (">= 2", false, false),
            (">= 2, < 4", true, true),
            ("= 2.1.0", true, true),
            ("!= 2.1.0", false, false),
        ] {
            assert_eq!(constraints(text).has_upper_bound(), engine, "{text}");
            assert_eq!(constraints(text).for_provider().has_upper_bound(), provider, "{text} of a provider");
        }
        assert!(constraints("2.1.0").is_exact());
        assert!(!constraints("~> 2.1.0").is_exact());
    }

    #[test]
    fn some_constraints_are_within_others() {
        for (inner, outer, within) in [
            ("5.1.0", "~> 5.0", true),
            ("~> 5.1", "~> 5.0", true),
            ("~> 5.0", "~> 5.1", false),
            (">= 5.0", "~> 5.0", false),
            ("~> 5.0", ">= 4.0", true),
            ("~> 6.0", "~> 5.0", false),
            (">= 5.0, < 6.0", "~> 5.0", true),
            ("< 6.0", ">= 5.0", false),
            (">= 5.0", ">= 5.0, != 5.2.0", false),
            (">= 5.3", ">= 5.0, != 5.2.0", true),
            ("!= 5.2.0", "!= 5.2.0", true),
            ("> 5.0", ">= 5.0", true),
            (">= 5.0", "> 5.0", false),
        ] {
            assert_eq!(constraints(inner).is_within(&constraints(outer)), within, "{inner} in {outer}");
        }
    }

    #[test]
    fn what_is_within_admits_nothing_else() {
        let versions = versions();
        let mut dice = Dice(11);
        let mut within = 0;
        for _ in 0..1500 {
            let [inner, outer] = [dice.constraints(), dice.constraints()];
            if inner.names_prerelease() || outer.names_prerelease() || !inner.can_be_met() {
                continue;
            }
            let only_inner = |version: &&Version| inner.matches(version) && !outer.matches(version);
            let other = versions.iter().find(only_inner);
            if inner.is_within(&outer) {
                within += 1;
                assert!(other.is_none(), "{inner:?} admits {other:?}, and {outer:?} does not");
            }
        }
        assert!(within > 100, "the dice roll constraints within others: {within}");
    }

    /// A pseudorandom sequence that is the same in every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        fn version(&mut self) -> String {
            let mut text = self.below(4).to_string();
            for _ in 0..self.below(3) {
                text += &format!(".{}", self.below(4));
            }
            if self.below(6) == 0 {
                text += if self.below(2) == 0 { "-beta1" } else { "-rc1" };
            }
            text
        }

        fn constraints(&mut self) -> Constraints {
            let operators = ["=", "!=", ">", ">=", "<", "<=", "~>", "~>"];
            let count = 1 + self.below(2);
            let pick = |dice: &mut Self| operators[usize::try_from(dice.below(8)).expect("a small number")];
            let text: Vec<String> =
                (0..count).map(|_| format!("{} {}", pick(self), self.version())).collect();
            constraints(&text.join(", "))
        }
    }

    /// Every version that the test can generate, and those between and beyond.
    fn versions() -> Vec<Version> {
        let mut versions = Vec::new();
        for (major, minor, patch) in
            (0..6).flat_map(|a| (0..6).flat_map(move |b| (0..6).map(move |c| (a, b, c))))
        {
            for end in ["", "-beta1", "-rc1"] {
                versions.extend(Version::parse(&format!("{major}.{minor}.{patch}{end}")));
            }
        }
        versions
    }

    #[test]
    fn constraints_that_a_version_meets_are_satisfiable() {
        let versions = versions();
        let mut dice = Dice(7);
        let mut unmet = 0;
        for _ in 0..1500 {
            let [a, b] = [dice.constraints(), dice.constraints()];
            let meet = versions.iter().find(|version| a.matches(version) && b.matches(version));
            let both = Constraints::of([a.conditions(), b.conditions()].concat());
            if !both.can_be_met() {
                unmet += 1;
                assert!(meet.is_none(), "{a:?} and {b:?} meet in {meet:?}");
            }
            if let Some(version) = meet {
                assert!(both.matches(version), "{both:?} and {version}");
            }
            assert_eq!(a.agree_with(&b), both.can_be_met());
            // `~>` with a prerelease allows only prereleases.
            if !both.has_upper_bound() && both.can_be_met() && !both.names_prerelease() {
                let newest = Version::parse("999.0.0").expect("a version");
                let kept_out = both.conditions().iter().filter(|condition| !condition.matches(&newest));
                assert_eq!(kept_out.count(), 0, "{both:?} has no upper bound");
            }
        }
        assert!(unmet > 300, "the dice roll constraints that clash: {unmet}");
    }
}
