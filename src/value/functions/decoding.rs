//! Functions that decode strings.

use std::collections::BTreeMap;

use super::signature::{FunctionError, Outcome, shown, text, whole};
use crate::syntax::{Expr, ExprKind, parse_json};
use crate::value::data::normal;
use crate::value::{Number, Type, Value};

pub(super) fn jsondecode(arguments: &[Value]) -> Outcome {
    let text = text(arguments, 0)?;
    let expr = if text.starts_with('\u{feff}') { None } else { parse_json(text) };
    // The engine ignores everything after an unmatched closing bracket.
    let expr = expr.or_else(|| parse_json(&text[..stray_bracket(text)?]));
    let expr = expr.ok_or_else(|| FunctionError::of_call("the string is not valid JSON"))?;
    json(&expr).ok_or(FunctionError::Unknown)
}

/// The offset of the first unmatched closing bracket.
fn stray_bracket(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return Some(at),
            },
            _ => {}
        }
    }
    None
}

/// The value of a JSON document. Returns `None` if a number cannot be represented. Of properties with the same name
/// and type, the last one counts.
fn json(expr: &Expr) -> Option<Value> {
    Some(match &expr.kind {
        // The parser puts `null`, `true` and `false` in parentheses.
        ExprKind::Parens(inner) => json(inner)?,
        ExprKind::Null => Value::NULL,
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Number(digits) => Value::Number(Number::parse(digits)?),
        ExprKind::JsonString(string) => Value::string(string.text.clone()),
        ExprKind::Tuple(elements) => Value::Tuple(elements.iter().map(json).collect::<Option<_>>()?),
        ExprKind::JsonObject(properties) => {
            let mut attributes = BTreeMap::new();
            for property in properties {
                let (name, value) = (normal(property.name.text.clone()), json(&property.value)?);
                let ty = value.ty();
                // The engine decodes all of them with the type of the last one.
                if attributes.insert(name, value).is_some_and(|before| !before.is(&ty)) {
                    return None;
                }
            }
            Value::Object(attributes)
        }
        _ => return None,
    })
}

pub(super) fn base64decode(arguments: &[Value]) -> Outcome {
    match base64(text(arguments, 0)?).map(String::from_utf8) {
        Some(Ok(text)) => Ok(Value::string(text)),
        Some(Err(_)) => Err(FunctionError::of_call("the result is not UTF-8")),
        None => Err(FunctionError::of_call("the string is not valid Base64")),
    }
}

/// Decodes base64 text, ignoring line breaks.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let signs: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if !signs.len().is_multiple_of(4) {
        return None;
    }
    let padding = signs.iter().rev().take_while(|sign| **sign == b'=').count();
    let (signs, _) = signs.split_at(signs.len() - padding);
    if padding > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    for group in signs.chunks(4) {
        let mut bits: u32 = 0;
        for sign in group {
            let value = match sign {
                b'A'..=b'Z' => sign - b'A',
                b'a'..=b'z' => sign - b'a' + 26,
                b'0'..=b'9' => sign - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let missing = 4 - group.len();
        bits <<= 6 * missing;
        bytes.extend(&bits.to_be_bytes()[1..4 - missing]);
    }
    Some(bytes)
}

/// `rsadecrypt`: only checks the forms of the encrypted text and the key.
pub(super) fn rsadecrypt(arguments: &[Value]) -> Outcome {
    let (encrypted, key) = (text(arguments, 0)?, text(arguments, 1)?);
    if base64(encrypted).is_none() {
        return Err(FunctionError::of_argument(0, "it is not valid Base64"));
    }
    if !key.contains("-----BEGIN ") {
        return Err(FunctionError::of_argument(1, "it is not a private key in PEM format"));
    }
    Err(FunctionError::Unknown)
}

pub(super) fn parseint(arguments: &[Value]) -> Outcome {
    let unknown = Ok(Value::Unknown(Type::Number));
    let Some(text) = arguments[0].as_str() else {
        return match arguments[0].ty() {
            Type::Any => Ok(Value::UNKNOWN),
            Type::String => unknown,
            other => {
                Err(FunctionError::of_argument(0, format!("a string is required, not a {}", other.name())))
            }
        };
    };
    let Some(base) = arguments.get(1).filter(|base| base.is_known()) else { return unknown };
    let Some(Ok(base @ 2..=62)) = whole(base).map(u32::try_from) else {
        return Err(FunctionError::of_argument(1, "it must be a whole number from 2 to 62"));
    };
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    // In bases up to 36, both cases mean the same digit.
    let value = |sign: char| match sign {
        'A'..='Z' if base > 36 => Some(u32::from(sign) - u32::from('A') + 36),
        _ => sign.to_digit(36),
    };
    if digits.is_empty() || !digits.chars().all(|sign| value(sign).is_some_and(|value| value < base)) {
        return Err(FunctionError::of_argument(
            0,
            format!("{} is not a whole number in base {base}", shown(text)),
        ));
    }
    if base != 10 {
        return unknown;
    }
    // A difference, because whole numbers have no negative zero.
    let number = Number::parse(digits);
    let number = match text.strip_prefix('-') {
        Some(_) => number.and_then(|number| Number::from(0).add(&number.negated())),
        None => number,
    };
    Ok(number.map_or(Value::Unknown(Type::Number), Value::Number))
}

/// `uuidv5`: only checks the namespace, which is a name or a UUID.
pub(super) fn uuidv5(arguments: &[Value]) -> Outcome {
    match text(arguments, 0)? {
        "dns" | "url" | "oid" | "x500" => Err(FunctionError::Unknown),
        text if text.bytes().filter(u8::is_ascii_hexdigit).count() >= 32 => Err(FunctionError::Unknown),
        _ => Err(FunctionError::of_call("the namespace must be dns, url, oid, x500 or a UUID")),
    }
}
