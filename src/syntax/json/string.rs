//! Decodes JSON strings and numbers, or locates the error in them.

/// Offset of the first error in a string, given from quote to quote. The engine reports the byte after it.
pub(super) fn mistake(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None => return Some(bytes.len() - 1),
            Some(b'"') => break,
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') => {
                    let digits = bytes[at + 2..].iter().take(4).take_while(|byte| byte.is_ascii_hexdigit());
                    let end = at + 2 + digits.count();
                    if end < at + 6 {
                        return Some(end.min(bytes.len() - 1));
                    }
                    at = end;
                }
                Some(_) => return Some(at + 1),
                None => return Some(at),
            },
            Some(_) => at += 1,
        }
    }
    let behind = bytes[at + 1..].iter().position(|byte| *byte != b' ')?;
    Some(at + 1 + behind)
}

/// The text of a valid string. `replaced` returns whether the byte at an offset was not UTF-8.
pub(super) fn text(source: &str, replaced: impl Fn(usize) -> bool) -> String {
    let mut text = String::with_capacity(source.len());
    let inside = source.trim_end_matches(' ');
    let inside = &inside[1..inside.len() - 1];
    let mut at = 0;
    while let Some(first) = inside[at..].chars().next() {
        if first != '\\' {
            let lost = first == '?' && replaced(at + 1);
            text.push(if lost { char::REPLACEMENT_CHARACTER } else { first });
            at += first.len_utf8();
            continue;
        }
        let letter = inside.as_bytes()[at + 1];
        at += 2;
        match letter {
            b'b' => text.push('\u{8}'),
            b'f' => text.push('\u{c}'),
            b'n' => text.push('\n'),
            b'r' => text.push('\r'),
            b't' => text.push('\t'),
            b'u' => {
                let (letter, length) = unicode(&inside[at - 2..]);
                text.push(letter);
                at += length - 2;
            }
            itself => text.push(char::from(itself)),
        }
    }
    text
}

/// The character of one `\uXXXX`, or two of them, at the start of `text`, and the number of bytes read.
fn unicode(text: &str) -> (char, usize) {
    let unit = |from: usize| -> Option<u32> {
        let digits = text.get(from..from + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(0).unwrap_or_default();
    if let Some(letter) = char::from_u32(first) {
        return (letter, 6);
    }
    let second = unit(6).filter(|second| (0xdc00..0xe000).contains(second));
    match second.filter(|_| first < 0xdc00) {
        Some(second) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        // Half of a surrogate pair is valid, but lost.
        None => (char::REPLACEMENT_CHARACTER, 6),
    }
}

/// Whether this is a JSON number.
pub(super) fn is_number(source: &str) -> bool {
    let unsigned = source.strip_prefix('-').unwrap_or(source);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_replaced() {
        let text = |source| text(source, |_| false);
        assert_eq!(text(r#""a\"\\\/\b\f\n\r\t""#), "a\"\\/\u{8}\u{c}\n\r\t");
        assert_eq!(text(r#""\u00e9\ud83d\ude00ü""#), "é😀ü");
        assert_eq!(text(r#""\ud83dx\ude00\ud83d\u0041""#), "\u{fffd}x\u{fffd}\u{fffd}A");
        assert_eq!(super::text("\"a??\"", |at| at == 2), "a\u{fffd}?");
    }

    #[test]
    fn mistakes_have_a_place() {
        assert_eq!(mistake(r#""a\u00e9\n""#), None);
        assert_eq!(mistake(r#""a\qb""#), Some(3));
        assert_eq!(mistake(r#""\u00g0""#), Some(5));
        assert_eq!(mistake(r#""\u00""#), Some(5));
        assert_eq!(mistake(r#""\u"#), Some(2));
        assert_eq!(mistake("\"abc"), Some(3));
        assert_eq!(mistake("\""), Some(0));
        assert_eq!(mistake("\"\\"), Some(1));
        assert_eq!(mistake("\"\u{600}\" \""), Some(5));
    }

    #[test]
    fn numbers_are_those_of_json() {
        for good in
            ["0", "-0", "10", "1.50", "1e5", "1E+5", "-1.2e-10", "0.0", "123456789012345678901234567890"]
        {
            assert!(is_number(good), "{good}");
        }
        for bad in ["", "-", "+1", "01", "1.", ".5", "1e", "1e+", "--1", "1.2.3", "1e5e5", "-01", "1-2", "e5"]
        {
            assert!(!is_number(bad), "{bad}");
        }
    }
}
