//! Types of values, and type constraints.

mod compound;

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use smol_str::SmolStr;

use self::compound::{Compound, Facts};

/// The maximal length of a type in messages, in bytes.
const LONGEST: usize = 1_000;

/// A type or a type constraint. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// As a constraint, any type. As the type of a value, not known yet.
    Any,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list of one element type.
    List(Compound<Type>),
    /// A set of one element type.
    Set(Compound<Type>),
    /// A map of one element type.
    Map(Compound<Type>),
    /// A tuple, with the type of each element.
    Tuple(Compound<Vec<Type>>),
    /// An object, with the type of each attribute.
    Object(Compound<BTreeMap<SmolStr, Attribute>>),
}

/// An attribute of an object type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// The type.
    pub ty: Type,
    /// Whether an object may omit it. Only constraints have optional attributes.
    pub optional: bool,
}

impl Attribute {
    /// A required attribute.
    pub fn required(ty: Type) -> Self {
        Self { ty, optional: false }
    }
}

impl Type {
    /// A list of `element`.
    pub fn list(element: Type) -> Self {
        Self::List(Compound::new(element))
    }

    /// A set of `element`.
    pub fn set(element: Type) -> Self {
        Self::Set(Compound::new(element))
    }

    /// A map of `element`.
    pub fn map(element: Type) -> Self {
        Self::Map(Compound::new(element))
    }

    /// A tuple of `elements`.
    pub fn tuple(elements: impl IntoIterator<Item = Type>) -> Self {
        Self::Tuple(Compound::new(elements.into_iter().collect()))
    }

    /// An object with exactly these attributes.
    pub fn object(attributes: impl IntoIterator<Item = (SmolStr, Attribute)>) -> Self {
        Self::Object(Compound::new(attributes.into_iter().collect()))
    }

    /// The element type of a list, set or map.
    pub fn element(&self) -> Option<&Type> {
        let (Self::List(element) | Self::Set(element) | Self::Map(element)) = self else { return None };
        Some(element)
    }

    /// The attributes of an object type.
    pub fn attributes(&self) -> Option<&BTreeMap<SmolStr, Attribute>> {
        if let Self::Object(attributes) = self { Some(attributes) } else { None }
    }

    /// What is known of it and all its parts.
    fn facts(&self) -> Facts {
        match self {
            Self::Any => Facts::ANY,
            Self::Bool | Self::Number | Self::String => Facts::PRIMITIVE,
            Self::List(element) | Self::Set(element) | Self::Map(element) => element.facts(),
            Self::Tuple(elements) => elements.facts(),
            Self::Object(attributes) => attributes.facts(),
        }
    }

    /// The number of types in it when written out, even if they share memory: converting traverses all of them.
    pub(super) fn nodes(&self) -> usize {
        self.facts().nodes
    }

    /// The levels of types in one another; 1 for `string`.
    pub(super) fn depth(&self) -> usize {
        self.facts().depth
    }

    /// Whether it is not completely known, because it contains [`Type::Any`].
    pub fn has_any(&self) -> bool {
        self.facts().has_any
    }

    /// Whether a value of this type can belong to `wanted`, in which `any` stands for every type. The cost is proportional
    /// to the types when written out.
    pub(super) fn conforms(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (_, Self::Any) => true,
            (Self::List(element), Self::List(wanted))
            | (Self::Set(element), Self::Set(wanted))
            | (Self::Map(element), Self::Map(wanted)) => element.conforms(wanted),
            (Self::Tuple(elements), Self::Tuple(wanted)) => {
                elements.len() == wanted.len()
                    && elements.iter().zip(wanted.iter()).all(|(it, wanted)| it.conforms(wanted))
            }
            (Self::Object(attributes), Self::Object(wanted)) => {
                attributes.keys().eq(wanted.keys())
                    && attributes.values().zip(wanted.values()).all(|(it, wanted)| it.ty.conforms(&wanted.ty))
            }
            _ => self == wanted,
        }
    }

    /// The same type with all attributes required, at every depth: the type of a value.
    #[must_use]
    pub fn without_optional(&self) -> Self {
        match self {
            Self::Any | Self::Bool | Self::Number | Self::String => self.clone(),
            Self::List(element) => Self::List(element.without_optional()),
            Self::Set(element) => Self::Set(element.without_optional()),
            Self::Map(element) => Self::Map(element.without_optional()),
            Self::Tuple(elements) => Self::Tuple(elements.without_optional()),
            Self::Object(attributes) => Self::Object(attributes.without_optional()),
        }
    }

    /// The name of a constraint in messages: `list of any single type`.
    pub fn required_name(&self) -> String {
        match self {
            Self::Any => "any type".to_owned(),
            Self::List(element) => format!("list of {}", element.single_name()),
            Self::Set(element) => format!("set of {}", element.single_name()),
            Self::Map(element) => format!("map of {}", element.single_name()),
            Self::Bool | Self::Number | Self::String | Self::Tuple(_) | Self::Object(_) => self.name(),
        }
    }

    /// The name of a type in messages: `list of string`.
    pub fn name(&self) -> String {
        match self {
            Self::Any => "dynamic".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Number => "number".to_owned(),
            Self::String => "string".to_owned(),
            Self::List(element) => format!("list of {}", element.name()),
            Self::Set(element) => format!("set of {}", element.name()),
            Self::Map(element) => format!("map of {}", element.name()),
            Self::Tuple(_) => "tuple".to_owned(),
            Self::Object(_) => "object".to_owned(),
        }
    }

    /// The type as source text, cut off if it is long.
    pub fn shortened(&self) -> String {
        let mut text = Shortened(String::new());
        match write!(text, "{self}") {
            Ok(()) => text.0,
            Err(fmt::Error) => text.0 + "…",
        }
    }

    fn single_name(&self) -> String {
        if *self == Self::Any { "any single type".to_owned() } else { self.required_name() }
    }
}

/// Collects the start of a text that may be long.
struct Shortened(String);

impl Write for Shortened {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The source text: `object({a=string,b=optional(number)})`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Bool => f.write_str("bool"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::List(element) => write!(f, "list({})", **element),
            Self::Set(element) => write!(f, "set({})", **element),
            Self::Map(element) => write!(f, "map({})", **element),
            Self::Tuple(elements) => {
                f.write_str("tuple([")?;
                for (i, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("])")
            }
            Self::Object(attributes) => {
                f.write_str("object({")?;
                for (i, (name, attribute)) in attributes.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    if attribute.optional {
                        write!(f, "{comma}{name} = optional({})", attribute.ty)?;
                    } else {
                        write!(f, "{comma}{name} = {}", attribute.ty)?;
                    }
                }
                f.write_str("})")
            }
        }
    }
}
