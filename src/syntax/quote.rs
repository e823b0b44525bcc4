//! Writes text as expressions in native syntax.

use crate::text::is_obeyed;

/// A quoted string with this value. Control characters are written as `\u` escapes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// The content of such a string, without the quotes.
pub fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '$' | '%' if rest.peek() == Some(&'{') => written.extend([c, c]),
            c if is_obeyed(c) && c.len_utf8() == 4 => {
                written.push_str(&format!("\\U{:08x}", u32::from(c)));
            }
            c if is_obeyed(c) => written.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => written.push(c),
        }
    }
    written
}

/// A key of an object: bare if the text is a plain name, else quoted.
pub fn key(text: &str) -> String {
    if is_plain_name(text) && !["for", "null", "true", "false"].contains(&text) {
        return text.to_owned();
    }
    quoted(text)
}

/// Whether a text is a name in ASCII letters.
fn is_plain_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ExprKind, Part, parse_expression};

    #[test]
    fn a_quoted_string_means_its_text() {
        for text in [
            "a",
            "a \"b\"\\n\n\t\r",
            "${x} %{ if } $$ $",
            "$${x}",
            "\u{1b}[31m\u{202e}\u{7f}é\u{e0041}\u{200b}",
        ] {
            let expr = parse_expression(&quoted(text)).expect("a string");
            let ExprKind::Template(template) = &expr.kind else { panic!("a string: {expr:?}") };
            let [Part::Literal { text: meant, .. }] = &template.parts[..] else { panic!("{template:?}") };
            assert_eq!(meant, text);
            assert!(!quoted(text).contains(is_obeyed));
        }
    }

    #[test]
    fn a_key_is_bare_where_it_can_be() {
        assert_eq!(
            [key("a-b_1"), key("a b"), key("for"), key("1"), key("é")].join(" "),
            "a-b_1 \"a b\" \"for\" \"1\" \"é\""
        );
    }
}
