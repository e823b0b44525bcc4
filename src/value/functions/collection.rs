//! Functions on lists, sets and tuples.

use unicode_segmentation::UnicodeSegmentation;

use super::signature::{FunctionError, Outcome, whole};
use crate::value::convert::convert;
use crate::value::equality::equal;
use crate::value::unify::{Mode, unify};
use crate::value::{Marks, Number, Scope, Type, Value};

pub(super) fn length(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    // The type of a known tuple or object takes as long to build as the value.
    if let Value::Tuple(elements) = value {
        return Ok(Value::Number(Number::from(elements.len())));
    }
    if let Value::Object(attributes) = value {
        return Ok(Value::Number(Number::from(attributes.len())));
    }
    let count = match (value, value.ty()) {
        (_, Type::Bool | Type::Number) => {
            return Err(FunctionError::of_call(
                "its argument must be a string, a collection, a tuple or an object",
            ));
        }
        (_, Type::Tuple(elements)) => elements.len(),
        (_, Type::Object(attributes)) => attributes.len(),
        (Value::String(text), _) => text.graphemes(true).count(),
        (Value::List(_, elements), _) => elements.len(),
        (Value::Set(_, elements), _) if elements.len() <= 1 || value.is_wholly_known() => elements.len(),
        (Value::Map(_, elements), _) => elements.len(),
        _ => return Err(FunctionError::Unknown),
    };
    Ok(Value::Number(Number::from(count)))
}

/// The first argument that is neither null nor an empty string.
pub(super) fn coalesce(arguments: &[Value]) -> Outcome {
    let types: Vec<Type> = arguments.iter().map(Value::ty).collect();
    let Some(ty) = unify(&types, Mode::Unsafe) else {
        let why = if types.is_empty() { "it has no arguments" } else { "its arguments have no common type" };
        return Err(FunctionError::of_call(why));
    };
    for argument in arguments {
        let Ok(value) = convert(argument, &ty) else { return Ok(Value::Unknown(ty)) };
        match value {
            Value::Unknown(_) => return Ok(Value::Unknown(ty)),
            Value::Null(_) => {}
            Value::String(text) if text.is_empty() => {}
            value => return Ok(value),
        }
    }
    Err(FunctionError::of_call("all of its arguments are null or empty"))
}

pub(super) fn concat(arguments: &[Value]) -> Outcome {
    if arguments.is_empty() {
        return Err(FunctionError::of_call("it takes at least one argument"));
    }
    let types: Vec<Type> = arguments.iter().map(Value::ty).collect();
    if types.iter().all(|ty| matches!(ty, Type::List(_)))
        && let Some(common) = unify(&types, Mode::Unsafe)
    {
        let mut all = Vec::new();
        for (place, argument) in arguments.iter().enumerate() {
            let list = convert(argument, &common);
            match list.map_err(|mismatch| FunctionError::of_argument(place, mismatch.to_string()))? {
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
            _ => return Err(FunctionError::of_argument(place, "a list or a tuple is required")),
        }
    }
    Ok(if known { Value::Tuple(elements) } else { Value::Unknown(Type::tuple(types_of_unknown)) })
}

pub(super) fn element(arguments: &[Value], scope: &dyn Scope) -> Outcome {
    let [list, index] = arguments else { return Ok(Value::UNKNOWN) };
    let engine = scope.engine();
    if matches!(index, Value::Number(number) if number.is_negative()) && !engine.wraps_indexes_of_lists() {
        return Err(FunctionError::of_call("the index must not be negative"));
    }
    let index = match index {
        Value::Number(_) => match whole(index) {
            Some(index) => Some(index),
            // An unknown list is not indexed.
            None if !list.is_known() && matches!(list.ty(), Type::List(_)) => None,
            None => return Err(FunctionError::of_call("the index must be a whole number")),
        },
        _ => None,
    };
    let empty = || FunctionError::of_call("an empty list has no elements");
    // Indexes wrap around at both ends.
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
        (_, Type::Tuple(_), None) => Ok(Value::UNKNOWN),
        (_, Type::Tuple(types), Some(index)) => {
            let place = place(index, types.len()).ok_or_else(empty)?;
            if index < 0 && place > 0 && !engine.wraps_indexes_of_tuples() {
                return Err(FunctionError::of_call(format!(
                    "{engine} refuses negative indexes of tuples; convert the tuple with `tolist`"
                )));
            }
            Ok(match list {
                Value::Tuple(elements) => elements[place].clone(),
                _ => Value::Unknown(types[place].clone()),
            })
        }
        _ => Err(FunctionError::of_call("its first argument must be a list or a tuple")),
    }
}

/// `flatten`. The marks of nested lists move to the result.
pub(super) fn flatten(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    if !matches!(value, Value::List(..) | Value::Set(..) | Value::Tuple(_)) {
        let refusal = FunctionError::of_call("its argument must be a list, a set or a tuple");
        return if value.is_wholly_known() { Err(refusal) } else { Ok(Value::UNKNOWN) };
    }
    let (mut flat, mut marks) = (Vec::new(), Marks::NONE);
    let is_known = flatten_into(value, &mut flat, &mut marks);
    Ok(if is_known { Value::Tuple(flat) } else { Value::UNKNOWN }.mark(marks))
}

/// Adds the elements of a sequence to `flat`. Returns false if they are not all known.
fn flatten_into(value: &Value, flat: &mut Vec<Value>, marks: &mut Marks) -> bool {
    let (inner, own) = value.unmarked();
    match inner {
        Value::Set(..) if !inner.has_known_order() => false,
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
            *marks = marks.and(own);
            let mut is_known = true;
            for element in elements {
                is_known &= flatten_into(element, flat, marks);
            }
            is_known
        }
        Value::Unknown(Type::List(_) | Type::Set(_) | Type::Tuple(_)) => {
            *marks = marks.and(own);
            false
        }
        _ => {
            flat.push(value.clone());
            *value != Value::UNKNOWN
        }
    }
}

/// A list of the elements for which `keep` is true.
fn reduced(arguments: &[Value], mut keep: impl FnMut(&Value) -> bool) -> Value {
    match &arguments[0] {
        Value::List(element, elements) if arguments[0].is_wholly_known() => {
            Value::List(element.clone(), elements.iter().filter(|value| keep(value)).cloned().collect())
        }
        other => Value::Unknown(other.ty()),
    }
}

pub(super) fn compact(arguments: &[Value]) -> Value {
    reduced(arguments, |value| !value.is_null() && value.as_str() != Some(""))
}

pub(super) fn distinct(arguments: &[Value]) -> Value {
    let mut seen = hashbrown::HashSet::new();
    reduced(arguments, |value| seen.insert(value.clone()))
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
        // An unknown second argument hides errors in the first.
        _ if !wanted.is_known() || !list.is_known() => Ok(Value::Unknown(Type::Bool)),
        _ => Err(FunctionError::of_call("its first argument must be a list, a set or a tuple")),
    }
}

pub(super) fn one(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    let too_many = || Err(FunctionError::of_argument(0, "it has more than one element"));
    match (value, value.ty()) {
        (Value::Set(_, elements), Type::Set(element)) if elements.len() > 1 && !value.is_wholly_known() => {
            Ok(Value::Unknown((*element).clone()))
        }
        (Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements), ty) => {
            match elements.as_slice() {
                [] => Ok(Value::Null(ty.element().cloned().unwrap_or(Type::Any))),
                [only] => Ok(only.clone()),
                [_, _, ..] => too_many(),
            }
        }
        (_, Type::List(element) | Type::Set(element)) => Ok(Value::Unknown((*element).clone())),
        (_, Type::Tuple(elements)) => match elements.as_slice() {
            [] => Ok(Value::UNKNOWN),
            [only] => Ok(Value::Unknown(only.clone())),
            [_, _, ..] => too_many(),
        },
        _ => Err(FunctionError::of_argument(0, "a list, a set or a tuple is required")),
    }
}

pub(super) fn reverse(arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    match (value, value.ty()) {
        (Value::Tuple(elements), _) => Ok(Value::Tuple(elements.iter().rev().cloned().collect())),
        (Value::List(element, elements) | Value::Set(element, elements), _) if value.has_known_order() => {
            Ok(Value::List(element.clone(), elements.iter().rev().cloned().collect()))
        }
        (_, Type::Tuple(elements)) => Ok(Value::Unknown(Type::tuple(elements.iter().rev().cloned()))),
        (_, Type::List(element) | Type::Set(element)) => Ok(Value::Unknown(Type::List(element))),
        _ => Err(FunctionError::of_argument(0, "a list or a tuple is required")),
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
        (_, Type::Set(_)) => return Err(FunctionError::of_argument(0, "elements of a set have no order")),
        _ => return Err(FunctionError::of_argument(0, "a list or a tuple is required")),
    };
    let place = |argument: usize, value: &Value| match value {
        Value::Number(number) => match number.index() {
            Some(index) if length.is_none_or(|length| index <= length) => Ok(Some(index)),
            _ => Err(FunctionError::of_argument(argument, "the index is out of range")),
        },
        _ => Ok(None),
    };
    let (Some(start), Some(end)) = (place(1, start)?, place(2, end)?) else {
        return Ok(Value::Unknown(if matches!(ty, Type::Tuple(_)) { Type::Any } else { ty }));
    };
    if start > end {
        return Err(FunctionError::of_argument(1, "the start is after the end"));
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
        return Err(FunctionError::of_call("it takes at least one argument"));
    }
    for argument in arguments {
        if !argument.is_known() {
            return Ok(Value::UNKNOWN);
        }
        if !matches!(argument.ty(), Type::List(_) | Type::Tuple(_)) {
            return Err(FunctionError::of_call("its arguments must be lists or tuples"));
        }
    }
    let full = |value: &&Value| match value {
        Value::List(_, elements) | Value::Tuple(elements) => !elements.is_empty(),
        _ => false,
    };
    arguments
        .iter()
        .find(full)
        .cloned()
        .ok_or_else(|| FunctionError::of_call("all of its arguments are empty"))
}
