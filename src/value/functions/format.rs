//! `format` and `formatlist`.

use super::encoding::json;
use super::signature::{FunctionError, Outcome, text, whole};
use crate::text::{counted, with_article};
use crate::value::convert::convert;
use crate::value::{Type, Value};

/// From this number on, `%v` uses an exponent.
const SHORT: i128 = 1_000_000;

/// A part of a format string.
enum Part<'f> {
    Text(&'f str),
    /// `%%`.
    Percent,
    Verb(Verb),
}

/// A verb, which a value replaces.
struct Verb {
    letter: char,
    /// The explicit index of its value, counted from 0.
    place: Option<usize>,
    /// Whether there is nothing between the percent sign and the letter.
    plain: bool,
}

pub(super) fn format(arguments: &[Value], longest: usize) -> Outcome {
    match opaque(arguments, Type::String) {
        Some(result) => Ok(result),
        None => formatted(text(arguments, 0)?, &arguments[1..], longest),
    }
}

/// The result for an argument that is not wholly known. Its type is unknown, too, if there is a null without a type.
fn opaque(arguments: &[Value], ty: Type) -> Option<Value> {
    if arguments.contains(&Value::NULL) {
        return Some(Value::UNKNOWN);
    }
    (!arguments.iter().all(Value::is_wholly_known)).then_some(Value::Unknown(ty))
}

/// `formatlist`: formats once per element of the list arguments, which must have equal lengths.
pub(super) fn formatlist(arguments: &[Value], longest: usize) -> Outcome {
    if let Some(result) = opaque(arguments, Type::list(Type::String)) {
        return Ok(result);
    }
    let (format, values) = (text(arguments, 0)?, &arguments[1..]);
    let mut length: Option<usize> = None;
    for (place, value) in values.iter().enumerate() {
        let Some(elements) = elements(value) else { continue };
        if *length.get_or_insert(elements.len()) != elements.len() {
            return Err(FunctionError::of_argument(place + 1, "the lists differ in length"));
        }
    }
    if length.is_some_and(|length| length.saturating_mul(format.len()) > longest) {
        return Err(FunctionError::Expensive);
    }
    let mut results = Vec::new();
    for turn in 0..length.unwrap_or(1) {
        let each = |value: &Value| match elements(value) {
            Some(elements) => elements[turn].clone(),
            None => value.clone(),
        };
        let values: Vec<Value> = values.iter().map(each).collect();
        // The engine reports the call instead of an argument.
        results.push(formatted(format, &values, longest).map_err(|error| match error {
            FunctionError::Argument(_, why) => FunctionError::Call(why),
            error => error,
        })?);
    }
    Ok(Value::List(Type::String, results))
}

fn elements(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => Some(elements),
        _ => None,
    }
}

fn formatted(format: &str, values: &[Value], longest: usize) -> Outcome {
    let mut text = Some(String::new());
    let mut next = 0;
    let mut used = 0;
    let mut rest = format;
    while !rest.is_empty() {
        let (part, behind) = part(rest).map_err(FunctionError::of_call)?;
        rest = behind;
        let piece = match part {
            Part::Text(piece) => Some(piece.to_owned()),
            Part::Percent => Some("%".to_owned()),
            Part::Verb(verb) => {
                let place = verb.place.unwrap_or(next);
                next = place + 1;
                used = used.max(next);
                let Some(value) = values.get(place) else {
                    let index = verb.place.map_or_else(String::new, |place| format!("[{}]", place + 1));
                    return Err(FunctionError::of_call(format!(
                        "there is no value for `%{index}{}`",
                        verb.letter
                    )));
                };
                inserted(&verb, value).map_err(FunctionError::of_call)?
            }
        };
        text = text.zip(piece).map(|(text, piece)| text + &piece);
        if text.as_ref().is_some_and(|text| text.len() > longest) {
            return Err(FunctionError::Expensive);
        }
    }
    if used < values.len() {
        let given = if values.len() == 1 { "1 is" } else { &format!("{} are", values.len()) };
        let used_by_format = if used == 0 { "no values".to_owned() } else { counted(used, "value") };
        return Err(FunctionError::of_argument(
            used + 1,
            format!("the format string uses {used_by_format}, but {given} given"),
        ));
    }
    Ok(text.map_or(Value::Unknown(Type::String), Value::string))
}

/// The first part of a format string, and the rest.
fn part(format: &str) -> Result<(Part<'_>, &str), String> {
    let Some(sequence) = format.strip_prefix('%') else {
        let end = format.find('%').unwrap_or(format.len());
        return Ok((Part::Text(&format[..end]), &format[end..]));
    };
    if let Some(behind) = sequence.strip_prefix('%') {
        return Ok((Part::Percent, behind));
    }
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let unfinished = || format!("`%{sequence}` is not a valid format sequence");
    let mut rest = sequence.trim_start_matches(['#', '0', '+', '-', ' ']);
    rest = &rest[digits(rest)..];
    if let Some(precision) = rest.strip_prefix('.') {
        rest = &precision[digits(precision)..];
    }
    let mut place = None;
    if let Some(index) = rest.strip_prefix('[') {
        let length = digits(index);
        let number: usize = index[..length].parse().map_err(|_| unfinished())?;
        place = Some(number.checked_sub(1).ok_or_else(unfinished)?);
        rest = index[length..].strip_prefix(']').ok_or_else(unfinished)?;
    }
    let letter = rest.chars().next().ok_or_else(unfinished)?;
    if !letter.is_ascii_alphabetic() {
        return Err(unfinished());
    }
    let plain = sequence.starts_with(letter);
    Ok((Part::Verb(Verb { letter, place, plain }), &rest[1..]))
}

/// The text that replaces a verb. Returns `None` if it is not known.
fn inserted(verb: &Verb, value: &Value) -> Result<Option<String>, String> {
    let letter = verb.letter;
    let unfit = |what: &str| format!("`%{letter}` takes {what}");
    if value.is_null() && letter != 'v' {
        return Err(format!("`%{letter}` does not take null"));
    }
    let to = match letter {
        'v' => return Ok(if verb.plain { as_it_is(value) } else { None }),
        't' => Type::Bool,
        'b' | 'd' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'g' | 'G' => Type::Number,
        's' | 'q' => Type::String,
        _ => return Err(format!("`%{letter}` is not a valid format verb")),
    };
    let value = convert(value, &to).map_err(|_| unfit(&with_article(&to.required_name())))?;
    if matches!(letter, 'b' | 'd' | 'o' | 'x' | 'X') {
        let Value::Number(number) = &value else { return Ok(None) };
        if !number.is_whole() {
            return Err(unfit("a whole number"));
        }
    }
    Ok(match letter {
        's' if verb.plain => value.as_str().map(str::to_owned),
        'd' if verb.plain => whole(&value).map(|number| number.to_string()),
        't' if verb.plain => value.as_bool().map(|value| value.to_string()),
        _ => None,
    })
}

/// The text of a value for `%v`. Returns `None` if the engine may use an exponent or another order.
fn as_it_is(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Number(number) => whole(value).filter(|whole| whole.abs() < SHORT).map(|_| number.to_string()),
        value => {
            let mut text = String::new();
            json(value, &mut text).ok().map(|()| text)
        }
    }
}
