//! The called side of a call.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::graph::Node;
use crate::graph::providers::checks::declarations::Declared;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{ModuleCall, PassedProvider, ProviderRef};
use crate::text::Span;

/// A called module, with what all calls of it have in common.
pub(super) struct Child<'t> {
    pub(super) node: Node<'t>,
    pub(super) declared: Declared<'t>,
    /// The configurations that calls must pass: provider, name, and where the module requires it.
    pub(super) required: Vec<(&'t ProviderAddress, SmolStr, Span)>,
    /// The entries of its own calls that pass on a configuration which it requires, by name, with their order.
    pub(super) handed_on: BTreeMap<&'t SmolStr, Vec<(usize, &'t ModuleCall, &'t PassedProvider)>>,
    /// The names of the configurations that it uses or passes on.
    mentions: OnceCell<HashSet<SmolStr>>,
}

impl<'t> Child<'t> {
    pub(super) fn of(node: Node<'t>) -> Self {
        let module = node.module();
        let declared = Declared::of(module);
        let aliases = declared.aliases.iter().filter(|(name, _)| !declared.configured.contains_key(name));
        let required = aliases.map(|(name, (address, span))| (*address, name.clone(), *span)).collect();
        let mut handed_on: BTreeMap<&SmolStr, Vec<_>> = BTreeMap::new();
        let entries = module
            .calls
            .values()
            .flat_map(|onward| onward.providers.iter().map(move |entry| (&**onward, entry)));
        for (number, (onward, entry)) in entries.enumerate() {
            let name = &entry.in_parent.name;
            let is_required = || module.required_providers.contains_key(name);
            if entry.in_parent.alias.is_none() && is_required() && !declared.configured.contains_key(name) {
                handed_on.entry(name).or_default().push((number, onward, entry));
            }
        }
        Self { node, declared, required, handed_on, mentions: OnceCell::new() }
    }

    pub(super) fn mentions(&self, name: &str) -> bool {
        let collect = || self.node.provider_mentions().map(ProviderRef::compact).collect();
        self.mentions.get_or_init(collect).contains(name)
    }
}
