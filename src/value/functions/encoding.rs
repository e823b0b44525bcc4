//! Functions that encode values.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::signature::{FunctionError, Outcome};
use crate::value::Value;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64encode(text: &str) -> String {
    let mut signs = String::new();
    for group in text.as_bytes().chunks(3) {
        let mut bits = 0;
        for place in 0..3 {
            bits = bits << 8 | usize::from(group.get(place).copied().unwrap_or(0));
        }
        for place in 0..4 {
            let sign = char::from(BASE64[bits >> (6 * (3 - place)) & 63]);
            signs.push(if place > group.len() { '=' } else { sign });
        }
    }
    signs
}

pub(super) fn jsonencode(arguments: &[Value]) -> Outcome {
    let mut text = String::new();
    json(&arguments[0], &mut text)?;
    Ok(Value::string(text))
}

/// `encode_tfvars` of the built-in provider: only checks the type of the value.
pub(super) fn encode_tfvars(arguments: &[Value]) -> Outcome {
    match &arguments[0] {
        Value::Object(_) | Value::Map(..) => Err(FunctionError::Unknown),
        _ => Err(FunctionError::of_call("its argument must be a map or an object")),
    }
}

/// Writes a value as JSON. Returns `FunctionError::Unknown` if the engine may choose another order or other digits.
pub(super) fn json(value: &Value, out: &mut String) -> Result<(), FunctionError> {
    match value {
        Value::Null(_) => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) if number.is_infinite() => {
            return Err(FunctionError::of_call("JSON has no infinite numbers"));
        }
        Value::Number(number) => out.push_str(&number.text().ok_or(FunctionError::Unknown)?),
        Value::String(text) => quoted(text, out),
        Value::Set(..) if !value.has_known_order() => return Err(FunctionError::Unknown),
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
            out.push('[');
            for (place, element) in elements.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                json(element, out)?;
            }
            out.push(']');
        }
        Value::Map(_, elements) | Value::Object(elements) => {
            out.push('{');
            for (place, (name, element)) in elements.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                quoted(name, out);
                out.push(':');
                json(element, out)?;
            }
            out.push('}');
        }
        Value::Marked(inner, _) => json(inner, out)?,
        Value::Unknown(_) => return Err(FunctionError::Unknown),
    }
    Ok(())
}

/// `urlencode`, as in a query string.
pub(super) fn urlencode(text: &str) -> String {
    const ESCAPED: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b' ');
    utf8_percent_encode(text, ESCAPED).to_string().replace(' ', "+")
}

/// Writes a JSON string, with the characters escaped that are special in HTML.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for sign in text.chars() {
        match sign {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(sign));
            }
            sign => out.push(sign),
        }
    }
    out.push('"');
}
