//! Generates type constraints, and values that are or nearly are of these types.

use super::block::Value;
use super::dice::Dice;

/// A type constraint.
#[derive(Debug, Clone)]
pub(crate) enum Type {
    Any,
    String,
    Number,
    Bool,
    List(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>),
    Tuple(Vec<Type>),
    Object(Vec<(&'static str, Type, Presence)>),
}

/// Whether an attribute is required.
#[derive(Debug, Clone)]
pub(crate) enum Presence {
    Required,
    Optional,
    Default(String),
}

const NAMES: &[&str] = &["a", "b", "name", "size"];

impl Type {
    pub(crate) fn random(dice: &mut Dice, depth: usize) -> Self {
        let kinds = if depth == 0 { 4 } else { 10 };
        let inner = |dice: &mut Dice| Box::new(Self::random(dice, depth - 1));
        match dice.below(kinds) {
            0 | 7 => Self::String,
            1 => Self::Number,
            2 => Self::Bool,
            3 => {
                if dice.chance(50) {
                    Self::Any
                } else {
                    Self::String
                }
            }
            4 => Self::List(inner(dice)),
            5 => Self::Set(inner(dice)),
            6 => Self::Map(inner(dice)),
            8 => Self::Tuple((0..dice.between(0, 3)).map(|_| Self::random(dice, depth - 1)).collect()),
            _ => Self::Object(
                NAMES[..dice.between(0, 3)]
                    .iter()
                    .map(|name| {
                        let of = Self::random(dice, depth - 1);
                        let presence = match dice.below(6) {
                            0 | 1 => Presence::Optional,
                            2 => Presence::Default(of.value(dice, 4).constant()),
                            _ => Presence::Required,
                        };
                        (*name, of, presence)
                    })
                    .collect(),
            ),
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Any => "any".to_owned(),
            Self::String => "string".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::List(of) => format!("list({})", of.text()),
            Self::Set(of) => format!("set({})", of.text()),
            Self::Map(of) => format!("map({})", of.text()),
            Self::Tuple(of) => {
                format!("tuple([{}])", of.iter().map(Self::text).collect::<Vec<_>>().join(", "))
            }
            Self::Object(attributes) => {
                let each: Vec<String> = attributes
                    .iter()
                    .map(|(name, of, presence)| match presence {
                        Presence::Required => format!("{name} = {}", of.text()),
                        Presence::Optional => format!("{name} = optional({})", of.text()),
                        Presence::Default(value) => format!("{name} = optional({}, {value})", of.text()),
                    })
                    .collect();
                format!("object({{ {} }})", each.join(", "))
            }
        }
    }

    /// A value of the type; each part has another type with a probability of `wrong` percent.
    pub(crate) fn value(&self, dice: &mut Dice, wrong: usize) -> Value {
        if dice.chance(wrong) {
            return Self::random(dice, 1).value(dice, 0);
        }
        if dice.chance(3) {
            return Value::plain("null");
        }
        match self {
            Self::Any => Self::random(dice, 0).any_value(dice, wrong),
            Self::String if dice.chance(15) => Value::plain(dice.word(&["1", "true", "2.50", "1e3"])),
            Self::String => Value::text(dice.word(&["x", "", "1", "true", "a b", "x-y", "0", "null"])),
            Self::Number if dice.chance(15) => {
                Value::text(dice.word(&["1", "-1.5", "1e5", "x", "", "0x1", "007"]))
            }
            Self::Number => {
                Value::plain(dice.word(&["0", "1", "2.5", "-3", "1e5", "12345678901234567890123"]))
            }
            Self::Bool if dice.chance(15) => {
                Value::text(dice.word(&["true", "false", "1", "0", "True", "no"]))
            }
            Self::Bool => Value::plain(dice.chance(50)),
            Self::List(of) | Self::Set(of) => {
                Value::List((0..dice.between(0, 3)).map(|_| of.value(dice, wrong)).collect())
            }
            Self::Map(of) => {
                let names = &["k", "l", "m"][..dice.between(0, 3)];
                Value::Object(names.iter().map(|&name| (name.to_owned(), of.value(dice, wrong))).collect())
            }
            Self::Tuple(of) => Value::List(of.iter().map(|of| of.value(dice, wrong)).collect()),
            Self::Object(attributes) => Value::Object(
                attributes
                    .iter()
                    .filter_map(|(name, of, presence)| {
                        let left_out = match presence {
                            Presence::Required => dice.chance(wrong),
                            Presence::Optional | Presence::Default(_) => dice.chance(50),
                        };
                        (!left_out).then(|| ((*name).to_owned(), of.value(dice, wrong)))
                    })
                    .collect(),
            ),
        }
    }

    fn any_value(&self, dice: &mut Dice, wrong: usize) -> Value {
        match self {
            Self::Any => Value::text("any"),
            other => other.value(dice, wrong),
        }
    }
}

impl Value {
    /// The value in native syntax on one line, for use in a type constraint.
    pub(crate) fn constant(&self) -> String {
        match self {
            Self::Plain(text) | Self::Word(text) | Self::Expression(text) => text.clone(),
            Self::Text(text) => format!("\"{text}\""),
            Self::List(items) => {
                format!("[{}]", items.iter().map(Self::constant).collect::<Vec<_>>().join(", "))
            }
            Self::Object(entries) => {
                let each: Vec<String> =
                    entries.iter().map(|(key, value)| format!("{key} = {}", value.constant())).collect();
                format!("{{ {} }}", each.join(", "))
            }
        }
    }
}
