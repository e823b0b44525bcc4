//! The managed resources of a module and its descendants, by address.

use std::collections::BTreeMap;
use std::fmt;

use smol_str::SmolStr;

use crate::graph::Node;
use crate::graph::providers::checks::missing;
use crate::graph::providers::configuration::Configuration;
use crate::graph::providers::resolve::{Level, Trace, trace};
use crate::graph::providers::supply::Supply;
use crate::module::address::{Mode, ModuleStep, ResourceAddress};
use crate::module::declaration::Resource;

/// The address of a resource, without instance keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    path: Vec<SmolStr>,
    resource: ResourceAddress,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().try_for_each(|name| write!(f, "module.{name}."))?;
        self.resource.fmt(f)
    }
}

/// A resource with the provider configuration that it uses.
pub(super) struct Consumer<'t> {
    pub(super) resource: &'t Resource,
    /// The modules from the first one to that of the resource.
    pub(super) way: Vec<Level<'t>>,
    /// The configuration in the module of the resource.
    pub(super) asked: Configuration,
    pub(super) trace: Trace<'t>,
}

impl<'t> Consumer<'t> {
    /// The names of the calls that lead to a level.
    pub(super) fn path(&self, level: usize) -> Vec<&'t SmolStr> {
        self.way[..=level].iter().filter_map(|level| Some(&level.call?.name)).collect()
    }

    /// Whether Terraform certainly reports that the configuration is missing.
    pub(super) fn is_refused(&self) -> bool {
        let last = self.trace.steps.len().saturating_sub(1);
        let node = self.way[self.way.len() - 1 - last].node;
        let passed = self.trace.steps.iter().rev().find_map(|step| match step {
            Supply::Passed(entry, _) => Some(&entry.in_parent),
            Supply::Own(_) | Supply::Inherited | Supply::Nowhere => None,
        });
        let reference = passed.or(self.resource.provider_ref.as_ref());
        reference.is_some_and(|reference| missing::is_missing(node, &self.trace.effective, reference))
    }
}

/// An endpoint of a `moved` block: the calls of its path, and the resource, if it is one.
type Moved = (Vec<SmolStr>, Option<ResourceAddress>);

/// The managed resources of a module and its descendants.
#[derive(Default)]
pub(super) struct Consumers<'t> {
    pub(super) all: BTreeMap<Address, Consumer<'t>>,
    /// The `from` address of each `moved` block, by its `to` address.
    pub(super) moves: BTreeMap<Moved, Moved>,
}

/// The number of module instances that may still be compared.
pub(super) struct Places {
    pub(super) left: usize,
    /// Whether some were not compared.
    pub(super) exhausted: bool,
}

impl<'t> Consumers<'t> {
    pub(super) fn of(top: Node<'t>, places: &mut Places) -> Self {
        let mut consumers = Self::default();
        consumers.add(&mut vec![Level { node: top, call: None }], places);
        consumers
    }

    /// Adds the last module of a path and its descendants. Modules that were not understood completely are skipped.
    fn add(&mut self, way: &mut Vec<Level<'t>>, places: &mut Places) {
        let Some(Level { node, .. }) = way.last().copied() else { return };
        let module = node.module();
        let is_ring = way[..way.len() - 1].iter().any(|level| level.node.id() == node.id());
        if is_ring || node.is_broken() || !module.complete {
            return;
        }
        if places.left == 0 {
            places.exhausted = true;
            return;
        }
        places.left -= 1;
        let path: Vec<SmolStr> = way.iter().filter_map(|level| Some(level.call?.name.clone())).collect();
        for resource in module.resources.values().filter(|one| one.address.mode == Mode::Managed) {
            let Some(asked) = Configuration::used_by(module, resource) else { continue };
            let Some(trace) = trace(way, &asked, false) else { continue };
            if asked.provider.is_built_in() {
                continue;
            }
            let address = Address { path: path.clone(), resource: resource.address.clone() };
            self.all.insert(address, Consumer { resource, way: way.clone(), asked, trace });
        }
        let names = |steps: &[ModuleStep]| {
            path.iter().cloned().chain(steps.iter().map(|step| step.name.clone())).collect::<Vec<_>>()
        };
        self.moves.extend(module.moved.iter().filter_map(|moved| {
            let [from, to] = [moved.from.as_ref()?, moved.to.as_ref()?].map(|end| {
                (names(&end.path), end.resource.as_ref().map(|resource| resource.resource.clone()))
            });
            Some((to, from))
        }));
        for (call, _) in node.calls() {
            if let Some(child) = node.child(&call.name) {
                way.push(Level { node: child, call: Some(call) });
                self.add(way, places);
                way.pop();
            }
        }
    }

    /// The resource before the change for an address after the change.
    pub(super) fn earlier(&self, address: &Address, moves: &BTreeMap<Moved, Moved>) -> Option<&Consumer<'t>> {
        let mut address = address.clone();
        for _ in 0..=MOST_MOVES {
            if let Some(consumer) = self.all.get(&address) {
                return Some(consumer);
            }
            address = undone(&address, moves)?;
        }
        None
    }
}

/// Limit of consecutive `moved` blocks for one resource.
const MOST_MOVES: usize = 16;

/// The address before the last move.
fn undone(address: &Address, moves: &BTreeMap<Moved, Moved>) -> Option<Address> {
    let Address { path, resource } = address;
    if let Some((path, Some(resource))) = moves.get(&(path.clone(), Some(resource.clone()))) {
        return Some(Address { path: path.clone(), resource: resource.clone() });
    }
    (0..=path.len()).rev().find_map(|length| {
        let (around, rest) = path.split_at(length);
        let (from, _) = moves.get(&(around.to_vec(), None))?;
        Some(Address { path: from.iter().chain(rest).cloned().collect(), resource: resource.clone() })
    })
}
