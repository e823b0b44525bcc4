//! Selects the engines of each root module, from the options, the files and the syntax.
//!
//! A root module is checked with the chosen engines, else with those that there is evidence for, else with both. The
//! modules that it calls are checked with the same engines. If no file beside it is evidence of an engine, its syntax
//! may be.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::engines::merge_results::{MergedResults, OwnSyntax};
use crate::check::engines::result::EngineResult;
use crate::engine::{Engine, Product};
use crate::graph::{ModuleGraph, Node, NodeId};
use crate::text::Span;
use crate::vfs::Snapshot;

/// The engines of each root module.
#[derive(Default)]
pub(super) struct Selection {
    /// By engine: the directories of its root modules.
    pub(super) roots: BTreeMap<Engine, BTreeSet<SmolStr>>,
    /// By engine: the directories that it skips, because it would find nothing else there.
    pub(super) spared: BTreeMap<Engine, BTreeSet<SmolStr>>,
    /// By directory of a root module: the only product that knows a construct there, and the place of the construct.
    pub(super) assumed: BTreeMap<SmolStr, (Product, Span)>,
    /// The directories of root modules with certain evidence.
    positive: BTreeSet<SmolStr>,
}

impl Selection {
    /// Selects the engine for every root module, because an option or the policy chooses it.
    pub(super) fn all(&mut self, graph: &ModuleGraph) {
        let directories: BTreeSet<SmolStr> =
            graph.roots().iter().map(|root| root.module().directory.clone()).collect();
        self.positive.extend(directories.iter().cloned());
        self.roots.insert(graph.engine(), directories);
    }

    /// Selects the engine for the root modules whose files, in their directory and those above it, do not show that
    /// another one is used.
    pub(super) fn by_files(&mut self, snapshot: &Snapshot, newest: &ModuleGraph) {
        // Which modules are roots may differ between the engines.
        for root in newest.roots() {
            let directory = &root.module().directory;
            let evidence = snapshot.evidence(directory);
            let of_product = |chosen: &Engine| chosen.product == newest.engine().product;
            for chosen in evidence.engines.into_iter().filter(of_product) {
                self.roots.entry(chosen).or_default().insert(directory.clone());
            }
            if evidence.positive {
                self.positive.insert(directory.clone());
            }
        }
    }

    /// Skips directories that another engine has checked, because this one would find nothing else there.
    pub(super) fn spare(&mut self, engine: Engine, spared: &BTreeSet<SmolStr>) {
        if spared.is_empty() {
            return;
        }
        let roots = self.roots.values().flatten().filter(|directory| spared.contains(*directory));
        let roots: Vec<SmolStr> = roots.cloned().collect();
        self.roots.entry(engine).or_default().extend(roots);
        self.spared.insert(engine, spared.clone());
    }

    /// Selects only one product for a root module if it or a module that it calls has constructs that only this product
    /// has. Returns whether anything changed.
    pub(super) fn by_syntax(&mut self, results: &[EngineResult], merged: &MergedResults) -> bool {
        let own = merged.in_own_syntax();
        let mut leaves: Vec<(Engine, &SmolStr, &OwnSyntax)> = Vec::new();
        if own.is_empty() {
            return false;
        }
        for result in results {
            for (directory, below) in result.roots() {
                let is_for =
                    |engine: &Engine| self.roots.get(engine).is_some_and(|roots| roots.contains(directory));
                let mut of_other = None;
                let mut of_own = false;
                for own in below.iter().filter_map(|directory| own.get(directory.as_str())).flatten() {
                    let is_of_other =
                        own.owner != result.engine.product && own.strangers.contains(&result.engine);
                    of_other = of_other.or(is_of_other.then_some(*own));
                    of_own |= own.owner == result.engine.product && own.strangers.iter().any(is_for);
                }
                if let Some(own) = of_other.filter(|_| !of_own && !self.positive.contains(directory)) {
                    leaves.push((result.engine, directory, own));
                }
            }
        }
        for (engine, directory, own) in &leaves {
            self.assumed.extend(own.place.map(|place| ((*directory).clone(), (own.owner, place))));
            if let Some(roots) = self.roots.get_mut(engine) {
                roots.remove(*directory);
            }
        }
        self.roots.retain(|_, roots| !roots.is_empty());
        !leaves.is_empty()
    }

    /// The directories of modules that roots with certain evidence call, directly or not.
    pub(super) fn positive_directories<'a>(&self, results: &'a [EngineResult]) -> BTreeSet<&'a str> {
        results
            .iter()
            .flat_map(|result| result.directories_below(|root| self.positive.contains(root)))
            .map(SmolStr::as_str)
            .collect()
    }

    /// The root modules of a graph that are written for its engine.
    pub(super) fn roots_in(&self, graph: &ModuleGraph) -> Vec<NodeId> {
        let directories = self.roots.get(&graph.engine());
        let is_wanted = |root: &Node<'_>| {
            directories.is_some_and(|directories| directories.contains(&root.module().directory))
        };
        graph.roots().into_iter().filter(is_wanted).map(Node::id).collect()
    }
}
