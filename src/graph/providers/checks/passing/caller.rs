//! The calling side of a call.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::graph::Node;
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::ModuleCall;
use crate::text::Suggestions;

/// A module, with what all its calls have in common.
pub(super) struct Caller<'t> {
    pub(super) node: Node<'t>,
    /// The names of its configurations, by provider.
    configurations: OnceCell<BTreeMap<ProviderAddress, BTreeSet<SmolStr>>>,
    /// The providers that it requires or configures, by local name.
    types: OnceCell<HashMap<SmolStr, ProviderAddress>>,
    /// The providers of names in called modules, each with the call that decides it.
    linked: OnceCell<HashMap<SmolStr, (ProviderAddress, &'t ModuleCall, Node<'t>)>>,
    pub(super) suggestions: Suggestions,
}

impl<'t> Caller<'t> {
    pub(super) fn of(node: Node<'t>) -> Self {
        Self {
            node,
            configurations: OnceCell::new(),
            types: OnceCell::new(),
            linked: OnceCell::new(),
            suggestions: Suggestions::default(),
        }
    }

    /// The names of its configurations of a provider.
    pub(super) fn configurations_of(&self, provider: &ProviderAddress) -> Option<&BTreeSet<SmolStr>> {
        let collect = || {
            let module = self.node.module();
            let blocks = module.providers.values().map(|block| (&block.name, block.compact()));
            let required = module.required_providers.values().flat_map(|entry| &entry.aliases);
            let required = required.map(|alias| (&alias.value.name, alias.value.compact()));
            let mut by_provider: BTreeMap<ProviderAddress, BTreeSet<SmolStr>> = BTreeMap::new();
            for (local, name) in blocks.chain(required) {
                if let Some(address) = module.provider_address(local) {
                    by_provider.entry(address).or_default().insert(name);
                }
            }
            by_provider
        };
        self.configurations.get_or_init(collect).get(provider)
    }

    /// The provider of a name that it requires or configures.
    pub(super) fn linked_type(&self, name: &str) -> Option<&ProviderAddress> {
        self.types.get_or_init(|| linked_types(self.node.module())).get(name)
    }

    /// The engine stores the providers of a child module's names in every call of the caller that uses the name, so a
    /// module gets those of its siblings. The module that is stored last takes precedence. The order is random, but
    /// mostly that of their names.
    pub(super) fn linked_in_children(
        &self,
        name: &str,
    ) -> Option<&(ProviderAddress, &'t ModuleCall, Node<'t>)> {
        let collect = || {
            let (mut linked, mut seen) = (HashMap::new(), HashSet::new());
            for (call, child) in self.node.child_calls().rev().filter(|(_, child)| seen.insert(child.id())) {
                for (name, address) in linked_types(child.module()) {
                    linked.entry(name).or_insert((address, call, child));
                }
            }
            linked
        };
        self.linked.get_or_init(collect).get(name)
    }
}

/// The providers that a module requires or configures, by local name.
fn linked_types(module: &Module) -> HashMap<SmolStr, ProviderAddress> {
    let configured = module.providers.values().filter_map(|block| {
        Some((block.name.clone(), ProviderAddress::default(&block.name, module.features.registry_host)?))
    });
    let required =
        module.required_providers.values().map(|entry| (entry.name.clone(), entry.address.clone()));
    configured.chain(required).collect()
}
