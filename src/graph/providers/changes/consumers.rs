//! The managed resources of a module and its descendants, by address, and their calls of modules outside the
//! repository.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use smol_str::SmolStr;

use crate::graph::Node;
use crate::graph::providers::checks::missing;
use crate::graph::providers::configuration::Configuration;
use crate::graph::providers::resolve::{Level, Trace, trace};
use crate::graph::providers::supply::Supply;
use crate::limits::Steps;
use crate::module::address::{ConfigAddress, Mode, MoveEndpoint};
use crate::module::declaration::{ModuleCall, PassedProvider, ProviderRef, Resource};
use crate::text::Span;

/// A block that uses a provider configuration.
#[derive(Clone, Copy)]
pub(super) enum User<'t> {
    Resource(&'t Resource),
    /// A call of a module outside the repository, with the entry of `providers` if it has one.
    Call(&'t ModuleCall, Option<&'t PassedProvider>),
}

impl<'t> User<'t> {
    pub(super) fn header(self) -> Span {
        match self {
            Self::Resource(resource) => resource.origin.header(),
            Self::Call(call, _) => call.origin.header(),
        }
    }

    /// The reference that names the configuration.
    pub(super) fn reference(self) -> Option<&'t ProviderRef> {
        match self {
            Self::Resource(resource) => resource.provider_ref.as_ref(),
            Self::Call(_, entry) => entry.map(|entry| &entry.in_parent),
        }
    }
}

/// A block with the provider configuration that it uses.
pub(super) struct Consumer<'t> {
    pub(super) user: User<'t>,
    /// The modules from the first one to that of the block.
    pub(super) levels: Rc<[Level<'t>]>,
    /// The configuration in the module of the block.
    pub(super) requested: Configuration,
    pub(super) trace: Rc<Trace<'t>>,
}

impl<'t> Consumer<'t> {
    /// The names of the calls that lead to a level.
    pub(super) fn path(&self, level: usize) -> Vec<&'t SmolStr> {
        self.levels[..=level].iter().filter_map(|level| Some(&level.call?.name)).collect()
    }

    /// Whether `count` or `for_each` of the block, or of a call that leads to it, certainly makes no instances.
    pub(super) fn has_no_instances(&self) -> bool {
        let of_block = match self.user {
            User::Resource(resource) => resource.repeated(),
            User::Call(call, _) => call.repeated(),
        };
        let mut calls = self.levels.windows(2).filter_map(|pair| Some((pair[0].node, pair[1].call?)));
        let is_block_empty = self.levels.last().is_some_and(|last| last.node.has_no_instances(of_block));
        is_block_empty || calls.any(|(caller, call)| caller.has_no_instances(call.repeated()))
    }

    /// Whether Terraform certainly reports that the configuration is missing.
    pub(super) fn is_refused(&self) -> bool {
        let last = self.trace.steps.len().saturating_sub(1);
        let node = self.levels[self.levels.len() - 1 - last].node;
        let passed = self.trace.steps.iter().rev().find_map(|step| match step {
            Supply::Passed(entry, _) => Some(&entry.in_parent),
            Supply::Own(_) | Supply::Inherited | Supply::Nowhere => None,
        });
        let reference = passed.or(self.user.reference());
        reference.is_some_and(|reference| missing::is_missing(node, &self.trace.effective, reference))
    }
}

/// A configuration that a call uses, and the entry of `providers` that passes it.
type Used<'t> = (Configuration, Option<&'t PassedProvider>);

/// A call of a module outside the repository, and the modules from the first one to the caller.
pub(super) struct OutsideCall<'t> {
    levels: Rc<[Level<'t>]>,
    call: &'t ModuleCall,
}

impl<'t> OutsideCall<'t> {
    /// Each configuration that the called module uses, before and after a change.
    pub(super) fn pairs(&self, after: &Self) -> Vec<(Consumer<'t>, Consumer<'t>)> {
        let [was, is] = [self, after].map(|outside| {
            let caller = outside.levels.last().map(|level| level.node);
            caller.map(|caller| caller.used_outside(outside.call)).unwrap_or_default()
        });
        let names: BTreeSet<&SmolStr> = was.keys().chain(is.keys()).collect();
        let pair = |name: &SmolStr| {
            let (old, new) = (was.get(name), is.get(name));
            let entry = |used: Option<&Used<'t>>| used.filter(|(_, entry)| entry.is_some()).cloned();
            // Without an entry, the module inherits the default configuration of the same provider.
            let inherited = |(passed, _): &Used<'t>| {
                (!name.contains('.')).then(|| (Configuration::default_of(passed.provider.clone()), None))
            };
            let (old, new) = match (entry(old), entry(new)) {
                (Some(old), Some(new)) => (old, new),
                (Some(old), None) => (old.clone(), inherited(&old)?),
                (None, Some(new)) => (inherited(&new)?, new),
                (None, None) => (old?.clone(), new.filter(|new| old == Some(*new))?.clone()),
            };
            Some((self.consumer(old)?, after.consumer(new)?))
        };
        names.into_iter().filter_map(pair).collect()
    }

    fn consumer(&self, (requested, entry): Used<'t>) -> Option<Consumer<'t>> {
        let trace = Rc::new(trace(&self.levels, &requested, entry.is_some())?);
        Some(Consumer {
            user: User::Call(self.call, entry),
            levels: Rc::clone(&self.levels),
            requested,
            trace,
        })
    }
}

/// The managed resources of a module and its descendants, and their calls of modules outside the repository.
#[derive(Default)]
pub(super) struct Consumers<'t> {
    pub(super) resources: BTreeMap<ConfigAddress, Consumer<'t>>,
    pub(super) outside_calls: BTreeMap<ConfigAddress, OutsideCall<'t>>,
    /// The `from` address of each `moved` block, by its `to` address.
    moves: BTreeMap<ConfigAddress, ConfigAddress>,
}

/// The number of resources and modules that may still be compared, each at one path of calls.
pub(super) struct Places {
    pub(super) left: Steps,
    /// Whether some were not compared.
    pub(super) exhausted: bool,
}

impl Places {
    /// Whether so many resources of a module that is called through so many others may be compared.
    fn pay(&mut self, number: usize, depth: usize) -> bool {
        // An address has the names of all calls.
        let is_affordable = self.left.take((1 + number) * (1 + depth / 8));
        self.exhausted |= !is_affordable;
        is_affordable
    }
}

impl<'t> Consumers<'t> {
    pub(super) fn of(top: Node<'t>, places: &mut Places) -> Self {
        let mut consumers = Self::default();
        let mut levels: Vec<Level<'t>> = Vec::new();
        let mut waiting = vec![(0, Level { node: top, call: None })];
        while let Some((depth, level)) = waiting.pop() {
            levels.truncate(depth);
            let is_cycle = levels.iter().any(|above| above.node.id() == level.node.id());
            levels.push(level);
            let module = level.node.module();
            // Modules that were not understood completely are skipped.
            if is_cycle || level.node.is_broken() || !module.complete {
                continue;
            }
            let number = module.resources.len() + module.calls.len() + module.moved.len();
            if places.pay(number, depth) {
                consumers.add(&levels);
                let children = level.node.child_calls().rev();
                waiting.extend(children.map(|(call, node)| (depth + 1, Level { node, call: Some(call) })));
            }
        }
        consumers
    }

    /// Adds the last module of a path.
    fn add(&mut self, levels: &[Level<'t>]) {
        let Some(Level { node, .. }) = levels.last().copied() else { return };
        let module = node.module();
        let levels: Rc<[Level<'t>]> = levels.into();
        let path: Vec<SmolStr> = levels.iter().filter_map(|level| Some(level.call?.name.clone())).collect();
        let mut known: BTreeMap<Configuration, Option<Rc<Trace<'t>>>> = BTreeMap::new();
        for resource in module.resources.values().filter(|one| one.address.mode == Mode::Managed) {
            let Some(requested) = Configuration::used_by(module, resource) else { continue };
            if requested.provider.is_built_in() {
                continue;
            }
            let search = || trace(&levels, &requested, false).map(Rc::new);
            let Some(trace) = known.entry(requested.clone()).or_insert_with(search).clone() else {
                continue;
            };
            let address = ConfigAddress { path: path.clone(), resource: Some(resource.address.clone()) };
            let (user, levels) = (User::Resource(resource), Rc::clone(&levels));
            self.resources.insert(address, Consumer { user, levels, requested, trace });
        }
        for call in node.outside_calls() {
            let path = path.iter().chain([&call.name]).cloned().collect();
            let address = ConfigAddress { path, resource: None };
            self.outside_calls.insert(address, OutsideCall { levels: Rc::clone(&levels), call });
        }
        let from_top = |end: &MoveEndpoint| {
            let ConfigAddress { path: below, resource } = end.config();
            ConfigAddress { path: path.iter().cloned().chain(below).collect(), resource }
        };
        let moves = module.moved.iter();
        let moves = moves.filter_map(|it| Some((from_top(it.to.as_ref()?), from_top(it.from.as_ref()?))));
        self.moves.extend(moves);
    }

    /// The value before the change for an address after the change.
    pub(super) fn earlier<'e, T>(
        &self,
        before: &'e BTreeMap<ConfigAddress, T>,
        address: &ConfigAddress,
    ) -> Option<&'e T> {
        let mut address = address.clone();
        for _ in 0..=MOST_MOVES {
            if let Some(value) = before.get(&address) {
                return Some(value);
            }
            address = undone(&address, &self.moves)?;
        }
        None
    }
}

/// Limit of consecutive `moved` blocks for one resource.
const MOST_MOVES: usize = 16;

/// The address before the last move.
fn undone(address: &ConfigAddress, moves: &BTreeMap<ConfigAddress, ConfigAddress>) -> Option<ConfigAddress> {
    if let Some(from) = moves.get(address) {
        return (from.resource.is_some() == address.resource.is_some()).then(|| from.clone());
    }
    let ConfigAddress { path, resource } = address;
    (0..=path.len()).rev().find_map(|length| {
        let (around, rest) = path.split_at(length);
        let from = moves.get(&ConfigAddress { path: around.to_vec(), resource: None })?;
        Some(ConfigAddress {
            path: from.path.iter().chain(rest).cloned().collect(),
            resource: resource.clone(),
        })
    })
}
