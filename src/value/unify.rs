//! Convertibility and unification of types, as in cty's `convert` package.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};

use hashbrown::HashSet;

use super::{Attribute, Type};

/// Above this number of different types of different kinds, overrule does not look for a common type.
const MOST_KINDS: usize = 2_000;

/// The most general of the types, or a type composed of them. Returns `None` if there is none, or if `types` is
/// empty.
///
/// The result is [`Type::Any`] if one of the types is unknown and affects the result.
pub(super) fn unify(types: &[Type], mode: Mode) -> Option<Type> {
    let mut seen = HashSet::new();
    let types: Vec<Type> = types.iter().filter(|ty| seen.insert(*ty)).cloned().collect();
    match types.as_slice() {
        [] => return None,
        [one] => return Some(one.clone()),
        [_, _, ..] => {}
    }
    let count = Count::of(&types);
    let any = count.any > 0;
    let only = |counted: usize| counted > 0 && counted + count.any == types.len();
    if only(count.maps) || only(count.lists) || only(count.sets) {
        if any {
            return Some(Type::Any);
        }
        let elements: Vec<Type> = types.iter().filter_map(Type::element).cloned().collect();
        let element = unify(&elements, mode)?;
        return all_to(&types, like(&types[0], element), mode);
    }
    if count.maps > 0 && only(count.maps + count.objects) {
        if let Some(found) = unify_as(&types, mode, map_of) {
            return Some(found);
        }
    } else if count.lists > 0 && only(count.lists + count.tuples) {
        if let Some(found) = unify_as(&types, mode, list_of) {
            return Some(found);
        }
    } else if only(count.objects) {
        return if any { Some(Type::Any) } else { unify_objects(&types, mode) };
    } else if only(count.tuples) {
        return if any { Some(Type::Any) } else { unify_tuples(&types, mode) };
    } else if count.objects > 0 && count.tuples > 0 {
        return None;
    }
    if types.len() > MOST_KINDS {
        return None;
    }
    most_general_first(&types).into_iter().find_map(|wanted| all_to(&types, types[wanted].clone(), mode))
}

/// The number of types of each kind.
#[derive(Default)]
struct Count {
    maps: usize,
    lists: usize,
    sets: usize,
    objects: usize,
    tuples: usize,
    any: usize,
}

impl Count {
    fn of(types: &[Type]) -> Self {
        let mut count = Self::default();
        for ty in types {
            match ty {
                Type::Map(_) => count.maps += 1,
                Type::List(_) => count.lists += 1,
                Type::Set(_) => count.sets += 1,
                Type::Object(_) => count.objects += 1,
                Type::Tuple(_) => count.tuples += 1,
                Type::Any => count.any += 1,
                Type::Bool | Type::Number | Type::String => {}
            }
        }
        count
    }
}

/// `wanted`, if all types convert to it.
fn all_to(types: &[Type], wanted: Type, mode: Mode) -> Option<Type> {
    types.iter().all(|ty| *ty == wanted || possible(ty, &wanted, mode)).then_some(wanted)
}

/// A collection of the same kind as `model`.
fn like(model: &Type, element: Type) -> Type {
    match model {
        Type::Set(_) => Type::set(element),
        Type::Map(_) => Type::map(element),
        _ => Type::list(element),
    }
}

/// Treats objects as maps, or tuples as lists, and looks for a common type.
fn unify_as(types: &[Type], mode: Mode, common: fn(&[Type], Mode) -> Option<Type>) -> Option<Type> {
    let structural = |ty: &&Type| matches!(ty, Type::Object(_) | Type::Tuple(_));
    let inner: Vec<Type> = types.iter().filter(structural).cloned().collect();
    let collection = common(&inner, mode)?;
    let replaced: Vec<Type> =
        types.iter().map(|ty| if structural(&ty) { collection.clone() } else { ty.clone() }).collect();
    unify(&replaced, mode)
        .filter(|found| std::mem::discriminant(found) == std::mem::discriminant(&collection))
}

fn unify_objects(types: &[Type], mode: Mode) -> Option<Type> {
    let all: Vec<&BTreeMap<_, Attribute>> = types.iter().filter_map(Type::attributes).collect();
    if !all.iter().all(|attributes| attributes.len() == all[0].len() && attributes.keys().eq(all[0].keys())) {
        return map_of(types, mode);
    }
    let mut result = BTreeMap::new();
    for name in all[0].keys() {
        let across: Vec<Type> = all.iter().map(|attributes| attributes[name].ty.clone()).collect();
        result.insert(name.clone(), Attribute::required(unify(&across, mode)?));
    }
    all_to(types, Type::object(result), mode).or_else(|| map_of(types, mode))
}

fn unify_tuples(types: &[Type], mode: Mode) -> Option<Type> {
    let all: Vec<&[Type]> = types.iter().filter_map(tuple_elements).collect();
    if !all.iter().all(|elements| elements.len() == all[0].len()) {
        return list_of(types, mode);
    }
    let mut result = Vec::with_capacity(all[0].len());
    for place in 0..all[0].len() {
        let across: Vec<Type> = all.iter().map(|elements| elements[place].clone()).collect();
        result.push(unify(&across, mode)?);
    }
    all_to(types, Type::tuple(result), mode).or_else(|| list_of(types, mode))
}

/// A map type to which all objects convert.
fn map_of(objects: &[Type], mode: Mode) -> Option<Type> {
    let attributes: Vec<Type> = objects
        .iter()
        .filter_map(Type::attributes)
        .flat_map(|attributes| attributes.values().map(|attribute| attribute.ty.clone()))
        .collect();
    all_to(objects, Type::map(unify(&attributes, mode)?), mode)
}

/// A list type to which all tuples convert.
fn list_of(tuples: &[Type], mode: Mode) -> Option<Type> {
    let elements: Vec<Type> =
        tuples.iter().filter_map(tuple_elements).flat_map(|elements| elements.iter().cloned()).collect();
    all_to(tuples, Type::list(unify(&elements, mode)?), mode)
}

fn tuple_elements(ty: &Type) -> Option<&[Type]> {
    if let Type::Tuple(elements) = ty { Some(elements) } else { None }
}

/// Indexes into `types`, with each type before those that it is more general than.
fn most_general_first(types: &[Type]) -> Vec<usize> {
    let mut below = vec![Vec::new(); types.len()];
    let mut above = vec![0_usize; types.len()];
    for i in 0..types.len() {
        for j in i + 1..types.len() {
            match generality(&types[i], &types[j]) {
                Ordering::Less => {
                    below[i].push(j);
                    above[j] += 1;
                }
                Ordering::Greater => {
                    below[j].push(i);
                    above[i] += 1;
                }
                Ordering::Equal => {}
            }
        }
    }
    let mut queue: VecDeque<usize> = (0..types.len()).filter(|i| above[*i] == 0).collect();
    let mut result = Vec::with_capacity(types.len());
    while let Some(i) = queue.pop_front() {
        result.push(i);
        for &j in &below[i] {
            above[j] -= 1;
            if above[j] == 0 {
                queue.push_back(j);
            }
        }
    }
    result
}

/// `Less` if `a` is more general than `b`; `Equal` if neither is, or if that is undecided.
fn generality(a: &Type, b: &Type) -> Ordering {
    match (a, b) {
        (Type::Any, Type::Any) => Ordering::Equal,
        (Type::Any, _)
        | (Type::Bool | Type::Number, Type::String)
        | (Type::Set(_), Type::List(_) | Type::Tuple(_))
        | (Type::Tuple(_), Type::List(_))
        | (Type::Object(_), Type::Map(_)) => Ordering::Greater,
        (_, Type::Any)
        | (Type::String, Type::Bool | Type::Number)
        | (Type::List(_) | Type::Tuple(_), Type::Set(_))
        | (Type::List(_), Type::Tuple(_))
        | (Type::Map(_), Type::Object(_)) => Ordering::Less,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
            generality(a, b)
        }
        (Type::Object(a), Type::Object(b)) if a.len() == b.len() && a.keys().eq(b.keys()) => {
            together(a.values().zip(b.values()).map(|(a, b)| generality(&a.ty, &b.ty)))
        }
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
            together(a.iter().zip(b.iter()).map(|(a, b)| generality(a, b)))
        }
        _ => Ordering::Equal,
    }
}

/// More general only if some part is, and no part is the other way round.
fn together(parts: impl Iterator<Item = Ordering>) -> Ordering {
    let (mut less, mut greater) = (false, false);
    for part in parts {
        less |= part == Ordering::Less;
        greater |= part == Ordering::Greater;
    }
    match (less, greater) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (true, true) | (false, false) => Ordering::Equal,
    }
}

/// Which conversions count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Conversions that succeed for every value.
    Safe,
    /// All conversions, including those that fail for some values, such as from string to number.
    Unsafe,
}

/// Whether values of type `from` convert to `to`, as far as the types decide it.
pub(super) fn possible(from: &Type, to: &Type, mode: Mode) -> bool {
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
        _ => false,
    }
}

/// Whether all parts of a tuple or object convert to the elements of a collection.
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

/// The element type of a collection: the wanted one or, if that is `any`, the common type of all parts.
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
    // A sequence of an unknown type can only be built if all parts are of unknown type.
    let vague = sequence && common == Type::Any && !parts.all(|part| *part == Type::Any);
    (!vague).then_some(Cow::Owned(common))
}

/// `to`, with its open parts taken from `from`.
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
        _ => to.clone(),
    }
}
