//! The letters of names, and identifiers.
//!
//! Names have the letters of `ID_Start` and `ID_Continue` in Unicode. `unicode_ident` knows `XID_Start` and
//! `XID_Continue`, which lack the few letters whose normal form is not a name. Unicode never changes these.

/// Whether a letter, besides `_`, can start a name.
pub fn starts_name(letter: char) -> bool {
    unicode_ident::is_xid_start(letter)
        || is_only_without_normal_form(letter)
        || matches!(letter, '\u{e33}' | '\u{eb3}' | '\u{ff9e}' | '\u{ff9f}')
}

/// Whether a letter or digit, besides `-`, can be in a name.
pub fn continues_name(letter: char) -> bool {
    unicode_ident::is_xid_continue(letter) || is_only_without_normal_form(letter)
}

#[rustfmt::skip]
fn is_only_without_normal_form(letter: char) -> bool {
    matches!(
        letter,
        '\u{37a}' | '\u{309b}' | '\u{309c}' | '\u{fc5e}'..='\u{fc63}' | '\u{fdfa}' | '\u{fdfb}' | '\u{fe70}'
            | '\u{fe72}' | '\u{fe74}' | '\u{fe76}' | '\u{fe78}' | '\u{fe7a}' | '\u{fe7c}' | '\u{fe7e}'
    )
}

/// Whether a text is an identifier: a letter or `_`, then letters, digits, `_` and `-`.
pub fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first == '_' || starts_name(first))
        && letters.all(|letter| letter == '-' || continues_name(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_starts_with_a_letter() {
        for name in ["a", "_", "a-b", "a--", "_1", "größe", "変数", "e\u{301}", "\u{37a}b"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "1", "-a", "a b", "a.b", "a/b", "\u{301}e", "a\n", "a$", "\u{feff}a"] {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
