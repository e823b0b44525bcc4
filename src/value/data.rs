//! Values of expressions.

use std::collections::BTreeMap;
use std::{mem, slice};

use smol_str::SmolStr;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::{Attribute, Marks, Number, Type};

/// A value, known or unknown. Values are ordered only for the elements of sets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string, in the normal form of [`Value::string`].
    String(SmolStr),
    /// A list, with its element type.
    List(Type, Vec<Value>),
    /// A set, with its element type. The elements are sorted and unique; see [`Value::set`].
    Set(Type, Vec<Value>),
    /// A map, with its element type.
    Map(Type, BTreeMap<SmolStr, Value>),
    /// A tuple. Its type follows from its elements.
    Tuple(Vec<Value>),
    /// An object. Its type follows from its attributes.
    Object(BTreeMap<SmolStr, Value>),
    /// `null`, with its type.
    Null(Type),
    /// An unknown value, before planning or after an error.
    Unknown(Type),
    /// A marked value; see [`Value::mark`]. The marks are not empty, the value inside is not marked itself, and the
    /// value is not an element of a set.
    Marked(Box<Value>, Marks),
}

impl Value {
    /// A value of unknown type, for example of an expression with an error.
    pub const UNKNOWN: Self = Self::Unknown(Type::Any);

    /// A literal `null`, which has no type yet.
    pub const NULL: Self = Self::Null(Type::Any);

    /// A string, converted to Unicode normalization form C as in cty.
    pub fn string(text: impl Into<SmolStr>) -> Self {
        Self::String(normal(text.into()))
    }

    /// A set of these elements. Their marks move to the set. Elements that are not wholly known may differ.
    pub fn set(element: Type, mut elements: Vec<Value>) -> Self {
        let marks = elements.iter_mut().map(Self::take_deep_marks).fold(Marks::NONE, Marks::and);
        elements.sort_unstable();
        elements.dedup_by(|one, other| one == other && one.is_wholly_known());
        Self::Set(element, elements).mark(marks)
    }

    /// Whether the order of the elements is known. Engines order the elements of a set that are not primitive by a hash.
    pub(super) fn has_known_order(&self) -> bool {
        match self {
            Self::Set(element, elements) => {
                let is_primitive = matches!(element, Type::Bool | Type::Number | Type::String);
                elements.len() <= 1 || is_primitive && self.is_wholly_known()
            }
            _ => true,
        }
    }

    /// The results for the elements of this collection, one after another.
    pub(super) fn arranged(&self, values: Vec<Self>) -> Vec<Self> {
        let Some(first) = values.first() else { return values };
        if self.has_known_order() || values.iter().all(|value| value == first) {
            return values;
        }
        let (ty, is_marked) = (first.ty(), values.iter().any(|value| value.deep_marks() != Marks::NONE));
        let is_same = !is_marked && values.iter().all(|value| value.ty() == ty);
        vec![if is_same { Self::Unknown(ty) } else { Self::UNKNOWN }; values.len()]
    }

    /// Adds marks to the value.
    #[must_use]
    pub fn mark(self, marks: Marks) -> Self {
        match self {
            value if marks == Marks::NONE => value,
            Self::Marked(inner, own) => Self::Marked(inner, own.and(marks)),
            value => Self::Marked(Box::new(value), marks),
        }
    }

    /// The value without its own marks, and these marks. Elements keep theirs.
    pub fn unmarked(&self) -> (&Self, Marks) {
        match self {
            Self::Marked(inner, marks) => (inner, *marks),
            value => (value, Marks::NONE),
        }
    }

    /// Removes the value's own marks and returns them.
    pub fn take_marks(&mut self) -> Marks {
        let Self::Marked(inner, marks) = self else { return Marks::NONE };
        let marks = *marks;
        *self = mem::replace(inner, Self::UNKNOWN);
        marks
    }

    /// The marks of the value and all its elements.
    pub fn deep_marks(&self) -> Marks {
        self.parts().map(Self::deep_marks).fold(self.unmarked().1, Marks::and)
    }

    /// Removes the marks of the value and all its elements, and returns them.
    pub fn take_deep_marks(&mut self) -> Marks {
        let marks = self.deep_marks();
        if marks != Marks::NONE {
            *self = mem::replace(self, Self::UNKNOWN).map_marked(&mut |value, _| value);
        }
        marks
    }

    /// The value without its marks and those of its elements.
    #[must_use]
    pub fn without_marks(mut self) -> Self {
        self.take_deep_marks();
        self
    }

    /// The value with each marked part replaced, innermost first.
    #[must_use]
    pub(super) fn map_marked(self, replace: &mut dyn FnMut(Self, Marks) -> Self) -> Self {
        let mut all = |parts: Vec<Self>| -> Vec<Self> {
            parts.into_iter().map(|part| part.map_marked(replace)).collect()
        };
        match self {
            Self::List(element, elements) => Self::List(element, all(elements)),
            Self::Tuple(elements) => Self::Tuple(all(elements)),
            Self::Map(element, elements) => {
                let each = elements.into_iter().map(|(key, value)| (key, value.map_marked(replace)));
                Self::Map(element, each.collect())
            }
            Self::Object(attributes) => {
                let each = attributes.into_iter().map(|(name, value)| (name, value.map_marked(replace)));
                Self::Object(each.collect())
            }
            Self::Marked(inner, marks) => {
                let inner = inner.map_marked(replace);
                replace(inner, marks)
            }
            value => value,
        }
    }

    /// The elements or attributes, or the value inside a marked one.
    pub fn parts(&self) -> impl Iterator<Item = &Self> {
        let (elements, named) = match self {
            Self::List(_, elements) | Self::Set(_, elements) | Self::Tuple(elements) => (&elements[..], None),
            Self::Map(_, elements) | Self::Object(elements) => (&[][..], Some(elements.values())),
            Self::Marked(inner, _) => (slice::from_ref(&**inner), None),
            Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Null(_) | Self::Unknown(_) => {
                (&[][..], None)
            }
        };
        elements.iter().chain(named.into_iter().flatten())
    }

    /// The type of the value.
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
            Self::Marked(inner, _) => inner.ty(),
        }
    }

    /// Whether the type is exactly `ty`.
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
            (Self::Marked(inner, _), _) => inner.is(ty),
            _ => false,
        }
    }

    /// Whether the value is `null`, of any type.
    pub fn is_null(&self) -> bool {
        matches!(self.unmarked().0, Self::Null(_))
    }

    /// Whether the value itself is known. Its elements may be unknown.
    pub fn is_known(&self) -> bool {
        !matches!(self.unmarked().0, Self::Unknown(_))
    }

    /// Whether the value and all its elements are known.
    pub fn is_wholly_known(&self) -> bool {
        !matches!(self, Self::Unknown(_)) && self.parts().all(Self::is_wholly_known)
    }

    /// Whether a string in the value is a placeholder that a person replaces, such as `<REGION>`, `YOUR_REGION`, `xxxx` or
    /// `***`.
    pub fn holds_placeholder(&self) -> bool {
        let is_placeholder = |text: &str| {
            let text = text.trim();
            let is_in_brackets = text.len() > 2 && text.starts_with('<') && text.ends_with('>');
            let is_shouted = !text.contains(|letter: char| letter.is_lowercase());
            is_in_brackets
                || is_shouted && BLANKS.iter().any(|word| text.starts_with(word))
                || text.to_ascii_lowercase().contains("xxxx")
                || !text.is_empty() && text.bytes().all(|byte| byte == b'*')
        };
        self.as_str().is_some_and(is_placeholder) || self.parts().any(Self::holds_placeholder)
    }

    /// Whether the value has strings, and all of them are empty: a person fills them in.
    pub fn is_blank(&self) -> bool {
        fn has_text(value: &Value) -> Option<bool> {
            match value.as_str() {
                Some(text) => Some(!text.is_empty()),
                None => value.parts().filter_map(has_text).reduce(|one, other| one || other),
            }
        }
        has_text(self) == Some(false)
    }

    /// The text of a known string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self.unmarked().0 { Some(text) } else { None }
    }

    /// The value of a known bool.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self.unmarked().0 { Some(*value) } else { None }
    }
}

/// The first words of placeholders in capitals.
const BLANKS: [&str; 6] = ["YOUR_", "YOUR-", "REPLACE_", "CHANGE_", "CHANGEME", "INSERT_"];

/// The normal form of a string or key.
pub(super) fn normal(text: SmolStr) -> SmolStr {
    if text.is_ascii() || is_nfc(&text) { text } else { text.nfc().collect() }
}
