//! Provider configurations that calls of modules outside the repository use.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::configuration::Configuration;
use crate::graph::{Callee, Node};
use crate::module::address::ModuleSource;
use crate::module::declaration::{ModuleCall, PassedProvider};

impl<'t> Node<'t> {
    /// The calls of modules outside the repository.
    pub(super) fn outside_calls(self) -> impl Iterator<Item = &'t ModuleCall> {
        let is_outside = |callee: Callee| match callee {
            Callee::Outside | Callee::Opaque => true,
            Callee::Module(_) | Callee::Missing => false,
        };
        self.calls().filter(move |(_, callee)| is_outside(*callee)).map(|(call, _)| call)
    }

    /// The configurations of this module that such a call uses, by their names in the called module: those of the
    /// `providers` map, and the default configuration of the provider that a registry module is for.
    pub(super) fn used_outside(
        self,
        call: &'t ModuleCall,
    ) -> BTreeMap<SmolStr, (Configuration, Option<&'t PassedProvider>)> {
        let module = self.module();
        let passed = call.providers.iter().filter_map(|entry| {
            Some((entry.in_child.compact(), (Configuration::named(module, &entry.in_parent)?, Some(entry))))
        });
        let mut used: BTreeMap<_, _> = passed.collect();
        if let Some(ModuleSource::Registry(called)) =
            call.source.as_ref().and_then(|source| source.address.as_ref())
            && !used.contains_key(&called.system)
            && let Some(inherited) = Configuration::of(module, &called.system, None)
        {
            used.insert(called.system.clone(), (inherited, None));
        }
        used
    }

    /// The calls of modules outside the repository that use a configuration of this module.
    pub fn outside_calls_with(self, key: &Configuration) -> impl Iterator<Item = &'t ModuleCall> {
        self.outside_calls().filter(move |call| self.used_outside(call).values().any(|(used, _)| used == key))
    }
}
