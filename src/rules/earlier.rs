//! Turns what was seen before a change into modules that rules can ask for.

use std::collections::{BTreeMap, HashMap};

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::source::Worktree;
use crate::text::Sources;
use crate::tree::{Node, NodeId, Tree};

/// The state that a change started from. Its spans are those of its own texts.
#[derive(Debug)]
pub struct Earlier {
    worktree: Worktree,
    trees: BTreeMap<Engine, (Tree, HashMap<SmolStr, NodeId>)>,
}

impl Earlier {
    /// Of a work tree, as each of some engines saw it.
    pub fn new(worktree: Worktree, trees: impl Iterator<Item = Tree>) -> Self {
        let with_folders = |tree: Tree| {
            let folders = tree.nodes().map(|node| (node.module().folder.clone(), node.id())).collect();
            (tree.engine(), (tree, folders))
        };
        Self { worktree, trees: trees.map(with_folders).collect() }
    }

    /// The module in a folder, if one was there and the engine looked at it.
    pub fn module(&self, engine: Engine, folder: &str) -> Option<Node<'_>> {
        let (tree, folders) = self.trees.get(&engine)?;
        Some(tree.node(*folders.get(folder)?))
    }

    /// The texts of that state.
    pub fn sources(&self) -> &Sources {
        self.worktree.sources()
    }
}
