//! Turns what was seen before a change into modules that rules can ask for.

use std::collections::BTreeMap;

use crate::engine::Engine;
use crate::module::Module;
use crate::source::Worktree;
use crate::text::Sources;
use crate::tree::{Node, Tree};

/// The state that a change started from. Its spans are those of its own texts.
#[derive(Debug)]
pub struct Earlier {
    worktree: Worktree,
    trees: BTreeMap<Engine, Tree>,
}

impl Earlier {
    /// Of a work tree, as each of some engines saw it.
    pub fn new(worktree: Worktree, trees: impl Iterator<Item = Tree>) -> Self {
        Self { worktree, trees: trees.map(|tree| (tree.engine(), tree)).collect() }
    }

    /// The module in a folder, if one was there and the engine looked at it.
    pub fn module(&self, engine: Engine, folder: &str) -> Option<&Module> {
        let mut modules = self.trees.get(&engine)?.nodes().map(Node::module);
        modules.find(|module| module.folder == folder)
    }

    /// The texts of that state.
    pub fn sources(&self) -> &Sources {
        self.worktree.sources()
    }
}
