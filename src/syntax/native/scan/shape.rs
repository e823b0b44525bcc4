//! Lengths of the names, numbers, symbols and texts at the start of given bytes.

use super::Kind;
use crate::text::continues_name;

const BLANK: u8 = 1;
const NAME: u8 = 2;
const QUOTED: u8 = 4;
const PLAIN: u8 = 8;

/// For each byte, the kinds of run that it continues in every case, whatever follows.
const BELONGS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x80 {
        let blank = if matches!(byte, b' ' | b'\t') { BLANK } else { 0 };
        let name = if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') { NAME } else { 0 };
        let plain = if matches!(byte, b'$' | b'%' | b'\n' | b'\r') { 0 } else { PLAIN };
        let quoted = if plain == 0 || matches!(byte, b'"' | b'\\') { 0 } else { QUOTED };
        table[byte as usize] = blank | name | plain | quoted;
        byte += 1;
    }
    table
};

/// The number of leading bytes of `rest` that certainly continue a run of `something`.
fn run(rest: &[u8], something: u8) -> usize {
    rest.iter().position(|byte| BELONGS[usize::from(*byte)] & something == 0).unwrap_or(rest.len())
}

/// The number of leading spaces and tabs.
pub(super) fn blank_length(rest: &[u8]) -> usize {
    run(rest, BLANK)
}

pub(super) fn symbol(byte: u8, next: u8, third: u8) -> (Kind, usize) {
    match (byte, next) {
        (b'=', b'=') => (Kind::EqualEqual, 2),
        (b'=', b'>') => (Kind::FatArrow, 2),
        (b'!', b'=') => (Kind::NotEqual, 2),
        (b'>', b'=') => (Kind::GreaterOrEqual, 2),
        (b'<', b'=') => (Kind::LessOrEqual, 2),
        (b'&', b'&') => (Kind::And, 2),
        (b'|', b'|') => (Kind::Or, 2),
        (b':', b':') => (Kind::DoubleColon, 2),
        (b'.', b'.') if third == b'.' => (Kind::Ellipsis, 3),
        (b'=', _) => (Kind::Equal, 1),
        (b'!', _) => (Kind::Bang, 1),
        (b'>', _) => (Kind::Greater, 1),
        (b'<', _) => (Kind::Less, 1),
        (b':', _) => (Kind::Colon, 1),
        (b'.', _) => (Kind::Dot, 1),
        (b'[', _) => (Kind::OpenBracket, 1),
        (b']', _) => (Kind::CloseBracket, 1),
        (b'(', _) => (Kind::OpenParen, 1),
        (b')', _) => (Kind::CloseParen, 1),
        (b',', _) => (Kind::Comma, 1),
        (b'*', _) => (Kind::Star, 1),
        (b'/', _) => (Kind::Slash, 1),
        (b'%', _) => (Kind::Percent, 1),
        (b'+', _) => (Kind::Plus, 1),
        (b'-', _) => (Kind::Minus, 1),
        (b'?', _) => (Kind::Question, 1),
        (b'&' | b'|' | b'^' | b'~', _) => (Kind::Bitwise, 1),
        (b';', _) => (Kind::Semicolon, 1),
        (b'`', _) => (Kind::Backtick, 1),
        (b'\'', _) => (Kind::Apostrophe, 1),
        _ => (Kind::Unknown, 1),
    }
}

/// Length of the name at the start of `rest`.
pub(super) fn name_length(rest: &[u8]) -> usize {
    let mut at = run(rest, NAME);
    while let Some(0x80..) = rest.get(at) {
        match decode(&rest[at..]) {
            Some((letter, length)) if continues_name(letter) => at += length,
            _ => break,
        }
        at += run(&rest[at..], NAME);
    }
    at
}

/// A number token is a run of digits, dots and exponents that does not end in a dot. Whether it is a valid number is
/// checked later.
pub(super) fn number_length(rest: &[u8]) -> usize {
    let digit = |at: usize| rest.get(at).is_some_and(u8::is_ascii_digit);
    let (mut at, mut end) = (1, 1);
    while let Some(byte) = rest.get(at) {
        match byte {
            b'0'..=b'9' => {
                at += 1;
                end = at;
            }
            b'.' => at += 1,
            b'e' | b'E' if digit(at + 1) => {
                at += 2;
                end = at;
            }
            b'e' | b'E' if matches!(rest.get(at + 1), Some(b'+' | b'-')) && digit(at + 2) => {
                at += 3;
                end = at;
            }
            _ => break,
        }
    }
    end
}

/// Length of the quoted string text at the start of `rest`.
pub(super) fn quoted_length(rest: &[u8]) -> usize {
    let mut at = run(rest, QUOTED);
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => match rest.get(at + 1) {
                None | Some(b'\n' | b'\r') => break,
                Some(0x80..) => match decode(&rest[at + 1..]) {
                    Some((_, length)) => at += 1 + length,
                    None => break,
                },
                Some(_) => at += 2,
            },
            0x80.. => match decode(&rest[at..]) {
                Some((_, length)) => at += length,
                None => break,
            },
            _ => break,
        }
        at += run(&rest[at..], QUOTED);
    }
    at
}

/// Length of the heredoc text at the start of `rest`, at most to the end of the line.
pub(super) fn plain_length(rest: &[u8]) -> usize {
    let mut at = run(rest, PLAIN);
    while let Some(0x80..) = rest.get(at) {
        match decode(&rest[at..]) {
            Some((_, length)) => at += length,
            None => break,
        }
        at += run(&rest[at..], PLAIN);
    }
    at
}

/// Length of the line break at the start of `rest`.
pub(super) fn line_break(rest: &[u8]) -> usize {
    match rest {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    }
}

/// `line` without leading and trailing white space.
pub(super) fn trim(line: &[u8]) -> &[u8] {
    // Only bytes in the form of UTF-8 are here. No marker has those that are no character.
    std::str::from_utf8(line).map_or(line, |text| text.trim().as_bytes())
}

/// The non-ASCII character at the start of `rest` and its length. `None` if the bytes do not have the form of UTF-8.
///
/// As in HCL's scanner, only the form counts: bytes for a surrogate or a number without a character are one character.
pub(super) fn decode(rest: &[u8]) -> Option<(char, usize)> {
    let length = match rest.first()? {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return None,
    };
    let bytes = rest.get(..length)?;
    if !bytes[1..].iter().all(|byte| matches!(byte, 0x80..=0xbf)) {
        return None;
    }
    let letter = std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next());
    Some((letter.unwrap_or(char::REPLACEMENT_CHARACTER), length))
}
