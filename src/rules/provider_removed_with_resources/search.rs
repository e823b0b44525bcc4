//! Finds provider configurations that were removed together with their resources.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::graph::{Configuration, Node, NodeId, Supply, is_configured};
use crate::module::address::{ConfigAddress, Mode, ResourceAddress};
use crate::module::declaration::{ModuleCall, ProviderConfiguration};

/// A module before the change, and the one in its place after it, if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Both<'t> {
    pub(super) before: Node<'t>,
    pub(super) now: Option<Node<'t>>,
}

/// A removed provider block, and an object that needs it to be destroyed.
#[derive(Debug)]
pub(super) struct Lost<'t> {
    pub(super) block: &'t ProviderConfiguration,
    /// Whether the block had arguments.
    pub(super) is_configured: bool,
    /// The directory of the block.
    pub(super) directory: SmolStr,
    pub(super) object: Object,
}

/// An object in the state, with its address relative to the module where the search started.
#[derive(Debug)]
pub(super) enum Object {
    Resource(String),
    /// A module outside the repository, whose resources are unknown.
    Module(String),
}

/// A search through the calls of one module.
pub(super) struct Search<'t> {
    /// The module after the change.
    top: Node<'t>,
    /// The searches that were made already. Other call paths give the same result.
    seen: BTreeSet<(NodeId, Option<NodeId>, Configuration)>,
    /// The child modules whose blocks were checked.
    entered: BTreeSet<(NodeId, Option<NodeId>)>,
    /// The managed resources of each configuration in the modules before the change.
    users: HashMap<NodeId, HashMap<Configuration, Vec<&'t ResourceAddress>>>,
    /// Whether some call passes a configuration to a module before the change.
    passed: HashMap<(NodeId, Configuration), bool>,
}

impl<'t> Search<'t> {
    pub(super) fn from(top: Node<'t>) -> Self {
        let (seen, entered) = (BTreeSet::new(), BTreeSet::new());
        Self { top, seen, entered, users: HashMap::new(), passed: HashMap::new() }
    }

    /// The blocks of a module that were removed with their resources, there or in its descendants.
    pub(super) fn in_module(&mut self, both: Both<'t>) -> Vec<Lost<'t>> {
        both.before.module().providers.values().filter_map(|block| self.lost(both, block, &[])).collect()
    }

    /// The calls of a module that were removed or changed, and so removed a block with its resources.
    pub(super) fn in_calls(&mut self, both: Both<'t>) -> Vec<(&'t ModuleCall, Lost<'t>)> {
        let lost = both.before.calls().filter_map(|(call, _)| {
            // Each call is reported, even if another one removes the same block.
            self.seen.clear();
            self.entered.clear();
            Some((call, self.below(both, call)?))
        });
        lost.collect()
    }

    /// The first removed block of the modules that a call leads to.
    fn below(&mut self, both: Both<'t>, call: &'t ModuleCall) -> Option<Lost<'t>> {
        let directory = |node: Node<'t>| node.module().directory.as_str();
        let mut path = Vec::new();
        let mut next = vec![(0, both, call)];
        while let Some((depth, both, call)) = next.pop() {
            path.truncate(depth);
            path.push(call.name.clone());
            let Some(child) = self.follow(both, call, &path) else { continue };
            let is_same = child.now.is_some_and(|now| directory(now) == directory(child.before));
            // Changes within the child module are reported there.
            if is_same || !self.entered.insert((child.before.id(), child.now.map(Node::id))) {
                continue;
            }
            let mut blocks = child.before.module().providers.values();
            if let Some(lost) = blocks.find_map(|block| self.lost(child, block, &path)) {
                return Some(lost);
            }
            let calls: Vec<_> = child.before.calls().map(|(call, _)| (depth + 1, child, call)).collect();
            next.extend(calls.into_iter().rev());
        }
        None
    }

    /// The object of a block, if both were removed.
    fn lost(
        &mut self,
        both: Both<'t>,
        block: &'t ProviderConfiguration,
        path: &[SmolStr],
    ) -> Option<Lost<'t>> {
        let before = both.before;
        let configuration = Configuration::by(before.module(), block)?;
        let is_configured = is_configured(block);
        // An empty block with the name of a passed configuration is replaced by it.
        let passed = self.passed.entry((before.id(), configuration.clone()));
        let is_passed = *passed.or_insert_with(|| {
            before.callers().any(|by| matches!(before.supply(&configuration, Some(by)), Supply::Passed(..)))
        });
        if both.now.is_some_and(|now| {
            now.own_configuration(&configuration).is_some() || now.module().has_generated_files
        }) || (is_passed && !is_configured)
        {
            return None;
        }
        let object = self.removed(both, &configuration, path)?;
        Some(Lost { block, is_configured, directory: before.module().directory.clone(), object })
    }

    /// An object of a configuration that is no longer declared and was not moved, in a module or in those that it calls.
    fn removed(&mut self, both: Both<'t>, configuration: &Configuration, path: &[SmolStr]) -> Option<Object> {
        let mut path = path.to_vec();
        let mut next = vec![(path.len(), None, both, configuration.clone())];
        while let Some((depth, call, both, configuration)) = next.pop() {
            path.truncate(depth);
            path.extend(call.map(|call: &ModuleCall| call.name.clone()));
            let both = match call {
                Some(call) => self.follow(both, call, &path),
                None => Some(both),
            };
            let Some(both) = both else { continue };
            let place = (both.before.id(), both.now.map(Node::id), configuration.clone());
            // What seems to be removed may be in a file that could not be read.
            if !self.seen.insert(place) || both.now.is_some_and(|now| !now.module().complete) {
                continue;
            }
            if let Some(object) = self.removed_here(both, &configuration, &path) {
                return Some(object);
            }
            let mut children = Vec::new();
            for (call, child) in both.before.child_calls() {
                let keys = both.before.keys_in_child(call, child, &configuration);
                children.extend(keys.into_iter().map(|key| (path.len(), Some(call), both, key)));
            }
            next.extend(children.into_iter().rev());
        }
        None
    }

    /// The same, in the module itself.
    fn removed_here(
        &mut self,
        both: Both<'t>,
        configuration: &Configuration,
        path: &[SmolStr],
    ) -> Option<Object> {
        let Both { before, now } = both;
        let users = self.users.entry(before.id()).or_insert_with(|| users(before));
        let addresses = users.get(configuration).cloned().unwrap_or_default();
        let is_there =
            |address: &ResourceAddress| now.is_some_and(|now| now.module().resources.contains_key(address));
        let is_gone = |address: &&ResourceAddress| !is_there(address) && !self.is_moved(both, path, address);
        if let Some(address) = addresses.into_iter().find(is_gone) {
            return Some(Object::Resource(at(path, Some(address)).to_string()));
        }
        let mut outside = before.outside_calls_with(configuration);
        let call = outside.find(|call| self.is_removed(both, path, call))?;
        Some(Object::Module(at(&longer(path, call), None).to_string()))
    }

    /// The child module before and after the change. Returns `None` if either is unknown, or if it was moved.
    fn follow(&self, both: Both<'t>, call: &ModuleCall, path: &[SmolStr]) -> Option<Both<'t>> {
        let before = both.before.child(&call.name)?;
        let Some(now) = both.now else { return Some(Both { before, now: None }) };
        if now.module().calls.contains_key(&call.name) {
            return Some(Both { before, now: Some(now.child(&call.name)?) });
        }
        (now.module().complete && !self.is_call_moved(now, call, path)).then_some(Both { before, now: None })
    }

    /// Whether a call of the module at `path` was removed, and not moved.
    fn is_removed(&self, both: Both<'t>, path: &[SmolStr], call: &ModuleCall) -> bool {
        !both.now.is_some_and(|now| {
            now.module().calls.contains_key(&call.name) || self.is_call_moved(now, call, &longer(path, call))
        })
    }

    fn is_call_moved(&self, now: Node<'t>, call: &ModuleCall, path: &[SmolStr]) -> bool {
        now.module().is_moved(&at(std::slice::from_ref(&call.name), None))
            || self.is_moved_from_top(&at(path, None))
    }

    fn is_moved(&self, both: Both<'t>, path: &[SmolStr], object: &ResourceAddress) -> bool {
        both.now.is_some_and(|now| now.module().is_moved(&at(&[], Some(object))))
            || self.is_moved_from_top(&at(path, Some(object)))
    }

    /// Whether the module where the search started, or one of its callers, moves the object. To remove it, the engine
    /// needs the configuration.
    fn is_moved_from_top(&self, object: &ConfigAddress) -> bool {
        self.top.module().is_moved(object)
            || self.top.callers().any(|(caller, by)| caller.module().is_moved(&object.in_caller(&by.name)))
    }
}

/// The managed resources of a module, by their configurations.
fn users(node: Node<'_>) -> HashMap<Configuration, Vec<&ResourceAddress>> {
    let mut users = HashMap::<_, Vec<_>>::new();
    let resources = node.module().resources.values();
    for resource in resources.filter(|resource| resource.address.mode == Mode::Managed) {
        if let Some(configuration) = Configuration::used_by(node.module(), resource) {
            users.entry(configuration).or_default().push(&resource.address);
        }
    }
    users
}

fn at(path: &[SmolStr], resource: Option<&ResourceAddress>) -> ConfigAddress {
    ConfigAddress { path: path.to_vec(), resource: resource.cloned() }
}

fn longer(path: &[SmolStr], call: &ModuleCall) -> Vec<SmolStr> {
    path.iter().chain([&call.name]).cloned().collect()
}
