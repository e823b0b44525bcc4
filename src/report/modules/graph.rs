//! The graph of modules and their calls.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::provider_lines::{Names, Placed};
use super::{DEEPEST, Picture};
use crate::graph::{Callee, Node, Role};
use crate::report::drawing::{Graph, GraphNode, Shape};
use crate::report::one_line;

/// The graph of all modules to show.
pub(super) fn of(picture: &Picture<'_>) -> Graph {
    let mut graph = Graph::default();
    let mut next: Vec<Node<'_>> = picture.tops.iter().map(|(_, top)| *top).collect();
    while let Some(node) = next.pop() {
        let name = picture.name(node);
        let is_changed = picture.changed.contains(&node.module().directory);
        let shown = GraphNode { lines: Vec::new(), shape: shape(node.role()), is_changed };
        if graph.nodes.insert(name.clone(), shown).is_some() {
            continue;
        }
        for (call, callee) in picture.calls(node) {
            let target = picture.target(node, call, callee);
            match callee {
                Callee::Module(id) => next.push(node.graph().node(id)),
                Callee::Missing | Callee::Outside | Callee::Opaque => {
                    let is_changed = picture.is_gone(node, call);
                    let other = GraphNode { lines: Vec::new(), shape: Shape::OUTSIDE, is_changed };
                    graph.nodes.entry(target.clone()).or_insert(other);
                }
            }
            let mut words = vec![one_line(&call.name).into_owned()];
            words.extend(picture.repetition(call).iter().map(|(name, _)| (*name).to_owned()));
            words.extend(call.providers.iter().map(|passed| {
                one_line(&format!("{} = {}", passed.in_child.compact(), passed.in_parent.compact()))
                    .into_owned()
            }));
            graph.edges.entry((name.clone(), target)).or_default().push(words.join(", "));
        }
    }
    let (names, left) = (Names::of(picture), picture.most_parts());
    let mut reaching = Reaching { picture, names, seen: HashSet::new(), left, lines: BTreeMap::new() };
    for (_, top) in &picture.tops {
        reaching.add(&Placed::top(*top));
    }
    for (name, lines) in reaching.lines {
        if let Some(node) = graph.nodes.get_mut(&name) {
            node.lines = lines.iter().flat_map(|line| line.lines()).map(str::to_owned).collect();
        }
    }
    graph
}

fn shape(role: Role) -> Shape {
    match role {
        Role::Root => Shape { dot: ", style=\"rounded,bold\"", mermaid: ("[[", "]]") },
        Role::Shared => Shape { dot: "", mermaid: ("[", "]") },
        Role::Example | Role::Test => Shape { dot: ", style=\"rounded,dotted\"", mermaid: ("[", "]") },
    }
}

/// The provider configurations that reach each module by any call path.
struct Reaching<'p> {
    picture: &'p Picture<'p>,
    names: Names,
    seen: HashSet<u64>,
    /// The parts about call paths that are left.
    left: usize,
    /// By the name of the module.
    lines: BTreeMap<String, Vec<String>>,
}

impl Reaching<'_> {
    /// Adds the provider configurations of a module and its descendants, once for all call paths with equal output.
    fn add(&mut self, placed: &Placed<'_>) {
        self.left = self.left.saturating_sub(placed.parts());
        if placed.levels.len() > DEEPEST || self.left == 0 || !self.seen.insert(placed.likeness()) {
            return;
        }
        let lines = self.picture.provider_lines(placed, &self.names);
        let known = self.lines.entry(self.picture.name(placed.node)).or_default();
        let mut lines = lines.iter().map(|line| line.text().to_owned()).peekable();
        while let Some(mut line) = lines.next() {
            while let Some(users) = lines.next_if(|next| next.starts_with(' ')) {
                line.push('\n');
                line.push_str(users.trim_start());
            }
            if !known.contains(&line) {
                known.push(line);
            }
        }
        for (call, _) in self.picture.calls(placed.node) {
            if self.left == 0 {
                return;
            }
            if let Some(called) = placed.called(call).filter(|called| !placed.leads_through(called.node)) {
                self.add(&called);
            }
        }
    }
}
