//! Suggests override names for files.

use crate::engine::stem_and_extension;
use crate::text::similar;

/// The name that makes the file an override file, if a word in its name resembles `override`.
pub(super) fn right_name(name: &str) -> Option<String> {
    let (stem, extension) = stem_and_extension(name).filter(|(stem, _)| stem.contains(['v', 'V']))?;
    let words: Vec<&str> = stem.split(['-', '_', '.', ' ']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().rposition(|word| resembles_override(word).is_some())?;
    let rest = resembles_override(words[at]).filter(|rest| !rest.is_empty());
    let others = words[..at].iter().copied().chain(rest).chain(words[at + 1..].iter().copied());
    let stem: Vec<&str> = others.chain(["override"]).collect();
    Some(format!("{}{extension}", stem.join("_")))
}

/// The rest of a word that was meant as `override`: with another case or number, misspelled, with digits after it, or
/// with another word before it.
fn resembles_override(word: &str) -> Option<&str> {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[bare.len()..];
    let lower = bare.to_ascii_lowercase();
    let is_near = |word: &str| word.starts_with("ov") && similar(word, ["override"]).is_some();
    if is_near(lower.strip_suffix('s').unwrap_or(&lower)) {
        return Some(digits);
    }
    let before = ["override", "overrides"].iter().find_map(|end| lower.strip_suffix(end))?;
    bare.get(..before.len()).filter(|_| digits.is_empty())
}

#[cfg(test)]
mod tests {
    use super::right_name;

    #[test]
    fn names_that_resemble_those_of_override_files() {
        for (name, right) in [
            ("m-override.tf", "m_override.tf"),
            ("overrides.tf.json", "override.tf.json"),
            ("Override.tf", "override.tf"),
            ("devoverride.tf", "dev_override.tf"),
            ("x.override.tf", "x_override.tf"),
            ("dev.overrides.tf", "dev_override.tf"),
            ("overide.tf", "override.tf"),
            ("my_overwride.tofu", "my_override.tofu"),
            ("override2.tf", "2_override.tf"),
            ("override_dev.tf", "dev_override.tf"),
            ("a_override_b.tf", "a_b_override.tf"),
        ] {
            assert_eq!(right_name(name).as_deref(), Some(right), "{name}");
        }
        for name in ["main.tf", "overview.tf", "oven.tf", "overrider_x.txt", "cover.tf", "override.json"] {
            assert_eq!(right_name(name), None, "{name}");
        }
    }
}
