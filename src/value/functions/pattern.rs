//! What functions that take patterns give, and which patterns they refuse.

use regex::{Captures, Regex};
use smol_str::SmolStr;

use super::result::Refusal;
use crate::value::{Attribute, Type, Value};

type Outcome = Result<Value, Refusal>;

/// How much longer than a pattern a text may be, for what a pattern is made into is much larger than that.
const TEXT_TO_PATTERN: usize = 64;

/// A pattern as the engine reads it.
struct Pattern {
    /// As this program reads it, where that is sure to be the same.
    regex: Option<Regex>,
    /// What a match is worth.
    shape: Option<Shape>,
}

enum Shape {
    /// The text that matches.
    Whole,
    /// A text for each group.
    Groups(usize),
    /// A text for each name.
    Names(Vec<SmolStr>),
}

/// `regex` and `regexall`; the pattern is looked at also where the text is unknown.
pub(super) fn regex(name: &str, arguments: &[Value], longest: usize) -> Outcome {
    let all = name == "regexall";
    let unknown = if all { Value::Unknown(Type::list(Type::Any)) } else { Value::UNKNOWN };
    let Some(text) = arguments.first().and_then(Value::as_str) else { return Ok(unknown) };
    let pattern = Pattern::read(text, longest / TEXT_TO_PATTERN)?;
    let Some(shape) = &pattern.shape else { return Ok(unknown) };
    let ty = shape.ty();
    let (Some(regex), Some(text)) = (&pattern.regex, arguments.get(1).and_then(Value::as_str)) else {
        return Ok(Value::Unknown(if all { Type::list(ty) } else { ty }));
    };
    if text.len() > longest {
        return Err(Refusal::Expensive);
    }
    if !text.is_ascii() {
        // The engine takes classes such as `\w` for those of ASCII.
        return Ok(Value::Unknown(if all { Type::list(ty) } else { ty }));
    }
    if all {
        let found = regex.captures_iter(text).map(|found| shape.value(&found)).collect();
        return Ok(Value::List(ty, found));
    }
    match regex.captures(text) {
        Some(found) => Ok(shape.value(&found)),
        None => Err(Refusal::of_call("the pattern matches no part of the text")),
    }
}

/// `replace`, whose second argument is a pattern between slashes.
pub(super) fn replace(arguments: &[Value], longest: usize) -> Outcome {
    let texts: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
    let [text, part, with] = texts[..] else { return Ok(Value::Unknown(Type::String)) };
    match part.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        Some(pattern) => match fault(pattern) {
            Some(why) => Err(Refusal::of_call(why)),
            None => Ok(Value::Unknown(Type::String)),
        },
        None if text.len().saturating_mul(with.len().max(1)) > longest => Err(Refusal::Expensive),
        None => Ok(Value::string(text.replace(part, with))),
    }
}

impl Pattern {
    /// Reads one that is not longer than so many bytes.
    fn read(text: &str, longest: usize) -> Result<Self, Refusal> {
        let wrong = |why: String| Refusal::of_argument(0, why);
        if let Some(why) = fault(text) {
            return Err(wrong(why));
        }
        if text.len() > longest {
            return Err(Refusal::Expensive);
        }
        let regex = match Regex::new(text) {
            _ if !is_portable(text) => None,
            Ok(regex) => Some(regex),
            Err(regex::Error::Syntax(_)) => return Err(wrong("the pattern cannot be read".to_owned())),
            Err(_) => None,
        };
        let Some(shape) = regex.as_ref().map(Shape::of) else { return Ok(Self { regex, shape: None }) };
        let shape = shape.map_err(wrong)?;
        Ok(Self { regex, shape: Some(shape) })
    }
}

impl Shape {
    fn of(regex: &Regex) -> Result<Self, String> {
        let groups = regex.captures_len() - 1;
        let names: Vec<SmolStr> = regex.capture_names().flatten().map(SmolStr::new).collect();
        match (groups, names.len()) {
            (0, _) => Ok(Self::Whole),
            (groups, 0) => Ok(Self::Groups(groups)),
            (groups, count) if groups == count => Ok(Self::Names(names)),
            _ => Err("a pattern has groups with names or groups without, and not both".to_owned()),
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
                Value::Object(names.iter().map(|name| (name.clone(), text(found.name(name)))).collect())
            }
        }
    }
}

/// Whether a pattern means to the engine what it means here: its classes cannot stand in each other, and letters behind
/// a backslash are few.
fn is_portable(pattern: &str) -> bool {
    let mut signs = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => {
                let escaped = signs.next();
                if escaped
                    .is_some_and(|escaped| escaped.is_alphanumeric() && !"dDsSwWbBnrtfvAz".contains(escaped))
                {
                    return false;
                }
            }
            '[' if in_class => return false,
            '[' => {
                in_class = true;
                signs.next_if_eq(&'^');
                signs.next_if_eq(&']');
            }
            ']' => in_class = false,
            '&' | '-' | '~' if in_class && signs.peek() == Some(&sign) => return false,
            '(' if !in_class && signs.peek() == Some(&'?') => {
                // Only groups without a name, or with one as the engine writes it.
                signs.next();
                if !matches!(signs.peek(), Some(':' | 'P' | 'i')) {
                    return false;
                }
            }
            // What is no count is a brace to the engine.
            '{' if !in_class && !signs.peek().is_some_and(char::is_ascii_digit) => return false,
            _ => {}
        }
    }
    pattern.is_ascii()
}

/// What the engine refuses in a pattern, as far as that takes no parser.
fn fault(pattern: &str) -> Option<String> {
    let mut signs = pattern.chars().peekable();
    let mut open = 0_usize;
    // Whether there is something that a `*` can repeat.
    let mut repeatable = false;
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next() {
                None => return Some("the pattern ends in a backslash".to_owned()),
                // What is quoted means itself, up to `\E`.
                Some('Q') => return None,
                Some(_) => repeatable = true,
            },
            '[' => {
                signs.next_if_eq(&'^');
                signs.next_if_eq(&']');
                if !skip_class(&mut signs) {
                    return Some("a `[` is not closed".to_owned());
                }
                repeatable = true;
            }
            '(' => {
                open += 1;
                repeatable = false;
                if signs.next_if_eq(&'?').is_some() {
                    if let Some(look) = signs.next_if(|sign| matches!(sign, '=' | '!')) {
                        return Some(format!("`(?{look}` is not understood: a pattern cannot look ahead"));
                    }
                    if signs.next_if_eq(&'<').is_some()
                        && let Some(look) = signs.next_if(|sign| matches!(sign, '=' | '!'))
                    {
                        return Some(format!("`(?<{look}` is not understood: a pattern cannot look behind"));
                    }
                }
            }
            ')' => {
                let Some(rest) = open.checked_sub(1) else {
                    return Some("a `)` closes nothing".to_owned());
                };
                open = rest;
                repeatable = true;
            }
            '|' => repeatable = false,
            '*' | '+' | '?' if !repeatable && open == 0 => {
                return Some(format!("there is nothing before this `{sign}` that it could repeat"));
            }
            _ => repeatable = true,
        }
    }
    (open > 0).then(|| "a `(` is not closed".to_owned())
}

/// Goes behind the `]` of a class; whether there is one.
fn skip_class(signs: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => {
                signs.next();
            }
            '[' if signs.peek() == Some(&':') => {
                // A class by name ends in a bracket of its own.
                for inner in signs.by_ref() {
                    if inner == ']' {
                        break;
                    }
                }
            }
            ']' => return true,
            _ => {}
        }
    }
    false
}
