//! Resolves the escapes in template tokens.

use std::borrow::Cow;
use std::ops::Range;

/// An invalid escape sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadEscape {
    /// Its range, relative to the start of the token.
    pub(super) range: Range<usize>,
    /// The detail of the error, as a sentence.
    pub(super) detail: String,
}

/// The text of a heredoc or bare template token: only `$${` and `%%{` are escapes there.
pub(super) fn plain(written: &str) -> Cow<'_, str> {
    // The scanner makes each of the two a separate token, so they occur only at the start.
    if written.starts_with("$${") || written.starts_with("%%{") {
        Cow::Borrowed(&written[1..])
    } else {
        Cow::Borrowed(written)
    }
}

/// The text of a quoted string token. Invalid escapes stay as written, and `bad` is called with each of them.
pub(super) fn quoted(written: &str, mut bad: impl FnMut(BadEscape)) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', written.as_bytes()) else { return plain(written) };
    let mut meant = String::with_capacity(written.len());
    let mut at = 0;
    let mut next = first;
    loop {
        meant.push_str(&written[at..next]);
        let (length, result) = escape(&written[next..]);
        match result {
            Ok(letter) => meant.push(letter),
            Err(detail) => {
                let kept = &written[next..next + length];
                let unknown = !matches!(kept.as_bytes().get(1), Some(b'u' | b'U') | None);
                meant.push_str(if unknown { &kept[1..] } else { kept });
                bad(BadEscape { range: next..next + length, detail });
            }
        }
        at = next + length;
        match memchr::memchr(b'\\', &written.as_bytes()[at..]) {
            Some(more) => next = at + more,
            None => break,
        }
    }
    meant.push_str(&written[at..]);
    Cow::Owned(meant)
}

/// Length and value of the escape sequence at the start of `rest`.
fn escape(rest: &str) -> (usize, Result<char, String>) {
    let Some(selector) = rest.chars().nth(1) else {
        return (1, Err("A backslash must be followed by an escape character.".to_owned()));
    };
    let simple = match selector {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '"' => '"',
        '\\' => '\\',
        'u' => return code_point(rest, 4),
        'U' => return code_point(rest, 8),
        other => {
            let detail = format!(
                "`\\{}` is not a valid escape sequence. Valid ones are `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\`, \
                 `\\uNNNN` and \
                 `\\UNNNNNNNN`; a backslash itself is written `\\\\`.",
                other.escape_debug()
            );
            return (1 + other.len_utf8(), Err(detail));
        }
    };
    (2, Ok(simple))
}

fn code_point(rest: &str, digits: usize) -> (usize, Result<char, String>) {
    let given = rest[2..].bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
    let length = 2 + given;
    if given < digits {
        let escape = &rest[..2];
        return (length, Err(format!("`{escape}` must be followed by {digits} hexadecimal digits.")));
    }
    let code = u32::from_str_radix(&rest[2..length], 16).ok();
    match code.and_then(char::from_u32) {
        Some(letter) => (length, Ok(letter)),
        None => (length, Err(format!("U+{} is not a valid character.", &rest[2..length]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(written: &str) -> (String, Vec<(usize, usize)>) {
        let mut bad = Vec::new();
        let text = quoted(written, |escape| bad.push((escape.range.start, escape.range.end))).into_owned();
        (text, bad)
    }

    #[test]
    fn escapes_of_quoted_strings() {
        assert_eq!(meant(r#"a\n\t\"\\b"#).0, "a\n\t\"\\b");
        assert_eq!(meant(r"\u00e9\U0001F600").0, "é😀");
        assert_eq!(meant("$${").0, "${");
        assert_eq!(meant("%%{~").0, "%{~");
    }

    #[test]
    fn broken_escapes_keep_their_text_and_say_where() {
        assert_eq!(meant(r"a\qb"), ("aqb".to_owned(), vec![(1, 3)]));
        assert_eq!(meant(r"\u12x"), (r"\u12x".to_owned(), vec![(0, 4)]));
        assert_eq!(meant(r"x\ud800"), (r"x\ud800".to_owned(), vec![(1, 7)]));
    }
}
