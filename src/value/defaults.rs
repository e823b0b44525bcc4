//! Defaults of optional attributes.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::convert::{fit, gather};
use super::unify::{Mode, unify};
use super::weight::weight;
use super::{Type, Value};

/// The defaults of optional attributes, in the structure of their type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Defaults {
    /// The defaults of elements or attributes.
    pub(super) parts: Parts,
    /// For an object: the defaults of its own attributes.
    pub(super) values: BTreeMap<SmolStr, Value>,
}

/// The defaults of the elements or attributes of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Parts {
    /// For each element of a collection.
    Elements(Box<Defaults>),
    /// For elements of a tuple, by index.
    Tuple(BTreeMap<usize, Defaults>),
    /// For attributes of an object, by name.
    Object(BTreeMap<SmolStr, Defaults>),
}

impl Defaults {
    /// The memory that [`Self::apply`] adds to a value, in nodes. Counting stops above `most`.
    pub(super) fn added(&self, value: &Value, most: usize) -> usize {
        let mut sum = 0;
        let mut add = |inner: Option<&Self>, part: &Value, own: usize| {
            if sum <= most {
                sum += own;
                sum += inner.map_or(0, |inner| inner.added(part, most.saturating_sub(sum)));
            }
        };
        match value {
            Value::Marked(inner, _) => return self.added(inner, most),
            Value::Tuple(elements) | Value::List(_, elements) | Value::Set(_, elements) => {
                for (index, part) in elements.iter().enumerate() {
                    add(self.of_element(index), part, 0);
                }
            }
            Value::Map(_, elements) | Value::Object(elements) => {
                for (name, part) in elements {
                    add(self.of_key(name), part, 0);
                }
                let defaults = self.values.iter();
                defaults
                    .filter(|(name, _)| elements.get(*name).is_none_or(Value::is_null))
                    .for_each(|(name, default)| add(self.of_attribute(name), default, weight(default, most)));
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Null(_) | Value::Unknown(_) => {}
        }
        sum
    }

    /// The value with defaults for missing and null attributes.
    pub(super) fn apply(&self, value: &Value) -> Value {
        match value {
            Value::Tuple(elements) => Value::Tuple(self.sequence(elements)),
            Value::List(_, elements) | Value::Set(_, elements) if elements.is_empty() => value.clone(),
            Value::List(_, elements) | Value::Set(_, elements) => {
                let applied = self.sequence(elements);
                match (same_type(&applied).and_then(gather), value) {
                    (Some((element, elements)), Value::Set(..)) => Value::set(element, elements),
                    (Some((element, elements)), _) => Value::List(element, elements),
                    (None, _) => Value::Tuple(applied),
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
        let each = elements.iter().enumerate();
        each.map(|(index, value)| {
            self.of_element(index).map_or_else(|| value.clone(), |inner| inner.apply(value))
        })
        .collect()
    }

    fn named(&self, elements: &BTreeMap<SmolStr, Value>) -> BTreeMap<SmolStr, Value> {
        let mut applied: BTreeMap<SmolStr, Value> = elements
            .iter()
            .map(|(name, value)| {
                (name.clone(), self.of_key(name).map_or_else(|| value.clone(), |inner| inner.apply(value)))
            })
            .collect();
        for (name, default) in &self.values {
            if applied.get(name).is_none_or(Value::is_null) {
                let default =
                    self.of_attribute(name).map_or_else(|| default.clone(), |inner| inner.apply(default));
                applied.insert(name.clone(), default);
            }
        }
        applied
    }

    /// The defaults of an element of a list, set or tuple.
    fn of_element(&self, index: usize) -> Option<&Self> {
        match &self.parts {
            Parts::Elements(inner) => Some(&**inner),
            Parts::Tuple(parts) => parts.get(&index),
            Parts::Object(_) => None,
        }
    }

    /// The defaults of an element of a map, or of an attribute.
    fn of_key(&self, name: &str) -> Option<&Self> {
        match &self.parts {
            Parts::Elements(inner) => Some(&**inner),
            Parts::Tuple(_) => None,
            Parts::Object(parts) => parts.get(name),
        }
    }

    /// The defaults of an attribute of an object.
    fn of_attribute(&self, name: &str) -> Option<&Self> {
        match &self.parts {
            Parts::Object(parts) => parts.get(name),
            Parts::Elements(_) | Parts::Tuple(_) => None,
        }
    }
}

/// The values converted to a common type. Returns `None` if there is none or a conversion fails.
fn same_type(values: &[Value]) -> Option<Vec<Value>> {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    let common = unify(&types, Mode::Unsafe)?;
    values
        .iter()
        .map(|value| if value.is(&common) { Ok(value.clone()) } else { fit(value, &common) })
        .collect::<Result<_, _>>()
        .ok()
}
