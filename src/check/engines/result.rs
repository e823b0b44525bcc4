//! The result of one engine, with all data that merging needs after its modules are dropped.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::finding::Finding;
use crate::graph::{ModuleGraph, NodeId};
use crate::text::{FileId, Span};
use crate::vfs::Snapshot;

/// The result of one engine.
#[derive(Debug)]
pub(super) struct EngineResult {
    /// The engine.
    pub(super) engine: Engine,
    /// Its findings.
    pub(super) findings: Vec<Finding>,
    /// The module files that it loads.
    pub(super) files: BTreeSet<FileId>,
    /// The ranges of constructs that only this product has.
    pub(super) places: Vec<Span>,
    /// The directory of each module, by number.
    directories: Vec<SmolStr>,
    /// The modules that each module calls, also in refused calls, by number.
    calls: Vec<Vec<usize>>,
    /// The root modules that are written for the engine.
    roots: Vec<usize>,
}

impl EngineResult {
    /// Creates the result of the engine of a graph for the modules that these roots call, directly or not.
    pub(super) fn new(
        graph: &ModuleGraph,
        roots: &[NodeId],
        findings: Vec<Finding>,
        snapshot: &Snapshot,
    ) -> Self {
        let engine = graph.engine();
        let mut result = Self {
            engine,
            findings,
            files: BTreeSet::new(),
            places: Vec::new(),
            directories: graph.nodes().map(|node| node.module().directory.clone()).collect(),
            calls: graph.nodes().map(|node| node.children().map(NodeId::number).collect()).collect(),
            roots: roots.iter().map(|root| root.number()).collect(),
        };
        for id in graph.below(roots) {
            let module = graph.node(id).module();
            result.places.extend(module.exclusive_places());
            let Some(directory) = snapshot.directory(&module.directory) else { continue };
            let files = directory.module_files(engine);
            result.files.extend(files.into_iter().filter_map(|(file, _)| file.id));
            let tests = graph.node(id).tests().iter().filter_map(|test| test.file.id);
            result.files.extend(tests);
        }
        result
    }

    /// The directories of the checked modules.
    pub(super) fn directories(&self) -> Vec<&SmolStr> {
        self.below(self.roots.iter().copied())
    }

    /// The directories of the modules that roots in `wanted` directories call, directly or not.
    pub(super) fn directories_below(&self, wanted: impl Fn(&SmolStr) -> bool) -> Vec<&SmolStr> {
        self.below(self.roots.iter().copied().filter(|root| wanted(&self.directories[*root])))
    }

    /// The directory of each root, with the directories of all modules that it calls, directly or not.
    pub(super) fn roots(&self) -> impl Iterator<Item = (&SmolStr, Vec<&SmolStr>)> {
        self.roots.iter().map(|root| (&self.directories[*root], self.below([*root])))
    }

    fn below(&self, roots: impl IntoIterator<Item = usize>) -> Vec<&SmolStr> {
        let mut seen = vec![false; self.directories.len()];
        let mut next: Vec<usize> = roots.into_iter().collect();
        while let Some(number) = next.pop() {
            if !std::mem::replace(&mut seen[number], true) {
                next.extend(&self.calls[number]);
            }
        }
        self.directories.iter().zip(seen).filter_map(|(directory, seen)| seen.then_some(directory)).collect()
    }
}
