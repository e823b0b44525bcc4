//! Turns text that strangers wrote into text that a terminal only shows.

use std::borrow::Cow;

/// The text with a stand-in for every character that a terminal would obey, or that turns the direction of writing
/// round; line breaks and tabs stay. Lengths in bytes do not change, so that spans stay true.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_a_line = c == '\r' && rest.peek() == Some(&'\n');
        shown.push(if is_obeyed(c) && !ends_a_line { stand_in(c) } else { c });
    }
    Cow::Owned(shown)
}

/// The same on one line.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if shown.contains(['\n', '\t']) {
        return Cow::Owned(shown.replace("\r\n", " ").replace(['\n', '\t'], " "));
    }
    shown
}

/// Controls of C0 and C1, and those that write from right to left.
pub(super) fn is_obeyed(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

fn stand_in(c: char) -> char {
    match c.len_utf8() {
        1 => '?',
        2 => '\u{bf}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_replaced_in_the_same_length() {
        let hostile = "a\u{1b}[31m\u{9b}0m\u{202e}b\r\u{7}\u{7f}";
        let shown = visible(hostile);
        assert_eq!(shown, "a?[31m\u{bf}0m\u{fffd}b???");
        assert_eq!(shown.len(), hostile.len());
    }

    #[test]
    fn lines_and_tabs_stay() {
        assert_eq!(visible("a\tb\r\nc\n"), "a\tb\r\nc\n");
        assert_eq!(one_line("a\tb\r\nc\u{1b}\n"), "a b c? ");
    }
}
