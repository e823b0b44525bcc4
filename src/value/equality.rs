//! Equality of values, as in `==`.

use super::Value;

/// Whether two values without marks are equal, or `None` if that is unknown. Values of different types are not equal,
/// but two nulls are, whatever their types.
pub(super) fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Null(_), Value::Null(_)) => Some(true),
        (Value::Unknown(_), Value::Unknown(_) | Value::Null(_)) | (Value::Null(_), Value::Unknown(_)) => None,
        (Value::Null(_), _) | (_, Value::Null(_)) => Some(false),
        (Value::Unknown(ty), known) | (known, Value::Unknown(ty)) => {
            (!known.ty().conforms(ty)).then_some(false)
        }
        (Value::Bool(left), Value::Bool(right)) => Some(left == right),
        (Value::Number(left), Value::Number(right)) => Some(left == right),
        (Value::String(left), Value::String(right)) => Some(left == right),
        (Value::Tuple(a), Value::Tuple(b)) => same_type(left, right)
            .and_then(|same| if same { all_equal(a.iter().zip(b)) } else { Some(false) }),
        (Value::Object(a), Value::Object(b)) => same_type(left, right)
            .and_then(|same| if same { all_equal(a.values().zip(b.values())) } else { Some(false) }),
        (Value::List(a_type, a), Value::List(b_type, b)) => {
            if a_type != b_type || a.len() != b.len() {
                Some(false)
            } else {
                all_equal(a.iter().zip(b))
            }
        }
        (Value::Map(a_type, a), Value::Map(b_type, b)) => {
            if a_type != b_type || !a.keys().eq(b.keys()) {
                Some(false)
            } else {
                all_equal(a.values().zip(b.values()))
            }
        }
        (Value::Set(..), Value::Set(..)) => {
            (left.is_wholly_known() && right.is_wholly_known()).then(|| left == right)
        }
        _ => Some(false),
    }
}

/// Whether the types are equal, or `None` if they can turn out to be.
fn same_type(left: &Value, right: &Value) -> Option<bool> {
    if has_known_type(left) && has_known_type(right) {
        return Some(are_alike(left, right));
    }
    let (left_type, right_type) = (left.ty(), right.ty());
    (!left_type.conforms(&right_type) && !right_type.conforms(&left_type)).then_some(false)
}

/// Whether the known types of two values are equal.
fn are_alike(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Tuple(a), Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(left, right)| are_alike(left, right))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|((name, left), (other, right))| name == other && are_alike(left, right))
        }
        (Value::Tuple(_) | Value::Object(_), Value::Null(ty) | Value::Unknown(ty)) => left.is(ty),
        (Value::Null(ty) | Value::Unknown(ty), Value::Tuple(_) | Value::Object(_)) => right.is(ty),
        _ => left.ty() == right.ty(),
    }
}

/// Whether the type of a value is completely known. That of a null is, even if it is any type.
fn has_known_type(value: &Value) -> bool {
    match value {
        Value::Null(_) => true,
        Value::Unknown(ty) => !ty.has_any(),
        value => value.parts().all(has_known_type),
    }
}

fn all_equal<'v>(mut pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Option<bool> {
    pairs.try_fold(true, |so_far, (left, right)| Some(equal(left, right)? && so_far))
}
