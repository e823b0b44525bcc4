//! Tells text that terminals and the agents of a CI show from text that they obey.

/// Whether a terminal does something at this character other than to show it: controls of C0 and C1, and those that
/// turn the direction of writing round. Line feeds and tabs are shown.
pub fn is_obeyed(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// Offsets of the second `#` of all that the agents of a CI obey wherever in a line it stands: `##[…]` (GitHub Actions,
/// Azure Pipelines), `##vso[…]` (Azure Pipelines), `##teamcity[…]` (`TeamCity`). Ascending.
pub fn commands(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.match_indices('[').filter_map(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        before.ends_with("##").then(|| before.len() - 1)
    })
}
