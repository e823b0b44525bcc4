//! Checks the arguments of the built-in provider in `provider` blocks of test files.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::finding::Finding;
use crate::graph::providers::Configuration;
use crate::graph::{Node, Test, builtin};
use crate::module::Module;
use crate::module::declaration::compact_name;
use crate::module::test_file::Run;
use crate::text::Span;

/// Checks the blocks that a run uses. Each block is checked for the first run that uses it. `seen` has their headers.
pub(super) fn check(
    test: &Test,
    run: &Run,
    under: Node<'_>,
    seen: &mut BTreeSet<Span>,
    findings: &mut Vec<Finding>,
) {
    for (key, provider) in &test.file.providers {
        let Some(config) = &provider.config else { continue };
        let is_used = names(run, key, &provider.name).any(|(name, alias)| {
            let is_named = !run.providers.is_empty() || has(under.module(), &name, alias.as_deref());
            Configuration::of(under.module(), &name, alias.as_ref()).is_some_and(|one| {
                is_named && one.provider.is_built_in() && under.uses().configurations.contains_key(&one)
            })
        });
        if is_used && seen.insert(provider.header) {
            builtin::provider_content(config, findings);
        }
    }
}

/// The names and aliases in the module that stand for the configuration `key` of the file.
fn names(run: &Run, key: &SmolStr, name: &SmolStr) -> impl Iterator<Item = (SmolStr, Option<SmolStr>)> {
    let alias = key.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')).map(SmolStr::new);
    let own = run.providers.is_empty().then(|| (name.clone(), alias));
    let passed = run.providers.iter().filter(|entry| entry.in_parent.compact() == *key);
    own.into_iter().chain(passed.map(|entry| (entry.in_child.name.clone(), entry.in_child.alias.clone())))
}

/// Whether a module itself names a configuration or uses it, so that the engine takes that of the test file.
fn has(module: &Module, name: &str, alias: Option<&str>) -> bool {
    let key = compact_name(name, alias);
    let required = module.required_providers.get(name);
    let is_required = required.is_some_and(|entry| {
        alias.is_none() || entry.aliases.iter().any(|alias| alias.value.compact() == key)
    });
    let mut used = module.resources.values();
    let is_used = used.any(|resource| match &resource.provider_ref {
        Some(reference) => reference.compact() == key,
        None => resource.provider.as_ref().is_some_and(|provider| provider.name == key),
    });
    let mut passed = module.calls.values().flat_map(|call| &call.providers);
    is_required
        || is_used
        || module.providers.contains_key(&key)
        || passed.any(|entry| entry.in_parent.compact() == key)
}
