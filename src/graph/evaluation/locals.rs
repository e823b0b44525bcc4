//! The local values of a module.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::value::{Marks, Value};

/// The evaluated local values.
#[derive(Debug, Default)]
pub(in crate::graph) struct Locals(BTreeMap<SmolStr, (Value, Marks)>);

impl Locals {
    /// Stores a value. Each reference copies it, which counts as evaluation steps.
    pub(super) fn keep(&mut self, name: &SmolStr, value: Value) {
        let marks = value.deep_marks();
        self.0.insert(name.clone(), (value, marks));
    }

    /// The local value of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).map(|(value, _)| value)
    }

    /// Whether a local value or one of its elements has marks.
    pub(super) fn are_marked(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|(_, marks)| *marks != Marks::NONE)
    }
}
