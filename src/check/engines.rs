//! Checks all modules, batch by batch, with the engines that each is written for, and merges the results.

pub(super) mod capped;
mod equivalence;
mod installed;
mod merge_results;
mod only_syntax;
mod refused;
mod result;
mod selection;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::check::active_rules::ActiveRules;
use crate::check::engines::capped::{Reported, RunFindings};
use crate::check::engines::merge_results::MergedResults;
use crate::check::engines::result::EngineResult;
use crate::check::engines::selection::Selection;
use crate::check::fingerprint::concerns;
use crate::check::settings::{Roles, Settings};
use crate::check::suppress::exceptions::may_contain_exceptions;
use crate::engine::{Choice, Engine, Product};
use crate::graph::{Callee, ModuleGraph, NodeId};
use crate::policy::Policy;
use crate::rules::{Context, Earlier, ReadOutputsOfModules, States};
use crate::session::batches::{Batch, Crossing, Obstacle};
use crate::session::installed::Coverage;
use crate::session::load::{self, LoadedGraph};
use crate::session::parse_cache::ParseCache;
use crate::session::roots;
use crate::session::threads::{discard, one_in_each};
use crate::syntax::File;
use crate::text::{FileId, Span};
use crate::vfs::Snapshot;

/// The result of checking modules with all engines.
#[derive(Debug, Default)]
pub(super) struct BatchResult {
    /// The engines that checked at least one module, Terraform first.
    pub(super) engines: BTreeSet<Engine>,
    /// The engines that checked the module of each directory.
    pub(super) checked_by: BTreeMap<SmolStr, Vec<Engine>>,
    /// All findings of a batch, until they are added to those of the run.
    findings: Vec<Reported>,
    /// The graph of each engine, if [`EngineCheck::keeps_graphs`].
    pub(super) graphs: BTreeMap<Engine, ModuleGraph>,
    /// By directory of a root module that is checked for one product because of its syntax: the product, and a place.
    pub(super) assumed: BTreeMap<SmolStr, (Product, Span)>,
    /// The roles of each module.
    pub(super) roles: Roles,
    /// The directories whose files show that they are not modules.
    pub(super) not_modules: BTreeSet<SmolStr>,
    /// The calls of modules from other repositories, if installed modules are wanted.
    pub(super) coverage: Coverage,
    /// The calls of directories that may not be read, outside a repository.
    pub(super) unread_calls: BTreeSet<(SmolStr, SmolStr)>,
    /// The result of each engine, until they are merged.
    of_engines: Vec<EngineResult>,
    /// Data that is no longer read.
    unneeded: Unneeded,
}

/// Data that is no longer read after a batch is checked.
#[derive(Debug, Default)]
struct Unneeded {
    /// The graph of all modules, if no other engine checks one of them.
    graph: Option<LoadedGraph>,
    files: Vec<(FileId, File)>,
}

/// What to check, and what to check it against.
pub(super) struct EngineCheck<'r> {
    /// The policy and the options.
    pub(super) settings: &'r Settings,
    /// The rules that are on, with their policy.
    pub(super) active_rules: &'r ActiveRules<'r>,
    /// The repository before the change.
    pub(super) earlier: Option<&'r Earlier>,
    /// Collects the state address of each root module.
    pub(super) states: &'r States,
    /// Whether the result keeps the graphs, so that a later check can compare with them.
    pub(super) keeps_graphs: bool,
    /// The size of a batch in bytes of files.
    pub(super) batch_bytes: usize,
}

impl EngineCheck<'_> {
    /// The engines that an option or the policy chooses.
    fn choice(&self) -> Option<&Choice> {
        self.settings.engines.as_ref().or(self.settings.policy.engine())
    }
}

/// Checks every module with the engines that it is written for.
pub(super) fn check_all<'s>(
    snapshot: &mut Snapshot,
    cache: &mut ParseCache,
    request: &EngineCheck<'s>,
) -> (BatchResult, RunFindings<'s>) {
    cache.has_root = roots::are_in(snapshot, request.active_rules.policy);
    cache.share_among(snapshot);
    // Graphs that are kept have to be whole. They are small.
    let batches = if request.keeps_graphs {
        vec![Batch::whole(snapshot)]
    } else {
        Batch::all(snapshot, request.batch_bytes)
    };
    check_batches(snapshot, cache, batches, request).unwrap_or_else(|Crossing| {
        let whole = vec![Batch::whole(snapshot)];
        check_batches(snapshot, cache, whole, request).expect("no call leaves a batch of all modules")
    })
}

fn check_batches<'s>(
    snapshot: &mut Snapshot,
    cache: &mut ParseCache,
    batches: Vec<Batch>,
    request: &EngineCheck<'s>,
) -> Result<(BatchResult, RunFindings<'s>), Crossing> {
    request.settings.counts.expect(batches.iter().map(|batch| batch.directories.len()).sum());
    let mut result = BatchResult::default();
    let findings = Mutex::new(RunFindings::new(snapshot, request.settings));
    let add = |of_batch: &mut BatchResult, snapshot: &Snapshot| {
        let more = std::mem::take(&mut of_batch.findings);
        findings.lock().unwrap_or_else(PoisonError::into_inner).add(more, snapshot.sources());
    };
    let first = if batches.len() > 1 {
        check_in_parallel(snapshot, cache, &batches, request, &add)
    } else {
        Vec::new()
    };
    let mut first = first.into_iter();
    let is_only = batches.len() == 1;
    for mut batch in batches {
        let (mut of_batch, read) = match first.next() {
            Some(Ok(checked)) => checked,
            Some(Err(Obstacle::Crossing)) => return Err(Crossing),
            // A batch that is checked alone may read more files.
            Some(Err(Obstacle::Unread(_))) | None => {
                let mut read = cache.fork();
                let check =
                    |snapshot: &Snapshot, batch: &Batch| check_batch(snapshot, &mut read, batch, request);
                let mut checked = batch.retry(snapshot, check)?;
                add(&mut checked, snapshot);
                (checked, read)
            }
        };
        let unneeded = std::mem::take(&mut of_batch.unneeded);
        if is_only {
            // Freeing the memory takes a tenth of a run, and nothing else needs it.
            discard(unneeded);
        } else {
            unneeded.free();
        }
        result.add(of_batch);
        cache.join(read);
    }
    Ok((result, findings.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Checks batches that need no further files. `add` takes the findings of each.
fn check_in_parallel(
    snapshot: &Snapshot,
    cache: &ParseCache,
    batches: &[Batch],
    request: &EngineCheck<'_>,
    add: &(dyn Fn(&mut BatchResult, &Snapshot) + Sync),
) -> Vec<Result<(BatchResult, ParseCache), Obstacle>> {
    one_in_each(batches, |batch| {
        let mut read = cache.fork();
        let mut checked = check_batch(snapshot, &mut read, batch, request)?;
        std::mem::take(&mut checked.unneeded).free();
        add(&mut checked, snapshot);
        Ok((checked, read))
    })
}

/// Checks a batch of modules with the engines that each is written for.
///
/// The engines run one after the other, and each graph is dropped before the next is built: graphs take most of the
/// memory of a run. Files stay parsed only if exceptions may refer to them.
fn check_batch(
    snapshot: &Snapshot,
    cache: &mut ParseCache,
    batch: &Batch,
    request: &EngineCheck<'_>,
) -> Result<BatchResult, Obstacle> {
    let policy = request.active_rules.policy;
    let mut result = BatchResult::default();
    let mut selection =
        load_engines(snapshot, cache, batch, request.choice(), policy, &mut |cache, loaded, roots| {
            result.add_engine(request, snapshot, cache, loaded, &roots)
        })?;
    let mut merged = MergedResults::of(&mut result.of_engines, &selection.spared, snapshot, cache);
    if selection.by_syntax(&result.of_engines, &merged) {
        result = BatchResult::default();
        for engine in selection.roots.keys() {
            let loaded = load::load(snapshot, cache, batch, policy, *engine)?;
            let roots = selection.roots_in(&loaded.graph);
            result.add_engine(request, snapshot, cache, loaded, &roots);
        }
        merged = MergedResults::of(&mut result.of_engines, &selection.spared, snapshot, cache);
    }
    request.settings.counts.add(batch.directories.len());
    let of_engines = std::mem::take(&mut result.of_engines);
    let positive = selection.positive_directories(&of_engines);
    result.findings = merged.together(&|directory| positive.contains(directory));
    capped::settle(&mut result.findings);
    concerns::state(result.findings.iter_mut().map(|(finding, _)| finding), cache.files());
    result.unneeded.files = cache.evict(|id| may_contain_exceptions(snapshot.sources().get(id)));
    result.assumed = std::mem::take(&mut selection.assumed);
    result.engines = selection.roots.keys().copied().collect();
    for of_engine in &of_engines {
        for directory in of_engine.directories() {
            result.checked_by.entry(directory.clone()).or_default().push(of_engine.engine);
        }
    }
    for (engine, directories) in selection.spared {
        for directory in directories {
            let engines = result.checked_by.entry(directory).or_default();
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
    }
    Ok(result)
}

impl Unneeded {
    /// Frees the memory in all threads.
    fn free(self) {
        if let Some(graph) = self.graph {
            graph.discard();
        }
        self.files.into_par_iter().for_each(drop);
    }
}

impl BatchResult {
    /// Adds the result of other modules.
    fn add(&mut self, other: Self) {
        self.engines.extend(other.engines);
        self.checked_by.extend(other.checked_by);
        self.graphs.extend(other.graphs);
        self.assumed.extend(other.assumed);
        self.roles.extend(other.roles);
        self.not_modules.extend(other.not_modules);
        self.coverage.extend(other.coverage);
        self.unread_calls.extend(other.unread_calls);
    }

    /// Adds the findings of one engine for the modules that these roots call, directly or not. Returns the directories
    /// in which the next engine would find nothing else.
    fn add_engine(
        &mut self,
        request: &EngineCheck<'_>,
        snapshot: &Snapshot,
        cache: &ParseCache,
        mut loaded: LoadedGraph,
        roots: &[NodeId],
    ) -> BTreeSet<SmolStr> {
        for (call, is_covered) in std::mem::take(&mut loaded.coverage) {
            *self.coverage.entry(call).or_default() |= is_covered;
        }
        let read_outputs = ReadOutputsOfModules::default();
        let context = Context::new(snapshot, cache.files(), request.earlier, request.states, &read_outputs);
        let mut validated = loaded.validation(roots, snapshot);
        let mut findings = std::mem::take(&mut validated.findings);
        capped::cap(&mut findings);
        let not_modules = &validated.not_modules;
        findings.retain_mut(|finding| installed::is_kept(finding, snapshot));
        // The directories in which the next engine may find something else.
        let mut differing: BTreeSet<SmolStr> =
            findings.iter().map(|finding| finding.module.clone()).collect();
        for (id, mut finding) in request.active_rules.findings(&loaded.graph, roots, not_modules, &context) {
            let directory = &loaded.graph.node(id).module().directory;
            // The other module may be one that both engines check.
            if finding.module != *directory {
                differing.insert(directory.clone());
            }
            if installed::is_kept(&mut finding, snapshot) {
                findings.push(finding);
            }
        }
        for id in not_modules {
            self.not_modules.insert(loaded.graph.node(*id).module().directory.clone());
        }
        for node in loaded.graph.nodes() {
            let directory = &node.module().directory;
            self.roles.entry(directory.clone()).or_default().insert(node.role());
            if !snapshot.is_repository() {
                let unread = node.calls().filter(|(_, callee)| *callee == Callee::Outside);
                self.unread_calls.extend(unread.map(|(call, _)| (directory.clone(), call.name.clone())));
            }
        }
        // A comparison needs the modules of every engine, and a chosen engine checks every module.
        let may_skip = !request.keeps_graphs && request.earlier.is_none() && request.choice().is_none();
        let same = if may_skip {
            equivalence::directories(&loaded.graph, roots, &validated, &differing, snapshot)
        } else {
            BTreeSet::new()
        };
        self.of_engines.push(EngineResult::new(&loaded.graph, roots, findings, snapshot));
        if request.keeps_graphs {
            self.graphs.insert(loaded.graph.engine(), loaded.graph);
        } else if self.unneeded.graph.is_none() && same.len() == loaded.graph.nodes().count() {
            self.unneeded.graph = Some(loaded);
        } else {
            loaded.discard();
        }
        same
    }
}

/// Loads all modules with each chosen engine, or with those that the files are written for. Returns each graph with
/// the root modules that are written for its engine.
pub(super) fn load_all(
    snapshot: &mut Snapshot,
    cache: &mut ParseCache,
    choice: Option<&Choice>,
    policy: &Policy,
) -> BTreeMap<Engine, (LoadedGraph, Vec<NodeId>)> {
    cache.has_root = roots::are_in(snapshot, policy);
    cache.share_among(snapshot);
    let load = |snapshot: &Snapshot, batch: &Batch| {
        let mut loaded_graphs = BTreeMap::new();
        load_engines(snapshot, cache, batch, choice, policy, &mut |_, loaded, roots| {
            loaded_graphs.insert(loaded.graph.engine(), (loaded, roots));
            BTreeSet::new()
        })?;
        Ok(loaded_graphs)
    };
    Batch::whole(snapshot).retry(snapshot, load).expect("no call leaves a batch of all modules")
}

/// Takes the graph of an engine and the root modules that are written for it. Returns the directories that the next
/// engine can skip.
type OnLoaded<'l> = &'l mut dyn FnMut(&ParseCache, LoadedGraph, Vec<NodeId>) -> BTreeSet<SmolStr>;

/// Loads a batch with each chosen engine, or with those that the files are written for, one after the other.
fn load_engines(
    snapshot: &Snapshot,
    cache: &mut ParseCache,
    batch: &Batch,
    choice: Option<&Choice>,
    policy: &Policy,
    on_loaded: OnLoaded<'_>,
) -> Result<Selection, Obstacle> {
    let mut selection = Selection::default();
    let chosen = choice.map(Choice::engines);
    let engines = chosen.map_or_else(|| Product::ALL.map(Engine::newest).to_vec(), <[Engine]>::to_vec);
    let mut spared = BTreeSet::new();
    for engine in engines {
        let batch = &batch.sparing(&spared, snapshot);
        let loaded = load::load(snapshot, cache, batch, policy, engine)?;
        if chosen.is_some() {
            selection.all(&loaded.graph);
        } else {
            selection.by_files(snapshot, &loaded.graph);
            selection.spare(engine, &spared);
        }
        let is_selected = |other: &Engine| match chosen {
            Some(_) => *other == engine,
            None => other.product == engine.product,
        };
        let mut first = Some(loaded);
        for selected in selection.roots.keys().filter(|other| is_selected(other)) {
            let loaded = match first.take_if(|loaded| loaded.graph.engine() == *selected) {
                Some(loaded) => loaded,
                None => load::load(snapshot, cache, batch, policy, *selected)?,
            };
            let roots = selection.roots_in(&loaded.graph);
            spared.extend(on_loaded(cache, loaded, roots));
        }
    }
    Ok(selection)
}
