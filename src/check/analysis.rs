//! The loaded modules of a snapshot for commands that print them: each engine with the modules that are written for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::check::engines;
use crate::engine::{Choice, Engine};
use crate::finding::Finding;
use crate::graph::{ModuleGraph, Node, NodeId};
use crate::module::ModuleFile;
use crate::module::merged::{Around, Merged};
use crate::policy::Policy;
use crate::session::load::LoadedGraph;
use crate::session::parse_cache::ParseCache;
use crate::session::terragrunt::Units;
use crate::vfs::Snapshot;

/// All modules of a snapshot.
#[derive(Debug)]
pub struct Analysis {
    cache: ParseCache,
    /// For each engine the graph of all modules, and the root modules that are written for it.
    graphs: BTreeMap<Engine, (LoadedGraph, Vec<NodeId>)>,
}

/// The modules that are written for one engine.
#[derive(Debug, Clone, Copy)]
pub struct EngineView<'s> {
    /// The engine.
    pub engine: Engine,
    /// The graph of all modules.
    pub graph: &'s ModuleGraph,
    /// The root modules that are written for the engine.
    pub roots: &'s [NodeId],
    findings: &'s [Vec<Finding>],
    cache: &'s ParseCache,
}

impl Analysis {
    /// Loads every module. The engines are those of `choice`, else those of the policy, else those that the files are
    /// written for.
    pub fn of(snapshot: &mut Snapshot, choice: Option<&Choice>, policy: &Policy) -> Self {
        let (units, named_files) = (Arc::new(Units::of(snapshot)), Arc::new(snapshot.named_files()));
        let mut cache = ParseCache::new(policy.limits(), units, named_files);
        let choice = choice.or(policy.engine());
        let graphs = engines::load_all(snapshot, &mut cache, choice, policy);
        Self { cache, graphs }
    }

    /// The view of each engine, Terraform first.
    pub fn views(&self) -> impl Iterator<Item = EngineView<'_>> {
        self.graphs.iter().map(|(engine, (loaded, roots))| EngineView {
            engine: *engine,
            graph: &loaded.graph,
            roots,
            findings: &loaded.findings,
            cache: &self.cache,
        })
    }
}

impl<'s> EngineView<'s> {
    /// The modules that are written for the engine.
    pub fn modules(self) -> impl Iterator<Item = Node<'s>> {
        self.graph.below(self.roots).into_iter().map(move |id| self.graph.node(id))
    }

    /// The files of a module.
    pub fn files(self, node: Node<'_>, snapshot: &'s Snapshot) -> Vec<ModuleFile<'s>> {
        let directory = snapshot.directory(&node.module().directory);
        directory.map(|directory| self.cache.module_files(directory, self.engine)).unwrap_or_default()
    }

    /// A module after all override files.
    pub fn merged(self, node: Node<'_>, snapshot: &'s Snapshot) -> Merged {
        let calls = node.calls();
        let called =
            calls.filter_map(|(call, _)| Some((call.name.clone(), node.child(&call.name)?.module())));
        let around = Around { called: called.collect(), is_called: node.is_called() };
        Merged::of(node.module(), &self.files(node, snapshot), &around)
    }

    /// The findings in the files of a module that do not depend on other modules.
    pub fn findings(self, node: Node<'_>) -> &'s [Finding] {
        &self.findings[node.id().number()]
    }
}
