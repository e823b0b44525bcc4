//! Finds characters that terminals interpret or hide, and commands that CI agents obey.

use super::file_name::raw_byte;

/// Whether a terminal does not simply show a character: C0 and C1 controls except line feeds and tabs, controls of the
/// writing direction, invisible characters (`Default_Ignorable_Code_Point` of Unicode, without the variation selectors
/// that emoji need), and the characters that stand for a byte in a file name.
pub fn is_obeyed(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control() || raw_byte(c).is_some(),
    }
}

/// Offsets of the second `#` of each command that CI agents obey anywhere in a line: `##[…]` (GitHub Actions, Azure
/// Pipelines), `##vso[…]` (Azure Pipelines), `##teamcity[…]` (`TeamCity`). Ascending.
pub fn commands(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.match_indices('[').filter_map(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        before.ends_with("##").then(|| before.len() - 1)
    })
}
