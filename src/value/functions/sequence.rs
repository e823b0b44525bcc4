//! What functions on sequences refuse, where all that they are given is known.

use super::result::Refusal;
use crate::value::convert::{Mode, convert};
use crate::value::evaluate::equal;
use crate::value::unify::unify;
use crate::value::{Number, Type, Value};

type Outcome = Result<Value, Refusal>;

/// More numbers than this are not made.
const LONGEST_RANGE: usize = 1024;

pub(super) fn range(arguments: &[Value]) -> Outcome {
    let numbers = arguments.iter().map(|argument| match argument {
        Value::Number(number) => Some(number.clone()),
        _ => None,
    });
    let unknown = Ok(Value::Unknown(Type::list(Type::Number)));
    let Some(numbers) = numbers.collect::<Option<Vec<Number>>>() else { return unknown };
    let one = |negative: bool| if negative { Number::from(1).negated() } else { Number::from(1) };
    let (start, end, step) = match numbers.as_slice() {
        [end] => (Number::from(0), end.clone(), one(end.is_negative())),
        [start, end] => (start.clone(), end.clone(), one(end < start)),
        [start, end, step] => (start.clone(), end.clone(), step.clone()),
        _ => return Err(Refusal::of_call("it takes one, two or three numbers")),
    };
    if step.is_negative() && end > start {
        return Err(Refusal::of_argument(1, "it must not be more than the start"));
    }
    if !step.is_negative() && end < start {
        return Err(Refusal::of_argument(1, "it must not be less than the start"));
    }
    // A step of zero never ends.
    let mut number = start;
    let mut all = Vec::new();
    while if step.is_negative() { number > end } else { number < end } {
        if all.len() == LONGEST_RANGE {
            return Err(Refusal::of_call(format!("more than {LONGEST_RANGE} numbers would come of it")));
        }
        let Some(next) = number.add(&step) else { return unknown };
        all.push(Value::Number(std::mem::replace(&mut number, next)));
    }
    Ok(Value::List(Type::Number, all))
}

pub(super) fn chunklist(arguments: &[Value]) -> Outcome {
    let unknown = Ok(Value::Unknown(Type::list(arguments[0].ty())));
    let Some(Value::Number(size)) = arguments.get(1) else { return unknown };
    if size.is_negative() || !size.is_whole() {
        return Err(Refusal::of_call("the size of a part must be a whole number, and not less than zero"));
    }
    unknown
}

pub(super) fn index(arguments: &[Value]) -> Outcome {
    let [list, wanted] = arguments else { return Ok(Value::Unknown(Type::Number)) };
    let (Value::List(_, elements) | Value::Tuple(elements)) = list else {
        return Err(Refusal::of_call("its argument is a list or a tuple"));
    };
    if elements.is_empty() {
        return Err(Refusal::of_call("there is nothing in the list"));
    }
    for (place, element) in elements.iter().enumerate() {
        match equal(element, wanted) {
            Some(true) => return Ok(Value::Number(Number::from(place))),
            Some(false) => {}
            None => return Ok(Value::Unknown(Type::Number)),
        }
    }
    Err(Refusal::of_call("it is not in the list"))
}

pub(super) fn matchkeys(arguments: &[Value]) -> Outcome {
    let [values, keys, wanted] = arguments else { return Ok(Value::UNKNOWN) };
    if unify(&[keys.ty(), wanted.ty()], Mode::Unsafe).is_none() {
        return Err(Refusal::of_call("the keys and those that are looked for have no type in common"));
    }
    match (values, keys) {
        (Value::List(_, values), Value::List(_, keys)) if values.len() != keys.len() => {
            Err(Refusal::of_call("there must be a key for each value"))
        }
        _ => Ok(Value::Unknown(values.ty())),
    }
}

pub(super) fn sum(arguments: &[Value]) -> Outcome {
    let (Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements)) = &arguments[0] else {
        return Err(Refusal::of_argument(0, "a list, a set or a tuple is needed"));
    };
    if elements.is_empty() {
        return Err(Refusal::of_argument(0, "there is nothing in it"));
    }
    let mut total: Option<Number> = None;
    for element in elements {
        let Ok(Value::Number(number)) = convert(element, &Type::Number) else {
            return Err(Refusal::of_argument(0, "something in it is no number"));
        };
        total = match total {
            None => Some(number),
            Some(total) => match total.add(&number) {
                Some(total) => Some(total),
                None => return Err(Refusal::of_call("infinities in it face each other")),
            },
        };
    }
    Ok(total.map_or(Value::Unknown(Type::Number), Value::Number))
}
