//! Turns a tree into the provider configurations that each module uses: by its own resources, and by what it calls.
//!
//! A configuration that a called module has from its caller is one that the caller uses. Nothing is guessed about
//! modules from elsewhere.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::configuration::{Configuration, Need, Uses};
use super::supply::Supply;
use crate::graph::{Callee, ModuleGraph, Node, NodeId};
use crate::module::Module;
use crate::module::address::ResourceAddress;
use crate::module::declaration::{Action, ModuleCall, ProviderConfiguration, ProviderRef};
use crate::text::Span;

/// Something in a module that names a provider configuration.
#[derive(Debug, Clone)]
pub struct ProviderMention<'t> {
    /// The name.
    pub reference: &'t ProviderRef,
    /// The address of the block that it stands in.
    pub address: String,
}

impl<'t> Node<'t> {
    /// The provider configurations that this module uses.
    pub fn uses(self) -> &'t Uses {
        &self.graph.uses.get_or_init(|| of(self.graph))[self.id.0]
    }

    /// Whether anything, here or below, may use what a provider block of this module configures. The engine leaves out
    /// what nothing uses, and never looks into it.
    pub(in crate::graph) fn may_use(self, provider: &ProviderConfiguration) -> bool {
        let uses = self.uses();
        let configuration = Configuration::by(self.module(), provider);
        !uses.complete || configuration.is_none_or(|one| uses.configurations.contains_key(&one))
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
        let child = graph.node(id);
        for (caller, call) in child.callers() {
            if hand_up(child, caller, call, &mut uses) && !waiting[caller.id.0] {
                waiting[caller.id.0] = true;
                next.push(caller.id);
            }
        }
    }
    uses
}

/// What a module uses by itself.
fn own(node: Node<'_>) -> Uses {
    let module = node.module();
    let mut configurations = BTreeMap::new();
    let mut add = |configuration: Option<Configuration>, at: Span, by_name: bool| {
        if let Some(configuration) = configuration {
            configurations.entry(configuration).or_insert(Need { at, node: node.id, by_name });
        }
    };
    for resource in module.resources.values() {
        add(Configuration::used_by(module, resource), resource.origin.header(), false);
    }
    for action in module.actions.values() {
        add(Configuration::used_by_action(module, action), action.origin.header(), false);
    }
    for import in &module.imports {
        if let Some(reference) = &import.provider_ref {
            add(Configuration::named(module, reference), reference.name_span, false);
        }
    }
    for removed in module.removed.iter().filter_map(|removed| removed.from.as_ref()) {
        if let Some(resource) = &removed.resource {
            add(implied(module, resource), removed.span, false);
        }
    }
    for (call, callee) in node.calls() {
        match callee {
            Callee::Module(_) => {}
            // What is passed to a module from elsewhere is all that is known of what it uses.
            Callee::Missing | Callee::Outside | Callee::Opaque => {
                for passed in &call.providers {
                    add(Configuration::named(module, &passed.in_parent), passed.in_parent.name_span, true);
                }
            }
        }
    }
    let known = node.calls().all(|(_, callee)| matches!(callee, Callee::Module(_)));
    Uses { configurations, complete: known && module.complete }
}

fn implied(module: &Module, resource: &ResourceAddress) -> Option<Configuration> {
    Configuration::of(module, resource.implied_provider(), None)
}

fn address_of_action(action: &Action) -> String {
    format!("action.{}.{}", action.kind, action.name)
}

/// Adds what a called module has from its caller to what the caller uses; returns whether any of it was new.
fn hand_up<'t>(child: Node<'t>, caller: Node<'t>, call: &'t ModuleCall, uses: &mut [Uses]) -> bool {
    let outward: Vec<(Configuration, Need)> = uses[child.id.0]
        .configurations
        .iter()
        .filter_map(|(key, need)| match child.supply(key, Some((caller, call))) {
            Supply::Passed(_, asked) => Some((asked, Need { by_name: true, ..*need })),
            Supply::Inherited if !need.by_name => Some((key.clone(), *need)),
            Supply::Own(_) | Supply::Inherited | Supply::Nowhere => None,
        })
        .collect();
    let complete = uses[child.id.0].complete;
    let of_caller = &mut uses[caller.id.0];
    let mut changed = of_caller.complete && !complete;
    of_caller.complete &= complete;
    for (key, need) in outward {
        match of_caller.configurations.entry(key) {
            Entry::Vacant(place) => {
                place.insert(need);
                changed = true;
            }
            // What is inherited may come from further up than what is asked for by name.
            Entry::Occupied(mut known) if known.get().by_name && !need.by_name => {
                known.insert(need);
                changed = true;
            }
            Entry::Occupied(_) => {}
        }
    }
    changed
}
