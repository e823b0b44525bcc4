//! Turns what was seen before a change into modules that rules can ask for.

use std::collections::{BTreeMap, HashMap};

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::graph::{Node, NodeId, Role, Tree};
use crate::text::Sources;
use crate::vfs::Snapshot;

/// The state that a change started from. Its spans are those of its own texts.
#[derive(Debug)]
pub struct Earlier {
    snapshot: Snapshot,
    trees: BTreeMap<Engine, (Tree, HashMap<SmolStr, NodeId>)>,
    /// Directories that have another name since, by the earlier one.
    renamed: BTreeMap<SmolStr, SmolStr>,
}

impl Earlier {
    /// Of a working tree, as each of some engines saw it.
    pub fn new(
        snapshot: Snapshot,
        trees: impl Iterator<Item = Tree>,
        renamed: BTreeMap<SmolStr, SmolStr>,
    ) -> Self {
        let with_directories = |tree: Tree| {
            let directories = tree.nodes().map(|node| (node.module().directory.clone(), node.id())).collect();
            (tree.engine(), (tree, directories))
        };
        Self { snapshot, trees: trees.map(with_directories).collect(), renamed }
    }

    /// The module in a directory, if one was there and the engine looked at it.
    pub fn module(&self, engine: Engine, directory: &str) -> Option<Node<'_>> {
        let (tree, directories) = self.trees.get(&engine)?;
        Some(tree.node(*directories.get(directory)?))
    }

    /// The role that each module had, by its directory now; the strictest where engines differ.
    pub fn roles(&self) -> HashMap<SmolStr, Role> {
        let mut roles = HashMap::new();
        for node in self.trees.values().flat_map(|(tree, _)| tree.nodes()) {
            let directory = &node.module().directory;
            let directory = self.renamed.get(directory).unwrap_or(directory);
            let role = roles.entry(directory.clone()).or_insert(node.role());
            *role = node.role().min(*role);
        }
        roles
    }

    /// The texts of that state.
    pub fn sources(&self) -> &Sources {
        self.snapshot.sources()
    }
}
