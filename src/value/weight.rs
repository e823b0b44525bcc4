//! The size of a value, which bounds how often an expression can copy it.

use super::Value;

/// The memory of a map in addition to its elements, in nodes.
pub(super) const OF_MAP: usize = 32;

/// The memory of a sequence in addition to its elements, in nodes.
const OF_SEQUENCE: usize = 4;

/// The memory of marks, in nodes.
const OF_MARKS: usize = 4;

/// The number of bytes of a string that one step copies.
pub(super) const BYTES_PER_STEP: usize = 32;

/// The number of nodes of a type that one step traverses.
const TYPES: usize = 2;

/// The number of bytes of a string that one step copies if some are not ASCII, so that the copy is normalized.
const NORMALIZED_BYTES_PER_STEP: usize = 8;

/// The steps to copy a string.
pub(super) fn of_text(text: &str) -> usize {
    let per_step = if text.is_ascii() { BYTES_PER_STEP } else { NORMALIZED_BYTES_PER_STEP };
    text.len() / per_step
}

/// The approximate memory of a value, in nodes. Counting stops above `most`.
pub(crate) fn weight(value: &Value, most: usize) -> usize {
    let own = match value {
        Value::String(text) => 1 + of_text(text),
        // A map allocates space for eleven elements with its first one, and keeps a name beside each.
        Value::Map(_, elements) | Value::Object(elements) if !elements.is_empty() => {
            1 + OF_MAP + elements.len()
        }
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements)
            if !elements.is_empty() =>
        {
            1 + OF_SEQUENCE
        }
        Value::Unknown(ty) | Value::Null(ty) => 1 + ty.nodes() / TYPES,
        Value::Marked(..) => OF_MARKS,
        _ => 1,
    };
    value
        .parts()
        .fold(own, |sum, part| if sum > most { sum } else { sum.saturating_add(weight(part, most - sum)) })
}
