//! Lists of patterns for paths, source addresses and values.

use globset::{Glob, GlobBuilder};
use regex::bytes::{Regex, RegexSet};

use crate::text::grouped;

/// The largest number of bytes of a pattern.
const LONGEST: usize = 1_000;

/// The number of bytes of patterns that one regular expression matches together.
const TOGETHER: usize = 4_000;

/// Patterns of paths or source addresses, in their order.
///
/// A pattern that starts with `!` excludes what earlier patterns match: the last pattern that matches decides.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    set: Set,
    /// For each glob of the set whether it excludes.
    negated: Vec<bool>,
    /// Directories that contain every path that matches.
    directories: Vec<String>,
}

/// An invalid pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPattern {
    /// Its index in the list.
    pub index: usize,
    /// The reason, as a clause that names the pattern.
    pub why: String,
}

impl Globs {
    /// Parses patterns of paths relative to the top of the repository. `*` matches within a directory, `**` across
    /// directories, and a plain directory matches everything below it.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidPattern> {
        let mut directories = Vec::new();
        let globs = Self::read(patterns, |pattern| {
            if let Some(why) = never_a_path(pattern) {
                return Err(why.to_owned());
            }
            let bare = pattern.trim_start_matches("./").trim_matches('/');
            directories.push(fixed_directory(bare));
            // `/` matches only the top directory, `.` everything.
            Ok(match bare {
                "." => vec![String::new(), "**".to_owned()],
                bare => vec![bare.to_owned(), format!("{bare}/**")],
            })
        })?;
        directories.sort_unstable();
        directories.dedup();
        Ok(Self { directories, ..globs })
    }

    /// Parses patterns of source addresses. Each matches a whole address: `*` matches between two `/`, and `**` across
    /// them. Such a pattern can decide what is trusted, so it never matches more than it says.
    pub fn of_sources<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidPattern> {
        Self::read(patterns, |pattern| match pattern {
            "" => Err("it is empty".to_owned()),
            pattern => Ok(vec![pattern.to_owned()]),
        })
    }

    fn read<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
        mut expand: impl FnMut(&str) -> Result<Vec<String>, String>,
    ) -> Result<Self, InvalidPattern> {
        let mut negated = Vec::new();
        let set = build(patterns, |index, pattern| {
            let plain = pattern.strip_prefix('!');
            if plain.is_some() && index == 0 {
                return Err(
                    "it excludes paths from earlier patterns, but this is the first pattern".to_owned()
                );
            }
            let globs = expand(plain.unwrap_or(pattern))?;
            negated.extend(globs.iter().map(|_| plain.is_some()));
            globs.iter().map(|glob| compile(glob, true)).collect()
        })?;
        Ok(Self { set, negated, directories: Vec::new() })
    }

    /// Directories that contain every path that matches.
    pub(super) fn directories(&self) -> &[String] {
        &self.directories
    }

    /// Whether a path, relative to the top of the repository with `/`, or an address matches.
    pub fn has(&self, path: &str) -> bool {
        self.matches(&[path], &[])
    }

    /// Whether one of several spellings of an address matches. Patterns with `!` also see `also`.
    pub fn matches<T: AsRef<str>>(&self, forms: &[T], also: &[T]) -> bool {
        if !self.negated.contains(&true) {
            return forms.iter().any(|form| self.set.is_match(form.as_ref()));
        }
        let of = |forms: &[T]| -> Vec<usize> {
            forms.iter().flat_map(|form| self.set.matching(form.as_ref())).collect()
        };
        let also = of(also).into_iter().filter(|index| self.negated[*index]);
        of(forms).into_iter().chain(also).max().is_some_and(|last| !self.negated[last])
    }
}

/// Globs. The memory of a `GlobSet` would grow with the square of their number.
#[derive(Debug, Clone, Default)]
struct Set {
    /// Globs that are matched together, with the index of the first one.
    parts: Vec<(usize, RegexSet)>,
    globs: usize,
}

impl Set {
    fn add(&mut self, globs: &[Glob]) -> Result<(), InvalidPattern> {
        let set = RegexSet::new(globs.iter().map(Glob::regex));
        let set = set.map_err(|error| InvalidPattern { index: 0, why: error.to_string() })?;
        self.parts.push((self.globs, set));
        self.globs += globs.len();
        Ok(())
    }

    fn is_match(&self, text: &str) -> bool {
        self.parts.iter().any(|(_, globs)| globs.is_match(text.as_bytes()))
    }

    /// The indexes of the globs that match.
    fn matching(&self, text: &str) -> impl Iterator<Item = usize> {
        let parts = self.parts.iter();
        parts.flat_map(move |(first, globs)| {
            globs.matches(text.as_bytes()).into_iter().map(move |at| first + at)
        })
    }
}

/// Builds a set from the globs of each pattern, which `globs` returns for its index and text.
fn build<'a>(
    patterns: impl IntoIterator<Item = &'a str>,
    mut globs: impl FnMut(usize, &str) -> Result<Vec<Glob>, String>,
) -> Result<Set, InvalidPattern> {
    let (mut set, mut next, mut bytes) = (Set::default(), Vec::new(), 0);
    for (index, pattern) in patterns.into_iter().enumerate() {
        let invalid = |why: &str| InvalidPattern { index, why: format!("`{pattern}` cannot be used: {why}") };
        if pattern.len() > LONGEST {
            let why = format!("it is longer than {} bytes", grouped(LONGEST as u64));
            return Err(InvalidPattern { index, why: format!("a pattern cannot be used: {why}") });
        }
        let globs = globs(index, pattern).map_err(|why| invalid(&why))?;
        // The crate nests braces deeper than a regular expression can.
        if pattern.contains('{') && globs.iter().any(|glob| Regex::new(glob.regex()).is_err()) {
            return Err(invalid("its braces are nested too deep"));
        }
        next.extend(globs);
        bytes += pattern.len();
        if bytes > TOGETHER {
            set.add(&next)?;
            (next, bytes) = (Vec::new(), 0);
        }
    }
    set.add(&next)?;
    Ok(set)
}

/// Compiles one pattern. `*` matches between two `/` if those are separators.
fn compile(pattern: &str, separates: bool) -> Result<Glob, String> {
    let pattern = if separates { crossing(pattern) } else { pattern.to_owned() };
    let glob = GlobBuilder::new(&pattern).literal_separator(separates).backslash_escape(true).build();
    glob.map_err(|error| match error.kind() {
        globset::ErrorKind::UnclosedClass => "the bracket `[` is not closed".to_owned(),
        kind => kind.to_string(),
    })
}

/// The same pattern with a `**` that also crosses `/` next to other characters. The crate would read `git::**` as
/// `git::*`.
fn crossing(pattern: &str) -> String {
    let mut crossing = String::new();
    for (index, part) in pattern.split("**").enumerate() {
        if index > 0 {
            let is_step = (crossing.is_empty() || crossing.ends_with(['/', '{', ',']))
                && (part.is_empty() || part.starts_with(['/', '}', ',']));
            crossing.push_str(if is_step { "**" } else { "{*,*/**/*}" });
        }
        crossing.push_str(part);
    }
    crossing
}

/// The components of a pattern before the first one with a special character.
fn fixed_directory(pattern: &str) -> String {
    let is_plain = |step: &&str| *step != "." && !step.contains(['*', '?', '[', '{', '\\']);
    pattern.split('/').take_while(is_plain).collect::<Vec<_>>().join("/")
}

/// The reason why no path can match a pattern, if that is certain.
fn never_a_path(pattern: &str) -> Option<&'static str> {
    let inner = pattern.trim_start_matches("./").trim_matches('/');
    let mut after_backslashes = pattern.split('\\').skip(1);
    if pattern.is_empty() {
        Some("it is empty; `**` matches everything")
    } else if pattern.starts_with('!') {
        Some("write `!` once, before the pattern")
    } else if pattern.split('/').any(|step| step == "..") {
        Some("patterns start at the root of the repository and cannot contain `..`")
    } else if inner != "." && inner.split('/').any(|step| step == ".") || inner.contains("//") {
        Some("a path component cannot be empty or `.`")
    } else if after_backslashes.any(|rest| rest.starts_with(char::is_alphanumeric)) {
        Some("directories are separated by `/`, not by a backslash")
    } else {
        None
    }
}

/// Patterns of values. `*` matches any text, and a pattern matches the whole value.
#[derive(Debug, Clone, Default)]
pub struct Patterns(Set);

impl Patterns {
    /// Parses the patterns. Such a list has no `!`.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidPattern> {
        let set = build(patterns, |_, pattern| {
            if pattern.starts_with('!') {
                let why =
                    "`!` is not supported in a list of values; write `\\\\!` for a value that starts with it";
                return Err(why.to_owned());
            }
            Ok(vec![compile(pattern, false)?])
        });
        set.map(Self)
    }

    /// Whether a value matches.
    pub fn has(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_found_among_many() {
        let many: Vec<String> = (0..3_000).map(|number| format!("lib/*-{number}")).collect();
        let globs = Globs::new(many.iter().map(String::as_str).chain(["!lib/a-2999/old"])).expect("patterns");
        assert!(globs.has("lib/a-0") && globs.has("lib/b-2999/main.tf") && !globs.has("lib/a-3000"));
        assert!(!globs.has("lib/a-2999/old/main.tf"));
        let error = Patterns::new([&*"{a,".repeat(400)]).expect_err("a long pattern");
        assert_eq!(error.why, "a pattern cannot be used: it is longer than 1,000 bytes");
        Patterns::new([&*"{a,".repeat(300)]).expect_err("an unclosed pattern");
        let nested = "{a,".repeat(60) + "b" + &"}".repeat(60);
        assert!(Patterns::new([&*nested]).is_ok_and(|nested| nested.has("b")));
        let nested = "{a,".repeat(200) + "b" + &"}".repeat(200);
        let error = Patterns::new(["b", &nested, "c"]).expect_err("a nested pattern");
        assert_eq!(error.index, 1);
        assert!(error.why.ends_with("cannot be used: its braces are nested too deep"), "{}", error.why);
    }

    #[test]
    fn patterns_are_anchored_and_a_directory_means_what_is_below() {
        let has = |pattern: &str, path: &str| Globs::new([pattern]).expect("a pattern").has(path);
        assert!(has("examples", "examples/a/main.tf"));
        assert!(has("./examples/", "examples"));
        assert!(!has("examples", "live/examples/main.tf"));
        assert!(!has("examples", "examples-2/main.tf"));
        assert!(has("lib/*/main.tf", "lib/a/main.tf"));
        assert!(!has("lib/*/main.tf", "lib/a/b/main.tf"));
        assert!(has("**/fixtures", "a/b/fixtures/main.tf"));
        assert!(
            has(".", "") && has("./.", "a/b.tf") && has("/", "") && !has("/", "a.tf") && has("**", "a/b.tf")
        );
        assert!(!Globs::default().has("main.tf"));
    }

    #[test]
    fn the_last_pattern_that_matches_decides() {
        let globs = Globs::new(["live", "!live/*/old", "live/eu/old/kept"]).expect("patterns");
        for (path, expected) in [
            ("live/main.tf", true),
            ("live/eu/old", false),
            ("live/eu/old/main.tf", false),
            ("live/eu/old/kept/main.tf", true),
            ("other/main.tf", false),
        ] {
            assert_eq!(globs.has(path), expected, "{path}");
        }
    }

    #[test]
    fn a_taken_back_source_is_found_in_every_form() {
        let globs = Globs::of_sources(["git::**", "!bad.example.com/**"]).expect("patterns");
        assert!(globs.matches(&["git::https://good.example.com/x"], &["good.example.com/x"]));
        assert!(!globs.matches(&["git::https://me@bad.example.com/x"], &["bad.example.com/x"]));
        let globs = Globs::of_sources(["bad.example.com/**"]).expect("patterns");
        assert!(!globs.matches(&["git::https://me@bad.example.com/x"], &["bad.example.com/x"]));
    }

    #[test]
    fn patterns_of_sources_mean_no_more_than_they_say() {
        let has = |pattern: &str, source: &str| Globs::of_sources([pattern]).expect("a pattern").has(source);
        assert!(has("git::https://git.example.com/**", "git::https://git.example.com/a/b.git?ref=v1"));
        assert!(has("hashicorp/*", "hashicorp/aws"));
        assert!(has("git::**", "git::https://git.example.com/a") && has("git::**", "git::a"));
        assert!(has("git::**", "git::ssh://x") && !has("git::**", "s3::https://git::x/y"));
        assert!(has("git::**.git", "git::ssh://x/y.git") && !has("git::**.git", "git::ssh://x/y"));
        assert!(!has("git::*", "git::https://git.example.com/a"));
        assert!(!has("*/*", "evil.example.net/x/y"));
        for pattern in ["*", "./*", "./**", "/**", "hashicorp"] {
            assert!(!has(pattern, "hashicorp/aws"), "{pattern}");
            assert!(!has(pattern, "git::https://evil.example.net/x.git"), "{pattern}");
        }
    }

    #[test]
    fn patterns_of_values_mean_the_whole_value() {
        let has = |pattern: &str, text: &str| Patterns::new([pattern]).expect("a pattern").has(text);
        assert!(has("arn:aws:iam::*", "arn:aws:iam::1:role/a/b"));
        assert!(has("t?.{micro,small}", "t3.micro"));
        assert!(has("0.0.0.0/0", "0.0.0.0/0"));
        assert!(has("\\!x", "!x"));
        assert!(!has("public", "public/a") && !has("public", "a-public"));
        assert!(Patterns::new(["a["]).is_err() && Patterns::new(["!a"]).is_err());
    }

    #[test]
    fn a_pattern_that_no_path_can_match_is_refused() {
        let error = Globs::new(["a", "b[c"]).expect_err("no pattern");
        assert_eq!(error.index, 1);
        assert!(error.why.starts_with("`b[c` cannot be used: "), "{}", error.why);
        for pattern in ["", "!examples", "../net", "a/../b", "a//b", "a/./b", "modules\\net"] {
            Globs::new([pattern]).expect_err(pattern);
        }
        for pattern in ["!!a", "!", "!../a"] {
            Globs::new(["a", pattern]).expect_err(pattern);
        }
    }
}
