//! Turns patterns of paths into a question: is this path among them?

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns anchored at the top of the run: `*` stays within a folder, `**` goes across, and a bare folder means it and
/// all that is below.
#[derive(Debug, Clone, Default)]
pub struct Globs(GlobSet);

impl Globs {
    /// Reads the patterns; the first that cannot be read is told in one line.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            if let Some(why) = matches_nothing(pattern) {
                return Err(format!("`{pattern}` is no pattern of paths: {why}"));
            }
            let bare = pattern.trim_start_matches("./").trim_matches('/');
            // The top has no name, and all else is below it.
            let both = if bare == "." {
                [String::new(), "**".to_owned()]
            } else {
                [bare.to_owned(), format!("{bare}/**")]
            };
            for anchored in both {
                set.add(glob(&anchored, true, |why| format!("`{pattern}` is no pattern of paths: {why}"))?);
            }
        }
        set.build().map(Self).map_err(|error| error.to_string())
    }

    /// Reads patterns of source addresses: each means the whole address, `*` stays between two `/`, and `**` goes across.
    /// Nothing is added to what is written, for such a pattern may say what is safe.
    pub fn of_sources<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            set.add(glob(pattern, true, |why| format!("`{pattern}` is no pattern of sources: {why}"))?);
        }
        set.build().map(Self).map_err(|error| error.to_string())
    }

    /// Whether a path, from the top of the run with `/` between folders, is meant.
    pub fn has(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// Reads one pattern, whose `*` stays between two `/` if those are separators; `wrong` words why it cannot be read.
fn glob(pattern: &str, separates: bool, wrong: impl FnOnce(String) -> String) -> Result<Glob, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(separates).backslash_escape(true).build();
    glob.map_err(|error| wrong(error.kind().to_string()))
}

/// Why no path can ever fit a pattern, where that shows: who wrote it means something else by it.
fn matches_nothing(pattern: &str) -> Option<&'static str> {
    if pattern.is_empty() {
        return Some("it is empty; `.` stands for everything");
    }
    if pattern.starts_with('!') {
        return Some("a `!` turns nothing around here");
    }
    let is_step = |part: &str| part == "..";
    pattern.split('/').any(is_step).then_some("paths are written from the top, without `..`")
}

/// Patterns of texts that are no paths: `*` stands for anything, and a pattern means the whole text.
#[derive(Debug, Clone, Default)]
pub struct Patterns(GlobSet);

impl Patterns {
    /// Reads the patterns; the first that cannot be read is told in one line.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            set.add(glob(pattern, false, |why| format!("`{pattern}` is no pattern: {why}"))?);
        }
        set.build().map(Self).map_err(|error| error.to_string())
    }

    /// Whether a text is meant.
    pub fn has(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_anchored_and_a_folder_means_what_is_below() {
        let has = |pattern: &str, path: &str| Globs::new([pattern]).expect("a pattern").has(path);
        assert!(has("examples", "examples/a/main.tf"));
        assert!(has("./examples/", "examples"));
        assert!(!has("examples", "live/examples/main.tf"));
        assert!(!has("examples", "examples-2/main.tf"));
        assert!(has("lib/*/main.tf", "lib/a/main.tf"));
        assert!(!has("lib/*/main.tf", "lib/a/b/main.tf"));
        assert!(has("**/fixtures", "a/b/fixtures/main.tf"));
        assert!(has(".", "") && has("./.", "a/b.tf"));
        assert!(!Globs::default().has("main.tf"));
    }

    #[test]
    fn patterns_of_sources_mean_no_more_than_they_say() {
        let has = |pattern: &str, source: &str| Globs::of_sources([pattern]).expect("a pattern").has(source);
        assert!(has("git::https://git.example.com/**", "git::https://git.example.com/a/b.git?ref=v1"));
        assert!(has("hashicorp/*", "hashicorp/aws"));
        assert!(!has("*/*", "evil.example.net/x/y"));
        for pattern in ["*", "./*", "./**", "/**", "hashicorp"] {
            assert!(!has(pattern, "hashicorp/aws"), "{pattern}");
            assert!(!has(pattern, "git::https://evil.example.net/x.git"), "{pattern}");
        }
    }

    #[test]
    fn patterns_of_texts_mean_the_whole_text() {
        let has = |pattern: &str, text: &str| Patterns::new([pattern]).expect("a pattern").has(text);
        assert!(has("arn:aws:iam::*", "arn:aws:iam::1:role/a/b"));
        assert!(has("t?.{micro,small}", "t3.micro"));
        assert!(has("0.0.0.0/0", "0.0.0.0/0"));
        assert!(!has("public", "public/a") && !has("public", "a-public"));
        assert!(Patterns::new(["a["]).is_err());
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        let error = Globs::new(["a", "b[c"]).expect_err("no pattern");
        assert!(error.starts_with("`b[c` is no pattern of paths: "), "{error}");
        for pattern in ["", "!examples", "../net", "a/../b"] {
            Globs::new([pattern]).expect_err(pattern);
        }
    }
}
