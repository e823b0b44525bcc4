//! What functions give that take parts of a text, or write it in another way; all that they are given is known.

use unicode_segmentation::UnicodeSegmentation;

use super::result::FunctionError;
use super::whole;
use crate::value::{Type, Value};

type Outcome = Result<Value, FunctionError>;

const UNKNOWN: Value = Value::Unknown(Type::String);

/// A function of one text, or of a text and another that is taken away from it.
pub(super) fn of_text(name: &str, arguments: &[Value]) -> Value {
    let Some(text) = arguments[0].as_str() else { return UNKNOWN };
    let other = arguments.get(1).and_then(Value::as_str).unwrap_or_default();
    match name {
        "basename" => Value::string(base(text)),
        "chomp" => Value::string(text.trim_end_matches(['\r', '\n'])),
        "dirname" => Value::string(directory(text)),
        "strrev" => Value::string(text.graphemes(true).rev().collect::<String>()),
        "title" if text.is_ascii() => Value::string(title(text)),
        "trim" => Value::string(text.trim_matches(|sign| other.contains(sign))),
        "trimprefix" => Value::string(text.strip_prefix(other).unwrap_or(text)),
        "trimsuffix" => Value::string(text.strip_suffix(other).unwrap_or(text)),
        _ => UNKNOWN,
    }
}

/// Every word with a capital at its start; digits and `_` belong to words.
fn title(text: &str) -> String {
    let mut inside = false;
    let each = |sign: char| {
        let result = if inside { sign } else { sign.to_ascii_uppercase() };
        inside = sign.is_ascii_alphanumeric() || sign == '_';
        result
    };
    text.chars().map(each).collect()
}

pub(super) fn indent(arguments: &[Value], longest: usize) -> Outcome {
    let [blanks, text] = arguments else { return Ok(UNKNOWN) };
    let (Some(0..), Some(text)) = (whole(blanks), text.as_str()) else {
        return Err(FunctionError::of_call("the number of blanks is whole, and not less than zero"));
    };
    let breaks = text.matches('\n').count();
    let blanks = whole(blanks).and_then(|blanks| usize::try_from(blanks).ok()).unwrap_or(usize::MAX);
    if breaks == 0 {
        return Ok(arguments[1].clone());
    }
    if blanks.saturating_mul(breaks) > longest {
        return Err(FunctionError::Expensive);
    }
    Ok(Value::string(text.replace('\n', &format!("\n{}", " ".repeat(blanks)))))
}

/// `substr`: offset and length count what a reader takes for one sign.
pub(super) fn part(arguments: &[Value]) -> Outcome {
    let [text, offset, length] = arguments else { return Ok(UNKNOWN) };
    let (Some(offset), Some(length)) = (whole(offset), whole(length)) else {
        return Err(FunctionError::of_call("the offset and the length are whole numbers"));
    };
    let Some(text) = text.as_str() else { return Ok(UNKNOWN) };
    // An offset below zero counts from the end, and then a length of zero is as good as none.
    let (start, length) = if offset < 0 {
        let count = i128::try_from(text.graphemes(true).count()).unwrap_or(i128::MAX);
        ((offset + count).max(0), if length == 0 { -1 } else { length })
    } else {
        (offset, length)
    };
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    // So is a length below zero.
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(Value::string(text.graphemes(true).skip(start).take(length).collect::<String>()))
}

/// The last part of a path.
fn base(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => ".",
        "" => "/",
        path => path.rsplit('/').next().unwrap_or(path),
    }
}

/// A path without its last part, in its shortest form.
fn directory(path: &str) -> String {
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
