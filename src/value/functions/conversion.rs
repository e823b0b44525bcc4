//! Functions that change the type or the marks of a value.

use super::signature::{FunctionError, Outcome};
use crate::text::with_article;
use crate::value::conversion_error::explain;
use crate::value::convert::convert;
use crate::value::unify::{Mode, possible};
use crate::value::{MarkSource, Marks, Type, Value};

/// `tostring` and the other conversion functions.
pub(super) fn to(arguments: &[Value], ty: &Type) -> Outcome {
    let value = &arguments[0];
    if !value.is(ty) && !possible(&value.ty(), ty, Mode::Unsafe) {
        return Err(FunctionError::of_argument(0, impossible(&value.ty(), ty)));
    }
    if !value.is_known() {
        // Unlike an implicit conversion, this leaves the element type open.
        return Ok(Value::Unknown(ty.clone()));
    }
    convert(value, ty).map_err(|mismatch| FunctionError::of_argument(0, mismatch.to_string()))
}

/// Why no value of type `got` can be converted. A set can be made of more than sets, so the type is not called required.
fn impossible(got: &Type, to: &Type) -> String {
    let is_primitive = |ty: &Type| matches!(ty, Type::Bool | Type::Number | Type::String);
    let kind = match to {
        Type::List(_) => "list".to_owned(),
        Type::Set(_) => "set".to_owned(),
        Type::Map(_) => "map".to_owned(),
        _ => to.name(),
    };
    if is_primitive(got) || is_primitive(to) {
        format!("{} cannot be converted to {}", with_article(&got.name()), with_article(&kind))
    } else {
        explain(got, to)
    }
}

pub(super) fn sensitive(arguments: &[Value]) -> Value {
    arguments[0].clone().mark(Marks { sensitive: Some(MarkSource::Expression), ..Marks::NONE })
}

pub(super) fn nonsensitive(arguments: &[Value]) -> Value {
    let (value, marks) = arguments[0].unmarked();
    value.clone().mark(Marks { sensitive: None, ..marks })
}

/// `issensitive`. An unknown value may become sensitive.
pub(super) fn issensitive(arguments: &[Value]) -> Value {
    let (value, marks) = arguments[0].unmarked();
    match marks.sensitive {
        Some(_) => Value::Bool(true),
        None if value.is_known() => Value::Bool(false),
        None => Value::Unknown(Type::Bool),
    }
}

/// Replaces ephemeral values by null, unless they are unknown.
pub(super) fn ephemeralasnull(arguments: &[Value]) -> Value {
    arguments[0].clone().map_marked(&mut |value, marks| {
        let kept = Marks { ephemeral: None, ..marks };
        let is_replaced = marks.ephemeral.is_some() && value.is_known();
        if is_replaced { Value::Null(value.ty()).mark(kept) } else { value.mark(kept) }
    })
}
