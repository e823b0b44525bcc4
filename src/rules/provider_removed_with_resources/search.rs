//! Turns a module before a change and after it into the provider configurations that went together with what they made.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::graph::{Callee, Configuration, Node, NodeId, Supply};
use crate::module::address::{Mode, ModuleStep, ResourceAddress};
use crate::module::declaration::{ModuleCall, ProviderConfiguration};

/// A module before the change, and what is in its place now, if something is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Both<'t> {
    pub(super) before: Node<'t>,
    pub(super) now: Option<Node<'t>>,
}

/// A provider block that is gone, and an object that needs it to be destroyed.
#[derive(Debug)]
pub(super) struct Lost<'t> {
    pub(super) block: &'t ProviderConfiguration,
    /// Whether the block said anything.
    pub(super) is_configured: bool,
    /// The directory that it stood in.
    pub(super) directory: SmolStr,
    /// The address of the object, from the module that the search started in.
    pub(super) object: String,
}

/// A search from one module downwards, by the ways of its calls.
pub(super) struct Search<'t> {
    /// The module as it is now.
    top: Node<'t>,
    /// What was looked for already, and where: more ways there find nothing else.
    seen: BTreeSet<(NodeId, Option<NodeId>, Configuration)>,
    /// The modules below calls whose blocks were looked at.
    entered: BTreeSet<(NodeId, Option<NodeId>)>,
}

impl<'t> Search<'t> {
    pub(super) fn from(top: Node<'t>) -> Self {
        Self { top, seen: BTreeSet::new(), entered: BTreeSet::new() }
    }

    /// The blocks of a module that went with what they made, there or in what it calls.
    pub(super) fn in_module(&mut self, both: Both<'t>) -> Vec<Lost<'t>> {
        both.before.module().providers.values().filter_map(|block| self.lost(both, block, &[])).collect()
    }

    /// The calls of a module that are gone, or lead elsewhere, and took along a block and what it made.
    pub(super) fn in_calls(&mut self, both: Both<'t>) -> Vec<(&'t ModuleCall, Lost<'t>)> {
        let lost = both.before.calls().filter_map(|(call, _)| {
            // Each call is told, though another one took along the same.
            self.seen.clear();
            self.entered.clear();
            Some((call, self.below(both, call, &[])?))
        });
        lost.collect()
    }

    fn below(&mut self, both: Both<'t>, call: &'t ModuleCall, path: &[ModuleStep]) -> Option<Lost<'t>> {
        let path = longer(path, call);
        let child = self.follow(both, call, &path)?;
        let directory = |node: Node<'t>| node.module().directory.as_str();
        let is_same = child.now.is_some_and(|now| directory(now) == directory(child.before));
        // What became of a module in its place is said there.
        if is_same || !self.entered.insert((child.before.id(), child.now.map(Node::id))) {
            return None;
        }
        let mut blocks = child.before.module().providers.values();
        blocks
            .find_map(|block| self.lost(child, block, &path))
            .or_else(|| child.before.calls().find_map(|(call, _)| self.below(child, call, &path)))
    }

    /// What a block made, if both are gone.
    fn lost(
        &mut self,
        both: Both<'t>,
        block: &'t ProviderConfiguration,
        path: &[ModuleStep],
    ) -> Option<Lost<'t>> {
        let before = both.before;
        let configuration = Configuration::by(before.module(), block)?;
        let is_configured = before.configured_providers().any(|other| std::ptr::eq(other, block));
        // An empty block with the name of what callers pass stands for that.
        let is_passed =
            before.callers().any(|by| matches!(before.supply(&configuration, Some(by)), Supply::Passed(..)));
        if both.now.is_some_and(|now| {
            now.own_configuration(&configuration).is_some() || now.module().has_generated_files
        }) || (is_passed && !is_configured)
        {
            return None;
        }
        let object = self.gone(both, &configuration, path)?;
        Some(Lost { block, is_configured, directory: before.module().directory.clone(), object })
    }

    /// An object of a configuration that is declared nowhere any more, nor was moved.
    fn gone(&mut self, both: Both<'t>, configuration: &Configuration, path: &[ModuleStep]) -> Option<String> {
        let Both { before, now } = both;
        let place = (before.id(), now.map(Node::id), configuration.clone());
        // What seems to be gone may be in a file that could not be read.
        if !self.seen.insert(place) || now.is_some_and(|now| !now.module().complete) {
            return None;
        }
        let module = before.module();
        let objects = module.resources.values().filter(|resource| {
            resource.address.mode == Mode::Managed
                && Configuration::used_by(module, resource).as_ref() == Some(configuration)
        });
        let is_there =
            |address: &ResourceAddress| now.is_some_and(|now| now.module().resources.contains_key(address));
        let mut addresses = objects.map(|resource| &resource.address);
        let is_gone = |address: &&ResourceAddress| !is_there(address) && !self.is_moved(both, path, address);
        if let Some(address) = addresses.find(is_gone) {
            let steps = path.iter().map(ToString::to_string);
            return Some(steps.chain([address.to_string()]).collect::<Vec<_>>().join("."));
        }
        before.calls().find_map(|(call, callee)| {
            let Callee::Module(child) = callee else { return None };
            let path = longer(path, call);
            let keys = before.handed_down(call, before.graph().node(child), configuration);
            keys.iter().find_map(|key| self.gone(self.follow(both, call, &path)?, key, &path))
        })
    }

    /// What a call led to, and what it leads to now; nothing where either is not known, or it is moved.
    fn follow(&self, both: Both<'t>, call: &ModuleCall, path: &[ModuleStep]) -> Option<Both<'t>> {
        let before = both.before.child(&call.name)?;
        let Some(now) = both.now else { return Some(Both { before, now: None }) };
        if now.module().calls.contains_key(&call.name) {
            return Some(Both { before, now: Some(now.child(&call.name)?) });
        }
        let is_moved = now.module().is_moved(&[step(call)], None) || self.is_moved_from_top(path, None);
        (now.module().complete && !is_moved).then_some(Both { before, now: None })
    }

    fn is_moved(&self, both: Both<'t>, path: &[ModuleStep], object: &ResourceAddress) -> bool {
        both.now.is_some_and(|now| now.module().is_moved(&[], Some(object)))
            || self.is_moved_from_top(path, Some(object))
    }

    /// Whether the module that the search started in says so, or one that calls that.
    fn is_moved_from_top(&self, path: &[ModuleStep], object: Option<&ResourceAddress>) -> bool {
        self.top.module().is_moved(path, object)
            || self.top.callers().any(|(caller, call)| {
                let path: Vec<ModuleStep> = std::iter::once(step(call)).chain(path.iter().cloned()).collect();
                caller.module().is_moved(&path, object)
            })
    }
}

fn step(call: &ModuleCall) -> ModuleStep {
    ModuleStep { name: call.name.clone(), key: None }
}

fn longer(path: &[ModuleStep], call: &ModuleCall) -> Vec<ModuleStep> {
    path.iter().cloned().chain([step(call)]).collect()
}
