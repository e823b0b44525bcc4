//! The state before a change, for rules that compare with it.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::engine::{Engine, LOCK_FILE};
use crate::graph::{ModuleGraph, Node, NodeId, Role, State};
use crate::text::Sources;
use crate::vfs::{Exclusion, Snapshot, child};

/// The state before a change. Its spans refer to its own texts.
#[derive(Debug)]
pub struct Earlier {
    snapshot: Snapshot,
    trees: BTreeMap<Engine, (ModuleGraph, HashMap<SmolStr, NodeId>)>,
    /// Renamed directories, by their earlier names.
    renamed: BTreeMap<SmolStr, SmolStr>,
}

impl Earlier {
    /// The state of a working tree, as loaded by several engines.
    pub fn new(
        snapshot: Snapshot,
        trees: impl Iterator<Item = ModuleGraph>,
        renamed: BTreeMap<SmolStr, SmolStr>,
    ) -> Self {
        let with_directories = |graph: ModuleGraph| {
            let directories =
                graph.nodes().map(|node| (node.module().directory.clone(), node.id())).collect();
            (graph.engine(), (graph, directories))
        };
        Self { snapshot, trees: trees.map(with_directories).collect(), renamed }
    }

    /// The module in a directory, if there was one for this engine.
    pub fn module(&self, engine: Engine, directory: &str) -> Option<Node<'_>> {
        let (graph, directories) = self.trees.get(&engine)?;
        Some(graph.node(*directories.get(directory)?))
    }

    /// The modules and texts, as loaded by an engine.
    pub fn state(&self, engine: Engine) -> Option<State<'_>> {
        let (graph, _) = self.trees.get(&engine)?;
        Some(State { graph, sources: self.sources() })
    }

    /// The role of each module, by its current directory. If engines differ, the strictest role counts.
    pub fn roles(&self) -> HashMap<SmolStr, Role> {
        let mut roles = HashMap::new();
        for node in self.trees.values().flat_map(|(graph, _)| graph.nodes()) {
            let directory = &node.module().directory;
            let directory = self.renamed.get(directory).unwrap_or(directory);
            let role = roles.entry(directory.clone()).or_insert(node.role());
            *role = node.role().min(*role);
        }
        roles
    }

    /// The `.gitignore` line that excluded the dependency lock file of a directory, unless git tracked the file.
    pub fn excluded_lock(&self, directory: &str) -> Option<Exclusion> {
        let had_lock = self.snapshot.directory(directory).is_some_and(|directory| directory.has_lock_file);
        self.snapshot.exclusion(&child(directory, LOCK_FILE)).filter(|_| !had_lock)
    }

    /// The texts of the state.
    pub fn sources(&self) -> &Sources {
        self.snapshot.sources()
    }
}
