//! Turns what was seen before a change into modules that rules can ask for.

use std::collections::{BTreeMap, HashMap};

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::source::Worktree;
use crate::text::Sources;
use crate::tree::{Node, NodeId, Role, Tree};

/// The state that a change started from. Its spans are those of its own texts.
#[derive(Debug)]
pub struct Earlier {
    worktree: Worktree,
    trees: BTreeMap<Engine, (Tree, HashMap<SmolStr, NodeId>)>,
    /// Directories that have another name since, by the earlier one.
    renamed: BTreeMap<SmolStr, SmolStr>,
}

impl Earlier {
    /// Of a work tree, as each of some engines saw it.
    pub fn new(
        worktree: Worktree,
        trees: impl Iterator<Item = Tree>,
        renamed: BTreeMap<SmolStr, SmolStr>,
    ) -> Self {
        let with_folders = |tree: Tree| {
            let folders = tree.nodes().map(|node| (node.module().folder.clone(), node.id())).collect();
            (tree.engine(), (tree, folders))
        };
        Self { worktree, trees: trees.map(with_folders).collect(), renamed }
    }

    /// The module in a folder, if one was there and the engine looked at it.
    pub fn module(&self, engine: Engine, folder: &str) -> Option<Node<'_>> {
        let (tree, folders) = self.trees.get(&engine)?;
        Some(tree.node(*folders.get(folder)?))
    }

    /// The role that each module had, by its directory now; the strictest where engines differ.
    pub fn roles(&self) -> HashMap<SmolStr, Role> {
        let mut roles = HashMap::new();
        for node in self.trees.values().flat_map(|(tree, _)| tree.nodes()) {
            let directory = &node.module().folder;
            let directory = self.renamed.get(directory).unwrap_or(directory);
            let role = roles.entry(directory.clone()).or_insert(node.role());
            *role = node.role().min(*role);
        }
        roles
    }

    /// The texts of that state.
    pub fn sources(&self) -> &Sources {
        self.worktree.sources()
    }
}
