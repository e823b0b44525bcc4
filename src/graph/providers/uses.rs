//! The provider configurations that each module uses, by its own resources and by the modules that it calls.
//!
//! A configuration that a child module gets from its caller is also used by the caller. Modules that are not in the
//! graph are unknown.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashMap;

use super::configuration::{Configuration, Need, Uses};
use super::supply::Supply;
use crate::finding::{EngineRule, Finding};
use crate::graph::dependency_cycles::components;
use crate::graph::{ModuleGraph, Node, NodeId};
use crate::limits::Steps;
use crate::module::Module;
use crate::module::address::{ProviderAddress, ResourceAddress};
use crate::module::declaration::{Import, ModuleCall, ProviderConfiguration, ProviderRef};
use crate::text::{Span, grouped};

/// For each provider, the modules that use or require it, ascending.
fn users(graph: &ModuleGraph) -> HashMap<ProviderAddress, Vec<NodeId>> {
    let mut users: HashMap<ProviderAddress, Vec<NodeId>> = HashMap::new();
    for node in graph.nodes() {
        let required = node.module().required_providers.values().map(|entry| &entry.address);
        for provider in node.uses().providers().chain(required) {
            let of_provider = users.entry_ref(provider).or_default();
            if of_provider.last() != Some(&node.id) {
                of_provider.push(node.id);
            }
        }
    }
    users
}

impl<'t> Node<'t> {
    /// The provider configurations that this module uses.
    pub fn uses(self) -> &'t Uses {
        &self.graph.derived.uses.get_or_init(|| of(self.graph))[self.id.0]
    }

    /// Whether this module or a descendant may use a provider block of this module. The engine ignores unused blocks
    /// and does not evaluate them.
    pub(in crate::graph) fn may_use(self, provider: &ProviderConfiguration) -> bool {
        Configuration::by(self.module(), provider).is_none_or(|one| self.uses().may_contain(&one))
    }

    /// Whether this module or a descendant certainly uses a provider block of this module. What modules outside of the graph
    /// use is unknown, and a removed resource needs its provider only if it is in the state.
    pub(in crate::graph) fn is_known_to_use(self, provider: &ProviderConfiguration) -> bool {
        Configuration::by(self.module(), provider)
            .is_none_or(|one| self.uses().configurations.contains_key(&one))
    }

    /// Whether a descendant uses or requires a provider.
    pub fn is_used_below(self, provider: &ProviderAddress) -> bool {
        let users = self.graph.derived.users.get_or_init(|| users(self.graph));
        let Some(users) = users.get(provider).filter(|users| **users != [self.id]) else { return false };
        self.subtree().skip(1).any(|node| users.binary_search(&node.id).is_ok())
    }

    /// The resources of this module with the provider configuration that each uses. Includes those that `import` blocks
    /// of a root module generate.
    pub fn consumers(self) -> impl Iterator<Item = (&'t ResourceAddress, Configuration)> {
        let module = self.module();
        let declared = module.resources.values();
        let declared = declared.filter_map(|one| Some((&one.address, Configuration::used_by(module, one)?)));
        declared.chain(self.generated().filter_map(|import| {
            let resource = &import.target.as_ref()?.resource.resource;
            let configuration = match &import.provider_ref {
                Some(reference) => Configuration::named(module, reference),
                None => implied(module, resource),
            };
            Some((resource, configuration?))
        }))
    }

    /// The `import` blocks of a root module whose resource is not declared, so that Terraform generates it.
    pub(in crate::graph::providers) fn generated(self) -> impl Iterator<Item = &'t Import> {
        let module = self.module();
        let is_generated = |import: &&Import| {
            import.for_each.is_none()
                && import.target.as_ref().is_some_and(|target| {
                    target.path.is_empty()
                        && target.resource.key.is_none()
                        && !module.resources.contains_key(&target.resource.resource)
                })
        };
        module.imports.iter().filter(move |_| !self.is_called()).filter(is_generated)
    }

    /// All references to provider configurations in the module.
    pub fn provider_mentions(self) -> impl Iterator<Item = &'t ProviderRef> {
        let module = self.module();
        let resources = module.resources.values().filter_map(|resource| resource.provider_ref.as_ref());
        let actions = module.actions.values().filter_map(|action| action.provider_ref.as_ref());
        let imports = module.imports.iter().filter_map(|import| import.provider_ref.as_ref());
        let passed = module.calls.values().flat_map(|call| &call.providers).map(|passed| &passed.in_parent);
        resources.chain(actions).chain(imports).chain(passed)
    }
}

/// The configurations that all modules of a graph may have from the modules that they call. 5,000 modules of a large
/// repository that use 20 each stay far below it.
const MOST_HANDED_UP: usize = 500_000;

/// The configurations that modules offer to all their callers, with those that these have already.
const MOST_LOOKED_AT: usize = 5_000_000;

/// The error that some modules use more provider configurations than are followed, if there are any.
pub(in crate::graph) fn too_many(graph: &ModuleGraph) -> Option<Finding> {
    let cut = graph.nodes().find(|node| node.uses().is_cut)?;
    let detail = format!(
        "overrule follows at most {} provider configurations from a module to its callers. It did not check whether \
         the callers of the modules below this one have those that these modules need.",
        grouped(MOST_HANDED_UP as u64)
    );
    let finding = Finding::language(EngineRule::LimitReached, "Too many provider configurations to follow");
    Some(finding.detail(detail).module(cut.module().directory.clone()))
}

/// The uses of every module of a graph, by node.
pub(super) fn of(graph: &ModuleGraph) -> Vec<Uses> {
    let mut uses: Vec<Uses> = graph.nodes().map(own).collect();
    // The last ones are first: modules without calls.
    let mut next: Vec<NodeId> = components(&graph.called()).into_iter().flatten().map(NodeId).collect();
    next.reverse();
    let mut waiting = vec![true; uses.len()];
    let mut left = Steps::of(MOST_HANDED_UP);
    let mut looked_at = Steps::of(MOST_LOOKED_AT);
    while let Some(id) = next.pop() {
        waiting[id.0] = false;
        let mut calls: BTreeMap<NodeId, Vec<&ModuleCall>> = BTreeMap::new();
        for (caller, call) in graph.node(id).callers().filter(|(caller, _)| caller.id != id) {
            calls.entry(caller.id).or_default().push(call);
        }
        let of_child = std::mem::take(&mut uses[id.0]);
        let child = graph.node(id);
        let inherited: Vec<_> =
            of_child.configurations.iter().filter(|used| is_inherited(child, used)).collect();
        for (caller, calls) in calls {
            let of_caller = &mut uses[caller.0];
            let changed = if looked_at.take(inherited.len() + of_child.of_removed.len()) {
                HandedUp::by(child, &of_child, &inherited, graph.node(caller), &calls)
                    .add_to(of_caller, &mut left)
            } else {
                of_caller.cut()
            };
            if changed && !waiting[caller.0] {
                waiting[caller.0] = true;
                next.push(caller);
            }
        }
        uses[id.0] = of_child;
    }
    uses
}

/// Whether a module has a configuration that it uses from its callers unless they pass another one.
fn is_inherited(child: Node<'_>, (key, need): &(&Arc<Configuration>, &Need)) -> bool {
    !need.by_name && matches!(child.supply(key, None), Supply::Inherited)
}

/// The uses of a module by itself.
fn own(node: Node<'_>) -> Uses {
    let module = node.module();
    let mut configurations = BTreeMap::new();
    let mut add = |configuration: Option<Configuration>, at: Span, by_name: bool| {
        if let Some(configuration) = configuration {
            configurations.entry(Arc::new(configuration)).or_insert(Need { at, node: node.id, by_name });
        }
    };
    for resource in module.resources.values() {
        add(Configuration::used_by(module, resource), resource.origin.header(), false);
    }
    for import in node.generated().filter(|import| import.provider_ref.is_none()) {
        if let (Some(target), Some(to)) = (&import.target, &import.to) {
            add(implied(module, &target.resource.resource), to.span, false);
        }
    }
    for action in module.actions.values() {
        add(Configuration::used_by_action(module, action), action.origin.header(), false);
    }
    for import in &module.imports {
        if let Some(reference) = &import.provider_ref {
            add(Configuration::named(module, reference), reference.name_span, false);
        }
    }
    // For a module that is not in the graph, only the passed configurations are known.
    let unknown = node.calls().filter(|(_, callee)| callee.module().is_none());
    for passed in unknown.flat_map(|(call, _)| &call.providers) {
        add(Configuration::named(module, &passed.in_parent), passed.in_parent.name_span, true);
    }
    let removed =
        module.removed.iter().filter_map(|removed| removed.from.as_ref()?.address.resource.as_ref());
    let of_removed = removed.filter_map(|resource| Some(implied(module, resource)?.provider)).collect();
    let known = node.calls().all(|(_, callee)| callee.module().is_some());
    Uses { configurations, of_removed, complete: known && module.complete, is_cut: false }
}

fn implied(module: &Module, resource: &ResourceAddress) -> Option<Configuration> {
    Configuration::of(module, resource.implied_provider(), None)
}

/// What a child module has from a caller.
struct HandedUp<'u> {
    configurations: Vec<(Arc<Configuration>, Need)>,
    of_removed: &'u BTreeSet<ProviderAddress>,
    complete: bool,
}

impl<'u> HandedUp<'u> {
    /// What a child module with these uses has from the calls of a caller. It has those that are `inherited` from every
    /// caller.
    fn by<'t>(
        child: Node<'t>,
        uses: &'u Uses,
        inherited: &[(&Arc<Configuration>, &Need)],
        caller: Node<'t>,
        calls: &[&'t ModuleCall],
    ) -> Self {
        let mut configurations = Vec::new();
        // The number of calls that pass each configuration.
        let mut passed: HashMap<&Configuration, usize> = HashMap::new();
        for call in calls {
            let keys = caller.provider_table().passed.get(&call.name).into_iter().flat_map(BTreeMap::keys);
            for (key, need) in keys.filter_map(|key| uses.configurations.get_key_value(key)) {
                if let Supply::Passed(_, requested) = child.supply(key, Some((caller, *call))) {
                    configurations.push((Arc::new(requested), Need { by_name: true, ..*need }));
                    *passed.entry(&**key).or_default() += 1;
                }
            }
        }
        for (key, need) in inherited {
            if passed.get(&***key) != Some(&calls.len()) {
                configurations.push((Arc::clone(key), **need));
            }
        }
        Self { configurations, of_removed: &uses.of_removed, complete: uses.complete }
    }

    /// Adds it to the uses of the caller, if so many may be new. Returns whether these changed.
    fn add_to(self, uses: &mut Uses, left: &mut Steps) -> bool {
        let mut changed = uses.complete && !self.complete;
        uses.complete &= self.complete;
        let keys = self.configurations.iter().map(|(key, _)| key);
        let new = keys.filter(|key| !uses.configurations.contains_key(*key)).count()
            + self.of_removed.difference(&uses.of_removed).count();
        if !left.take(new) {
            return uses.cut() || changed;
        }
        changed |= new > 0;
        uses.of_removed.extend(self.of_removed.iter().cloned());
        for (key, need) in self.configurations {
            match uses.configurations.entry(key) {
                Entry::Vacant(place) => drop(place.insert(need)),
                // An inherited configuration may be declared further up than one that is passed by name.
                Entry::Occupied(mut known) if known.get().by_name && !need.by_name => {
                    known.insert(need);
                    changed = true;
                }
                Entry::Occupied(_) => {}
            }
        }
        changed
    }
}
