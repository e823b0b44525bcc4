//! Whether the engine reaches each module, and whether there are errors on the path from the root module.

use std::collections::BTreeSet;

use crate::graph::dependency_cycles::components;
use crate::graph::{Callee, ModuleGraph, Node, NodeId};

/// The modules that the engine reaches.
#[derive(Debug)]
pub(super) struct Reached {
    /// For each node: reached from a tree without errors.
    sound: Vec<bool>,
    /// For each node: reached from a tree in which a called module has errors.
    broken: Vec<bool>,
    /// For each node: it has errors itself, and no other module calls it.
    stuck: Vec<bool>,
}

impl Reached {
    pub(super) fn from(graph: &ModuleGraph, roots: &[NodeId]) -> Self {
        let count = graph.nodes.len();
        let below = errors_below(graph);
        let mut reached =
            Self { sound: vec![false; count], broken: vec![false; count], stuck: vec![false; count] };
        let mut followed = vec![false; count];
        for root in roots.iter().map(|root| graph.node(*root)).filter(|root| !root.is_broken()) {
            spread(root, &mut followed);
        }
        for root in roots {
            reached.stuck[root.0] = !followed[root.0];
        }
        for root in roots.iter().map(|root| graph.node(*root)) {
            // The engine stops at errors of the root module itself; its further findings are reported nevertheless.
            let broken = below[root.id.0] && !root.is_broken();
            let seen = if broken { &mut reached.broken } else { &mut reached.sound };
            spread(root, seen);
        }
        reached
    }

    /// Whether the engine stops after the files of this module. Undeclared names are then not reported, because the
    /// declaration may be the broken part.
    pub(super) fn is_stuck(&self, node: Node<'_>) -> bool {
        self.stuck[node.id.0]
    }

    /// Whether the engine reaches this module from a tree without errors.
    pub(super) fn in_sound_tree(&self, node: Node<'_>) -> bool {
        self.sound[node.id.0] || !self.broken[node.id.0]
    }

    /// Whether the engine reaches this module from a tree in which a called module has errors.
    pub(super) fn in_broken_tree(&self, node: Node<'_>) -> bool {
        self.broken[node.id.0]
    }
}

impl<'t> Node<'t> {
    /// This module, and all modules that it leads to.
    pub(crate) fn subtree(self) -> impl Iterator<Item = Node<'t>> {
        let mut seen = BTreeSet::from([self.id]);
        let mut next = vec![self];
        std::iter::from_fn(move || {
            let node = next.pop()?;
            let children = node.children().filter(|child| seen.insert(*child));
            next.extend(children.map(|child| node.graph.node(child)));
            Some(node)
        })
    }
}

impl ModuleGraph {
    /// The modules that these roots lead to, including the roots, in the order in which they were added.
    pub fn below(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        for root in roots {
            spread(self.node(*root), &mut seen);
        }
        (0..seen.len()).filter(|number| seen[*number]).map(NodeId).collect()
    }

    /// The modules that no module of the graph calls. For a module call cycle that nothing else calls, the first of
    /// its modules.
    pub fn roots(&self) -> Vec<Node<'_>> {
        let mut seen = vec![false; self.nodes.len()];
        let is_root = |node: &Node<'_>| node.data().callers.is_empty() && node.data().named_by.is_empty();
        let mut roots: Vec<Node<'_>> = self.nodes().filter(is_root).collect();
        for root in &roots {
            spread(*root, &mut seen);
        }
        if seen.contains(&false) {
            let calls: Vec<Vec<usize>> =
                self.nodes().map(|node| node.children().map(|child| child.0).collect()).collect();
            // Callers come last, so a cycle that another one calls is already marked at its turn.
            for ring in components(&calls).into_iter().rev() {
                let first = self.node(NodeId(ring[0]));
                if !seen[first.id.0] {
                    roots.push(first);
                    spread(first, &mut seen);
                }
            }
        }
        roots
    }
}

/// Marks a module and its descendants.
fn spread(from: Node<'_>, seen: &mut [bool]) {
    mark(from, seen, Node::children);
}

/// Marks a module and those that the modules which `leads_to` returns lead to.
pub(super) fn mark<'t, C: Iterator<Item = NodeId>>(
    from: Node<'t>,
    seen: &mut [bool],
    leads_to: impl Fn(Node<'t>) -> C,
) {
    let mut next = vec![from.id];
    while let Some(id) = next.pop() {
        if !std::mem::replace(&mut seen[id.0], true) {
            next.extend(leads_to(from.graph.node(id)));
        }
    }
}

/// For each node: whether a descendant has errors.
fn errors_below(graph: &ModuleGraph) -> Vec<bool> {
    let mut below = vec![false; graph.nodes.len()];
    let mut next: Vec<NodeId> = Vec::new();
    for node in graph.nodes() {
        let data = &graph.nodes[node.id.0];
        let missing = data.calls.values().any(|callee| *callee == Callee::Missing);
        if missing {
            // A missing directory is an error below the module that calls it.
            below[node.id.0] = true;
        }
        if missing || node.is_broken() || (node.is_called() && super::children::is_error_in_child(node)) {
            next.push(node.id);
        }
    }
    let mut seen = vec![false; graph.nodes.len()];
    while let Some(id) = next.pop() {
        if std::mem::replace(&mut seen[id.0], true) {
            continue;
        }
        for (caller, _) in &graph.nodes[id.0].callers {
            below[caller.0] = true;
            next.push(*caller);
        }
    }
    below
}
