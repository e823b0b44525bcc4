//! The letters of names.
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
