//! Errors of conversions.

use std::collections::BTreeMap;
use std::fmt;

use smol_str::SmolStr;

use super::unify::{Mode, possible};
use super::{Attribute, Type};
use crate::text::with_article;

/// Why a conversion failed, and in which part of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The path from the value to that part.
    pub path: Vec<PathStep>,
    /// The requirement for that part: "a number is required".
    pub message: String,
}

/// One step of a path to a part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// An attribute of an object.
    Attribute(SmolStr),
    /// An element of a map.
    Key(SmolStr),
    /// An element of a sequence.
    Index(usize),
}

impl Mismatch {
    /// The reason, with the part of the value as a reference that starts with `name`.
    pub fn explained(&self, name: &str) -> String {
        if self.path.is_empty() {
            return self.message.clone();
        }
        let steps: String = self.path.iter().map(ToString::to_string).collect();
        let part = format!("{name}{steps}");
        format!("for `{}`, {}", part.trim_start_matches('.'), self.message)
    }
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => write!(f, ".{name}"),
            Self::Key(key) => write!(f, "[{key:?}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explained(""))
    }
}

/// Why no value of type `got` converts to `want`.
pub(super) fn explain(got: &Type, want: &Type) -> String {
    match (got, want) {
        (Type::Object(got), Type::Object(want)) => explain_objects(got, want),
        (Type::Tuple(got), Type::Tuple(want)) => explain_tuples(got, want),
        (Type::Tuple(_), Type::List(element)) if **element == Type::Any => {
            "all list elements must have the same type".to_owned()
        }
        (Type::Tuple(_), Type::Set(element)) if **element == Type::Any => {
            "all set elements must have the same type".to_owned()
        }
        (Type::Object(_), Type::Map(element)) if **element == Type::Any => {
            "all map elements must have the same type".to_owned()
        }
        (Type::Tuple(elements), Type::List(element) | Type::Set(element)) => elements
            .iter()
            .enumerate()
            .find(|(_, got)| *got != &**element && !possible(got, element, Mode::Unsafe))
            .map_or_else(
                || format!("all elements must be {}", element.required_name()),
                |(index, got)| format!("for element {index}, {}", explain(got, element)),
            ),
        (Type::Object(attributes), Type::Map(element)) => attributes
            .iter()
            .find(|(_, got)| got.ty != **element && !possible(&got.ty, element, Mode::Unsafe))
            .map_or_else(
                || format!("all elements must be {}", element.required_name()),
                |(name, got)| format!("for element {name:?}, {}", explain(&got.ty, element)),
            ),
        (Type::List(got) | Type::Set(got), Type::List(want)) => {
            format!("incorrect list element type: {}", explain(got, want))
        }
        (Type::List(got) | Type::Set(got), Type::Set(want)) => {
            format!("incorrect set element type: {}", explain(got, want))
        }
        (Type::Map(got), Type::Map(want)) => format!("incorrect map element type: {}", explain(got, want)),
        _ => {
            let (want, got_name) = (want.required_name(), got.name());
            let required = format!("{} is required", with_article(&want));
            if *got == Type::Any || got_name == want {
                required
            } else {
                format!("{required}, but this is {}", with_article(&got_name))
            }
        }
    }
}

fn explain_tuples(got: &[Type], want: &[Type]) -> String {
    if got.len() != want.len() {
        let elements = if want.len() == 1 { "element" } else { "elements" };
        return format!("a tuple of {} {elements} is required, but this has {}", want.len(), got.len());
    }
    let is_unfit = |(got, want): (&Type, &Type)| got != want && !possible(got, want, Mode::Unsafe);
    let mut elements = got.iter().zip(want).enumerate();
    elements.find(|(_, pair)| is_unfit(*pair)).map_or_else(
        || "a tuple is required".to_owned(),
        |(index, (got, want))| format!("for element {index}, {}", explain(got, want)),
    )
}

/// The missing attributes first; else the first attribute that never converts, else the first one for which that
/// depends on the value.
fn explain_objects(got: &BTreeMap<SmolStr, Attribute>, want: &BTreeMap<SmolStr, Attribute>) -> String {
    let missing = want.iter().filter(|(name, wanted)| !wanted.optional && !got.contains_key(*name));
    let missing: Vec<String> = missing.map(|(name, _)| format!("{name:?}")).collect();
    match missing.as_slice() {
        [] => {}
        [one] => return format!("attribute {one} is required"),
        [one, two] => return format!("attributes {one} and {two} are required"),
        [most @ .., last] => return format!("attributes {}, and {last} are required", most.join(", ")),
    }
    let first = |mode| {
        want.iter().find_map(|(name, wanted)| {
            let own = &got.get(name)?.ty;
            (*own != wanted.ty && !possible(own, &wanted.ty, mode))
                .then(|| format!("attribute {name:?}: {}", explain(own, &wanted.ty)))
        })
    };
    first(Mode::Unsafe)
        .or_else(|| first(Mode::Safe))
        .unwrap_or_else(|| "incorrect object attributes".to_owned())
}
