//! Numeric functions.

use super::signature::{FunctionError, Outcome, number, whole};
use crate::value::{Number, Value};

/// The engine computes powers in double precision, which is exact up to this number.
const EXACT: u128 = 1 << 53;

/// A function of one number.
pub(super) fn of_one(arguments: &[Value], apply: fn(&Number) -> Number) -> Outcome {
    number(arguments, 0).map(|number| Value::Number(apply(number)))
}

/// `signum`. The engine refuses fractions and numbers beyond 64 bits.
pub(super) fn signum(arguments: &[Value]) -> Outcome {
    let number = whole(&arguments[0]).and_then(|number| i64::try_from(number).ok());
    let number = number.ok_or_else(|| FunctionError::of_call("a whole number is required"))?;
    let sign = Number::from(usize::from(number != 0));
    Ok(Value::Number(if number < 0 { sign.negated() } else { sign }))
}

/// `max` and `min`.
pub(super) fn outermost(
    arguments: &[Value],
    choose: fn(std::slice::Iter<'_, Value>) -> Option<&Value>,
) -> Outcome {
    choose(arguments.iter()).cloned().ok_or_else(|| FunctionError::of_call("it takes at least one number"))
}

/// `pow`. The result is unknown if the engine may round it.
pub(super) fn pow(arguments: &[Value]) -> Outcome {
    let (base, exponent) = (number(arguments, 0)?, number(arguments, 1)?);
    if base.is_negative() && !exponent.is_whole() && !base.is_infinite() && !exponent.is_infinite() {
        return Err(FunctionError::of_call("the power does not exist"));
    }
    let exponent = whole(&arguments[1]).and_then(|exponent| u32::try_from(exponent).ok());
    let power = whole(&arguments[0]).zip(exponent).and_then(|(base, exponent)| base.checked_pow(exponent));
    let power = power.filter(|power| power.unsigned_abs() <= EXACT).ok_or(FunctionError::Unknown)?;
    let size = usize::try_from(power.unsigned_abs()).map_err(|_| FunctionError::Unknown)?;
    let size = if power == 0 && exponent.is_some_and(|exponent| exponent % 2 == 1) {
        // A zero keeps its sign.
        base.clone()
    } else {
        Number::from(size)
    };
    Ok(Value::Number(if power < 0 { size.negated() } else { size }))
}

/// The two parts of the natural logarithm of 2 that the engine computes with.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// `log`: checks that the logarithm is defined. Its value is known if it is whole and both numbers are powers of 2,
/// whose natural logarithms do not depend on the implementation.
pub(super) fn log(arguments: &[Value]) -> Outcome {
    let float = |place| number(arguments, place)?.to_string().parse().map_err(|_| FunctionError::Unknown);
    let (number, base): (f64, f64) = (float(0)?, float(1)?);
    if (number.ln() / base.ln()).is_nan() {
        return Err(FunctionError::of_call("the logarithm does not exist"));
    }
    let natural = |place: usize| {
        let number = whole(&arguments[place]).and_then(|number| u128::try_from(number).ok());
        let exponent = f64::from(number.filter(|number| number.is_power_of_two())?.trailing_zeros());
        Some(exponent * LN_2[0] + exponent * LN_2[1])
    };
    let ratio = natural(0).zip(natural(1)).map(|(number, base)| number / base);
    let result = ratio.and_then(|ratio| ratio.to_string().parse::<usize>().ok());
    result.map(|result| Value::Number(Number::from(result))).ok_or(FunctionError::Unknown)
}
