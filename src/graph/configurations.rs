//! Turns a tree into the provider configurations that each module uses: by its own resources, and by what it calls.
//!
//! A configuration is told by its provider and its alias, not by the local name, which every module chooses for itself.
//! What a called module uses and does not configure, its callers use too: under the name that the call passes, else,
//! for a default configuration, by inheritance. Nothing is guessed about modules from elsewhere.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::{Callee, ModuleGraph, Node, NodeId, providers};
use crate::module::Module;
use crate::module::address::{ProviderAddress, ResourceAddress};
use crate::module::declaration::{Action, ProviderConfiguration, ProviderRef, Resource};
use crate::text::Span;

/// A configuration of a provider, whatever name a module has for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// Of which provider.
    pub provider: ProviderAddress,
    /// Its alias; none of the default configuration.
    pub alias: Option<SmolStr>,
}

/// The configurations that a module uses, and that what it calls uses through it.
#[derive(Debug)]
pub struct Uses {
    /// Each with the header of a resource that needs it, here or in a module below.
    pub configurations: BTreeMap<Configuration, Span>,
    /// Whether these are all: every module below is known, and was read whole.
    pub complete: bool,
}

/// Something in a module that names a provider configuration.
#[derive(Debug, Clone)]
pub struct ProviderMention<'t> {
    /// The name.
    pub reference: &'t ProviderRef,
    /// The address of the block that it stands in.
    pub address: String,
}

impl Configuration {
    /// The default configuration of a provider.
    pub fn default_of(provider: ProviderAddress) -> Self {
        Self { provider, alias: None }
    }

    /// What a reference in a module stands for; none where no provider can be called so.
    pub fn named(module: &Module, reference: &ProviderRef) -> Option<Self> {
        Self::of(module, &reference.name, reference.alias.as_ref())
    }

    /// What a local name and an alias stand for in a module.
    pub fn of(module: &Module, name: &str, alias: Option<&SmolStr>) -> Option<Self> {
        Some(Self { provider: module.provider_address(name)?, alias: alias.cloned() })
    }

    /// What a resource of a module is managed with.
    pub fn used_by(module: &Module, resource: &Resource) -> Option<Self> {
        match &resource.provider_ref {
            Some(reference) => Self::named(module, reference),
            None => Some(Self::default_of(resource.provider.clone()?)),
        }
    }

    /// What a provider block configures.
    pub fn by(module: &Module, provider: &ProviderConfiguration) -> Option<Self> {
        Self::of(module, &provider.name, provider.alias.as_ref().map(|alias| &alias.value))
    }
}

impl<'t> Node<'t> {
    /// The provider configurations that this module uses.
    pub fn uses(self) -> &'t Uses {
        &self.graph.uses.get_or_init(|| of(self.graph))[self.id.0]
    }

    /// The provider blocks that configure something; the engines take every other one for a mere declaration.
    pub fn configured_providers(self) -> impl Iterator<Item = &'t ProviderConfiguration> {
        let providers = self.module().providers.values().map(|provider| &**provider);
        providers.filter(|provider| providers::is_configured(provider))
    }

    /// Whether anything, here or below, may use what a provider block of this module configures. The engine leaves out
    /// what nothing uses, and never looks into it.
    pub(super) fn may_use(self, provider: &ProviderConfiguration) -> bool {
        let uses = self.uses();
        let configuration = Configuration::by(self.module(), provider);
        !uses.complete || configuration.is_none_or(|one| uses.configurations.contains_key(&one))
    }

    /// Whether the module declares a configuration: in a provider block, or as one that its callers pass.
    pub fn declares(self, configuration: &Configuration) -> bool {
        let module = self.module();
        let passed = module.required_providers.values().any(|required| {
            required.address == configuration.provider
                && required.aliases.iter().any(|alias| alias.value.alias == configuration.alias)
        });
        passed
            || module
                .providers
                .values()
                .any(|provider| Configuration::by(module, provider).as_ref() == Some(configuration))
    }

    /// Everything in the module that names a provider configuration.
    pub fn provider_mentions(self) -> Vec<ProviderMention<'t>> {
        let module = self.module();
        let mut mentions = Vec::new();
        let mut add = |reference: &'t ProviderRef, address: String| {
            mentions.push(ProviderMention { reference, address });
        };
        for resource in module.resources.values() {
            resource.provider_ref.iter().for_each(|one| add(one, resource.address.to_string()));
        }
        for action in module.actions.values() {
            action.provider_ref.iter().for_each(|one| add(one, address_of_action(action)));
        }
        for import in &module.imports {
            import.provider_ref.iter().for_each(|one| add(one, "import".into()));
        }
        for call in module.calls.values() {
            call.providers.iter().for_each(|one| add(&one.in_parent, format!("module.{}", call.name)));
        }
        mentions
    }
}

/// What every module of a tree uses, by node.
pub(super) fn of(graph: &ModuleGraph) -> Vec<Uses> {
    let mut uses: Vec<Uses> = graph.nodes().map(own).collect();
    let mut next: Vec<NodeId> = graph.nodes().map(Node::id).collect();
    let mut waiting = vec![true; uses.len()];
    while let Some(id) = next.pop() {
        waiting[id.0] = false;
        let callers: BTreeSet<NodeId> = graph.nodes[id.0].callers.iter().map(|(caller, _)| *caller).collect();
        for caller in callers {
            if hand_up(graph.node(id), graph.node(caller), &mut uses) && !waiting[caller.0] {
                waiting[caller.0] = true;
                next.push(caller);
            }
        }
    }
    uses
}

/// What a module uses by itself.
fn own(node: Node<'_>) -> Uses {
    let module = node.module();
    let mut configurations = BTreeMap::new();
    let mut add = |configuration: Option<Configuration>, at: Span| {
        if let Some(configuration) = configuration {
            configurations.entry(configuration).or_insert(at);
        }
    };
    for resource in module.resources.values() {
        add(Configuration::used_by(module, resource), resource.origin.header());
    }
    for action in module.actions.values() {
        add(of_action(module, action), action.origin.header());
    }
    for import in &module.imports {
        if let Some(reference) = &import.provider_ref {
            add(Configuration::named(module, reference), reference.name_span);
        }
    }
    for removed in module.removed.iter().filter_map(|removed| removed.from.as_ref()) {
        if let Some(resource) = &removed.resource {
            add(implied(module, resource), removed.span);
        }
    }
    for (call, callee) in node.calls() {
        match callee {
            Callee::Module(_) => {}
            // What is passed to a module from elsewhere is all that is known of what it uses.
            Callee::Missing | Callee::Outside | Callee::Opaque => {
                for passed in &call.providers {
                    add(Configuration::named(module, &passed.in_parent), passed.in_parent.name_span);
                }
            }
        }
    }
    let known = node.calls().all(|(_, callee)| matches!(callee, Callee::Module(_)));
    Uses { configurations, complete: known && module.complete }
}

fn of_action(module: &Module, action: &Action) -> Option<Configuration> {
    match &action.provider_ref {
        Some(reference) => Configuration::named(module, reference),
        None => Configuration::of(module, action.kind.split('_').next()?, None),
    }
}

fn implied(module: &Module, resource: &ResourceAddress) -> Option<Configuration> {
    Configuration::of(module, resource.implied_provider(), None)
}

fn address_of_action(action: &Action) -> String {
    format!("action.{}.{}", action.kind, action.name)
}

/// Adds to what a caller uses what a module that it calls uses through it; says whether that was anything new.
fn hand_up(child: Node<'_>, caller: Node<'_>, uses: &mut [Uses]) -> bool {
    let mut changed = uses[caller.id.0].complete && !uses[child.id.0].complete;
    uses[caller.id.0].complete &= uses[child.id.0].complete;
    let module = child.module();
    let of_blocks = |is_configured: bool| {
        let blocks =
            module.providers.values().filter(|block| providers::is_configured(block) == is_configured);
        blocks.filter_map(|block| Configuration::by(module, block)).collect::<Vec<_>>()
    };
    let (configured, empty) = (of_blocks(true), of_blocks(false));
    let outward: Vec<(Configuration, Span)> = uses[child.id.0]
        .configurations
        .iter()
        .filter(|(configuration, _)| !configured.contains(configuration))
        .map(|(configuration, at)| (configuration.clone(), *at))
        .collect();
    for (call, callee) in caller.calls() {
        if callee != Callee::Module(child.id) {
            continue;
        }
        for (configuration, at) in &outward {
            let passed = call.providers.iter().find(|passed| {
                Configuration::named(module, &passed.in_child).as_ref() == Some(configuration)
            });
            // Only default configurations are inherited, and an empty block stands in for one; that another
            // configuration is not passed is an error.
            let is_inherited = configuration.alias.is_none() && !empty.contains(configuration);
            let of_caller = match passed {
                Some(passed) => Configuration::named(caller.module(), &passed.in_parent),
                None => is_inherited.then(|| configuration.clone()),
            };
            if let Some(of_caller) = of_caller
                && let Entry::Vacant(place) = uses[caller.id.0].configurations.entry(of_caller)
            {
                place.insert(*at);
                changed = true;
            }
        }
    }
    changed
}
