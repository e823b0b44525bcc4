//! The local values of a module.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::value::{Marks, Value};

/// Local values that were evaluated.
#[derive(Debug, Default)]
pub(in crate::graph) struct Locals(BTreeMap<SmolStr, (Value, Marks)>);

impl Locals {
    /// Keeps a value for those that refer to it. Each of them gets a copy, which counts as work.
    pub(super) fn keep(&mut self, name: &SmolStr, value: Value) {
        let marks = value.deep_marks();
        self.0.insert(name.clone(), (value, marks));
    }

    /// The value of that name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).map(|(value, _)| value)
    }

    /// Whether a value or something in it has marks.
    pub(super) fn are_marked(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|(_, marks)| *marks != Marks::NONE)
    }
}
