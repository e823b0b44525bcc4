//! Turns a way of calls into the provider configurations that reach the module at its end.
//!
//! Which configuration reaches a module depends on all calls above it, so this is the one place that looks at ways of
//! calls. There can be many more ways than modules: whoever asks for many of them has to bound how many.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::configuration::Configuration;
use super::supply::{Own, Supply};
use crate::graph::{Node, Role};
use crate::module::declaration::{ModuleCall, PassedProvider, ProviderConfiguration, compact_name};
use crate::text::Span;

/// A module on a way of calls, and the call in the module before it that leads there.
#[derive(Debug, Clone, Copy)]
pub struct Level<'t> {
    /// The module.
    pub node: Node<'t>,
    /// The call; none for the module that the way begins with.
    pub call: Option<&'t ModuleCall>,
}

/// The provider configuration that a key leads to.
#[derive(Debug, Clone)]
pub enum Found<'t> {
    /// Provider blocks of the module at that level of the way.
    Blocks(usize, Own<'t>),
    /// The empty configuration that the root module has without a block.
    Implicit,
    /// One that callers of the first module provide.
    FromCaller,
    /// None, which the engines refuse.
    Missing,
}

/// How a provider configuration reaches a module.
#[derive(Debug, Clone)]
pub struct Reaching<'t> {
    /// `name` or `name.alias`, as the module calls it.
    pub name: SmolStr,
    /// The key in the module.
    pub asked: Configuration,
    /// The key in the module that has it.
    pub effective: Configuration,
    /// What it leads to.
    pub found: Found<'t>,
    /// The entry of the module's own call that passes it.
    pub entry: Option<&'t PassedProvider>,
    /// The empty block of the module that this entry replaces.
    pub replaced: Option<&'t ProviderConfiguration>,
    /// What in the module needs it: of what is missing only.
    pub needed: Option<(String, Span)>,
}

/// Whether the engines are run in a module: a way that ends there ends in the root module, and not at callers that are
/// not known.
pub fn in_root(top: Node<'_>) -> bool {
    // The configurations of others may be in files that a tool generates.
    if top.module().has_generated_files {
        return false;
    }
    match top.role() {
        Role::Root | Role::Example | Role::Test => !top.is_called(),
        Role::Shared => false,
    }
}

/// The steps from a module up to the provider configuration that a key leads to.
#[derive(Debug, Clone)]
pub(super) struct Trace<'t> {
    /// Where each module has the configuration from, beginning with the last module of the way.
    pub(super) steps: Vec<Supply<'t>>,
    /// The key in the module that has it.
    pub(super) effective: Configuration,
    /// What it leads to.
    pub(super) found: Found<'t>,
}

/// Follows a key from the last module of a way up to what it leads to. `by_name` says that it is one that the module
/// passes on, which it has to have itself.
pub(super) fn trace<'t>(way: &[Level<'t>], asked: &Configuration, mut by_name: bool) -> Option<Trace<'t>> {
    let mut key = asked.clone();
    let mut steps = Vec::new();
    for level in (0..way.len()).rev() {
        let node = way[level].node;
        let caller = level.checked_sub(1).map(|above| way[above].node);
        let step = node.supply(&key, caller.zip(way[level].call));
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

/// What a key of the last module of a way leads to, and the entry that passes it.
pub fn resolve<'t>(way: &[Level<'t>], asked: Configuration, by_name: bool) -> Option<Reaching<'t>> {
    let node = way.last()?.node;
    let Trace { steps, effective, found } = trace(way, &asked, by_name)?;
    let entry = match steps.first() {
        Some(Supply::Passed(entry, _)) => Some(*entry),
        Some(Supply::Own(_) | Supply::Inherited | Supply::Nowhere) | None => None,
    };
    let replaced = entry.and_then(|_| node.own_configuration(&asked)).map(|own| own.block);
    let name = compact_name(&node.local_name(&asked), asked.alias.as_deref());
    Some(Reaching { name, asked, effective, found, entry, replaced, needed: None })
}

/// What the first module of a way has without a block.
fn at_top<'t>(top: Node<'t>, key: &Configuration, by_name: bool) -> Found<'t> {
    if !in_root(top) {
        return Found::FromCaller;
    }
    let is_required = || top.requirements_of(&key.provider).next().is_some();
    if key.alias.is_none() && (!by_name || is_required()) { Found::Implicit } else { Found::Missing }
}

/// Every configuration that the last module of a way declares, uses or passes on, itself or through what it calls, in
/// the order of their names.
pub fn reaching<'t>(way: &[Level<'t>]) -> Vec<Reaching<'t>> {
    let Some(Level { node, call }) = way.last().copied() else { return Vec::new() };
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
        add(key.clone(), need.by_name);
    }
    // What a module passes on, it has to have itself, whatever it inherits.
    let passed_on = passed_on(node);
    for key in passed_on.keys() {
        add(key.clone(), true);
    }
    let mut all = Vec::new();
    for (key, by_name) in keys {
        // What is built into the engine is configured nowhere.
        if key.provider.is_built_in() && !table.blocks.contains_key(&key) {
            continue;
        }
        let mut push = |key: &Configuration, by_name: bool| {
            let reaching = resolve(way, key.clone(), by_name);
            all.extend(
                reaching.map(|reaching| Reaching { needed: needed(node, &reaching, &passed_on), ..reaching }),
            );
        };
        if !by_name {
            push(&key, false);
        }
        let is_missing = |by_name| {
            resolve(way, key.clone(), by_name)
                .is_some_and(|reaching| matches!(reaching.found, Found::Missing))
        };
        if by_name || (passed_on.contains_key(&key) && is_missing(true) && !is_missing(false)) {
            push(&key, true);
        }
    }
    all.sort_by(|a, b| (&a.name, &a.asked).cmp(&(&b.name, &b.asked)));
    all
}

/// What the calls of a module ask for by name, with the call and the place.
fn passed_on(node: Node<'_>) -> BTreeMap<Configuration, (String, Span)> {
    let mut all = BTreeMap::new();
    for (call, _) in node.calls() {
        let child = node.child(&call.name);
        for entry in &call.providers {
            let key = match child {
                Some(child) => Configuration::asked_by(child.module(), entry),
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

/// What in a module needs a configuration that is missing.
fn needed(
    node: Node<'_>,
    reaching: &Reaching<'_>,
    passed_on: &BTreeMap<Configuration, (String, Span)>,
) -> Option<(String, Span)> {
    if !matches!(reaching.found, Found::Missing) {
        return None;
    }
    let (module, key) = (node.module(), &reaching.asked);
    let uses = |resource: &&Box<_>| Configuration::used_by(module, resource).as_ref() == Some(key);
    if let Some(resource) = module.resources.values().find(uses) {
        return Some((resource.address.to_string(), resource.origin.header()));
    }
    if let Some(place) = passed_on.get(key) {
        return Some(place.clone());
    }
    node.asks_callers_for(key).map(|span| ("configuration_aliases".to_owned(), span))
}
