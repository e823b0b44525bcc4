//! Replaces characters that terminals and CI agents would interpret.

use std::borrow::Cow;

use super::PathStyle;
use crate::text::file_name::raw_byte;
use crate::text::{commands, is_obeyed};

/// Replaces each character that a terminal would interpret, that changes the writing direction, or that makes the
/// following text a command. Line breaks and tabs stay. Lengths in bytes do not change, so spans stay valid.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    let mut commands = commands(text).peekable();
    if commands.peek().is_none() && !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let ends_a_line = c == '\r' && rest.peek().is_some_and(|(_, next)| *next == '\n');
        let is_command = commands.next_if_eq(&at).is_some();
        if is_command || is_obeyed(c) && !ends_a_line {
            shown.push_str(&stand_in(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Like [`sanitize`], on one line.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let shown = sanitize(text);
    if shown.contains(['\n', '\t']) {
        return Cow::Owned(shown.replace("\r\n", " ").replace(['\n', '\t'], " "));
    }
    shown
}

/// Text that starts a line of output. The runner of GitHub Actions interprets a line that starts with `::`, also after
/// blanks.
pub(super) fn at_line_start(line: &str) -> Cow<'_, str> {
    if line.trim_start().starts_with("::") {
        Cow::Owned(line.replacen(':', "?", 1))
    } else {
        Cow::Borrowed(line)
    }
}

/// A path that starts a line of output.
pub(super) fn path_at_line_start(path: &str, names: &PathStyle) -> String {
    let name = names.of(path);
    let way = if at_line_start(&name) == name { "" } else { "./" };
    format!("{way}{}", one_line(&name))
}

/// Replaces a character by one of the same length in bytes. A byte in a file name is shown as a number.
fn stand_in(c: char) -> Cow<'static, str> {
    if let Some(byte) = raw_byte(c) {
        return Cow::Owned(format!("\\x{byte:02x}"));
    }
    Cow::Borrowed(match c.len_utf8() {
        1 => "?",
        2 => "\u{bf}",
        3 => "\u{fffd}",
        _ => "\u{fffd}?",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_replaced_in_the_same_length() {
        let hostile = "a\u{1b}[31m\u{9b}0m\u{202e}b\r\u{7}\u{7f}";
        let shown = sanitize(hostile);
        assert_eq!(shown, "a?[31m\u{bf}0m\u{fffd}b???");
        assert_eq!(shown.len(), hostile.len());
    }

    #[test]
    fn invisible_characters_are_shown_with_the_same_width() {
        let hidden = "a\u{200b}b\u{feff}\u{ad}\u{e0041}\u{10fffe}\u{fe0f}";
        let shown = sanitize(hidden);
        assert_eq!(shown, "a\u{fffd}b\u{fffd}\u{bf}\u{fffd}?\\xfe\u{fe0f}");
        assert_eq!(shown.len(), hidden.len());
    }

    #[test]
    fn what_the_agent_of_a_ci_obeys_is_replaced_in_the_same_length() {
        let shown = sanitize("##[error]a ###[b] ##vso[task.x]\u{7} ## [c] #[d] ##e f[");
        assert_eq!(shown, "#?[error]a ##?[b] #?vso[task.x]? ## [c] #[d] ##e f[");
        assert_eq!(at_line_start(" ::error::a"), " ?:error::a");
        assert_eq!(at_line_start("a ::error::b"), "a ::error::b");
    }

    #[test]
    fn lines_and_tabs_stay() {
        assert_eq!(sanitize("a\tb\r\nc\n"), "a\tb\r\nc\n");
        assert_eq!(one_line("a\tb\r\nc\u{1b}\n"), "a b c? ");
    }
}
