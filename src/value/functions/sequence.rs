//! Functions on sequences that look at the values of elements.

use super::signature::{FunctionError, Outcome, number, whole};
use crate::value::convert::convert;
use crate::value::equality::equal;
use crate::value::unify::{Mode, unify};
use crate::value::{Number, Type, Value};

/// The maximal length of a `range`.
const LONGEST_RANGE: usize = 1024;

pub(super) fn range(arguments: &[Value]) -> Outcome {
    let numbers = (0..arguments.len()).map(|place| number(arguments, place).cloned());
    let numbers = numbers.collect::<Result<Vec<Number>, _>>()?;
    let one = |negative: bool| if negative { Number::from(1).negated() } else { Number::from(1) };
    let (start, end, step) = match numbers.as_slice() {
        [end] => (Number::from(0), end.clone(), one(end.is_negative())),
        [start, end] => (start.clone(), end.clone(), one(end < start)),
        [start, end, step] => (start.clone(), end.clone(), step.clone()),
        _ => return Err(FunctionError::of_call("it takes one, two or three numbers")),
    };
    if step.is_negative() && end > start {
        return Err(FunctionError::of_argument(1, "it must not be more than the start"));
    }
    if !step.is_negative() && end < start {
        return Err(FunctionError::of_argument(1, "it must not be less than the start"));
    }
    if step == 0.into() && end != start {
        return Err(FunctionError::of_call("with the step 0, the range would never end"));
    }
    let too_long = || {
        let why = format!("with this step, the result would have more than {LONGEST_RANGE} numbers");
        Err(FunctionError::of_call(why))
    };
    // Near the limit, rounding decides.
    let length = end.add(&start.negated()).and_then(|length| length.divide(&step));
    if length.is_some_and(|length| length > (2 * LONGEST_RANGE).into()) {
        return too_long();
    }
    let mut number = start;
    let mut all = Vec::new();
    while if step.is_negative() { number > end } else { number < end } {
        if all.len() == LONGEST_RANGE {
            return too_long();
        }
        let next = number.add(&step).ok_or(FunctionError::Unknown)?;
        all.push(Value::Number(std::mem::replace(&mut number, next)));
    }
    Ok(Value::List(Type::Number, all))
}

pub(super) fn chunklist(arguments: &[Value]) -> Outcome {
    let unknown = Ok(Value::Unknown(Type::list(arguments[0].ty())));
    let [Value::List(element, elements), size] = arguments else { return unknown };
    if !size.is_known() {
        return unknown;
    }
    let Some(size @ 0..) = whole(size) else {
        return Err(FunctionError::of_call("the size of a part must be a whole number and not negative"));
    };
    // A size of zero means one chunk.
    let size = usize::try_from(size).ok().filter(|size| *size > 0).unwrap_or(usize::MAX);
    let parts = elements.chunks(size).map(|part| Value::List(element.clone(), part.to_vec()));
    Ok(Value::List(Type::list(element.clone()), parts.collect()))
}

/// `alltrue`, which ends at the first element that is not true, or that is unknown. A null element is not true.
pub(super) fn alltrue(arguments: &[Value]) -> Outcome {
    let first = list(arguments)?.iter().find(|element| element.as_bool() != Some(true));
    match first {
        Some(Value::Unknown(_)) => Err(FunctionError::Unknown),
        first => Ok(Value::Bool(first.is_none())),
    }
}

/// `anytrue`, which ends at the first element that is true.
pub(super) fn anytrue(arguments: &[Value]) -> Outcome {
    let elements = list(arguments)?;
    let is_true = elements.iter().any(|element| element.as_bool() == Some(true));
    if is_true || elements.iter().all(Value::is_known) {
        Ok(Value::Bool(is_true))
    } else {
        Err(FunctionError::Unknown)
    }
}

fn list(arguments: &[Value]) -> Result<&[Value], FunctionError> {
    match arguments {
        [Value::List(_, elements)] => Ok(elements),
        _ => Err(FunctionError::Unknown),
    }
}

/// `sort`: strings in byte order.
pub(super) fn sort(arguments: &[Value]) -> Outcome {
    let mut elements = list(arguments)?.to_vec();
    if elements.iter().any(Value::is_null) {
        return Err(FunctionError::of_call("the list contains null"));
    }
    elements.sort_unstable();
    Ok(Value::List(Type::String, elements))
}

pub(super) fn index(arguments: &[Value]) -> Outcome {
    if !arguments.iter().all(Value::is_known) {
        return Ok(Value::Unknown(Type::Number));
    }
    let (Value::List(_, elements) | Value::Tuple(elements)) = &arguments[0] else {
        return Err(FunctionError::of_call("its argument must be a list or a tuple"));
    };
    if elements.is_empty() {
        return Err(FunctionError::of_call("the list is empty"));
    }
    for (place, element) in elements.iter().enumerate() {
        match equal(element, &arguments[1]) {
            Some(true) => return Ok(Value::Number(Number::from(place))),
            Some(false) => {}
            None => return Ok(Value::Unknown(Type::Number)),
        }
    }
    Err(FunctionError::of_call("the list does not contain this value"))
}

pub(super) fn matchkeys(arguments: &[Value]) -> Outcome {
    let [values, keys, wanted] = arguments else { return Ok(Value::UNKNOWN) };
    let Some(ty) = unify(&[keys.ty(), wanted.ty()], Mode::Unsafe) else {
        return Err(FunctionError::of_call("the keys and the searched keys have no common type"));
    };
    let unknown = Ok(Value::Unknown(values.ty()));
    let Value::List(element, values) = values else { return unknown };
    let (Ok(Value::List(_, keys)), Ok(Value::List(_, wanted))) = (convert(keys, &ty), convert(wanted, &ty))
    else {
        return unknown;
    };
    if values.len() != keys.len() {
        return Err(FunctionError::of_call("the lists of values and keys differ in length"));
    }
    let is_known = arguments[0].is_wholly_known() && arguments[1].is_wholly_known();
    if !wanted.is_empty() && !is_known {
        return unknown;
    }
    let mut found = Vec::new();
    for (value, key) in values.iter().zip(&keys) {
        for wanted in &wanted {
            match equal(key, wanted) {
                Some(false) => {}
                Some(true) => {
                    found.push(value.clone());
                    break;
                }
                None => return unknown,
            }
        }
    }
    Ok(Value::List(element.clone(), found))
}

pub(super) fn sum(arguments: &[Value]) -> Outcome {
    let (Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements)) = &arguments[0] else {
        if !arguments[0].is_known() {
            return Ok(Value::Unknown(Type::Number));
        }
        return Err(FunctionError::of_argument(0, "a list, a set or a tuple is required"));
    };
    if elements.is_empty() {
        return Err(FunctionError::of_argument(0, "it is empty"));
    }
    if !arguments[0].is_wholly_known() {
        return Ok(Value::Unknown(Type::Number));
    }
    let mut total = Number::from(0);
    for element in elements {
        let Ok(Value::Number(number)) = convert(element, &Type::Number) else {
            return Err(FunctionError::of_argument(0, "it contains a value that is not a number"));
        };
        let sum = total.add(&number);
        total = sum.ok_or_else(|| FunctionError::of_call("it contains opposite infinities"))?;
    }
    Ok(Value::Number(total))
}
