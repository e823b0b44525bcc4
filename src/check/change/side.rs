//! One state of a change: the modules that it can affect, linked.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::change::affected_modules::Impact;
use crate::check::{Analysis, EngineView};
use crate::engine::{Choice, Engine, Notation};
use crate::graph::{Node, NodeId, State};
use crate::limits::Limits;
use crate::module::canonical::{Meaning, Parts};
use crate::policy::Policy;
use crate::syntax;
use crate::text::Sources;
use crate::vfs::{self, Change, Snapshot, last_name, parent};

/// One state of a change, limited to the affected modules.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) snapshot: Snapshot,
    analysis: Analysis,
    /// The module of each directory, in each view of the analysis that contains it.
    places: BTreeMap<SmolStr, Vec<(usize, NodeId)>>,
}

/// The options of the run.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The texts of the policy.
    pub texts: &'a Sources,
    /// The chosen engines, instead of those of the policy.
    pub choice: Option<&'a Choice>,
}

impl Side {
    pub(super) fn open(
        change: &Change,
        state: vfs::State,
        impact: &Impact<'_>,
        modules: &BTreeSet<SmolStr>,
        asked: Asked<'_>,
    ) -> Self {
        let excerpt = impact.excerpt(modules);
        let mut snapshot = change.open(state, &excerpt, &asked.policy.limits(), asked.texts);
        let analysis = Analysis::of(&mut snapshot, asked.choice, asked.policy);
        let mut places: BTreeMap<SmolStr, Vec<(usize, NodeId)>> = BTreeMap::new();
        for (number, view) in analysis.views().enumerate() {
            for node in view.graph.nodes() {
                places.entry(node.module().directory.clone()).or_default().push((number, node.id()));
            }
        }
        Self { snapshot, analysis, places }
    }

    /// The module in a directory, as loaded by its first engine.
    pub(super) fn module(&self, directory: &str) -> Option<Node<'_>> {
        self.nodes(directory).next().map(|(_, node)| node)
    }

    /// The module in a directory, in each view that contains it.
    pub(super) fn places(&self, directory: &str) -> &[(usize, NodeId)] {
        self.places.get(directory).map(Vec::as_slice).unwrap_or_default()
    }

    /// The view of each engine.
    pub(super) fn views(&self) -> impl Iterator<Item = EngineView<'_>> {
        self.analysis.views()
    }

    pub(super) fn nodes(&self, directory: &str) -> impl Iterator<Item = (EngineView<'_>, Node<'_>)> {
        let places = self.places(directory).iter();
        let views: Vec<EngineView<'_>> = self.analysis.views().collect();
        places.map(move |(number, id)| (views[*number], views[*number].graph.node(*id)))
    }

    /// The module in a directory as this engine reads it.
    pub(super) fn node(&self, directory: &str, engine: Engine) -> Option<(EngineView<'_>, Node<'_>)> {
        self.nodes(directory).find(|(view, _)| view.engine == engine)
    }

    /// The modules as an engine reads them. Returns `None` if no module of this state is for the engine.
    pub(super) fn state(&self, engine: Engine) -> Option<State<'_>> {
        self.states().find(|state| state.graph.engine() == engine)
    }

    /// The modules as each engine reads them.
    pub(super) fn states(&self) -> impl Iterator<Item = State<'_>> {
        self.analysis.views().map(|view| State { graph: view.graph, sources: self.snapshot.sources() })
    }

    /// The content of a directory for each engine.
    pub(super) fn meanings(&self, directory: &str) -> Vec<Option<Meaning>> {
        let sources = self.snapshot.sources();
        let meaning = |(view, node): (EngineView<'_>, Node<'_>)| {
            Meaning::of(node.module(), &view.files(node, &self.snapshot), sources)
        };
        self.nodes(directory).map(meaning).collect()
    }

    /// The parts of the module in a directory, for each engine. `None` if its content is not completely known.
    pub(super) fn parts(&self, directory: &str) -> Option<BTreeMap<Engine, Parts>> {
        let parts = |(view, node): (EngineView<'_>, Node<'_>)| {
            let module = node.module();
            if !module.is_whole() || module.excluded || node.is_broken() {
                return None;
            }
            let files = view.files(node, &self.snapshot);
            Some((view.engine, Parts::of(module, &files, self.snapshot.sources())?))
        };
        self.nodes(directory).map(parts).collect()
    }

    /// The content of a variable definitions file. Returns `None` if it does not exist or was not understood
    /// completely.
    pub(super) fn values(&self, path: &str) -> Option<Vec<String>> {
        let name = last_name(path);
        let files = self.snapshot.companions_in(parent(path).unwrap_or_default());
        let id = files.iter().find(|file| file.name == name)?.id?;
        let source = self.snapshot.sources().get(id);
        let (file, wrong) = syntax::parse(id, source, Notation::of(source.name()), &Limits::default());
        let mut values = file.body.canonical(source);
        values.sort_unstable();
        (file.complete && wrong.is_empty()).then_some(values)
    }
}
