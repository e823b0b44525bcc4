//! Resolves the provider configurations of a module at the end of a path of calls.
//!
//! The configuration of a module depends on all calls above it, so this is the only place that follows call paths.
//! There can be many more paths than modules: callers that request many paths must limit their number.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::configuration::Configuration;
use super::supply::{Own, Supply};
use crate::graph::{Node, Role};
use crate::module::Module;
use crate::module::declaration::{ModuleCall, PassedProvider, ProviderConfiguration, Resource, compact_name};
use crate::text::Span;

/// A module on a call path, and the call that leads to it.
#[derive(Debug, Clone, Copy)]
pub struct Level<'t> {
    /// The module.
    pub node: Node<'t>,
    /// The call, or `None` for the first module of the path.
    pub call: Option<&'t ModuleCall>,
}

/// The resolved provider configuration.
#[derive(Debug, Clone)]
pub enum Found<'t> {
    /// Provider blocks of the module at this level of the path.
    Blocks(usize, Own<'t>),
    /// The empty configuration that a root module has without a block.
    Implicit,
    /// A configuration that callers of the first module pass.
    FromCaller,
    /// No configuration, which the engine reports as an error.
    Missing,
}

/// The way a provider configuration reaches a module.
#[derive(Debug, Clone)]
pub struct Reaching<'t> {
    /// `name` or `name.alias` in the module.
    pub name: SmolStr,
    /// The configuration in the module.
    pub requested: Configuration,
    /// The configuration in the module that declares it.
    pub effective: Configuration,
    /// The result.
    pub found: Found<'t>,
    /// The entry of `providers` in the call of the module that passes it.
    pub entry: Option<&'t PassedProvider>,
    /// The empty block in the module that this entry replaces.
    pub replaced: Option<&'t ProviderConfiguration>,
    /// For a missing configuration, the first object in the module that needs it.
    pub needed: Option<(String, Span)>,
}

/// Whether this module is a root module, and not a module with unknown callers.
pub fn in_root(top: Node<'_>) -> bool {
    // A tool may generate provider blocks of other modules.
    if top.module().has_generated_files {
        return false;
    }
    match top.role() {
        Role::Root | Role::Example | Role::Test => !top.is_called(),
        Role::Shared => false,
    }
}

/// The steps from a module up to the resolved provider configuration.
#[derive(Debug, Clone)]
pub(super) struct Trace<'t> {
    /// The source of the configuration in each module, from the last module of the path upwards.
    pub(super) steps: Vec<Supply<'t>>,
    /// The configuration in the module that declares it.
    pub(super) effective: Configuration,
    /// The result.
    pub(super) found: Found<'t>,
}

/// Follows a configuration from the last module of a path upwards. `by_name` is true for a configuration that the
/// module passes on, which it must declare itself.
pub(super) fn trace<'t>(
    levels: &[Level<'t>],
    requested: &Configuration,
    mut by_name: bool,
) -> Option<Trace<'t>> {
    let mut key = requested.clone();
    let mut steps = Vec::new();
    for level in (0..levels.len()).rev() {
        let node = levels[level].node;
        let caller = level.checked_sub(1).map(|above| levels[above].node);
        let step = node.supply(&key, caller.zip(levels[level].call));
        steps.push(step.clone());
        let found = match step {
            Supply::Own(own) => Found::Blocks(level, own),
            Supply::Passed(_, above) => {
                (key, by_name) = (above, true);
                continue;
            }
            Supply::Inherited | Supply::Nowhere if level == 0 => at_top(node, &key, by_name),
            Supply::Inherited if by_name => Found::Missing,
            Supply::Inherited => continue,
            Supply::Nowhere => Found::Missing,
        };
        return Some(Trace { steps, effective: key, found });
    }
    None
}

/// Resolves a configuration of the last module of a path, and finds the entry that passes it.
pub fn resolve<'t>(levels: &[Level<'t>], requested: Configuration, by_name: bool) -> Option<Reaching<'t>> {
    let node = levels.last()?.node;
    let Trace { steps, effective, found } = trace(levels, &requested, by_name)?;
    let entry = match steps.first() {
        Some(Supply::Passed(entry, _)) => Some(*entry),
        Some(Supply::Own(_) | Supply::Inherited | Supply::Nowhere) | None => None,
    };
    let replaced = entry.and_then(|_| node.own_configuration(&requested)).map(|own| own.block);
    let name = compact_name(&node.local_name(&requested), requested.alias.as_deref());
    Some(Reaching { name, requested, effective, found, entry, replaced, needed: None })
}

/// The configuration of the first module of a path without a block.
fn at_top<'t>(top: Node<'t>, key: &Configuration, by_name: bool) -> Found<'t> {
    if !in_root(top) {
        return Found::FromCaller;
    }
    let is_required = || top.requirements_of(&key.provider).next().is_some();
    if key.alias.is_none() && (!by_name || is_required()) { Found::Implicit } else { Found::Missing }
}

/// All configurations that the last module of a path declares, uses or passes on, directly or for its descendants,
/// sorted by name.
pub fn reaching<'t>(levels: &[Level<'t>]) -> Vec<Reaching<'t>> {
    let Some(Level { node, call }) = levels.last().copied() else { return Vec::new() };
    let (module, table) = (node.module(), node.provider_table());
    let mut keys: BTreeMap<Configuration, bool> = BTreeMap::new();
    let mut add = |key: Configuration, by_name: bool| {
        let known = keys.entry(key).or_insert(by_name);
        *known &= by_name;
    };
    table.blocks.keys().for_each(|key| add(key.clone(), false));
    for entry in module.required_providers.values() {
        let aliases = entry.aliases.iter().map(|alias| alias.value.alias.clone());
        for alias in aliases.chain([None]) {
            add(Configuration { provider: entry.address.clone(), alias }, false);
        }
    }
    if let Some(call) = call {
        let entries = call.providers.iter();
        entries
            .filter_map(|entry| Configuration::named(module, &entry.in_child))
            .for_each(|key| add(key, false));
    }
    for (key, need) in &node.uses().configurations {
        add(Configuration::clone(key), need.by_name);
    }
    // A module must declare the configurations that it passes on, whatever it inherits.
    let passed_on = passed_on(node);
    for key in passed_on.keys() {
        add(key.clone(), true);
    }
    let first_users = LazyCell::new(|| used(module));
    let mut all = Vec::new();
    for (key, by_name) in keys {
        // The built-in provider is never configured.
        if key.provider.is_built_in() && !table.blocks.contains_key(&key) {
            continue;
        }
        let mut push = |key: &Configuration, by_name: bool| {
            let reaching = resolve(levels, key.clone(), by_name);
            all.extend(reaching.map(|reaching| {
                let used = |key: &_| first_users.get(key).copied();
                Reaching { needed: needed(node, &reaching, used, &passed_on), ..reaching }
            }));
        };
        if !by_name {
            push(&key, false);
        }
        let is_missing = |by_name| {
            resolve(levels, key.clone(), by_name)
                .is_some_and(|reaching| matches!(reaching.found, Found::Missing))
        };
        if by_name || (passed_on.contains_key(&key) && is_missing(true) && !is_missing(false)) {
            push(&key, true);
        }
    }
    all.sort_by(|a, b| (&a.name, &a.requested).cmp(&(&b.name, &b.requested)));
    all
}

/// The configurations that the calls of a module pass by name, each with the call and the span.
fn passed_on(node: Node<'_>) -> BTreeMap<Configuration, (String, Span)> {
    let mut all = BTreeMap::new();
    for (call, _) in node.calls() {
        let child = node.child(&call.name);
        for entry in &call.providers {
            let key = match child {
                Some(child) => Configuration::passed_by(child.module(), entry),
                None => Configuration::named(node.module(), &entry.in_parent),
            };
            if let Some(key) = key {
                all.entry(key)
                    .or_insert_with(|| (format!("module.{}", call.name), entry.in_parent.name_span));
            }
        }
    }
    all
}

/// The first resource of a module that uses each configuration.
fn used(module: &Module) -> BTreeMap<Configuration, &Resource> {
    let mut all = BTreeMap::new();
    for resource in module.resources.values() {
        if let Some(key) = Configuration::used_by(module, resource) {
            all.entry(key).or_insert(&**resource);
        }
    }
    all
}

/// The object in a module that needs a missing configuration. `used` returns the resource that uses one.
fn needed<'t>(
    node: Node<'_>,
    reaching: &Reaching<'_>,
    used: impl FnOnce(&Configuration) -> Option<&'t Resource>,
    passed_on: &BTreeMap<Configuration, (String, Span)>,
) -> Option<(String, Span)> {
    if !matches!(reaching.found, Found::Missing) {
        return None;
    }
    let key = &reaching.requested;
    if let Some(resource) = used(key) {
        return Some((resource.address.to_string(), resource.origin.header()));
    }
    if let Some(place) = passed_on.get(key) {
        return Some(place.clone());
    }
    node.required_from_callers(key).map(|span| ("configuration_aliases".to_owned(), span))
}
