//! Values: what constant expressions are worth.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::{Attribute, Number, Type};

/// A value, known or not. The order among values is only there so that sets have one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string, in the normal form that [`Value::string`] brings it into.
    String(SmolStr),
    /// A list, with the type of its elements.
    List(Type, Vec<Value>),
    /// A set, with the type of its elements: sorted, each once. Made by [`Value::set`].
    Set(Type, Vec<Value>),
    /// A map, with the type of its elements.
    Map(Type, BTreeMap<SmolStr, Value>),
    /// A tuple; its type follows from its elements.
    Tuple(Vec<Value>),
    /// An object; its type follows from its attributes.
    Object(BTreeMap<SmolStr, Value>),
    /// `null`, once converted with a type.
    Null(Type),
    /// Not known before something runs, or after an error.
    Unknown(Type),
}

impl Value {
    /// Of which nothing is known: what an expression with an error is worth.
    pub const UNKNOWN: Self = Self::Unknown(Type::Any);

    /// The `null` that is written in a source: of no type yet.
    pub const NULL: Self = Self::Null(Type::Any);

    /// A string. Characters that can be written in several ways are brought into one form, as the engines do.
    pub fn string(text: impl Into<SmolStr>) -> Self {
        Self::String(normal(text.into()))
    }

    /// A set of these elements.
    pub fn set(element: Type, mut elements: Vec<Value>) -> Self {
        elements.sort_unstable();
        elements.dedup();
        Self::Set(element, elements)
    }

    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Self::Bool(_) => Type::Bool,
            Self::Number(_) => Type::Number,
            Self::String(_) => Type::String,
            Self::List(element, _) => Type::list(element.clone()),
            Self::Set(element, _) => Type::set(element.clone()),
            Self::Map(element, _) => Type::map(element.clone()),
            Self::Tuple(elements) => Type::tuple(elements.iter().map(Self::ty)),
            Self::Object(attributes) => Type::object(
                attributes.iter().map(|(name, value)| (name.clone(), Attribute::required(value.ty()))),
            ),
            Self::Null(ty) | Self::Unknown(ty) => ty.clone(),
        }
    }

    /// Whether its type is exactly `ty`.
    pub fn is(&self, ty: &Type) -> bool {
        match (self, ty) {
            (Self::Bool(_), Type::Bool)
            | (Self::Number(_), Type::Number)
            | (Self::String(_), Type::String) => true,
            (Self::List(element, _), Type::List(wanted))
            | (Self::Set(element, _), Type::Set(wanted))
            | (Self::Map(element, _), Type::Map(wanted)) => element == &**wanted,
            (Self::Tuple(elements), Type::Tuple(wanted)) => {
                elements.len() == wanted.len()
                    && elements.iter().zip(wanted.iter()).all(|(element, wanted)| element.is(wanted))
            }
            (Self::Object(attributes), Type::Object(wanted)) => {
                attributes.len() == wanted.len()
                    && attributes.iter().zip(wanted.iter()).all(|((name, value), (wanted_name, wanted))| {
                        name == wanted_name && !wanted.optional && value.is(&wanted.ty)
                    })
            }
            (Self::Null(own) | Self::Unknown(own), _) => own == ty,
            (
                Self::Bool(_)
                | Self::Number(_)
                | Self::String(_)
                | Self::List(..)
                | Self::Set(..)
                | Self::Map(..)
                | Self::Tuple(_)
                | Self::Object(_),
                _,
            ) => false,
        }
    }

    /// Whether it is `null`, of whatever type.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null(_))
    }

    /// Whether it is known itself; what is in it may still be unknown.
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }

    /// Whether it and all that is in it is known.
    pub fn is_wholly_known(&self) -> bool {
        match self {
            Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Null(_) => true,
            Self::List(_, elements) | Self::Set(_, elements) | Self::Tuple(elements) => {
                elements.iter().all(Self::is_wholly_known)
            }
            Self::Map(_, elements) | Self::Object(elements) => elements.values().all(Self::is_wholly_known),
            Self::Unknown(_) => false,
        }
    }

    /// The text of a known string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Bool(_)
            | Self::Number(_)
            | Self::List(..)
            | Self::Set(..)
            | Self::Map(..)
            | Self::Tuple(_)
            | Self::Object(_)
            | Self::Null(_)
            | Self::Unknown(_) => None,
        }
    }

    /// A known bool.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Number(_)
            | Self::String(_)
            | Self::List(..)
            | Self::Set(..)
            | Self::Map(..)
            | Self::Tuple(_)
            | Self::Object(_)
            | Self::Null(_)
            | Self::Unknown(_) => None,
        }
    }
}

/// The normal form of a string or of a key.
pub(super) fn normal(text: SmolStr) -> SmolStr {
    if text.is_ascii() || is_nfc(&text) { text } else { text.nfc().collect() }
}
