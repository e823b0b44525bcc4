//! Turns a value in which optional attributes may be missing into one with their defaults.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::convert::{fit, gather};
use super::unify::{Mode, unify};
use super::{Type, Value};

/// The defaults of optional attributes, in the shape of the type that they belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// What the parts below belong to.
    pub(super) parts: Parts,
    /// Of an object: its own.
    pub(super) values: BTreeMap<SmolStr, Value>,
}

/// Defaults further down.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Parts {
    /// Those of every element of a collection.
    Elements(Box<Defaults>),
    /// Those of elements of a tuple.
    Tuple(BTreeMap<usize, Defaults>),
    /// Those of attributes of an object.
    Object(BTreeMap<SmolStr, Defaults>),
}

impl Defaults {
    /// A value with these in place of what is missing or null in it.
    pub(super) fn apply(&self, value: &Value) -> Value {
        match value {
            Value::Tuple(elements) => Value::Tuple(self.sequence(elements)),
            Value::List(_, elements) => {
                if elements.is_empty() {
                    return value.clone();
                }
                let applied = self.sequence(elements);
                match same_type(&applied).and_then(gather) {
                    Some((element, elements)) => Value::List(element, elements),
                    None => Value::Tuple(applied),
                }
            }
            Value::Set(_, elements) => {
                if elements.is_empty() {
                    return value.clone();
                }
                let applied = self.sequence(elements);
                match same_type(&applied).and_then(gather) {
                    Some((element, elements)) => Value::set(element, elements),
                    None => Value::Tuple(applied),
                }
            }
            Value::Object(attributes) => Value::Object(self.named(attributes)),
            Value::Map(_, elements) => {
                let applied = self.named(elements);
                if applied.is_empty() {
                    return value.clone();
                }
                let (keys, values): (Vec<_>, Vec<_>) = applied.clone().into_iter().unzip();
                match same_type(&values).and_then(gather) {
                    Some((element, values)) => Value::Map(element, keys.into_iter().zip(values).collect()),
                    None => Value::Object(applied),
                }
            }
            Value::Marked(inner, marks) => self.apply(inner).mark(*marks),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Null(_) | Value::Unknown(_) => {
                value.clone()
            }
        }
    }

    fn sequence(&self, elements: &[Value]) -> Vec<Value> {
        let of = |index| match &self.parts {
            Parts::Elements(inner) => Some(&**inner),
            Parts::Tuple(parts) => parts.get(&index),
            Parts::Object(_) => None,
        };
        let each = elements.iter().enumerate();
        each.map(|(index, value)| of(index).map_or_else(|| value.clone(), |inner| inner.apply(value)))
            .collect()
    }

    fn named(&self, elements: &BTreeMap<SmolStr, Value>) -> BTreeMap<SmolStr, Value> {
        let of = |name: &SmolStr| match &self.parts {
            Parts::Elements(inner) => Some(&**inner),
            Parts::Tuple(_) => None,
            Parts::Object(parts) => parts.get(name),
        };
        let mut applied: BTreeMap<SmolStr, Value> = elements
            .iter()
            .map(|(name, value)| {
                (name.clone(), of(name).map_or_else(|| value.clone(), |inner| inner.apply(value)))
            })
            .collect();
        for (name, default) in &self.values {
            if applied.get(name).is_none_or(Value::is_null) {
                let default = match &self.parts {
                    Parts::Object(parts) => parts.get(name).map(|inner| inner.apply(default)),
                    Parts::Elements(_) | Parts::Tuple(_) => None,
                }
                .unwrap_or_else(|| default.clone());
                applied.insert(name.clone(), default);
            }
        }
        applied
    }
}

/// The values as ones of a common type, if there is one and all convert.
fn same_type(values: &[Value]) -> Option<Vec<Value>> {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    let common = unify(&types, Mode::Unsafe)?;
    values
        .iter()
        .map(|value| if value.is(&common) { Ok(value.clone()) } else { fit(value, &common) })
        .collect::<Result<_, _>>()
        .ok()
}
