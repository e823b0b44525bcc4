//! What one engine says of the modules that are for it, turned into what it takes to weigh that against what others
//! say, once the modules themselves are gone.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::finding::Finding;
use crate::graph::{ModuleGraph, NodeId};
use crate::text::{FileId, Span};
use crate::vfs::Snapshot;

/// What one engine says.
#[derive(Debug)]
pub(super) struct EngineResult {
    /// Who says it.
    pub(super) engine: Engine,
    /// What it says of the modules that it looked at.
    pub(super) findings: Vec<Finding>,
    /// The files that it loads of them.
    pub(super) files: BTreeSet<FileId>,
    /// Where they are written in what no other engine understands.
    pub(super) places: Vec<Span>,
    /// By number: the directory of every module.
    directories: Vec<SmolStr>,
    /// By number: which modules it calls, or names in refused calls.
    calls: Vec<Vec<usize>>,
    /// The root modules that are for it.
    roots: Vec<usize>,
}

impl EngineResult {
    /// What the engine of a tree says of the modules that some of its roots lead to.
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

    /// The directories of the modules that it looked at.
    pub(super) fn directories(&self) -> Vec<&SmolStr> {
        self.below(self.roots.iter().copied())
    }

    /// The directories of the modules that those roots lead to whose directory is `wanted`.
    pub(super) fn directories_below(&self, wanted: impl Fn(&SmolStr) -> bool) -> Vec<&SmolStr> {
        self.below(self.roots.iter().copied().filter(|root| wanted(&self.directories[*root])))
    }

    /// The directory of each root, and the directories of all modules that it leads to.
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
