//! Quotes paths for shells.

use std::path::Path;

use crate::report::one_line;

/// A path as a shell word on one line, which no command reads as an option.
pub(super) fn word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = one_line(&text);
    let text = if text.starts_with('-') { format!("./{text}") } else { text.into_owned() };
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:@%+,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_split_or_obey_is_quoted() {
        let quoted = |text: &str| word(Path::new(text));
        assert_eq!(quoted("live/a-b_1.x"), "live/a-b_1.x");
        assert_eq!(quoted("größe"), "größe");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $(x)"), r"'it'\''s $(x)'");
        assert_eq!(quoted("-rf"), "./-rf");
        assert_eq!(quoted("~"), "'~'");
    }
}
