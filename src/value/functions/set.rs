//! Functions on sets.

use super::signature::{FunctionError, Outcome};
use crate::value::convert::convert;
use crate::value::unify::{Mode, unify};
use crate::value::{Type, Value};

pub(super) fn setunion(arguments: &[Value]) -> Outcome {
    combined(arguments, Extend::extend)
}

pub(super) fn setintersection(arguments: &[Value]) -> Outcome {
    combined(arguments, |all, set| all.retain(|value| set.binary_search(value).is_ok()))
}

pub(super) fn setsubtract(arguments: &[Value]) -> Outcome {
    combined(arguments, |all, set| all.retain(|value| set.binary_search(value).is_err()))
}

/// Combines the first set with each of the others.
fn combined(arguments: &[Value], combine: fn(&mut Vec<Value>, Vec<Value>)) -> Outcome {
    let empty = |value: &&Value| !matches!(value, Value::Set(Type::Any, elements) if elements.is_empty());
    let types: Vec<Type> =
        arguments.iter().filter(empty).filter_map(|value| value.ty().element().cloned()).collect();
    let element = if types.is_empty() { Some(Type::Any) } else { unify(&types, Mode::Unsafe) };
    let Some(element) = element else {
        return Err(FunctionError::of_call("the sets have no common element type"));
    };
    let ty = Type::set(element.clone());
    let mut sets = Vec::with_capacity(arguments.len());
    for (place, argument) in arguments.iter().enumerate() {
        match convert(argument, &ty)
            .map_err(|mismatch| FunctionError::of_argument(place, mismatch.to_string()))?
        {
            Value::Set(_, elements) if elements.iter().all(Value::is_wholly_known) => sets.push(elements),
            _ => return Ok(Value::Unknown(ty)),
        }
    }
    let mut sets = sets.into_iter();
    let mut result = sets.next().unwrap_or_default();
    for set in sets {
        combine(&mut result, set);
    }
    Ok(Value::set(element, result))
}

/// The maximal number of elements of a computed product. Of a larger one, only the type is known.
const MOST_COMPUTED: usize = 1000;

pub(super) fn setproduct(arguments: &[Value]) -> Outcome {
    if arguments.len() < 2 {
        return Err(FunctionError::of_call("it takes at least two arguments"));
    }
    let mut ordered = true;
    let mut types = Vec::with_capacity(arguments.len());
    for (place, argument) in arguments.iter().enumerate() {
        types.push(match argument.ty() {
            Type::Set(element) => {
                ordered = false;
                (*element).clone()
            }
            Type::List(element) => (*element).clone(),
            Type::Tuple(elements) if elements.is_empty() => Type::Any,
            Type::Tuple(elements) => unify(&elements, Mode::Unsafe)
                .ok_or_else(|| FunctionError::of_argument(place, "its elements have no common type"))?,
            _ => return Err(FunctionError::of_argument(place, "a set or a list is required")),
        });
    }
    let factors: Option<Vec<Vec<Value>>> =
        arguments.iter().zip(&types).map(|(argument, ty)| elements(argument, ty, ordered)).collect();
    let element = Type::tuple(types);
    Ok(match factors.and_then(|factors| product(&factors)) {
        Some(product) if ordered => Value::List(element, product),
        Some(product) => Value::set(element, product),
        None => Value::Unknown(if ordered { Type::list(element) } else { Type::set(element) }),
    })
}

/// The elements of a collection in their common type. Returns `None` if they are not known. Equal elements of a set
/// are one element, so all of them must be known.
fn elements(argument: &Value, ty: &Type, ordered: bool) -> Option<Vec<Value>> {
    let (Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements)) = argument else {
        return None;
    };
    if elements.is_empty() || !(ordered || argument.is_wholly_known()) {
        return None;
    }
    elements.iter().map(|element| convert(element, ty).ok()).collect()
}

/// The combinations of one element from each factor, in order. Returns `None` if there are too many.
fn product(factors: &[Vec<Value>]) -> Option<Vec<Value>> {
    let count = factors.iter().try_fold(1_usize, |count, factor| count.checked_mul(factor.len()))?;
    if count > MOST_COMPUTED {
        return None;
    }
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for factor in factors {
        let mut longer = Vec::with_capacity(rows.len() * factor.len());
        for row in &rows {
            longer.extend(factor.iter().map(|value| row.iter().chain([value]).cloned().collect()));
        }
        rows = longer;
    }
    Some(rows.into_iter().map(Value::Tuple).collect())
}
