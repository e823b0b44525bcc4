//! `yamldecode`: parses YAML by the rules of the engine, which are those of YAML 1.1 for words and those of YAML 1.2
//! for numbers.
//!
//! The engine uses a port of libyaml. Where parsers disagree (tags, directives, and most text that one of them
//! refuses), the value is unknown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use smol_str::SmolStr;

use super::signature::{FunctionError, Outcome, text};
use crate::value::data::normal;
use crate::value::{Number, Type, Value, convert};

/// Above this number of values, with each alias counted in full, the document is too large.
const MOST_VALUES: usize = 50_000;

/// Above this nesting depth, the value is unknown.
const DEEPEST: usize = 60;

pub(super) fn yamldecode(arguments: &[Value]) -> Outcome {
    let text = text(arguments, 0)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match document(text) {
        Ok(value) => Ok(value),
        Err(Failure::Wrong(why)) => Err(FunctionError::of_call(why)),
        Err(Failure::Large) => Err(FunctionError::Expensive),
        Err(Failure::Unknown) => Ok(Value::UNKNOWN),
    }
}

/// Why a document has no value.
enum Failure {
    /// It has an error.
    Wrong(String),
    /// It has too many values.
    Large,
    /// overrule does not decide it.
    Unknown,
}

/// An open collection.
enum Open {
    Sequence(Vec<Value>),
    /// With the key of the next value.
    Mapping(BTreeMap<SmolStr, Value>, Option<Key>),
}

enum Key {
    Name(SmolStr),
    Merge,
}

struct Reader {
    open: Vec<(Open, usize)>,
    anchors: HashMap<usize, (Value, usize)>,
    values: usize,
}

fn document(text: &str) -> Result<Value, Failure> {
    if let Some(line) = wrong_tab(text) {
        return Err(Failure::Wrong(format!("line {line} of the text is indented with a tab")));
    }
    if text.lines().any(|line| line.starts_with('%')) || is_peculiar(text) {
        return Err(Failure::Unknown);
    }
    let mut reader = Reader { open: Vec::new(), anchors: HashMap::new(), values: 0 };
    let (mut value, mut documents) = (None, 0);
    let length = (!text.ends_with('\n')).then(|| text.chars().count());
    for event in Parser::new_from_str(text) {
        let (mut event, span) = event.map_err(|error| mistake(text, error.info()))?;
        // Without a final line break in the text, a block scalar at its end has none.
        if let Event::Scalar(scalar, ScalarStyle::Literal | ScalarStyle::Folded, ..) = &mut event
            && length.is_some_and(|length| span.end.index() >= length)
            && let Some(shorter) = scalar.strip_suffix('\n')
        {
            *scalar = shorter.to_owned().into();
        }
        match event {
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
            Event::DocumentStart(_) if documents > 0 => {
                return Err(Failure::Wrong("there is more than one document".to_owned()));
            }
            Event::DocumentStart(_) => documents += 1,
            Event::StreamEnd => break,
            event => value = reader.add(event)?.or(value),
        }
    }
    value.ok_or_else(|| Failure::Wrong("the string contains no YAML document".to_owned()))
}

/// The number of the first line that a tab indents, at its start or after its hyphen, if that is certainly an error.
///
/// It is one at the start of the document, and after lines that form a collection on their own. A root scalar, an open
/// quoted string and an open flow collection may continue with a tab.
fn wrong_tab(text: &str) -> Option<usize> {
    let is_indented = |line: &str| {
        let after_hyphen = line.strip_prefix('-').map(|rest| rest.trim_start_matches(' '));
        after_hyphen.unwrap_or(line).starts_with('\t')
    };
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if is_indented(line) {
            let before = &text[..start];
            let is_empty =
                |line: &str| line == "---" || line.starts_with('#') || line.trim_matches(' ').is_empty();
            let is_collection = |value: Value| matches!(value, Value::Object(_) | Value::Tuple(_));
            let is_wrong = before.lines().all(is_empty) || document(before).is_ok_and(is_collection);
            return is_wrong.then_some(number + 1);
        }
        start += line.len();
    }
    None
}

/// Whether a text has content on which parsers disagree: other tabs at the start of a line, characters that are not
/// printable or that some treat as line breaks, and escapes that only some support.
fn is_peculiar(text: &str) -> bool {
    let is_special = |sign: char| {
        (sign.is_control() && !matches!(sign, '\n' | '\r' | '\t'))
            || matches!(sign, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let starts_with_tab = |line: &str| line.trim_start_matches([' ', '-', '?', ':']).starts_with('\t');
    text.contains(is_special)
        || text.contains("\\/")
        || text.contains('\t') && text.split(['\n', '\r']).any(starts_with_tab)
}

/// The errors that all parsers report. The engine accepts some others: a `[` that continues at the margin, and quoted
/// strings that continue without indentation.
const CERTAIN: &[&str] = &[
    "mapping values are not allowed in this context",
    "while parsing a block mapping, did not find expected key",
    "invalid trailing content after double-quoted scalar",
    "misplaced bracket",
    "while parsing a block collection, did not find expected '-' indicator",
    "while parsing a node, did not find expected node content",
    "while scanning a quoted scalar, found unexpected end of stream",
    "did not find expected <document start>",
    "\"-\" is only valid inside a block",
    "simple key expected",
    "simple key expect ':'",
    "while scanning a block scalar, did not find expected comment or line break",
    "while parsing a flow mapping, did not find expected ',' or '}'",
    "while parsing a flow sequence, expected ',' or ']'",
    "block sequence entries are not allowed in this context",
    "unexpected character: ``'",
    "unexpected character: `@'",
    "unexpected character: `%'",
    "while parsing node, found unknown anchor",
    "while parsing a quoted scalar, found unknown escape character",
];

fn mistake(text: &str, why: &str) -> Failure {
    // The engine accepts a block scalar at the margin.
    let has_bare_block = text.lines().any(|line| line.starts_with(['|', '>']));
    if CERTAIN.contains(&why) && !has_bare_block {
        Failure::Wrong(format!("the string is not valid YAML: {why}"))
    } else {
        Failure::Unknown
    }
}

impl Reader {
    /// Adds an event, and returns the document once it is complete.
    fn add(&mut self, event: Event<'_>) -> Result<Option<Value>, Failure> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                plain(tag.as_deref())?;
                let is_merge = text == "<<";
                let value = match style {
                    ScalarStyle::Plain => resolved(&text)?,
                    // The value is a string, but a `yes` in it is resolved to `true` first.
                    ScalarStyle::Literal | ScalarStyle::Folded => match resolved(&text)? {
                        Value::Null(_) => Value::NULL,
                        value => convert(&value, &Type::String).map_err(|_| Failure::Unknown)?,
                    },
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                        Value::string(Cow::into_owned(text))
                    }
                };
                self.take(value, anchor, is_merge)
            }
            Event::Alias(anchor) => {
                let size = self.anchors.get(&anchor).ok_or(Failure::Unknown)?.1;
                self.count(size)?;
                self.take(self.anchors[&anchor].0.clone(), 0, false)
            }
            Event::SequenceStart(anchor, tag) => {
                plain(tag.as_deref())?;
                self.begin(Open::Sequence(Vec::new()), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                plain(tag.as_deref())?;
                self.begin(Open::Mapping(BTreeMap::new(), None), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (open, anchor) = self.open.pop().ok_or(Failure::Unknown)?;
                let value = match open {
                    Open::Sequence(elements) => Value::Tuple(elements),
                    Open::Mapping(attributes, _) => Value::Object(attributes),
                };
                self.take(value, anchor, false)
            }
            _ => Ok(None),
        }
    }

    fn begin(&mut self, open: Open, anchor: usize) -> Result<Option<Value>, Failure> {
        if self.open.len() >= DEEPEST {
            return Err(Failure::Unknown);
        }
        if let Some((Open::Mapping(_, None), _)) = self.open.last() {
            return Err(Failure::Wrong("a key of a mapping is a collection".to_owned()));
        }
        self.open.push((open, anchor));
        Ok(None)
    }

    /// Adds a value to the innermost open collection.
    fn take(&mut self, value: Value, anchor: usize, is_merge: bool) -> Result<Option<Value>, Failure> {
        self.count(1)?;
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size(&value)));
        }
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some((Open::Sequence(elements), _)) => elements.push(value),
            Some((Open::Mapping(attributes, key), _)) => match key.take() {
                None if is_merge => *key = Some(Key::Merge),
                None => *key = Some(Key::Name(name(&value)?)),
                Some(Key::Name(name)) => {
                    attributes.insert(name, value);
                }
                Some(Key::Merge) => {
                    let Value::Object(merged) = value else { return Err(Failure::Unknown) };
                    attributes.extend(merged);
                }
            },
        }
        Ok(None)
    }

    fn count(&mut self, values: usize) -> Result<(), Failure> {
        self.values += values;
        if self.values > MOST_VALUES { Err(Failure::Large) } else { Ok(()) }
    }
}

/// Requires a node without a tag. The engine knows no tags of applications, such as `!Ref`.
fn plain(tag: Option<&Tag>) -> Result<(), Failure> {
    match tag {
        None => Ok(()),
        Some(tag) if tag.handle == "!" && !tag.suffix.is_empty() => {
            Err(Failure::Wrong(format!("the tag `!{}` is not supported", tag.suffix)))
        }
        Some(_) => Err(Failure::Unknown),
    }
}

fn size(value: &Value) -> usize {
    value.parts().map(size).sum::<usize>() + 1
}

/// The attribute name for a key.
fn name(key: &Value) -> Result<SmolStr, Failure> {
    match convert(key, &Type::String) {
        Ok(Value::String(name)) => Ok(normal(name)),
        Ok(Value::Null(_)) => Err(Failure::Wrong("a key of a mapping is null".to_owned())),
        Ok(_) => Err(Failure::Unknown),
        Err(_) => Err(Failure::Wrong("a key of a mapping is a collection".to_owned())),
    }
}

/// The value of a plain scalar.
fn resolved(text: &str) -> Result<Value, Failure> {
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::NULL,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" => return Err(Failure::Wrong("a number cannot be NaN".to_owned())),
        _ if is_infinite(text) => Value::Unknown(Type::Number),
        _ if may_be_date(text) => date(text),
        _ => number(text).unwrap_or_else(|| Value::string(text)),
    })
}

fn is_infinite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF")
}

/// Whether a text starts with four digits, a hyphen and a digit.
fn may_be_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5].is_ascii_digit()
}

/// A date becomes a timestamp. For other text that looks like one, only the type is known.
fn date(text: &str) -> Value {
    let parts: Vec<&str> = text.split('-').collect();
    let part = |place: usize| parts.get(place).filter(|part| part.len() == 2)?.parse::<u32>().ok();
    match (parts.len(), part(1), part(2)) {
        (3, Some(1..=12), Some(1..=28)) => Value::string(format!("{text}T00:00:00Z")),
        _ => Value::Unknown(Type::String),
    }
}

/// The number that a text is, if it is one.
fn number(text: &str) -> Option<Value> {
    let radix = |digits: &str, radix: u32| {
        let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        is_number.then(|| match u64::from_str_radix(digits, radix) {
            Ok(number) => decimal(&number.to_string()),
            Err(_) => Value::Unknown(Type::Number),
        })
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = are_digits(whole) && are_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let exponent_digits = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    if !is_number || exponent_digits.is_some_and(|digits| digits.is_empty() || !are_digits(digits)) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let mut digits = if whole.is_empty() { "0".to_owned() } else { whole.to_owned() };
    if !fraction.is_empty() {
        digits.push('.');
        digits.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        digits.push('e');
        digits.push_str(exponent);
    }
    let value = decimal(&digits);
    Some(match value {
        Value::Number(number) if text.starts_with('-') => Value::Number(number.negated()),
        value => value,
    })
}

fn decimal(digits: &str) -> Value {
    Number::parse(digits).map_or(Value::Unknown(Type::Number), Value::Number)
}
