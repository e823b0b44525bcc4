//! Functions on maps and objects.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::signature::{FunctionError, Outcome};
use crate::value::convert::convert;
use crate::value::{Attribute, Type, Value};

pub(super) fn keys(arguments: &[Value]) -> Outcome {
    fn texts<'k>(keys: impl Iterator<Item = &'k SmolStr>) -> Vec<Value> {
        keys.map(|key| Value::String(key.clone())).collect()
    }
    match &arguments[0] {
        Value::Object(attributes) => Ok(Value::Tuple(texts(attributes.keys()))),
        Value::Unknown(Type::Object(attributes)) => Ok(Value::Tuple(texts(attributes.keys()))),
        Value::Map(_, elements) => Ok(Value::List(Type::String, texts(elements.keys()))),
        Value::Unknown(Type::Map(_)) => Ok(Value::Unknown(Type::list(Type::String))),
        _ => Err(FunctionError::of_argument(0, "a map or an object is required")),
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
        _ => Err(FunctionError::of_call("its argument must be a map or an object")),
    }
}

pub(super) fn merge(arguments: &[Value]) -> Outcome {
    let are_objects = arguments.iter().all(|argument| matches!(argument, Value::Object(_)));
    let Some(ty) = (if are_objects { None } else { merged_type(arguments)? }) else {
        // The type of an object follows from its attributes. Nulls have no type, but are skipped all the same.
        return Ok(match merged(arguments)? {
            Some(attributes) => Value::Object(attributes),
            None => Value::UNKNOWN,
        });
    };
    Ok(match (merged(arguments)?, ty) {
        (None, ty) => Value::Unknown(ty),
        (Some(elements), Type::Map(element)) => Value::Map((*element).clone(), elements),
        (Some(attributes), _) => Value::Object(attributes),
    })
}

/// The merged elements. Returns `None` if an argument is unknown, or a set, whose elements the engine uses as keys.
fn merged(arguments: &[Value]) -> Result<Option<BTreeMap<SmolStr, Value>>, FunctionError> {
    let mut all = BTreeMap::new();
    for argument in arguments {
        match argument {
            Value::Map(_, elements) | Value::Object(elements) => {
                all.extend(elements.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            Value::Null(_) => {}
            // Beside a null without a type, the engine does not look at types.
            Value::List(_, elements) | Value::Tuple(elements) if elements.is_empty() => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(..) | Value::Tuple(_) => {
                return Err(not_a_map());
            }
            Value::Set(..) | Value::Unknown(_) | Value::Marked(..) => return Ok(None),
        }
    }
    Ok(Some(all))
}

fn not_a_map() -> FunctionError {
    FunctionError::of_call("its arguments must be maps or objects")
}

/// The type of the merged value, if it is known.
fn merged_type(arguments: &[Value]) -> Result<Option<Type>, FunctionError> {
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
            _ => return Err(not_a_map()),
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

pub(super) fn lookup(arguments: &[Value]) -> Outcome {
    let [map, key, default @ ..] = arguments else { return Ok(Value::UNKNOWN) };
    let default = match default {
        [] => None,
        [default] => Some(default),
        [_, _, ..] => return Err(FunctionError::of_call("it takes two or three arguments")),
    };
    let missing = || FunctionError::of_argument(0, "the key does not exist, and there is no default");
    let element = match map {
        Value::Map(element, _) => Some(element),
        Value::Unknown(Type::Map(element)) => Some(&**element),
        _ => None,
    };
    if let Some(element) = element {
        let default = default.map(|default| convert(default, element)).transpose();
        let default = default.map_err(|mismatch| FunctionError::of_argument(2, mismatch.to_string()))?;
        return match (map, key.as_str()) {
            (Value::Map(_, elements), Some(key)) => elements
                .get(key)
                .cloned()
                .or(default)
                .ok_or_else(|| FunctionError::of_call("the key does not exist")),
            _ => Ok(Value::Unknown(element.clone())),
        };
    }
    match (map, key.as_str()) {
        (Value::Object(_) | Value::Unknown(Type::Object(_)), None) => Ok(Value::UNKNOWN),
        (Value::Object(attributes), Some(key)) => {
            attributes.get(key).or(default).cloned().ok_or_else(missing)
        }
        (Value::Unknown(Type::Object(attributes)), Some(key)) => {
            let ty = attributes.get(key).map(|attribute| attribute.ty.clone());
            ty.or_else(|| Some(default?.ty())).map(Value::Unknown).ok_or_else(missing)
        }
        _ => Err(FunctionError::of_argument(0, "a map is required")),
    }
}

pub(super) fn zipmap(arguments: &[Value]) -> Outcome {
    let values = &arguments[1];
    let names: Option<Vec<SmolStr>> = match &arguments[0] {
        Value::List(_, keys) => keys.iter().map(|key| key.as_str().map(SmolStr::new)).collect(),
        _ => None,
    };
    let ty = values.ty();
    let number = match (values, &ty) {
        (Value::List(_, elements), _) => Some(elements.len()),
        (_, Type::Tuple(types)) => Some(types.len()),
        _ => None,
    };
    if let (Value::List(_, keys), Some(number)) = (&arguments[0], number)
        && arguments[0].is_wholly_known()
    {
        if keys.len() != number {
            return Err(FunctionError::of_call("the numbers of keys and values differ"));
        }
        if keys.iter().any(Value::is_null) {
            return Err(FunctionError::of_call("a key is null"));
        }
    }
    let marks = arguments[0].deep_marks();
    let zipped =
        |names: Vec<SmolStr>, values: &[Value]| names.into_iter().zip(values.iter().cloned()).collect();
    match (values, ty, names) {
        (Value::List(element, elements), _, Some(names)) => {
            Ok(Value::Map(element.clone(), zipped(names, elements)).mark(marks))
        }
        (_, Type::List(element), _) => Ok(Value::Unknown(Type::Map(element))),
        (Value::Tuple(elements), _, Some(names)) => Ok(Value::Object(zipped(names, elements)).mark(marks)),
        (_, Type::Tuple(types), Some(names)) => {
            let attributes = types.iter().cloned().map(Attribute::required);
            Ok(Value::Unknown(Type::object(names.into_iter().zip(attributes))))
        }
        (_, Type::Tuple(_), None) => Ok(Value::UNKNOWN),
        _ => Err(FunctionError::of_call("its second argument must be a list or a tuple")),
    }
}

/// Each element, with the keys of the lists that contain it.
pub(super) fn transpose(arguments: &[Value]) -> Outcome {
    let [Value::Map(_, lists)] = arguments else { return Err(FunctionError::Unknown) };
    let mut keys: BTreeMap<SmolStr, Vec<Value>> = BTreeMap::new();
    for (key, list) in lists {
        let Value::List(_, elements) = list else {
            return Err(FunctionError::of_call("the map contains null"));
        };
        for element in elements {
            let Value::String(text) = element else {
                return Err(FunctionError::of_call("a list contains null"));
            };
            keys.entry(text.clone()).or_default().push(Value::String(key.clone()));
        }
    }
    let lists = keys.into_iter().map(|(text, keys)| (text, Value::List(Type::String, keys)));
    Ok(Value::Map(Type::list(Type::String), lists.collect()))
}
