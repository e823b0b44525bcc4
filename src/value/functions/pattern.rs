//! The functions that take patterns: `regex`, `regexall` and `replace`.

use regex::{Captures, Regex};
use smol_str::SmolStr;

use re2::translate;

use super::signature::{FunctionError, Outcome, text};
use crate::value::{Attribute, Type, Value};

mod re2;

/// How much longer than a pattern a string may be, because a compiled pattern is much larger than its text.
const TEXT_TO_PATTERN: usize = 64;

/// A valid pattern.
struct Pattern {
    /// The compiled pattern, if it is certain to match what the engine matches.
    regex: Option<Regex>,
    shape: Shape,
}

/// The result of a match.
enum Shape {
    /// The string that matches.
    Whole,
    /// A tuple with a string for each group.
    Groups(usize),
    /// An object with a string for each name. Of several groups with one name the last one counts.
    Names(Vec<SmolStr>),
}

pub(super) fn regex(arguments: &[Value], longest: usize) -> Outcome {
    matched(arguments, longest, false)
}

pub(super) fn regexall(arguments: &[Value], longest: usize) -> Outcome {
    matched(arguments, longest, true)
}

/// The first match, or all of them. The pattern is checked even if the string is unknown.
fn matched(arguments: &[Value], longest: usize, all: bool) -> Outcome {
    let pattern = Pattern::read(text(arguments, 0)?, longest / TEXT_TO_PATTERN)?;
    let shape = &pattern.shape;
    let ty = shape.ty();
    let text = text(arguments, 1).ok();
    if text.is_some_and(|text| pattern.regex.is_some() && text.len() > longest) {
        return Err(FunctionError::Expensive);
    }
    // Beyond ASCII, Unicode versions and normalization differ.
    let (Some(regex), Some(text)) = (&pattern.regex, text.filter(|text| text.is_ascii())) else {
        return Ok(Value::Unknown(if all { Type::list(ty) } else { ty }));
    };
    if all {
        let found = regex.captures_iter(text).map(|found| shape.value(&found)).collect();
        return Ok(Value::List(ty, found));
    }
    let found = regex.captures(text);
    let missing = || FunctionError::of_call("the pattern did not match any part of the given string");
    found.map(|found| shape.value(&found)).ok_or_else(missing)
}

/// The second argument may be a pattern between slashes.
pub(super) fn replace(arguments: &[Value], longest: usize) -> Outcome {
    let (text, part, with) = (text(arguments, 0)?, text(arguments, 1)?, text(arguments, 2)?);
    match part.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        Some(pattern) if pattern.len() > longest / TEXT_TO_PATTERN => Err(FunctionError::Expensive),
        Some(pattern) => match translate(pattern) {
            Ok(_) => Err(FunctionError::Unknown),
            Err(why) => Err(FunctionError::of_call(format!("error parsing regexp: {why}"))),
        },
        None if text.len().saturating_mul(with.len().max(1)) > longest => Err(FunctionError::Expensive),
        None => Ok(Value::string(text.replace(part, with))),
    }
}

impl Pattern {
    /// Compiles a pattern that is not longer than so many bytes.
    fn read(text: &str, longest: usize) -> Result<Self, FunctionError> {
        if text.len() > longest {
            return Err(FunctionError::Expensive);
        }
        let wrong = |why: String| FunctionError::of_argument(0, why);
        let translation = translate(text).map_err(|why| wrong(format!("invalid regexp pattern: {why}")))?;
        let shape = Shape::of(&translation.groups).map_err(wrong)?;
        // Unicode normalization may change what a pattern with other characters means.
        let is_exact = translation.is_exact && text.is_ascii();
        let regex = if is_exact { Regex::new(&translation.pattern).ok() } else { None };
        Ok(Self { regex, shape })
    }
}

impl Shape {
    fn of(groups: &[Option<SmolStr>]) -> Result<Self, String> {
        let names: Vec<SmolStr> = groups.iter().flatten().cloned().collect();
        match names.len() {
            _ if groups.is_empty() => Ok(Self::Whole),
            0 => Ok(Self::Groups(groups.len())),
            count if count == groups.len() => Ok(Self::Names(names)),
            _ => Err("cannot mix both named and unnamed capture groups".to_owned()),
        }
    }

    fn ty(&self) -> Type {
        match self {
            Self::Whole => Type::String,
            Self::Groups(groups) => Type::tuple((0..*groups).map(|_| Type::String)),
            Self::Names(names) => {
                Type::object(names.iter().map(|name| (name.clone(), Attribute::required(Type::String))))
            }
        }
    }

    fn value(&self, found: &Captures<'_>) -> Value {
        let text = |found: Option<regex::Match<'_>>| match found {
            Some(found) => Value::string(found.as_str()),
            None => Value::Null(Type::String),
        };
        match self {
            Self::Whole => text(found.get(0)),
            Self::Groups(groups) => Value::Tuple((1..=*groups).map(|group| text(found.get(group))).collect()),
            Self::Names(names) => {
                let parts = names.iter().zip(1..).map(|(name, group)| (name.clone(), text(found.get(group))));
                Value::Object(parts.collect())
            }
        }
    }
}
