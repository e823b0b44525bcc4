//! Validates identifiers.

use crate::text::{continues_name, starts_name};

/// Whether `name` is an identifier: a letter or `_`, then letters, digits, `_` and `-`, with the Unicode definition
/// of letters.
pub fn valid_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first == '_' || starts_name(first))
        && letters.all(|letter| letter == '-' || continues_name(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_starts_with_a_letter() {
        for name in ["a", "_", "a-b", "a--", "_1", "größe", "変数", "e\u{301}", "\u{37a}b"] {
            assert!(valid_identifier(name), "{name}");
        }
        for name in ["", "1", "-a", "a b", "a.b", "a/b", "\u{301}e", "a\n", "a$", "\u{feff}a"] {
            assert!(!valid_identifier(name), "{name}");
        }
    }
}
