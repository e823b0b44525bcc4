//! Says which types convert to which, and what comes out where a type leaves something open.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::value::unify::unify;
use crate::value::{Attribute, Type};

/// Which conversions are thought of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::value) enum Mode {
    /// Those that no value fails.
    Safe,
    /// Also those that some values fail, such as from string to number.
    Unsafe,
}

/// Whether values of type `from` convert to `to`, as far as types can say.
pub(in crate::value) fn possible(from: &Type, to: &Type, mode: Mode) -> bool {
    let unsafe_too = mode == Mode::Unsafe;
    match (from, to) {
        (_, Type::Any) | (Type::Number | Type::Bool, Type::String) => true,
        (Type::Any, _) | (Type::String, Type::Number | Type::Bool) => unsafe_too,
        (Type::Object(from), Type::Object(to)) => to.iter().all(|(name, wanted)| match from.get(name) {
            Some(own) => own.ty == wanted.ty || possible(&own.ty, &wanted.ty, mode),
            None => wanted.optional,
        }),
        (Type::Tuple(from), Type::Tuple(to)) => {
            from.len() == to.len()
                && from.iter().zip(to.iter()).all(|(from, to)| from == to || possible(from, to, mode))
        }
        (Type::List(_), Type::Set(_)) if !unsafe_too => false,
        (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
        | (Type::Map(from), Type::Map(to)) => from == to || possible(from, to, mode),
        (Type::Tuple(elements), Type::List(element) | Type::Set(element)) => {
            all_possible(elements.iter(), element, mode, true)
        }
        (Type::Object(attributes), Type::Map(element)) => {
            all_possible(attributes.values().map(|attribute| &attribute.ty), element, mode, false)
        }
        (Type::Map(element), Type::Object(attributes)) => {
            unsafe_too
                && attributes.values().all(|wanted| {
                    wanted.optional || **element == wanted.ty || possible(element, &wanted.ty, mode)
                })
        }
        (
            Type::Bool
            | Type::Number
            | Type::String
            | Type::List(_)
            | Type::Set(_)
            | Type::Map(_)
            | Type::Tuple(_)
            | Type::Object(_),
            _,
        ) => false,
    }
}

/// Whether what is in a tuple or an object converts to the elements of a collection.
fn all_possible<'a>(
    parts: impl Iterator<Item = &'a Type> + Clone,
    element: &Type,
    mode: Mode,
    sequence: bool,
) -> bool {
    let Some(element) = common_element(parts.clone(), element, mode, sequence) else { return false };
    let mut checked = HashSet::new();
    parts.filter(|part| checked.insert(*part)).all(|part| *part == *element || possible(part, &element, mode))
}

/// The element type that a collection gets: the one asked for or, where that is any, the one common to all parts.
pub(super) fn common_element<'a, 'e>(
    mut parts: impl Iterator<Item = &'a Type> + Clone,
    element: &'e Type,
    mode: Mode,
    sequence: bool,
) -> Option<Cow<'e, Type>> {
    if *element != Type::Any || parts.clone().next().is_none() {
        return Some(Cow::Borrowed(element));
    }
    let all: Vec<Type> = parts.clone().cloned().collect();
    let common = unify(&all, mode)?;
    // A sequence of something unknown can only be made of nothing but unknowns.
    let vague = sequence && common == Type::Any && !parts.all(|part| *part == Type::Any);
    (!vague).then_some(Cow::Owned(common))
}

/// `to`, with what it leaves open taken from `from`.
pub(super) fn filled(from: &Type, to: &Type) -> Type {
    let unified = |parts: Vec<Type>, to: &Type| match unify(&parts, Mode::Unsafe) {
        Some(common) => filled(&common, to),
        None => to.clone(),
    };
    match (from, to) {
        (Type::Any, _) => to.clone(),
        (_, Type::Any) => from.clone(),
        (Type::Map(from), Type::Map(to)) => Type::map(filled(from, to)),
        (Type::Object(from), Type::Map(to)) => {
            Type::map(unified(from.values().map(|attribute| attribute.ty.clone()).collect(), to))
        }
        (Type::Map(from), Type::Object(to)) => Type::object(
            to.iter().map(|(name, wanted)| (name.clone(), Attribute::required(filled(from, &wanted.ty)))),
        ),
        (Type::Object(from), Type::Object(to)) => Type::object(to.iter().map(|(name, wanted)| {
            let ty = from.get(name).map_or_else(|| wanted.ty.clone(), |own| filled(&own.ty, &wanted.ty));
            (name.clone(), Attribute::required(ty))
        })),
        (Type::List(from) | Type::Set(from), Type::Set(to)) => Type::set(filled(from, to)),
        (Type::List(from) | Type::Set(from), Type::List(to)) => Type::list(filled(from, to)),
        (Type::Tuple(from), Type::Set(to)) => Type::set(unified(from.to_vec(), to)),
        (Type::Tuple(from), Type::List(to)) => Type::list(unified(from.to_vec(), to)),
        (Type::Tuple(from), Type::Tuple(to)) if from.len() == to.len() => {
            Type::tuple(from.iter().zip(to.iter()).map(|(from, to)| filled(from, to)))
        }
        (
            Type::Bool
            | Type::Number
            | Type::String
            | Type::List(_)
            | Type::Set(_)
            | Type::Map(_)
            | Type::Tuple(_)
            | Type::Object(_),
            _,
        ) => to.clone(),
    }
}
