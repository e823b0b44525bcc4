//! The scope of early evaluation.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::Outcome;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::module::Module;
use crate::syntax::{Step, Traversal};
use crate::value::{Budget, Resolved, Scope, Type, Value};

/// Local values have the results so far. Of a variable, the type is known; everything else is unknown.
pub(super) struct Known<'k> {
    pub(super) module: &'k Module,
    pub(super) locals: &'k BTreeMap<SmolStr, Option<Outcome>>,
    pub(super) work: &'k Budget,
}

impl Scope for Known<'_> {
    fn engine(&self) -> Engine {
        self.module.features.engine
    }

    fn limits(&self) -> &Limits {
        &self.module.limits
    }

    fn work(&self) -> &Budget {
        self.work
    }

    fn resolve(&self, reference: &Traversal) -> Option<Resolved<'_>> {
        let Some(name) = reference.steps.first().and_then(Step::name) else { return Some(whole(reference)) };
        let value = match reference.root.as_str() {
            "var" => {
                let variable = self.module.variables.get(name);
                variable.map_or(Value::UNKNOWN, |variable| variable.unknown_value())
            }
            "local" => {
                let outcome = self.locals.get(name).and_then(Option::as_ref);
                return Some(outcome.map_or(
                    Resolved { value: Cow::Owned(Value::UNKNOWN), steps: 1 },
                    |outcome| Resolved { value: Cow::Borrowed(&outcome.value), steps: 1 },
                ));
            }
            "path" | "terraform" | "tofu" => Value::Unknown(Type::String),
            _ => return Some(whole(reference)),
        };
        Some(Resolved { value: Cow::Owned(value), steps: 1 })
    }
}

fn whole(reference: &Traversal) -> Resolved<'static> {
    Resolved { value: Cow::Owned(Value::UNKNOWN), steps: reference.steps.len() }
}
