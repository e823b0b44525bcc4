//! The help texts of findings about the configurations that a call passes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Edge;
use crate::graph::Role;
use crate::graph::arguments::without_files;
use crate::graph::providers::checks::declarations::{BUILT_IN, NO_ENTRY_FOR_BUILT_IN, display};
use crate::graph::providers::checks::missing;
use crate::graph::providers::configuration::Configuration;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{ModuleCall, PassedProvider, RequiredProvider};
use crate::syntax::Block;

impl Edge<'_, '_> {
    /// The help for a configuration that the child module passes on. An entry in this call helps only if the caller
    /// configures the provider, or is a root module that requires it.
    pub(super) fn how_to_hand_on(&self, onward: &ModuleCall, passed: &PassedProvider) -> String {
        let (caller, child) = (self.caller.node, self.child.node);
        let name = &passed.in_parent.name;
        let default = Configuration::named(child.module(), &passed.in_parent);
        let block =
            default.as_ref().and_then(|default| caller.own_configuration(default)).map(|own| own.block);
        let is_root = || !caller.is_called() && caller.role() == Role::Root;
        let entry = default.as_ref().and_then(|default| caller.requirements_of(&default.provider).next());
        let entry = entry.filter(|_| is_root());
        if let Some(ours) = block.map(|block| &block.name).or(entry.map(|entry| &entry.name)) {
            return format!("add `{name} = {ours}` to `providers` of this call");
        }
        let inherits = child.child(&onward.name).is_some_and(|below| {
            below.inherits(passed) && Configuration::named(below.module(), &passed.in_child) == default
        });
        let pass = format!("pass `{name}` in every module call from the root module down to this one");
        if inherits {
            format!(
                "remove `{} = {name}` from `providers` of `module.{}`, which then inherits the default configuration, \
                 or {pass}",
                passed.in_child.name, onward.name
            )
        } else {
            pass
        }
    }

    /// The help for a required configuration that the call does not pass.
    pub(super) fn how_to_pass(&self, name: &str, address: &ProviderAddress) -> String {
        let caller = self.caller.node;
        let known = self.caller.configurations_of(address);
        // With several configurations, only one of the same name is certain to be meant.
        let only = || known.filter(|known| known.len() == 1).and_then(BTreeSet::first);
        let ours = known.and_then(|known| known.get(name)).or_else(only);
        let has_map = self.call.origin.writes("providers");
        let add = |ours: &str| {
            if has_map {
                let which = if self.overriding_map().is_some() { " of the override file" } else { "" };
                format!("add `{name} = {ours}` to `providers`{which}")
            } else {
                format!("add `providers = {{ {name} = {ours} }}` to the call")
            }
        };
        if let Some(ours) = ours {
            return add(ours);
        }
        let entry = caller.requirements_of(address).next().map(|entry| entry.name.as_str());
        let is_of_provider = |local: &str| caller.module().provider_address(local).as_ref() == Some(address);
        let local = entry.or(name.split('.').next()).filter(|local| is_of_provider(local));
        match local {
            Some(local) if known.is_none() && !caller.is_called() => {
                // An empty block alone does not declare the provider.
                let entry = missing::entry_for(caller.module(), local, address);
                let entry = entry.map(|entry| format!("add `{entry}` to `required_providers`, "));
                let entry = entry.unwrap_or_default();
                format!("{entry}add a `provider \"{local}\"` block, and {}", add(local))
            }
            _ => {
                let provider = display(self.child.node.module(), address);
                let map = if has_map { "`providers`" } else { "a `providers` map of the call" };
                format!("pass a configuration of {provider} as `{name}` in {map}")
            }
        }
    }

    /// The entry to write in the child module, for the provider that is passed. An alias belongs to the entry of its
    /// provider.
    pub(super) fn how_to_declare(&self, passed: &PassedProvider, provider: &ProviderAddress) -> String {
        let child = self.child.node.module();
        if child.files == 0 {
            return without_files(self.call);
        }
        if self.has_invalid_entry(&passed.in_child.name) {
            return "correct the entry in the child module".to_owned();
        }
        let (name, compact) = (&passed.in_child.name, passed.in_child.compact());
        let mentions = self.child.mentions(&compact);
        let lacking = self.lacking.get_or_init(|| {
            let required = self.child.required.iter().map(|(_, name, _)| name.as_str());
            required.filter(|name| !self.passed.contains_key(*name)).collect()
        });
        let meant = self.caller.suggestions.nearest(&compact, lacking.iter().copied());
        if let Some(meant) = meant.filter(|_| !mentions) {
            return format!("did you mean `{meant}`?");
        }
        let or_remove = if mentions { "" } else { "remove this entry; or, " };
        match (&passed.in_child.alias, child.required_providers.get(name)) {
            // No registry has hashicorp/terraform.
            (None, None) if name == BUILT_IN => NO_ENTRY_FOR_BUILT_IN.to_owned(),
            (Some(_), Some(entry)) => {
                format!("{or_remove}in the child module, {}", entry.how_to_require(&compact))
            }
            (None, None) if let Some(entry) = self.child.node.requirements_of(provider).next() => {
                self.how_to_pass_as(passed, entry)
            }
            (alias, None) | (alias @ None, Some(_)) => {
                let aliases = alias.as_ref().map_or("", |_| &compact);
                let entry = RequiredProvider::written(name, display(child, provider), aliases);
                format!("in the child module, add to `required_providers`: `{entry}`")
            }
        }
    }

    /// Whether the child module writes an entry of this name that has errors.
    pub(super) fn has_invalid_entry(&self, name: &str) -> bool {
        let child = self.child.node.module();
        let is_written = |block: &Arc<Block>| block.attribute(name).is_some();
        !child.required_providers.contains_key(name)
            && child.required_providers_block.as_ref().is_some_and(is_written)
    }

    /// The help for a configuration of a provider that the child module requires under another name.
    pub(super) fn how_to_pass_as(&self, passed: &PassedProvider, entry: &RequiredProvider) -> String {
        let name = &entry.name;
        if !self.passed.contains_key(name) {
            return format!("pass it as `{name}`");
        }
        let alias = passed.in_parent.alias.as_ref().map(|alias| format!("{name}.{alias}"));
        let is_needed = self.child.mentions(&passed.in_child.compact());
        let declare = alias.filter(|alias| !self.passed.contains_key(alias.as_str()));
        let declare = declare.map(|alias| {
            format!("in the child module, {}, and pass it as `{alias}`", entry.how_to_require(&alias))
        });
        match declare {
            Some(declare) if is_needed => declare,
            Some(declare) => format!("remove this entry; or, {declare}"),
            None => format!("remove this entry: another one passes `{name}`"),
        }
    }

    /// The help for a configuration that is passed as a name which stands for another provider in this module.
    pub(super) fn how_to_rename(&self, passed: &PassedProvider) -> String {
        let (old, new) = (&passed.in_child.name, &passed.in_parent.name);
        if self.child.node.module().required_providers.contains_key(new) {
            return format!(
                "in the child module, rename the entry `{old}` to a name that this module does not require"
            );
        }
        format!(
            "in the child module, rename the entry `{old}` to `{new}` and set `provider = {new}` in its resources; here, \
             pass it as `{new}`"
        )
    }
}
