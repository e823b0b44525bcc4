//! What functions on numbers give, and what they refuse.

use super::result::FunctionError;
use super::whole;
use crate::value::{Number, Type, Value};

type Outcome = Result<Value, FunctionError>;

/// Up to here every whole number is one of those that the engine calculates powers with.
const EXACT: i128 = 1 << 53;

/// A function of one number.
pub(super) fn of_one(name: &str, arguments: &[Value]) -> Outcome {
    let [Value::Number(number)] = arguments else { return Ok(Value::Unknown(Type::Number)) };
    Ok(Value::Number(match name {
        "abs" if number.is_negative() => number.negated(),
        "ceil" => number.ceiling(),
        "floor" => number.floor(),
        "signum" => sign(&arguments[0])?,
        _ => number.clone(),
    }))
}

/// Of what is no whole number, or a very large one, the engine does not say which sign it has.
fn sign(number: &Value) -> Result<Number, FunctionError> {
    let number = whole(number).and_then(|number| i64::try_from(number).ok());
    Ok(match number.ok_or_else(|| FunctionError::of_call("a whole number is needed"))? {
        ..0 => Number::from(1).negated(),
        0 => Number::from(0),
        1.. => Number::from(1),
    })
}

/// `max` and `min`; all arguments are known.
pub(super) fn outermost(name: &str, arguments: &[Value]) -> Value {
    let numbers = arguments.iter().filter_map(|argument| match argument {
        Value::Number(number) => Some(number),
        _ => None,
    });
    let found = if name == "max" { numbers.max() } else { numbers.min() };
    found.map_or(Value::Unknown(Type::Number), |number| Value::Number(number.clone()))
}

/// `pow`: the engine calculates with fewer bits here, and what needs more of them is not said.
pub(super) fn power(arguments: &[Value]) -> Outcome {
    let unknown = Ok(Value::Unknown(Type::Number));
    let [Value::Number(base), Value::Number(exponent)] = arguments else { return unknown };
    if base.is_negative() && !exponent.is_whole() && !base.is_infinite() && !exponent.is_infinite() {
        return Err(FunctionError::of_call("there is no such power"));
    }
    let exponent = whole(&arguments[1]).and_then(|exponent| u32::try_from(exponent).ok());
    let (Some(base), Some(exponent)) = (whole(&arguments[0]), exponent) else { return unknown };
    match base.checked_pow(exponent).map(|power| (power < 0, power.unsigned_abs())) {
        Some((negative, size)) if size <= EXACT.unsigned_abs() => {
            let Ok(size) = usize::try_from(size) else { return unknown };
            let size = Number::from(size);
            Ok(Value::Number(if negative { size.negated() } else { size }))
        }
        _ => unknown,
    }
}
