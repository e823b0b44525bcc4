//! Engines as people write them: `terraform@1.11`, `both`.

use std::fmt;

use super::version::numbers;
use super::{Engine, Product};

/// The engines that an option or a policy names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice(Vec<Engine>);

impl Choice {
    /// Parses `terraform`, `terraform@1.11`, `opentofu@1.12.6` or `both`.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        let (word, version) = match text.split_once('@') {
            Some((word, version)) => (word, Some(version)),
            None => (text, None),
        };
        let product = Product::ALL.into_iter().find(|product| product.word() == word);
        match (product, version) {
            (Some(product), None) => Ok(Self(vec![Engine::newest(product)])),
            (Some(product), Some(version)) => {
                Ok(Self(vec![pinned(product, version).ok_or_else(|| no_such_version(product, version))?]))
            }
            (None, None) if word == "both" => Ok(Self(Product::ALL.map(Engine::newest).to_vec())),
            (None, Some(_)) if word == "both" => Err(ChoiceError {
                what: format!("`{text}` sets one version for two programs"),
                help: "name one, as in `terraform@1.11`".to_owned(),
            }),
            (None, _) => Err(no_such_engine(word)),
        }
    }

    /// The engines, Terraform first.
    pub fn engines(&self) -> &[Engine] {
        &self.0
    }
}

impl std::str::FromStr for Choice {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        Self::parse(text)
    }
}

/// The error for a text that names no engine: one line, with the nearest valid word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceError {
    /// The error, as a sentence without a full stop.
    pub what: String,
    /// A valid text.
    pub help: String,
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It continues a line.
        let what = self.what.replacen("No engine", "no engine", 1);
        write!(f, "{what}; {}", self.help)
    }
}

impl std::error::Error for ChoiceError {}

/// Finds the version for a full or partial version number. A full version is used as it is, even if it is newer than
/// this program. For a partial one, it is the newest known release that starts with it. Versions before the current
/// language are refused.
fn pinned(product: Product, text: &str) -> Option<Engine> {
    let version = match super::Version::parse(text) {
        Some(version) => version,
        None => product.newest_within(&numbers(text)?)?,
    };
    (version >= product.oldest_release()).then_some(Engine { product, version, pinned: true })
}

fn no_such_version(product: Product, text: &str) -> ChoiceError {
    let name = product.name();
    let what = match numbers(text) {
        Some(_) => format!("overrule does not support {name} `{text}`"),
        None => format!("`{text}` is not a version of {name}"),
    };
    let newest = product.newest_release();
    let (oldest, word) = (product.oldest_modelled(), product.word());
    let first = product.oldest_release();
    let older =
        if first < oldest { format!(", and {first} and later count as {oldest}") } else { String::new() };
    let help = format!(
        "supported versions are {oldest} to {newest}{older}: write `{word}@{}.{}` or `{word}@{newest}`",
        newest.major, newest.minor
    );
    ChoiceError { what, help }
}

fn no_such_engine(word: &str) -> ChoiceError {
    const WORDS: [(&str, &str); 7] = [
        ("terraform", "terraform"),
        ("opentofu", "opentofu"),
        ("both", "both"),
        ("tofu", "opentofu"),
        ("tf", "terraform"),
        ("all", "both"),
        ("any", "both"),
    ];
    let lower = word.to_lowercase();
    let nearest = WORDS
        .into_iter()
        .map(|(written, meant)| (strsim::normalized_damerau_levenshtein(&lower, written), meant))
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .filter(|(likeness, _)| *likeness >= 0.5);
    let help = match nearest {
        Some((_, meant)) => format!("did you mean `{meant}`?"),
        None => "there are `terraform`, `opentofu` and `both`".to_owned(),
    };
    ChoiceError { what: format!("No engine is named `{word}`"), help }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        match Choice::parse(text) {
            Ok(choice) => choice.engines().iter().map(|engine| engine.word()).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_word_alone_is_the_newest_release() {
        assert_eq!(words("terraform"), "terraform@1.15.9");
        assert_eq!(words("both"), "terraform@1.15.9 opentofu@1.12.6");
    }

    #[test]
    fn a_short_version_is_the_newest_release_within_it() {
        assert_eq!(words("terraform@1.11"), "terraform@1.11.4");
        assert_eq!(words("opentofu@1"), "opentofu@1.12.6");
    }

    #[test]
    fn a_full_version_is_taken_as_given() {
        assert_eq!(words("terraform@1.99.3"), "terraform@1.99.3");
    }

    #[test]
    fn only_a_given_version_is_pinned() {
        let pinned = |text| Choice::parse(text).unwrap().engines()[0].pinned;
        assert!(pinned("terraform@1.11") && !pinned("terraform"));
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_right_one() {
        assert_eq!(words("teraform"), "no engine is named `teraform`; did you mean `terraform`?");
        assert_eq!(words("tofu@1.9"), "no engine is named `tofu`; did you mean `opentofu`?");
        assert_eq!(
            words("pulumi"),
            "no engine is named `pulumi`; there are `terraform`, `opentofu` and `both`"
        );
    }

    #[test]
    fn a_wrong_version_is_answered_with_right_ones() {
        assert_eq!(
            words("opentofu@1.5"),
            "overrule does not support OpenTofu `1.5`; supported versions are 1.6.0 to 1.12.6: \
             write `opentofu@1.12` or `opentofu@1.12.6`"
        );
        assert!(words("terraform@latest").starts_with("`latest` is not a version of Terraform; "));
        assert!(words("terraform@0.11.14").starts_with("overrule does not support Terraform `0.11.14`"));
        assert!(words("both@1.11").starts_with("`both@1.11` sets one version for two programs"));
    }
}
