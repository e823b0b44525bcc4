//! Looks at all modules, batch by batch, with the engines that each is for, and brings together what they say.

mod capped;
mod equivalence;
mod merge_results;
mod only_syntax;
mod refused;
mod result;
mod selection;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::active_rules::ActiveRules;
use crate::check::counts::Counts;
use crate::check::engines::merge_results::MergedResults;
use crate::check::engines::result::EngineResult;
use crate::check::engines::selection::Selection;
use crate::check::fingerprint::concerns;
use crate::check::settings::Roles;
use crate::check::suppress::exceptions::may_excuse;
use crate::engine::{Choice, Engine, Product};
use crate::finding::Finding;
use crate::graph::{ModuleGraph, NodeId};
use crate::policy::Policy;
use crate::rules::{Context, Earlier, States};
use crate::session::batches::{Batch, Crossing, Obstacle};
use crate::session::load::{self, LoadedGraph};
use crate::session::parse_cache::ParseCache;
use crate::session::roots;
use crate::session::threads::one_in_each;
use crate::vfs::Snapshot;

/// What all engines together say.
#[derive(Debug, Default)]
pub(super) struct BatchResult {
    /// The engines that looked, Terraform first.
    pub(super) engines: BTreeSet<Engine>,
    /// By directory: the engines that looked at the module there.
    pub(super) looked: BTreeMap<SmolStr, Vec<Engine>>,
    /// What was found, with the engine where only one of two says so.
    pub(super) findings: Vec<(Finding, Option<Product>)>,
    /// By engine: the modules as it saw them, if they were to be kept.
    pub(super) trees: BTreeMap<Engine, ModuleGraph>,
    /// The roles of the modules.
    pub(super) roles: Roles,
    /// The directories that are no modules by the evidence of their files.
    pub(super) set_aside: BTreeSet<SmolStr>,
}

/// What is asked of the engines.
pub(super) struct Question<'q> {
    /// Those that were asked for.
    pub(super) choice: Option<&'q Choice>,
    /// The rules, and the policy that has them on.
    pub(super) active_rules: &'q ActiveRules<'q>,
    /// What it all was before a change.
    pub(super) earlier: Option<&'q Earlier>,
    /// Where rules note at which address a root module keeps its state.
    pub(super) states: &'q States,
    /// Whether the modules are to be kept.
    pub(super) keep: bool,
    /// How many bytes of files are looked at at a time.
    pub(super) batch: usize,
    /// Counts the directories that were looked at.
    pub(super) counts: &'q Counts,
}

/// Looks at every module with the engines that it is for.
pub(super) fn look(snapshot: &mut Snapshot, cache: &mut ParseCache, question: &Question<'_>) -> BatchResult {
    cache.has_root = roots::are_in(snapshot, question.active_rules.policy);
    cache.share_among(snapshot);
    // What is to be kept is small, and has to be one tree.
    let batches =
        if question.keep { vec![Batch::whole(snapshot)] } else { Batch::all(snapshot, question.batch) };
    in_batches(snapshot, cache, batches, question).unwrap_or_else(|Crossing| {
        let whole = vec![Batch::whole(snapshot)];
        in_batches(snapshot, cache, whole, question).expect("what is whole has nowhere else to lead to")
    })
}

fn in_batches(
    snapshot: &mut Snapshot,
    cache: &mut ParseCache,
    batches: Vec<Batch>,
    question: &Question<'_>,
) -> Result<BatchResult, Crossing> {
    question.counts.expect(batches.iter().map(|batch| batch.directories.len()).sum());
    let mut seen = BatchResult::default();
    let first =
        if batches.len() > 1 { side_by_side(snapshot, cache, &batches, question) } else { Vec::new() };
    let mut first = first.into_iter();
    for mut batch in batches {
        let (of_batch, read) = match first.next() {
            Some(Ok(looked)) => looked,
            Some(Err(Obstacle::Crossing)) => return Err(Crossing),
            // By itself, it may have read what it asks for.
            Some(Err(Obstacle::Unread(_))) | None => {
                let mut read = cache.another();
                let look = |snapshot: &Snapshot, batch: &Batch| look_at(snapshot, &mut read, batch, question);
                (batch.look(snapshot, look)?, read)
            }
        };
        seen.add(of_batch);
        cache.take(read);
    }
    Ok(seen)
}

/// Looks at batches, as far as nothing more has to be read for that.
fn side_by_side(
    snapshot: &Snapshot,
    cache: &ParseCache,
    batches: &[Batch],
    question: &Question<'_>,
) -> Vec<Result<(BatchResult, ParseCache), Obstacle>> {
    one_in_each(batches, |batch| {
        let mut read = cache.another();
        Ok((look_at(snapshot, &mut read, batch, question)?, read))
    })
}

/// Looks at a batch of modules with the engines that each is for, and keeps of the files what is asked for at the end.
///
/// One engine looks after the other, and what it has built goes when it is done: modules are the largest thing that a
/// run holds.
fn look_at(
    snapshot: &Snapshot,
    cache: &mut ParseCache,
    batch: &Batch,
    question: &Question<'_>,
) -> Result<BatchResult, Obstacle> {
    let policy = question.active_rules.policy;
    let mut collected = EngineResults::new(question);
    let mut selection = ask(snapshot, cache, batch, question.choice, policy, &mut |cache, loaded, roots| {
        collected.add(snapshot, cache, loaded, &roots)
    })?;
    let mut merged = MergedResults::of(&mut collected.results, snapshot, cache);
    if selection.by_syntax(&collected.results, &merged) {
        collected = EngineResults::new(question);
        for engine in selection.roots.keys() {
            let loaded = load::load(snapshot, cache, batch, policy, *engine)?;
            let roots = selection.roots_in(&loaded.graph);
            collected.add(snapshot, cache, loaded, &roots);
        }
        merged = MergedResults::of(&mut collected.results, snapshot, cache);
    }
    question.counts.add(batch.directories.len());
    let EngineResults { results, trees, roles, set_aside, .. } = collected;
    let positive = selection.positive_directories(&results);
    let mut findings = merged.together(&|directory| positive.contains(directory));
    capped::cap(&mut findings);
    concerns::state(findings.iter_mut().map(|(finding, _)| finding), cache.files());
    cache.put_away(|id| may_excuse(snapshot.sources().get(id)));
    let mut looked: BTreeMap<SmolStr, Vec<Engine>> = BTreeMap::new();
    for result in &results {
        for directory in result.directories() {
            looked.entry(directory.clone()).or_default().push(result.engine);
        }
    }
    for (engine, directories) in selection.spared {
        for directory in directories {
            let engines = looked.entry(directory).or_default();
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
    }
    Ok(BatchResult {
        engines: selection.roots.keys().copied().collect(),
        looked,
        findings,
        trees,
        roles,
        set_aside,
    })
}

impl BatchResult {
    /// Adds what is said of other modules.
    fn add(&mut self, other: Self) {
        self.engines.extend(other.engines);
        self.looked.extend(other.looked);
        self.findings.extend(other.findings);
        self.trees.extend(other.trees);
        self.roles.extend(other.roles);
        self.set_aside.extend(other.set_aside);
    }
}

/// What was collected so far.
struct EngineResults<'q> {
    question: &'q Question<'q>,
    results: Vec<EngineResult>,
    trees: BTreeMap<Engine, ModuleGraph>,
    roles: Roles,
    set_aside: BTreeSet<SmolStr>,
}

impl<'q> EngineResults<'q> {
    fn new(question: &'q Question<'q>) -> Self {
        Self {
            question,
            results: Vec::new(),
            trees: BTreeMap::new(),
            roles: Roles::new(),
            set_aside: BTreeSet::new(),
        }
    }
}

impl EngineResults<'_> {
    /// Listens to what is to be said of the modules that an engine sees, as far as those roots lead to them. Gives the
    /// directories of which the next engine would say the same: nothing.
    fn add(
        &mut self,
        snapshot: &Snapshot,
        cache: &ParseCache,
        loaded: LoadedGraph,
        roots: &[NodeId],
    ) -> BTreeSet<SmolStr> {
        let context = Context::new(snapshot, cache.files(), self.question.earlier, self.question.states);
        let mut surveyed = loaded.validation(roots, snapshot);
        let mut findings = std::mem::take(&mut surveyed.findings);
        let set_aside = &surveyed.set_aside;
        findings.extend(self.question.active_rules.findings(&loaded.graph, roots, set_aside, &context));
        for id in set_aside {
            self.set_aside.insert(loaded.graph.node(*id).module().directory.clone());
        }
        for node in loaded.graph.nodes() {
            self.roles.entry(node.module().directory.clone()).or_default().insert(node.role());
        }
        // Who keeps the modules wants to have them of every engine, and who was asked for is asked.
        let is_free =
            !self.question.keep && self.question.earlier.is_none() && self.question.choice.is_none();
        let alike = if is_free {
            equivalence::directories(&loaded.graph, roots, &surveyed, &findings, snapshot)
        } else {
            BTreeSet::new()
        };
        self.results.push(EngineResult::new(&loaded.graph, roots, findings, snapshot));
        if self.question.keep {
            self.trees.insert(loaded.graph.engine(), loaded.graph);
        } else {
            loaded.discard();
        }
        alike
    }
}

/// Every module with the eyes of the engines that were asked for, or that files speak for, and by engine the root
/// modules that are for it.
pub(super) fn sights(
    snapshot: &mut Snapshot,
    cache: &mut ParseCache,
    choice: Option<&Choice>,
    policy: &Policy,
) -> BTreeMap<Engine, (LoadedGraph, Vec<NodeId>)> {
    cache.has_root = roots::are_in(snapshot, policy);
    cache.share_among(snapshot);
    let look = |snapshot: &Snapshot, batch: &Batch| {
        let mut sights = BTreeMap::new();
        ask(snapshot, cache, batch, choice, policy, &mut |_, loaded, roots| {
            sights.insert(loaded.graph.engine(), (loaded, roots));
            BTreeSet::new()
        })?;
        Ok(sights)
    };
    Batch::whole(snapshot).look(snapshot, look).expect("what is whole has nowhere else to lead to")
}

/// Gets what an engine sees, and which of the root modules are for it, and returns the directories at which the
/// next one need not look.
type Listener<'l> = &'l mut dyn FnMut(&ParseCache, LoadedGraph, Vec<NodeId>) -> BTreeSet<SmolStr>;

/// Looks with every engine that was asked for, or that files speak for, one after the other.
fn ask(
    snapshot: &Snapshot,
    cache: &mut ParseCache,
    batch: &Batch,
    choice: Option<&Choice>,
    policy: &Policy,
    listen: Listener<'_>,
) -> Result<Selection, Obstacle> {
    let mut selection = Selection::default();
    let asked = choice.map(Choice::engines);
    let engines = asked.map_or_else(|| Product::ALL.map(Engine::newest).to_vec(), <[Engine]>::to_vec);
    let mut spared = BTreeSet::new();
    for engine in engines {
        let batch = &batch.sparing(&spared, snapshot);
        let loaded = load::load(snapshot, cache, batch, policy, engine)?;
        if asked.is_some() {
            selection.all(&loaded.graph);
        } else {
            selection.by_files(snapshot, &loaded.graph);
            selection.spare(engine, &spared);
        }
        let is_meant = |other: &Engine| match asked {
            Some(_) => *other == engine,
            None => other.product == engine.product,
        };
        let mut first = Some(loaded);
        for meant in selection.roots.keys().filter(|other| is_meant(other)) {
            let loaded = match first.take_if(|loaded| loaded.graph.engine() == *meant) {
                Some(loaded) => loaded,
                None => load::load(snapshot, cache, batch, policy, *meant)?,
            };
            let roots = selection.roots_in(&loaded.graph);
            spared.extend(listen(cache, loaded, roots));
        }
    }
    Ok(selection)
}
