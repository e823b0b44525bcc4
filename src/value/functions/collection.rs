//! What functions on collections give.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::result::Refusal;
use super::whole;
use crate::value::convert::{Mode, convert};
use crate::value::evaluate::equal;
use crate::value::unify::unify;
use crate::value::{Attribute, Type, Value};

type Outcome = Result<Value, Refusal>;

pub(super) fn keys(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    match (value, value.ty()) {
        (_, Type::Object(attributes)) => {
            Ok(Value::Tuple(attributes.keys().map(|name| Value::String(name.clone())).collect()))
        }
        (Value::Map(_, elements), _) => {
            Ok(Value::List(Type::String, elements.keys().map(|key| Value::String(key.clone())).collect()))
        }
        (_, Type::Map(_)) => Ok(Value::Unknown(Type::list(Type::String))),
        _ => Err(Refusal::of_argument(0, "a map or an object is needed")),
    }
}

pub(super) fn values(arguments: &[Value]) -> Outcome {
    match &arguments[0] {
        Value::Map(element, elements) => {
            Ok(Value::List(element.clone(), elements.values().cloned().collect()))
        }
        Value::Object(attributes) => Ok(Value::Tuple(attributes.values().cloned().collect())),
        Value::Unknown(Type::Map(element)) => Ok(Value::Unknown(Type::List(element.clone()))),
        Value::Unknown(Type::Object(attributes)) => {
            Ok(Value::Unknown(Type::tuple(attributes.values().map(|attribute| attribute.ty.clone()))))
        }
        _ => Err(Refusal::of_call("its argument is a map or an object")),
    }
}

pub(super) fn merge(arguments: &[Value]) -> Outcome {
    let Some(ty) = merged_type(arguments)? else {
        // Nulls have no type, and are passed over all the same.
        return Ok(match merged(arguments) {
            Some(attributes) => Value::Object(attributes),
            None => Value::UNKNOWN,
        });
    };
    Ok(match (merged(arguments), ty) {
        (None, ty) => Value::Unknown(ty),
        (Some(elements), Type::Map(element)) => Value::Map((*element).clone(), elements),
        (Some(attributes), _) => Value::Object(attributes),
    })
}

/// All elements; none where an argument is unknown.
fn merged(arguments: &[Value]) -> Option<BTreeMap<SmolStr, Value>> {
    let mut all = BTreeMap::new();
    for argument in arguments {
        match argument {
            Value::Map(_, elements) | Value::Object(elements) => {
                all.extend(elements.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            Value::Null(_) => {}
            _ => return None,
        }
    }
    Some(all)
}

/// The type of what merging gives, if it is known.
fn merged_type(arguments: &[Value]) -> Result<Option<Type>, Refusal> {
    let mut attributes = BTreeMap::new();
    let mut all_keys_known = true;
    let mut same = true;
    let mut first: Option<Type> = None;
    for argument in arguments {
        let ty = argument.ty();
        match (&ty, argument) {
            (Type::Any, _) => return Ok(None),
            (Type::Object(_) | Type::Map(_), Value::Null(_)) => {}
            (Type::Object(own), _) => {
                attributes.extend(own.iter().map(|(name, own)| (name.clone(), own.clone())));
            }
            (Type::Map(element), Value::Map(_, elements)) => {
                let each = |key: &SmolStr| (key.clone(), Attribute::required((**element).clone()));
                attributes.extend(elements.keys().map(each));
            }
            (Type::Map(_), _) => all_keys_known = false,
            _ => return Err(Refusal::of_call("its arguments are maps or objects")),
        }
        match &first {
            None => first = Some(ty),
            Some(first) => same &= *first == ty,
        }
    }
    Ok(match first {
        None => Some(Type::object([])),
        Some(first) if same => Some(first),
        Some(_) if all_keys_known => Some(Type::object(attributes)),
        Some(_) => None,
    })
}

pub(super) fn concat(arguments: &[Value]) -> Outcome {
    if arguments.is_empty() {
        return Err(Refusal::of_call("it takes at least one argument"));
    }
    let types: Vec<Type> = arguments.iter().map(Value::ty).collect();
    if types.iter().all(|ty| matches!(ty, Type::List(_)))
        && let Some(common) = unify(&types, Mode::Unsafe)
    {
        let mut all = Vec::new();
        for (place, argument) in arguments.iter().enumerate() {
            let list = convert(argument, &common);
            match list.map_err(|mismatch| Refusal::of_argument(place, mismatch.to_string()))? {
                Value::List(_, elements) => all.extend(elements),
                _ => return Ok(Value::Unknown(common)),
            }
        }
        return Ok(Value::List(common.element().cloned().unwrap_or(Type::Any), all));
    }
    let mut elements = Vec::new();
    let mut types_of_unknown = Vec::new();
    let mut known = true;
    for (place, argument) in arguments.iter().enumerate() {
        match argument {
            Value::Tuple(own) | Value::List(_, own) => {
                elements.extend(own.iter().cloned());
                types_of_unknown.extend(own.iter().map(Value::ty));
            }
            Value::Unknown(Type::Tuple(own)) => {
                types_of_unknown.extend(own.iter().cloned());
                known = false;
            }
            Value::Unknown(Type::List(_)) => return Ok(Value::UNKNOWN),
            _ => return Err(Refusal::of_argument(place, "a list or a tuple is needed")),
        }
    }
    Ok(if known { Value::Tuple(elements) } else { Value::Unknown(Type::tuple(types_of_unknown)) })
}

pub(super) fn lookup(arguments: &[Value]) -> Outcome {
    let [map, key, default @ ..] = arguments else { return Ok(Value::UNKNOWN) };
    let default = match default {
        [] => None,
        [default] => Some(default),
        [_, _, ..] => return Err(Refusal::of_call("it takes two or three arguments")),
    };
    let missing = || Refusal::of_argument(0, "there is no such key, and no default");
    match (map, map.ty(), key.as_str()) {
        (_, Type::Object(_), None) => Ok(Value::UNKNOWN),
        (_, Type::Object(attributes), Some(key)) => match (map, attributes.get(key), default) {
            (Value::Object(own), Some(_), _) => Ok(own[key].clone()),
            (_, Some(attribute), _) => Ok(Value::Unknown(attribute.ty.clone())),
            (Value::Object(_), None, Some(default)) => Ok(default.clone()),
            (_, None, Some(default)) => Ok(Value::Unknown(default.ty())),
            (_, None, None) => Err(missing()),
        },
        (_, Type::Map(element), key) => {
            let default = match default.map(|default| convert(default, &element)) {
                None => None,
                Some(Ok(default)) => Some(default),
                Some(Err(mismatch)) => return Err(Refusal::of_argument(2, mismatch.to_string())),
            };
            match (map, key) {
                (Value::Map(_, elements), Some(key)) => elements
                    .get(key)
                    .cloned()
                    .or(default)
                    .ok_or_else(|| Refusal::of_call("there is no such key")),
                _ => Ok(Value::Unknown((*element).clone())),
            }
        }
        _ => Err(Refusal::of_argument(0, "a map is needed")),
    }
}

pub(super) fn element(arguments: &[Value]) -> Outcome {
    let [list, index] = arguments else { return Ok(Value::UNKNOWN) };
    let index = match index {
        Value::Number(_) => match whole(index) {
            Some(index) => Some(index),
            None => return Err(Refusal::of_call("the index is a whole number")),
        },
        _ => None,
    };
    let empty = || Refusal::of_call("there is no element in an empty list");
    // Whatever is beyond the end starts again at the beginning, and the other way round.
    let place = |index: i128, length: usize| {
        let place = index.checked_rem_euclid(i128::try_from(length).ok()?)?;
        usize::try_from(place).ok()
    };
    match (list, list.ty(), index) {
        (Value::List(_, elements), Type::List(_), Some(index)) => {
            Ok(elements[place(index, elements.len()).ok_or_else(empty)?].clone())
        }
        (_, Type::List(element), _) => Ok(Value::Unknown((*element).clone())),
        (_, Type::Tuple(elements), Some(_)) if elements.is_empty() => Err(empty()),
        // Not every release goes round the beginning of a tuple.
        (_, Type::Tuple(_), None | Some(..0)) => Ok(Value::UNKNOWN),
        (_, Type::Tuple(types), Some(index)) => {
            let place = place(index, types.len()).ok_or_else(empty)?;
            Ok(match list {
                Value::Tuple(elements) => elements[place].clone(),
                _ => Value::Unknown(types[place].clone()),
            })
        }
        _ => Err(Refusal::of_call("its first argument is a list or a tuple")),
    }
}

pub(super) fn flatten(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    if !value.is_wholly_known() {
        return Ok(Value::UNKNOWN);
    }
    let mut flat = Vec::new();
    match value {
        Value::List(..) | Value::Set(..) | Value::Tuple(_) => flatten_into(value, &mut flat),
        _ => return Err(Refusal::of_call("its argument is a list, a set or a tuple")),
    }
    Ok(Value::Tuple(flat))
}

fn flatten_into(value: &Value, flat: &mut Vec<Value>) {
    match value {
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
            for element in elements {
                flatten_into(element, flat);
            }
        }
        other => flat.push(other.clone()),
    }
}

/// A list without elements that repeat others, or without empty ones.
pub(super) fn reduced(name: &str, arguments: &[Value]) -> Value {
    match &arguments[0] {
        Value::List(element, elements) if arguments[0].is_wholly_known() => {
            let mut seen = std::collections::HashSet::new();
            let keep = |value: &&Value| match name {
                "compact" => !value.is_null() && value.as_str() != Some(""),
                _ => seen.insert((*value).clone()),
            };
            Value::List(element.clone(), elements.iter().filter(keep).cloned().collect())
        }
        other => Value::Unknown(other.ty()),
    }
}

pub(super) fn contains(arguments: &[Value]) -> Outcome {
    let [list, wanted] = arguments else { return Ok(Value::UNKNOWN) };
    match list {
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
            let mut open = !wanted.is_known();
            for element in elements {
                match equal(element, wanted) {
                    Some(true) => return Ok(Value::Bool(true)),
                    Some(false) => {}
                    None => open = true,
                }
            }
            Ok(if open { Value::Unknown(Type::Bool) } else { Value::Bool(false) })
        }
        Value::Unknown(Type::List(_) | Type::Set(_) | Type::Tuple(_)) => Ok(Value::Unknown(Type::Bool)),
        // An unknown second argument hides what is wrong with the first.
        _ if !wanted.is_known() || !list.is_known() => Ok(Value::Unknown(Type::Bool)),
        _ => Err(Refusal::of_call("its first argument is a list, a set or a tuple")),
    }
}

pub(super) fn one(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    let too_many = || Refusal::of_argument(0, "it has more than one element");
    match (value, value.ty()) {
        (Value::List(..), Type::List(element)) | (Value::Set(..), Type::Set(element)) => match value {
            Value::Set(_, elements) if elements.len() > 1 && !value.is_wholly_known() => {
                Ok(Value::Unknown((*element).clone()))
            }
            Value::List(_, elements) | Value::Set(_, elements) => match elements.as_slice() {
                [] => Ok(Value::Null((*element).clone())),
                [only] => Ok(only.clone()),
                [_, _, ..] => Err(too_many()),
            },
            _ => Ok(Value::Unknown((*element).clone())),
        },
        (_, Type::List(element) | Type::Set(element)) => Ok(Value::Unknown((*element).clone())),
        (Value::Tuple(elements), _) => match elements.as_slice() {
            [] => Ok(Value::NULL),
            [only] => Ok(only.clone()),
            [_, _, ..] => Err(too_many()),
        },
        (_, Type::Tuple(elements)) => match &*elements {
            [] => Ok(Value::UNKNOWN),
            [only] => Ok(Value::Unknown(only.clone())),
            [_, _, ..] => Err(too_many()),
        },
        _ => Err(Refusal::of_argument(0, "a list, a set or a tuple is needed")),
    }
}

pub(super) fn reverse(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    match (value, value.ty()) {
        (Value::Tuple(elements), _) => Ok(Value::Tuple(elements.iter().rev().cloned().collect())),
        (Value::List(element, elements) | Value::Set(element, elements), _) => {
            Ok(Value::List(element.clone(), elements.iter().rev().cloned().collect()))
        }
        (_, Type::Tuple(elements)) => Ok(Value::Unknown(Type::tuple(elements.iter().rev().cloned()))),
        (_, Type::List(element) | Type::Set(element)) => Ok(Value::Unknown(Type::List(element))),
        _ => Err(Refusal::of_argument(0, "a list or a tuple is needed")),
    }
}

pub(super) fn slice(arguments: &[Value]) -> Outcome {
    let [list, start, end] = arguments else { return Ok(Value::UNKNOWN) };
    let (ty, length) = match (list, list.ty()) {
        (Value::List(_, elements), ty) => (ty, Some(elements.len())),
        (_, Type::List(element)) => (Type::List(element), None),
        (_, Type::Tuple(elements)) => {
            let length = elements.len();
            (Type::Tuple(elements), Some(length))
        }
        (_, Type::Set(_)) => return Err(Refusal::of_argument(0, "elements of a set have no order")),
        _ => return Err(Refusal::of_argument(0, "a list or a tuple is needed")),
    };
    let place = |argument: usize, value: &Value| match value {
        Value::Number(number) => match number.index() {
            Some(index) if length.is_none_or(|length| index <= length) => Ok(Some(index)),
            _ => Err(Refusal::of_argument(argument, "there is no such place in the list")),
        },
        _ => Ok(None),
    };
    let (Some(start), Some(end)) = (place(1, start)?, place(2, end)?) else {
        return Ok(Value::Unknown(if matches!(ty, Type::Tuple(_)) { Type::Any } else { ty }));
    };
    if start > end {
        return Err(Refusal::of_argument(1, "the start lies behind the end"));
    }
    Ok(match (list, ty) {
        (Value::List(element, elements), _) => Value::List(element.clone(), elements[start..end].to_vec()),
        (Value::Tuple(elements), _) => Value::Tuple(elements[start..end].to_vec()),
        (_, Type::Tuple(elements)) => Value::Unknown(Type::tuple(elements[start..end].iter().cloned())),
        (_, ty) => Value::Unknown(ty),
    })
}

/// The first list that is not empty.
pub(super) fn coalescelist(arguments: &[Value]) -> Outcome {
    if arguments.is_empty() {
        return Err(Refusal::of_call("it takes at least one argument"));
    }
    if !arguments.iter().all(Value::is_known) {
        return Ok(Value::UNKNOWN);
    }
    if arguments.iter().any(|argument| !matches!(argument.ty(), Type::List(_) | Type::Tuple(_))) {
        return Err(Refusal::of_call("its arguments are lists or tuples"));
    }
    let full = |value: &&Value| match value {
        Value::List(_, elements) | Value::Tuple(elements) => !elements.is_empty(),
        _ => false,
    };
    arguments.iter().find(full).cloned().ok_or_else(|| Refusal::of_call("all of its arguments are empty"))
}

pub(super) fn zipmap(arguments: &[Value]) -> Outcome {
    let [keys, values] = arguments else { return Ok(Value::UNKNOWN) };
    let names: Option<Vec<SmolStr>> = match keys {
        Value::List(_, keys) if keys.iter().all(|key| key.as_str().is_some()) => {
            Some(keys.iter().filter_map(Value::as_str).map(SmolStr::new).collect())
        }
        _ => None,
    };
    let unequal = || Refusal::of_call("there are not as many keys as values");
    match (values, values.ty(), names) {
        (Value::List(element, elements), _, Some(names)) => {
            if names.len() != elements.len() {
                return Err(unequal());
            }
            Ok(Value::Map(element.clone(), names.into_iter().zip(elements.iter().cloned()).collect()))
        }
        (_, Type::List(element), _) => Ok(Value::Unknown(Type::Map(element))),
        (Value::Tuple(elements), _, Some(names)) => {
            if names.len() != elements.len() {
                return Err(unequal());
            }
            Ok(Value::Object(names.into_iter().zip(elements.iter().cloned()).collect()))
        }
        (_, Type::Tuple(_), _) => Ok(Value::UNKNOWN),
        _ => Err(Refusal::of_call("its second argument is a list or a tuple")),
    }
}

/// Every element, with the keys of the lists that it is in.
pub(super) fn transpose(arguments: &[Value]) -> Outcome {
    let unknown = Ok(Value::Unknown(Type::map(Type::list(Type::String))));
    let [Value::Map(_, lists)] = arguments else { return unknown };
    let mut keys: BTreeMap<SmolStr, Vec<Value>> = BTreeMap::new();
    for (key, list) in lists {
        let Value::List(_, elements) = list else {
            return Err(Refusal::of_call("there is a null in the map"));
        };
        for element in elements {
            let Value::String(text) = element else {
                return Err(Refusal::of_call("there is a null in a list"));
            };
            keys.entry(text.clone()).or_default().push(Value::String(key.clone()));
        }
    }
    let lists = keys.into_iter().map(|(text, keys)| (text, Value::List(Type::String, keys)));
    Ok(Value::Map(Type::list(Type::String), lists.collect()))
}
