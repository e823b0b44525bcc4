//! Functions with regular expressions: `regex`, `regexall` and `replace`.

use regex::{Captures, Regex, RegexBuilder};
use smol_str::SmolStr;

use re2::translate;

use super::characters::is_common;
use super::signature::{FunctionError, Outcome, text};
use crate::value::{Attribute, Type, Value};

mod re2;

/// Maximal ratio of the length of a string to that of a pattern, because a compiled pattern is much larger than its
/// text.
const TEXT_TO_PATTERN: usize = 64;

/// The maximal size of a compiled pattern in bytes. Larger ones take too long to match, so their results are unknown.
const LARGEST: usize = 1 << 16;

/// The steps to compile the smallest pattern.
const OF_PATTERN: usize = 50;

/// The steps to compile the largest pattern: [`LARGEST`] ends the compilation of larger ones.
const MOST_STATES: usize = 4_000;

/// The steps to compile a class of Unicode characters.
const OF_UNICODE_CLASS: usize = 3_500;

/// The steps to compile a part that matches almost any character.
const OF_ANY: usize = 8;

/// The bytes of a string that one step searches for one more match.
const SEARCHED: usize = 64;

/// A valid pattern.
struct Pattern {
    /// The compiled pattern, if it certainly matches the same as in the engine.
    regex: Option<Regex>,
    /// Whether it contains flags, classes of Unicode characters, or boundaries of words.
    has_sets: bool,
    shape: Shape,
}

/// The structure of a match.
enum Shape {
    /// The matching string.
    Whole,
    /// A tuple with a string for each group.
    Groups(usize),
    /// An object with a string for each group name. Of several groups with one name, the last one counts.
    Names(Vec<SmolStr>),
}

pub(super) fn regex(arguments: &[Value], longest: usize) -> Outcome {
    matched(arguments, longest, false)
}

pub(super) fn regexall(arguments: &[Value], longest: usize) -> Outcome {
    matched(arguments, longest, true)
}

/// The first match, or all matches. The pattern is checked even if the string is unknown.
fn matched(arguments: &[Value], longest: usize, all: bool) -> Outcome {
    let pattern = Pattern::read(text(arguments, 0)?, longest / TEXT_TO_PATTERN)?;
    let shape = &pattern.shape;
    let ty = shape.ty();
    let text = text(arguments, 1).ok();
    if text.is_some_and(|text| pattern.regex.is_some() && text.len() > longest) {
        return Err(FunctionError::Expensive);
    }
    let (Some(regex), Some(text)) = (&pattern.regex, text.filter(|text| pattern.is_exact_for(text))) else {
        return Ok(Value::Unknown(if all { Type::list(ty) } else { ty }));
    };
    if all {
        let most = longest / work_of_match(text);
        let found: Vec<Value> =
            regex.captures_iter(text).take(most + 1).map(|found| shape.value(&found)).collect();
        return if found.len() > most { Err(FunctionError::Expensive) } else { Ok(Value::List(ty, found)) };
    }
    let found = regex.captures(text);
    let missing = || FunctionError::of_call("the pattern did not match any part of the given string");
    found.map(|found| shape.value(&found)).ok_or_else(missing)
}

/// The pattern between slashes that the second argument of `replace` may be.
pub(super) fn between_slashes(part: &str) -> Option<&str> {
    part.strip_prefix('/')?.strip_suffix('/')
}

/// `replace`.
pub(super) fn replace(arguments: &[Value], longest: usize) -> Outcome {
    let (text, part, with) = (text(arguments, 0)?, text(arguments, 1)?, text(arguments, 2)?);
    match between_slashes(part) {
        Some(pattern) if pattern.len() > longest / TEXT_TO_PATTERN => Err(FunctionError::Expensive),
        Some(pattern) => match translate(pattern) {
            Ok(_) => Err(FunctionError::Unknown),
            Err(why) => Err(FunctionError::of_call(format!("error parsing regexp: {why}"))),
        },
        None => {
            let added = text.matches(part).count().saturating_mul(with.len());
            if text.len().saturating_add(added) > longest {
                return Err(FunctionError::Expensive);
            }
            Ok(Value::string(text.replace(part, with)))
        }
    }
}

impl Pattern {
    /// Compiles a pattern of at most `longest` bytes.
    fn read(text: &str, longest: usize) -> Result<Self, FunctionError> {
        if text.len() > longest {
            return Err(FunctionError::Expensive);
        }
        let wrong = |why: String| FunctionError::of_argument(0, why);
        let translation = translate(text).map_err(|why| wrong(format!("invalid regexp pattern: {why}")))?;
        let shape = Shape::of(&translation.groups).map_err(wrong)?;
        // Unicode normalization may change the meaning of other characters in a pattern.
        let is_exact = translation.is_exact && text.is_ascii();
        let regex = if is_exact { compiled(&translation.pattern) } else { None };
        let has_sets = ["(?", "\\p", "\\P", "\\b", "\\B"].iter().any(|part| text.contains(part));
        Ok(Self { regex, has_sets, shape })
    }

    /// Whether it matches the same parts of a text as in the engine. Beyond ASCII, Unicode versions and normalization
    /// differ.
    fn is_exact_for(&self, text: &str) -> bool {
        text.is_ascii() || !self.has_sets && text.chars().all(is_common)
    }
}

/// The approximate number of steps to search a string for one more match of a pattern.
pub(super) fn work_of_match(text: &str) -> usize {
    1 + text.len() / SEARCHED
}

/// The approximate number of steps to compile a pattern: one per state, with repeated parts counted as often as they
/// repeat.
pub(super) fn work(pattern: &str) -> usize {
    let mut groups = vec![0_usize];
    let mut last = 0_usize;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        last = match letter {
            '(' => {
                groups.push(1);
                continue;
            }
            ')' if groups.len() > 1 => groups.pop().unwrap_or_default(),
            '\\' if matches!(letters.next(), Some('p' | 'P')) => {
                if letters.next() == Some('{') {
                    letters.by_ref().find(|letter| *letter == '}');
                }
                OF_UNICODE_CLASS
            }
            '{' => {
                let bounds: String = letters.by_ref().take_while(|letter| *letter != '}').collect();
                let most = bounds.split(',').filter_map(|bound| bound.parse::<usize>().ok()).max();
                last.saturating_mul(most.unwrap_or(1))
            }
            // A negated class needs states for every length of the UTF-8 encoding.
            '[' => {
                let class: String = letters.by_ref().take_while(|letter| *letter != ']').collect();
                let is_large = |part: &str| part.starts_with(['p', 'P', 'W', 'D', 'S']);
                let large = class.split('\\').skip(1).filter(|part| is_large(part)).count();
                large * OF_UNICODE_CLASS + if class.starts_with('^') { OF_ANY } else { 1 }
            }
            '.' => OF_ANY,
            _ => 1,
        };
        if let Some(group) = groups.last_mut() {
            *group = group.saturating_add(last);
        }
    }
    groups.into_iter().fold(OF_PATTERN, usize::saturating_add).min(MOST_STATES)
}

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).size_limit(LARGEST).build().ok()
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
