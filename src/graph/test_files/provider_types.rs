//! Compares the providers that a test file configures with those that the tested module requires under the same names.
//!
//! The engine gives each local name of a test file the provider of the first run that uses it.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::runs;
use crate::finding::{Concern, EngineRule, Finding};
use crate::graph::providers::display;
use crate::graph::{Node, NodeId, Test};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::PassedProvider;
use crate::module::test_file::{Run, TestProvider};

/// Providers by local name.
type Providers = BTreeMap<SmolStr, ProviderAddress>;

/// The providers that modules require or configure.
#[derive(Default)]
pub(super) struct ProviderTypes(HashMap<NodeId, Providers>);

impl ProviderTypes {
    /// Reports configurations of one provider that a run of `node` uses as those of another one. Reports nothing if
    /// some run tests an unknown module, which may fix the provider of any name.
    pub(super) fn check(&mut self, node: Node<'_>, test: &Test, findings: &mut Vec<Finding>) {
        let names: BTreeSet<&SmolStr> = test.file.providers.values().map(|provider| &provider.name).collect();
        let mut seen = HashSet::new();
        let runs: Vec<(&Run, Option<Node<'_>>)> = runs(node, test).collect();
        if runs.len() < test.file.runs.len() {
            return;
        }
        let mut fixed = Providers::new();
        let mut passed = Vec::new();
        for (run, under) in &runs {
            let Some(under) = under else { return };
            let theirs = self.0.entry(under.id()).or_insert_with(|| configured(under.module()));
            if run.providers.is_empty() && seen.insert(under.id()) {
                for name in &names {
                    if let Some(address) = theirs.get(*name) {
                        fixed.entry((*name).clone()).or_insert_with(|| address.clone());
                    }
                }
            }
            for entry in &run.providers {
                let child = &entry.in_child.name;
                let default = || ProviderAddress::default(child, node.module().features.registry_host);
                let Some(child) = theirs.get(child).cloned().or_else(default) else { continue };
                // The first run that uses a name fixes its provider, if the file configures it.
                if names.contains(&entry.in_parent.name) {
                    fixed.entry(entry.in_parent.name.clone()).or_insert_with(|| child.clone());
                }
                let parent = fixed.get(&entry.in_parent.name).filter(|parent| **parent != child);
                if let Some(parent) = parent.filter(|_| run.module.is_none()) {
                    passed.push(mismatch(node, entry, parent, &child).address(format!("run.{}", run.name)));
                }
            }
        }
        findings.append(&mut passed);
        if runs.iter().any(|(run, _)| run.module.is_none() && run.providers.is_empty()) {
            for (key, provider) in &test.file.providers {
                let ours = required_as(node.module(), key, provider);
                if let Some((theirs, ours)) =
                    fixed.get(&provider.name).zip(ours).filter(|(it, ours)| **it != *ours)
                {
                    findings.push(other_provider(node, key, provider, theirs, &ours));
                }
            }
        }
    }
}

/// The providers that a module requires or configures.
fn configured(module: &Module) -> Providers {
    let required =
        module.required_providers.iter().map(|(name, entry)| (name.clone(), entry.address.clone()));
    let blocks = module
        .providers
        .values()
        .filter_map(|block| Some((block.name.clone(), configured_as(module, &block.name)?)));
    required.chain(blocks).collect()
}

/// The provider that the tested module requires or configures under the key of a configuration in a test file.
fn required_as(module: &Module, key: &str, provider: &TestProvider) -> Option<ProviderAddress> {
    let entry = module.required_providers.get(&provider.name).filter(|entry| {
        let mut aliases = entry.aliases.iter().map(|alias| &alias.value);
        *key == *provider.name
            || aliases.any(|alias| alias.alias == provider.alias && alias.name == provider.name)
    });
    let of_entry = entry.map(|entry| entry.address.clone());
    of_entry.or_else(|| module.providers.contains_key(key).then(|| configured_as(module, &provider.name))?)
}

/// The provider of a `provider` block. Without an entry in `required_providers`, the engine compares `terraform` in a
/// test as hashicorp/terraform, although it then uses the built-in provider.
fn configured_as(module: &Module, name: &str) -> Option<ProviderAddress> {
    match module.required_providers.get(name) {
        Some(entry) => Some(entry.address.clone()),
        None => ProviderAddress::default(name, module.features.registry_host),
    }
}

fn mismatch(
    node: Node<'_>,
    entry: &PassedProvider,
    parent: &ProviderAddress,
    child: &ProviderAddress,
) -> Finding {
    let (module, parent_name, child_name) = (node.module(), &entry.in_parent.name, &entry.in_child.name);
    Finding::language(EngineRule::ProviderTypeMismatch, "Provider type mismatch")
        .detail(format!(
            "This file already uses `{parent_name}` as {}, and `{child_name}` is {} in the module.",
            display(module, parent),
            display(module, child)
        ))
        .at(entry.in_parent.name_span)
        .concerns(Concern::Provider(entry.in_child.compact()))
        .help(format!("pass a configuration of {}, under a different name", display(module, child)))
}

fn other_provider(
    node: Node<'_>,
    key: &SmolStr,
    provider: &TestProvider,
    theirs: &ProviderAddress,
    ours: &ProviderAddress,
) -> Finding {
    let module = node.module();
    Finding::language(EngineRule::ProviderTypeMismatch, "Provider type mismatch")
        .detail(format!(
            "An earlier run uses `{key}` as {}, and it is {} in the module that a later run tests.",
            display(module, theirs),
            display(module, ours)
        ))
        .at(provider.header)
        .concerns(Concern::Provider(key.clone()))
        .help("give the configurations different names, and pass them with `providers` in each run")
}
