//! The local values of a module.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::finding::Finding;
use crate::module::declaration::Local;
use crate::value::{Marks, Value};

/// The evaluated local values.
#[derive(Debug, Default)]
pub(in crate::graph) struct Locals {
    values: BTreeMap<SmolStr, (Value, Marks)>,
    findings: BTreeMap<SmolStr, Vec<Finding>>,
    steps_left: usize,
}

impl Locals {
    /// Adds a local value with the findings in its expression.
    pub(super) fn keep(&mut self, name: &SmolStr, value: Value, found: Vec<Finding>) {
        let marks = value.deep_marks();
        self.values.insert(name.clone(), (value, marks));
        if !found.is_empty() {
            self.findings.insert(name.clone(), found);
        }
    }

    /// Completes the local values, with the evaluation steps of the module that remain.
    #[must_use]
    pub(super) fn with_steps_left(self, steps_left: usize) -> Self {
        Self { steps_left, ..self }
    }

    /// The local value of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).map(|(value, _)| value)
    }

    /// The marks of a local value and its elements.
    pub(super) fn marks(&self, name: &str) -> Marks {
        self.values.get(name).map_or(Marks::NONE, |(_, marks)| *marks)
    }

    /// The findings in the expression of a local value. Its value is unknown if there is an error.
    pub(super) fn findings(&self, local: &Local) -> &[Finding] {
        self.findings.get(&local.name).map_or(&[], Vec::as_slice)
    }

    /// The evaluation steps of the module that remain.
    pub(super) fn steps_left(&self) -> usize {
        self.steps_left
    }
}
