//! Finds module call cycles and long chains of calls.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::dependency_cycles::components;
use super::node::LongestChains;
use super::{ModuleGraph, Node, NodeId};
use crate::module::declaration::ModuleCall;

/// Calls, each in the module that the one before it leads to.
type Chain<'t> = Vec<(Node<'t>, &'t ModuleCall)>;

/// For each reached module, the caller and the call that led to it first.
type ReachedBy<'t> = BTreeMap<NodeId, (Node<'t>, &'t ModuleCall)>;

impl<'t> Node<'t> {
    /// The first module, by directory, of the call cycle that this module is part of. Returns `None` if it is in
    /// none.
    pub fn first_of_call_cycle(self) -> Option<Node<'t>> {
        let call_cycles = self.graph.derived.call_cycles.get_or_init(|| call_cycles(self.graph));
        call_cycles[self.id.0].map(|first| self.graph.node(first))
    }

    /// The shortest chain of calls from this module back to itself, if there is one.
    pub fn call_cycle(self) -> Option<Chain<'t>> {
        self.first_of_call_cycle()?;
        let mut reached_by = BTreeMap::new();
        let mut level = vec![self];
        while !level.is_empty() {
            level = next_level(&level, &mut reached_by);
            if reached_by.contains_key(&self.id) {
                return Some(back_to(self.id, &reached_by));
            }
        }
        None
    }

    /// The first chain of calls from this module that is one call longer than `most`, if there is one. A module call
    /// cycle does not count.
    pub fn chain_longer_than(self, most: usize) -> Option<Chain<'t>> {
        let longest = self.graph.derived.longest_chains.get_or_init(|| longest_chains(self.graph));
        let (mut chain, mut node) = (Vec::new(), self);
        for length in (1..=most + 1).rev() {
            let calls = &longest[node.id.0];
            let (_, name) = calls.get(calls.partition_point(|(longest, _)| *longest < length))?;
            chain.push((node, &**node.module().calls.get(name)?));
            node = node.child(name)?;
        }
        Some(chain)
    }
}

/// The [`LongestChains`] for each node.
fn longest_chains(graph: &ModuleGraph) -> Vec<LongestChains> {
    let called = graph.called();
    let mut all = vec![LongestChains::new(); called.len()];
    for component in components(&called) {
        for node in &component {
            let mut longest = LongestChains::new();
            for (call, child) in graph.node(NodeId(*node)).child_calls() {
                let length = 1 + all[child.id.0].last().map_or(0, |(length, _)| *length);
                let is_longer = longest.last().is_none_or(|(other, _)| length > *other);
                if is_longer && component.binary_search(&child.id.0).is_err() {
                    longest.push((length, call.name.clone()));
                }
            }
            all[*node] = longest;
        }
    }
    all
}

/// The result of [`Node::first_of_call_cycle`] for each node.
fn call_cycles(graph: &ModuleGraph) -> Vec<Option<NodeId>> {
    let called = graph.called();
    let mut call_cycles = vec![None; called.len()];
    for component in components(&called) {
        let is_ring = component.len() > 1 || component.iter().any(|node| called[*node].contains(node));
        if is_ring {
            let first = component.iter().min_by_key(|node| &graph.nodes[**node].module.directory);
            for node in &component {
                call_cycles[*node] = first.map(|first| NodeId(*first));
            }
        }
    }
    call_cycles
}

/// The modules that the modules of one level call and that were not reached yet. They are added to `reached_by`.
fn next_level<'t>(level: &[Node<'t>], reached_by: &mut ReachedBy<'t>) -> Vec<Node<'t>> {
    let mut next = Vec::new();
    for caller in level {
        for (call, child) in caller.child_calls() {
            if let Entry::Vacant(new) = reached_by.entry(child.id) {
                new.insert((*caller, call));
                next.push(child);
            }
        }
    }
    next
}

/// The chain from a module back to itself. Each module but the first comes with the call that leads to it.
fn back_to<'t>(module: NodeId, reached_by: &ReachedBy<'t>) -> Chain<'t> {
    let mut chain = Vec::new();
    let mut at = module;
    while let Some((caller, call)) = reached_by.get(&at) {
        chain.push((*caller, *call));
        at = caller.id;
        if at == module {
            break;
        }
    }
    chain.reverse();
    chain
}
