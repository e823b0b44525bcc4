//! One step of the resolution: the origin of a provider configuration in a module.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use smol_str::SmolStr;

use super::checks::declarations::is_configured;
use super::configuration::{Blocks, Configuration, Table};
use crate::graph::{ModuleGraph, Node};
use crate::module::address::ProviderAddress;
use crate::module::declaration::{
    ModuleCall, PassedProvider, ProviderConfiguration, RequiredProvider, Spanned,
};
use crate::text::Span;

impl Table {
    fn of(node: Node<'_>) -> Self {
        let module = node.module();
        let mut table = Self::default();
        for entry in module.required_providers.values() {
            table.names.entry(entry.address.clone()).or_default().push(entry.name.clone());
            for Spanned { value, span } in &entry.aliases {
                let key = Configuration { provider: entry.address.clone(), alias: value.alias.clone() };
                table.required.entry(key).or_insert(*span);
            }
        }
        for (name, block) in &module.providers {
            let Some(configuration) = Configuration::by(module, block) else { continue };
            let names = table.names.get(&configuration.provider);
            let is_effective = match names {
                Some(_) => module
                    .required_providers
                    .get(&block.name)
                    .is_some_and(|entry| entry.address == configuration.provider),
                None => block.name == configuration.provider.name,
            };
            let new = || Blocks { are_empty: true, ..Blocks::default() };
            let blocks = table.blocks.entry(configuration).or_insert_with(new);
            blocks.all.push(name.clone());
            blocks.are_empty &= block.config.looks_empty();
            if is_effective {
                blocks.effective.push(name.clone());
                blocks.is_random = names.is_some_and(|names| names.len() > 1);
            }
        }
        let entries = module.calls.values().flat_map(|call| &call.providers);
        table.passed_on.extend(entries.filter_map(|entry| Configuration::named(module, &entry.in_parent)));
        table.add_aliases(node);
        for (call, child) in node.child_calls().filter(|(call, _)| !call.providers.is_empty()) {
            let passed = table.passed.entry(call.name.clone()).or_default();
            for (number, entry) in call.providers.iter().enumerate() {
                match Configuration::named(child.module(), &entry.in_child).map(|key| passed.entry(key)) {
                    Some(Entry::Vacant(first)) => drop(first.insert((number, number))),
                    Some(Entry::Occupied(mut known)) => known.get_mut().1 = number,
                    None => {}
                }
            }
        }
        table
    }

    /// Adds the aliases that a module declares or is passed.
    fn add_aliases(&mut self, node: Node<'_>) {
        let module = node.module();
        let passed = || node.callers().flat_map(|(_, call)| &call.providers).map(|entry| &entry.in_child);
        let (declared, required) = (self.blocks.keys().cloned(), self.required.keys().cloned());
        let passed_on = passed().filter_map(|name| Configuration::named(module, name));
        for configuration in declared.chain(passed_on).chain(required) {
            if let Some(alias) = configuration.alias.clone()
                && self.with_alias.insert(configuration.clone())
            {
                self.aliases.entry(configuration.provider).or_default().push(alias);
            }
        }
        let declared = module.providers.values().filter_map(|block| Some(&block.alias.as_ref()?.value));
        let required = module.required_providers.values().flat_map(|entry| &entry.aliases);
        let required = required.filter_map(|element| element.value.alias.as_ref());
        let names = declared.chain(required).chain(passed().filter_map(|name| name.alias.as_ref()));
        self.alias_names.extend(names.cloned());
    }
}

/// The blocks of a module that declare a configuration.
#[derive(Debug, Clone, Copy)]
pub struct Own<'m> {
    /// The first of them.
    pub block: &'m ProviderConfiguration,
    node: Node<'m>,
    blocks: &'m Blocks,
}

impl<'m> Own<'m> {
    /// The blocks whose arguments may take effect. If there is none, the engine drops the arguments of [`Self::block`].
    pub fn effective(self) -> impl Iterator<Item = &'m ProviderConfiguration> {
        let providers = &self.node.module().providers;
        self.blocks.effective.iter().filter_map(|name| Some(&**providers.get(name)?))
    }

    /// Whether the arguments of one of the blocks may take effect.
    pub fn has_effect(self, block: &ProviderConfiguration) -> bool {
        self.blocks.effective.binary_search(&block.compact()).is_ok()
    }

    /// Whether the effective block is chosen at random, because the provider has several local names.
    pub fn is_random(self) -> bool {
        self.blocks.is_random
    }

    /// The effective block, if that is certain.
    pub fn attached(self) -> Option<&'m ProviderConfiguration> {
        if self.is_random() { None } else { self.effective().next() }
    }

    /// Whether an entry of the call replaces it: an empty block in a child module was the way to declare an expected
    /// configuration before `configuration_aliases`.
    pub fn is_replaceable(self) -> bool {
        self.blocks.are_empty
    }
}

/// The origin of a provider configuration in a module.
#[derive(Debug, Clone)]
pub enum Supply<'t> {
    /// Its own blocks.
    Own(Own<'t>),
    /// An entry of the call, which names this configuration of the caller.
    Passed(&'t PassedProvider, Configuration),
    /// The default configuration of the nearest ancestor that has one.
    Inherited,
    /// None: aliases are never inherited.
    Nowhere,
}

impl ModuleGraph {
    fn provider_table(&self, node: Node<'_>) -> &Table {
        &self.derived.provider_tables.get_or_init(|| self.nodes().map(Table::of).collect())[node.id().0]
    }
}

impl<'t> Node<'t> {
    pub(super) fn provider_table(self) -> &'t Table {
        self.graph.provider_table(self)
    }

    /// The blocks of this module that declare a configuration.
    pub fn own_configuration(self, key: &Configuration) -> Option<Own<'t>> {
        let blocks = self.provider_table().blocks.get(key)?;
        let block = self.module().providers.get(blocks.all.first()?)?;
        Some(Own { block, node: self, blocks })
    }

    /// The blocks of a provider in this module, by alias.
    pub(super) fn blocks_of(
        self,
        provider: &ProviderAddress,
    ) -> impl Iterator<Item = &'t ProviderConfiguration> {
        let first = Configuration::default_of(provider.clone());
        let blocks =
            self.provider_table().blocks.range(&first..).map(|(key, blocks)| (&key.provider, &blocks.all));
        let blocks = blocks.take_while(move |(of, _)| **of == first.provider);
        blocks
            .flat_map(|(_, names)| names)
            .filter_map(move |name| Some(&**self.module().providers.get(name)?))
    }

    /// The origin of a configuration in this module; `by` is the call that leads here.
    pub fn supply(self, key: &Configuration, by: Option<(Node<'t>, &'t ModuleCall)>) -> Supply<'t> {
        let own = self.own_configuration(key);
        if let Some((caller, call)) = by
            && own.is_none_or(Own::is_replaceable)
            && let Some((first, last)) =
                caller.provider_table().passed.get(&call.name).and_then(|passed| passed.get(key))
            && let Some(entry) = call.providers.get(if own.is_some() { *last } else { *first })
            && let Some(requested) = Configuration::passed_by(self.module(), entry)
        {
            return Supply::Passed(entry, requested);
        }
        match own {
            Some(own) => Supply::Own(own),
            None if key.alias.is_none() => Supply::Inherited,
            None => Supply::Nowhere,
        }
    }

    /// The names of a configuration of this module in a called module.
    pub fn keys_in_child(
        self,
        call: &'t ModuleCall,
        child: Node<'t>,
        key: &Configuration,
    ) -> Vec<Configuration> {
        let passed = self.provider_table().passed.get(&call.name);
        let inherited = key.alias.is_none().then_some(key);
        let keys = passed.into_iter().flat_map(BTreeMap::keys).chain(inherited);
        let comes_from = |below: &&Configuration| match child.supply(below, Some((self, call))) {
            Supply::Passed(_, requested) => requested == *key,
            Supply::Inherited => *below == key,
            Supply::Own(_) | Supply::Nowhere => false,
        };
        let mut keys: Vec<Configuration> = keys.filter(comes_from).cloned().collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// The entries of `required_providers` for a provider.
    pub fn requirements_of(self, provider: &ProviderAddress) -> impl Iterator<Item = &'t RequiredProvider> {
        let names = self.provider_table().names.get(provider);
        let module = self.module();
        names.into_iter().flatten().filter_map(|name| Some(&**module.required_providers.get(name)?))
    }

    /// The element of `configuration_aliases` that requires callers to pass a configuration.
    pub fn required_from_callers(self, key: &Configuration) -> Option<Span> {
        self.provider_table().required.get(key).copied()
    }

    /// The local name of a provider in this module.
    pub fn local_name(self, key: &Configuration) -> SmolStr {
        if let Some(entry) = self.requirements_of(&key.provider).next() {
            return entry.name.clone();
        }
        self.own_configuration(key).map_or_else(|| key.provider.name.clone(), |own| own.block.name.clone())
    }

    /// The provider blocks with arguments; the engine treats all others as declarations.
    pub fn configured_providers(self) -> impl Iterator<Item = &'t ProviderConfiguration> {
        let providers = self.module().providers.values().map(|provider| &**provider);
        providers.filter(|provider| is_configured(provider))
    }

    /// Whether a call of this module passes a configuration on.
    pub fn passes_on(self, key: &Configuration) -> bool {
        self.provider_table().passed_on.contains(key)
    }

    /// The configurations that the module declares, in provider blocks and in `configuration_aliases`.
    pub fn declared(self) -> impl Iterator<Item = &'t Configuration> {
        let table = self.provider_table();
        table.required.keys().chain(table.blocks.keys())
    }

    /// Whether the module declares a configuration, in a provider block or in `configuration_aliases`.
    pub fn declares(self, key: &Configuration) -> bool {
        self.required_from_callers(key).is_some() || self.provider_table().blocks.contains_key(key)
    }
}
