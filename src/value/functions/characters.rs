//! String functions.

use hashbrown::HashSet;
use unicode_segmentation::UnicodeSegmentation;

use super::signature::{FunctionError, Outcome, text, whole};
use crate::value::{Type, Value};

/// A function of one string.
pub(super) fn of_text(arguments: &[Value], apply: fn(&str) -> String) -> Outcome {
    text(arguments, 0).map(|text| Value::string(apply(text)))
}

/// A function of one string whose result is computed only for ASCII, because Unicode versions differ.
pub(super) fn of_ascii(arguments: &[Value], apply: fn(&str) -> String) -> Outcome {
    let text = text(arguments, 0).ok().filter(|text| text.is_ascii());
    text.map(|text| Value::string(apply(text))).ok_or(FunctionError::Unknown)
}

/// Whether every version of Unicode treats a character alike, and normalization does not combine it with others.
pub(super) fn is_common(sign: char) -> bool {
    matches!(sign, '\0'..='\u{17f}' | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3ce}' | '\u{410}'..='\u{44f}')
}

/// `lower` or `upper`, with the mapping of ASCII text, and with one that has one character for each of most characters.
pub(super) fn in_case<I: ExactSizeIterator<Item = char>>(
    arguments: &[Value],
    of_ascii: fn(&str) -> String,
    map: fn(char) -> I,
) -> Outcome {
    let text = text(arguments, 0)?;
    if text.is_ascii() {
        return Ok(Value::string(of_ascii(text)));
    }
    let one = |sign: char| {
        let mut mapped = map(sign);
        mapped.next().filter(|_| mapped.len() == 0 && is_common(sign))
    };
    let mapped: Option<String> = text.chars().map(one).collect();
    mapped.map(Value::string).ok_or(FunctionError::Unknown)
}

/// A function that trims a string.
pub(super) fn trimmed(arguments: &[Value], apply: for<'t> fn(&'t str, &str) -> &'t str) -> Outcome {
    Ok(Value::string(apply(text(arguments, 0)?, text(arguments, 1)?)))
}

/// `trim`. Removes all characters of a set from both ends.
pub(super) fn trim<'t>(text: &'t str, set: &str) -> &'t str {
    let set: HashSet<char> = set.chars().collect();
    text.trim_matches(|sign| set.contains(&sign))
}

/// `startswith`, `endswith` and `strcontains`.
pub(super) fn holds(arguments: &[Value], is_so: fn(&str, &str) -> bool) -> Outcome {
    Ok(Value::Bool(is_so(text(arguments, 0)?, text(arguments, 1)?)))
}

pub(super) fn join(arguments: &[Value]) -> Outcome {
    let (separator, lists) = (text(arguments, 0)?, &arguments[1..]);
    if lists.is_empty() {
        return Err(FunctionError::of_call("it takes at least one list"));
    }
    let mut parts = Vec::new();
    for (place, list) in lists.iter().enumerate() {
        let Value::List(_, elements) = list else { return Err(FunctionError::Unknown) };
        if elements.iter().any(Value::is_null) {
            return Err(FunctionError::of_argument(place + 1, "it contains null"));
        }
        parts.extend(elements.iter().filter_map(Value::as_str));
    }
    Ok(Value::string(parts.join(separator)))
}

pub(super) fn split(arguments: &[Value]) -> Outcome {
    let (separator, text) = (text(arguments, 0)?, text(arguments, 1)?);
    if separator.is_empty() {
        return Err(FunctionError::Unknown);
    }
    Ok(Value::List(Type::String, text.split(separator).map(Value::string).collect()))
}

/// Capitalizes each word. Digits and `_` are parts of words.
pub(super) fn title(text: &str) -> String {
    let mut inside = false;
    let each = |sign: char| {
        let result = if inside { sign } else { sign.to_ascii_uppercase() };
        inside = sign.is_ascii_alphanumeric() || sign == '_';
        result
    };
    text.chars().map(each).collect()
}

pub(super) fn indent(arguments: &[Value], longest: usize) -> Outcome {
    let (Some(blanks @ 0..), Ok(text)) = (whole(&arguments[0]), text(arguments, 1)) else {
        return Err(FunctionError::of_call("the number of spaces must be a whole number and not negative"));
    };
    let breaks = text.matches('\n').count();
    let blanks = usize::try_from(blanks).unwrap_or(usize::MAX);
    if breaks > 0 && blanks.saturating_mul(breaks) > longest {
        return Err(FunctionError::Expensive);
    }
    let blanks = if breaks > 0 { blanks } else { 0 };
    Ok(Value::string(text.replace('\n', &format!("\n{}", " ".repeat(blanks)))))
}

/// `substr`. Offset and length count grapheme clusters.
pub(super) fn substr(arguments: &[Value]) -> Outcome {
    let (Some(offset), Some(length)) = (whole(&arguments[1]), whole(&arguments[2])) else {
        return Err(FunctionError::of_call("the offset and the length must be whole numbers"));
    };
    let text = text(arguments, 0)?;
    // A negative offset counts from the end, and then a length of zero means no limit.
    let (start, length) = if offset < 0 {
        let count = i128::try_from(text.graphemes(true).count()).unwrap_or(i128::MAX);
        ((offset + count).max(0), if length == 0 { -1 } else { length })
    } else {
        (offset, length)
    };
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    // A negative length means no limit, too.
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(Value::string(text.graphemes(true).skip(start).take(length).collect::<String>()))
}

pub(super) fn strrev(text: &str) -> String {
    text.graphemes(true).rev().collect()
}

/// The last part of a path.
pub(super) fn basename(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => ".",
        "" => "/",
        path => path.rsplit('/').next().unwrap_or(path),
    }
    .to_owned()
}

/// A path without its last part, in its shortest form.
pub(super) fn dirname(path: &str) -> String {
    let directory = path.rfind('/').map_or("", |slash| &path[..=slash]);
    let is_absolute = directory.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    match (is_absolute, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}
