//! Time functions. They only check their arguments.

use super::signature::{FunctionError, Outcome, shown, text};
use crate::value::{Number, Value};

pub(super) fn timeadd(arguments: &[Value]) -> Outcome {
    let (time, duration) = (text(arguments, 0)?, text(arguments, 1)?);
    if !is_time(time, Form::Strict) {
        return Err(FunctionError::of_call(format!("{} is {NO_TIME}", shown(time))));
    }
    if !is_duration(duration) {
        return Err(FunctionError::of_call(format!(
            "{} is not a duration such as \"1h30m\", or is longer than 292 years",
            shown(duration)
        )));
    }
    Err(FunctionError::Unknown)
}

pub(super) fn timecmp(arguments: &[Value]) -> Outcome {
    let times = [text(arguments, 0)?, text(arguments, 1)?];
    match times.into_iter().position(|time| !is_time(time, Form::Lenient)) {
        Some(place) => Err(FunctionError::of_argument(place, format!("it is {NO_TIME}"))),
        None => Err(FunctionError::Unknown),
    }
}

pub(super) fn formatdate(arguments: &[Value]) -> Outcome {
    let (format, time) = (text(arguments, 0)?, text(arguments, 1)?);
    if !is_time(time, Form::Strict) {
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

/// The forms of timestamps that a function accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// RFC 3339.
    Strict,
    /// Also an hour of one digit, a comma before the fraction, and a zone of up to 24 hours and 60 minutes.
    Lenient,
}

/// Whether a text is a timestamp.
fn is_time(text: &str, form: Form) -> bool {
    let is_strict = form == Form::Strict;
    let has_short_hour = text.as_bytes().get(12) == Some(&b':');
    if !text.is_ascii() || text.len() < 12 || is_strict && has_short_hour {
        return false;
    }
    let (date, hour) = text.split_at(11);
    let rest = hour.split_at_checked(if has_short_hour { 1 } else { 2 });
    let Some((hour, rest)) = rest else { return false };
    let Some((clock, zone)) = rest.split_at_checked(6) else { return false };
    let number = |text: &str| {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { text.parse::<u32>().ok() } else { None }
    };
    let [Some(year), Some(month), Some(day)] = [&date[..4], &date[5..7], &date[8..10]].map(number) else {
        return false;
    };
    let [Some(hour), Some(minute), Some(second)] = [hour, &clock[1..3], &clock[4..]].map(number) else {
        return false;
    };
    let has_signs =
        [&date[4..5], &date[7..8], &date[10..], &clock[..1], &clock[3..4]] == ["-", "-", "T", ":", ":"];
    let is_day = (1..=12).contains(&month) && (1..=days(year, month)).contains(&day);
    has_signs && is_day && hour < 24 && minute < 60 && second < 60 && is_zone(zone, is_strict)
}

/// Whether a text is the end of a timestamp: a fraction of a second, if any, and a zone.
fn is_zone(text: &str, is_strict: bool) -> bool {
    let fraction = text.strip_prefix('.').or_else(|| text.strip_prefix(',').filter(|_| !is_strict));
    let zone = match fraction.map(|fraction| fraction.trim_start_matches(|c: char| c.is_ascii_digit())) {
        Some(zone) if fraction.is_some_and(|fraction| fraction.len() > zone.len()) => zone,
        Some(_) => return false,
        None => text,
    };
    if zone == "Z" {
        return true;
    }
    let Some((hours, minutes)) = zone.strip_prefix(['+', '-']).and_then(|zone| zone.split_once(':')) else {
        return false;
    };
    let most = if is_strict { [23, 59] } else { [24, 60] };
    [hours, minutes].iter().zip(most).all(|(part, most)| {
        let is_number = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number && part.parse::<u32>().is_ok_and(|part| part <= most)
    })
}

fn days(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether a text is a duration: numbers with units, or zero. The engine counts nanoseconds in 64 bits.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let longest = if text.starts_with('-') { 1_u128 << 63 } else { (1 << 63) - 1 };
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        let number = &rest[..rest.len() - behind.len()];
        let unit_end = behind.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, next) = behind.split_at(unit_end);
        let (Some(unit), Some(number)) = (nanoseconds(unit), Number::parse(number)) else { return false };
        let Some(part) = number.multiply(&unit) else { return false };
        let part = part.floor().to_string().parse().unwrap_or(u128::MAX);
        total = total.saturating_add(part);
        rest = next;
    }
    total <= longest
}

/// The number of nanoseconds in a unit of durations.
fn nanoseconds(unit: &str) -> Option<Number> {
    Number::parse(match unit {
        "ns" => "1",
        "us" | "\u{b5}s" | "\u{3bc}s" => "1e3",
        "ms" => "1e6",
        "s" => "1e9",
        "m" => "60e9",
        "h" => "3600e9",
        _ => return None,
    })
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
