//! Turns a working tree into its modules, as the engines see them that they are for, before any rule is asked.

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

/// All modules of a working tree.
#[derive(Debug)]
pub struct Analysis {
    cache: ParseCache,
    /// By engine: all modules as it sees them, and the roots of those that are for it.
    graphs: BTreeMap<Engine, (LoadedGraph, Vec<NodeId>)>,
}

/// The modules that are for one engine.
#[derive(Debug, Clone, Copy)]
pub struct EngineView<'s> {
    /// The engine.
    pub engine: Engine,
    /// Every module as it sees them.
    pub graph: &'s ModuleGraph,
    /// The modules from which it gets to those that are for it.
    pub roots: &'s [NodeId],
    findings: &'s [Vec<Finding>],
    cache: &'s ParseCache,
}

impl Analysis {
    /// Looks at every module with the engines of `choice`, else with those of the policy, else with those that files
    /// speak for, else with both.
    pub fn of(snapshot: &mut Snapshot, choice: Option<&Choice>, policy: &Policy) -> Self {
        let (units, named_files) = (Arc::new(Units::of(snapshot)), Arc::new(snapshot.named_files()));
        let mut cache = ParseCache::new(policy.limits(), units, named_files);
        let choice = choice.or(policy.engine());
        let graphs = engines::load_all(snapshot, &mut cache, choice, policy);
        Self { cache, graphs }
    }

    /// What each engine sees, Terraform first.
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
    /// The modules that are for the engine.
    pub fn modules(self) -> impl Iterator<Item = Node<'s>> {
        self.graph.below(self.roots).into_iter().map(move |id| self.graph.node(id))
    }

    /// The files that a module was built from.
    pub fn files(self, node: Node<'_>, snapshot: &'s Snapshot) -> Vec<ModuleFile<'s>> {
        let directory = snapshot.directory(&node.module().directory);
        directory.map(|directory| self.cache.module_files(directory, self.engine)).unwrap_or_default()
    }

    /// A module of it after all override files.
    pub fn merged(self, node: Node<'_>, snapshot: &'s Snapshot) -> Merged {
        let calls = node.calls();
        let called =
            calls.filter_map(|(call, _)| Some((call.name.clone(), node.child(&call.name)?.module())));
        let around = Around { called: called.collect(), is_called: node.is_called() };
        Merged::of(node.module(), &self.files(node, snapshot), &around)
    }

    /// What is wrong with the files of a module taken by themselves.
    pub fn findings(self, node: Node<'_>) -> &'s [Finding] {
        &self.findings[node.id().number()]
    }
}
