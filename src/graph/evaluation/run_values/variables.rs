//! The values of the variables of a module.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Computed;
use crate::module::Module;
use crate::module::declaration::Variable;

/// The values of the variables of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::graph) struct VariableValues {
    /// By name, sorted. There can be very many calls, and a list takes less memory than a map.
    set: Arc<[(SmolStr, Computed)]>,
    unset: Unset,
}

/// The values of the other variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Unset {
    /// None.
    #[default]
    Missing,
    /// Unknown values of their types.
    Any,
    /// Their defaults.
    Default,
}

impl VariableValues {
    /// These values, and no others.
    pub(in crate::graph) fn only(set: BTreeMap<SmolStr, Computed>) -> Self {
        Self { set: set.into_iter().collect(), unset: Unset::Missing }
    }

    /// These values, and any of the types of all other variables.
    pub(in crate::graph::evaluation) fn or_any(set: BTreeMap<SmolStr, Computed>) -> Self {
        Self { set: set.into_iter().collect(), unset: Unset::Any }
    }

    /// These values, and the defaults of all other variables.
    pub(in crate::graph::evaluation) fn or_defaults(set: BTreeMap<SmolStr, Computed>) -> Self {
        Self { set: set.into_iter().collect(), unset: Unset::Default }
    }

    /// The values that do not follow from the declarations, sorted by name.
    pub(in crate::graph::evaluation) fn set(&self) -> &[(SmolStr, Computed)] {
        &self.set
    }

    /// The value of a variable, if it does not follow from the declaration.
    pub(super) fn of_call(&self, name: &str) -> Option<&Computed> {
        let place = self.set.binary_search_by(|(other, _)| other.as_str().cmp(name)).ok()?;
        Some(&self.set[place].1)
    }

    /// The value of a variable of the module.
    pub(in crate::graph::evaluation) fn get(&self, name: &str, module: &Module) -> Option<Computed> {
        let declared = || module.variables.get(name);
        self.of_call(name).cloned().or_else(|| match self.unset {
            Unset::Missing => None,
            Unset::Any => declared().map(|variable| Computed::any_of(variable)),
            Unset::Default => declared().map(|variable| default_of(variable)),
        })
    }
}

/// The value of a variable that nothing sets.
pub(in crate::graph) fn default_of(variable: &Variable) -> Computed {
    match &variable.default {
        Some(default) => Computed::known(default.value.clone().mark(variable.marks())),
        None => Computed::any_of(variable),
    }
}
