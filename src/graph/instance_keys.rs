//! The instance keys that the values of `count` and `for_each` make.

use std::cell::RefCell;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::module::address::InstanceKey;
use crate::module::declaration::{ModuleCall, Repeated};
use crate::syntax::Attribute;
use crate::text::Span;
use crate::value::Value;

/// What is certain about the instances of a block.
#[derive(Debug, Default, PartialEq)]
pub(super) struct KnownInstances {
    /// The block has no instances.
    pub(super) are_none: bool,
    /// `count` makes more than one instance.
    pub(super) are_several: bool,
    /// The only key of its `for_each`.
    pub(super) only_key: Option<SmolStr>,
}

/// The instance keys of the blocks of a module, by the location of `count` or `for_each`. Many references can name
/// instances of one block.
#[derive(Debug, Default)]
pub(in crate::graph) struct InstanceKeys(RefCell<HashMap<Span, Keys>>);

impl InstanceKeys {
    /// Whether a block with this `count` or `for_each` has an instance with this key, or without one, if that is known.
    /// `value` evaluates the argument.
    pub(in crate::graph) fn contain(
        &self,
        repeated: Repeated<'_>,
        key: Option<&InstanceKey>,
        value: impl FnOnce(&Attribute) -> Value,
    ) -> Option<bool> {
        let (repeated, key) = match (repeated, key) {
            ((None, None), key) => return Some(key.is_none()),
            (_, None) => return Some(false),
            ((count, for_each), Some(key)) => (count.or(for_each)?, key),
        };
        let at = repeated.expr.span;
        if let Some(keys) = self.0.borrow().get(&at) {
            return keys.contain(key);
        }
        let keys = Keys::of(value(repeated));
        let contain = keys.contain(key);
        self.0.borrow_mut().insert(at, keys);
        contain
    }
}

/// Whether a module call has an instance, if that is known. `value` evaluates its `count` or `for_each`.
pub(in crate::graph) fn has_instances(
    call: &ModuleCall,
    value: impl FnOnce(&Attribute) -> Value,
) -> Option<bool> {
    let (count, for_each) = call.repeated();
    match count.or(for_each) {
        _ if call.enabled.is_some() => None,
        None => Some(true),
        Some(repeated) => makes_instances(&value(repeated)),
    }
}

/// Whether a value of `count` or `for_each` makes an instance, if that is known.
pub(in crate::graph) fn makes_instances(value: &Value) -> Option<bool> {
    match value {
        Value::Number(number) => Some(number.index() != Some(0)),
        Value::Set(_, elements) => Some(!elements.is_empty()),
        Value::Map(_, elements) | Value::Object(elements) => Some(!elements.is_empty()),
        _ => None,
    }
}

/// The instance keys that a value of `count` or `for_each` makes.
#[derive(Debug)]
enum Keys {
    Unknown,
    /// The numbers below the value of `count`, if that is known.
    Numbers(Option<usize>),
    /// Strings. `are_all` if no others are possible.
    Texts {
        known: HashSet<SmolStr>,
        are_all: bool,
    },
}

impl Keys {
    fn of(value: Value) -> Self {
        match value {
            Value::Number(count) => Self::Numbers(count.index()),
            Value::Set(_, elements) => Self::Texts {
                known: elements.iter().filter_map(Value::as_str).map(SmolStr::new).collect(),
                are_all: elements.iter().all(Value::is_known),
            },
            Value::Map(_, elements) | Value::Object(elements) => {
                Self::Texts { known: elements.into_keys().collect(), are_all: true }
            }
            _ => Self::Unknown,
        }
    }

    fn contain(&self, key: &InstanceKey) -> Option<bool> {
        match (self, key) {
            (Self::Numbers(count), InstanceKey::Number(index)) => {
                count.map(|count| usize::try_from(*index).is_ok_and(|index| index < count))
            }
            (Self::Texts { known, are_all }, InstanceKey::Text(key)) => {
                let is_found = known.contains(key);
                (is_found || *are_all).then_some(is_found)
            }
            (Self::Numbers(_), InstanceKey::Text(_)) | (Self::Texts { .. }, InstanceKey::Number(_)) => {
                Some(false)
            }
            (Self::Unknown, _) => None,
        }
    }
}
