//! Time functions. They only check their arguments.

use super::signature::{FunctionError, Outcome, shown, text};
use crate::value::Value;

pub(super) fn timeadd(arguments: &[Value]) -> Outcome {
    let (time, duration) = (text(arguments, 0)?, text(arguments, 1)?);
    if !may_be_time(time) {
        return Err(FunctionError::of_call(format!("{} is {NO_TIME}", shown(time))));
    }
    if !is_duration(duration) {
        return Err(FunctionError::of_call(format!(
            "{} is not a duration such as \"1h30m\"",
            shown(duration)
        )));
    }
    Err(FunctionError::Unknown)
}

pub(super) fn timecmp(arguments: &[Value]) -> Outcome {
    match [text(arguments, 0)?, text(arguments, 1)?].into_iter().position(|time| !may_be_time(time)) {
        Some(place) => Err(FunctionError::of_argument(place, format!("it is {NO_TIME}"))),
        None => Err(FunctionError::Unknown),
    }
}

pub(super) fn formatdate(arguments: &[Value]) -> Outcome {
    let (format, time) = (text(arguments, 0)?, text(arguments, 1)?);
    if !may_be_time(time) {
        return Err(FunctionError::of_argument(1, format!("it is {NO_TIME}")));
    }
    match wrong_verb(format) {
        Some(verb) => {
            Err(FunctionError::of_argument(0, format!("{verb:?} is not a valid part of a date format")))
        }
        None => Err(FunctionError::Unknown),
    }
}

const NO_TIME: &str = "not a time such as \"2025-12-31T23:59:59Z\"";

/// Whether a text may be an RFC 3339 timestamp. The engine is not strict in every respect, so some invalid timestamps
/// are accepted.
fn may_be_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse::<u32>().ok());
    let has = |at: usize, sign: u8| bytes.get(at) == Some(&sign);
    if number(0, 4).is_none() || !has(4, b'-') || !text.contains('T') {
        return false;
    }
    let is_strict = has(7, b'-') && has(10, b'T') && has(13, b':') && has(16, b':');
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return true;
    };
    if !is_strict {
        return true;
    }
    let zone =
        text.get(19..).unwrap_or_default().trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let in_range = |from: usize, most: u32| number(from, from + 2).is_some_and(|number| number <= most);
    (1..=12).contains(&month)
        && (1..=days(year, month)).contains(&day)
        && in_range(11, 23)
        && in_range(14, 59)
        && in_range(17, 59)
        && (zone == "Z" || zone.starts_with(['+', '-']))
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether a text is a duration: numbers with units, or zero.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        let number = &rest[..rest.len() - behind.len()];
        let is_number = number.bytes().any(|byte| byte.is_ascii_digit()) && number.matches('.').count() < 2;
        let unit_end = behind.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, next) = behind.split_at(unit_end);
        if !is_number || !["ns", "us", "\u{b5}s", "\u{3bc}s", "ms", "s", "m", "h"].contains(&unit) {
            return false;
        }
        rest = next;
    }
    true
}

/// The first sequence of letters in a format that is not a valid verb, or an unclosed apostrophe.
fn wrong_verb(format: &str) -> Option<&str> {
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => match quoted(rest) {
                Some(length) => length,
                None => return Some("'"),
            },
            'a'..='z' | 'A'..='Z' => {
                let length = rest.bytes().take_while(|byte| *byte == rest.as_bytes()[0]).count();
                let verb = &rest[..length];
                if !VERBS.contains(&verb) {
                    return Some(verb);
                }
                length
            }
            _ => first.len_utf8(),
        };
        rest = &rest[length..];
    }
    None
}

/// The length of quoted text, with its apostrophes. A doubled apostrophe is an escape.
fn quoted(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'\'') {
        return Some(2);
    }
    let mut at = 1;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'\'', Some(b'\'')) => at += 2,
            (b'\'', _) => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "YY", "YYYY", "M", "MM", "MMM", "MMMM", "D", "DD", "EEE", "EEEE", "h", "hh", "H", "HH", "AA", "aa", "m", "mm", "s",
    "ss", "Z", "ZZZ", "ZZZZ", "ZZZZZ",
];
