//! Loads the modules of a batch into a graph, as one engine sees them.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::engine::Engine;
use crate::finding::{EngineRule, Finding, MOST_OF_RULE, Stage, keep_first};
use crate::graph::{Callee, ModuleDiagnostics, ModuleGraph, NodeId, Surroundings, Validation};
use crate::module::address::ModuleSource;
use crate::module::declaration::ModuleCall;
use crate::policy::Policy;
use crate::session::batches::{Batch, Checked, Obstacle};
use crate::session::fragments::{self, Evidence};
use crate::session::installed::Coverage;
use crate::session::parse_cache::{Built, ParseCache};
use crate::session::placeholders;
use crate::session::plans::Plans;
use crate::session::shared_files::SharedFiles;
use crate::session::test_files::Tests;
use crate::session::values_files;
use crate::text::Span;
use crate::vfs::{Directory, Reached, Snapshot, join};

/// A graph of modules as one engine sees them, with the findings in their files.
#[derive(Debug)]
pub(crate) struct LoadedGraph {
    pub(crate) graph: ModuleGraph,
    /// By node: findings in its module files that do not depend on other modules.
    pub(crate) findings: Vec<Vec<Finding>>,
    /// By node: findings in its test files. The engine reads these files only if a command runs in the directory of
    /// the module, not if the module is called.
    test_findings: Vec<Vec<Finding>>,
    /// The calls of modules from other repositories, if installed modules are wanted.
    pub(crate) coverage: Coverage,
    /// See [`Batch::checked`].
    checked: Checked,
}

/// The result of validating modules with one engine.
#[derive(Debug, Default)]
pub(crate) struct Validated {
    /// All findings.
    pub(crate) findings: Vec<Finding>,
    /// Directories whose files show that they are not modules. No rule checks them.
    pub(crate) not_modules: BTreeSet<NodeId>,
    /// Modules that name a type where a value is expected.
    pub(crate) naming_types: BTreeSet<NodeId>,
}

/// Loads a batch of modules, and those that they call, as one engine does.
///
/// # Errors
///
/// An [`Obstacle`] if the batch lacks a module or a file that the calls lead to.
pub(crate) fn load(
    snapshot: &Snapshot,
    cache: &mut ParseCache,
    batch: &Batch,
    policy: &Policy,
    engine: Engine,
) -> Result<LoadedGraph, Obstacle> {
    let directories = batch.directories(snapshot);
    cache.read(snapshot, &directories);
    let mut graph = ModuleGraph::new(engine).reading(cache.named_files.clone());
    let built: Vec<(usize, Built)> = directories
        .into_par_iter()
        .filter(|number| !snapshot.directory_at(*number).module_files(engine).is_empty())
        .map(|number| (number, cache.build(snapshot.directory_at(number), graph.features())))
        .collect();
    graph.reserve(built.len());
    let (findings, test_findings) = (Vec::new(), Vec::new());
    let (coverage, checked) = (Coverage::new(), batch.checked);
    let result = LoadedGraph { graph, findings, test_findings, coverage, checked };
    let (nodes, queue, unread) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    let mut loader = Loader { snapshot, cache, batch, policy, result, nodes, queue, unread };
    for (number, built) in built {
        loader.add(number, built);
    }
    loader.queue.reverse();
    loader.link_all()?;
    loader.follow_links();
    let Loader { cache, mut result, unread, .. } = loader;
    if let Some(generated) = cache.units.anywhere() {
        result.graph.may_be_run(generated);
    }
    if !unread.is_empty() {
        return Err(Obstacle::Unread(unread));
    }
    result.bind_to_callers();
    Ok(result)
}

/// A graph that is being loaded.
struct Loader<'l> {
    snapshot: &'l Snapshot,
    cache: &'l mut ParseCache,
    batch: &'l Batch,
    policy: &'l Policy,
    result: LoadedGraph,
    /// By the number of the directory.
    nodes: BTreeMap<usize, NodeId>,
    /// The modules whose calls are not linked yet.
    queue: Vec<NodeId>,
    /// The called directories that must be read first.
    unread: BTreeSet<String>,
}

impl Loader<'_> {
    /// Adds the module of a directory, with its tests and the values of its variables, and queues its calls.
    fn add(&mut self, number: usize, built: Built) -> NodeId {
        let Directory { path, has_lock_file, has_values, .. } = self.snapshot.directory_at(number);
        let surroundings = Surroundings {
            role: self.policy.role(path),
            has_lock_file: *has_lock_file,
            has_values: *has_values,
            is_called_from_outside: self.snapshot.is_called_from_outside(path),
            is_used_from_outside: self.snapshot.is_used_from_outside(path),
            is_in_library: !self.cache.has_root,
            is_installed: self.snapshot.is_installed(path),
            former: self.cache.former_roles.get(path).copied(),
        };
        let reached = |path: &str| self.batch.reached(path, self.snapshot);
        let graph = &mut self.result.graph;
        let tests = Tests::of(self.snapshot, self.cache, path, graph.engine(), &reached);
        let broken = built.is_broken();
        let node = graph.add(built.module, broken);
        graph.run_by(node, built.run_by);
        graph.surround(node, surroundings);
        graph.set_tests(node, tests.files);
        graph.set_values(node, values_files::of_module(path, self.snapshot, self.cache));
        let mut findings = built.findings;
        // One more than are reported shows that there are more.
        keep_first(&mut findings, MOST_OF_RULE + 1);
        self.result.findings.push(findings);
        self.result.test_findings.push(tests.findings);
        self.nodes.insert(number, node);
        self.queue.push(node);
        node
    }

    /// Links each call to the module that it leads to, and adds modules that are not in the graph yet.
    fn link_all(&mut self) -> Result<(), Obstacle> {
        while let Some(caller) = self.queue.pop() {
            let node = self.result.graph.node(caller);
            let module = node.module();
            let directory = module.directory.clone();
            let address = |call: &ModuleCall| call.source.as_ref().and_then(|source| source.address.clone());
            let (features, is_installed) = (&module.features, node.is_installed());
            let installed = |call: &ModuleCall| self.cache.installed.find(&directory, call, features);
            let installed = |call: &ModuleCall| self.snapshot.directory_number(installed(call)?);
            let calls: Vec<_> = module
                .calls
                .values()
                .map(|call| (call.name.clone(), address(call), installed(call)))
                .collect();
            let refused: Vec<SmolStr> = module.refused_paths().collect();
            let runs = node.run_modules();
            for (name, address, installed) in calls {
                let is_local = matches!(address, Some(ModuleSource::Local(_)));
                if self.cache.installed.is_wanted && !is_installed && !is_local && address.is_some() {
                    let coverage = self.result.coverage.entry((directory.clone(), name.clone()));
                    *coverage.or_default() |= installed.is_some();
                }
                let callee = match installed {
                    Some(number) if !is_local || is_installed => self.installed(number)?,
                    // The directories of an installed module are known by its manifest alone.
                    _ if is_installed => Callee::Opaque,
                    _ => self.callee(&directory, address)?,
                };
                self.result.graph.link(caller, &name, callee);
            }
            for (number, address) in runs {
                let callee = self.callee(&directory, address)?;
                self.result.graph.link_run(caller, number, callee);
            }
            for path in refused {
                if let Callee::Module(child) = self.at(&directory, &path)? {
                    self.result.graph.link_refused(caller, child);
                }
            }
        }
        Ok(())
    }

    /// Marks modules as called that calls lead to through symbolic links.
    fn follow_links(&mut self) {
        for (number, link) in &self.nodes {
            let Directory { path, real, .. } = self.snapshot.directory_at(*number);
            let real = Some(real).filter(|real| *real != path);
            let real = real.and_then(|real| self.nodes.get(&self.snapshot.directory_number(real)?));
            if let Some(module) = real {
                self.result.graph.called_through(*module, *link);
            }
        }
    }

    /// Returns what a source in a directory leads to.
    fn callee(&mut self, directory: &str, source: Option<ModuleSource>) -> Result<Callee, Obstacle> {
        match source {
            Some(ModuleSource::Local(path)) => self.at(directory, &path),
            Some(ModuleSource::Registry(_) | ModuleSource::Remote(_)) | None => Ok(Callee::Opaque),
        }
    }

    /// Returns the installed module of a directory.
    fn installed(&mut self, number: usize) -> Result<Callee, Obstacle> {
        if !self.batch.has(number) {
            return Err(Obstacle::Crossing);
        }
        let is_module =
            !self.snapshot.directory_at(number).module_files(self.result.graph.engine()).is_empty();
        Ok(if is_module { Callee::Module(self.module(number)) } else { Callee::Opaque })
    }

    /// Returns the module of a directory, and adds it if it is not in the graph yet.
    fn module(&mut self, number: usize) -> NodeId {
        if let Some(node) = self.nodes.get(&number) {
            return *node;
        }
        self.cache.read(self.snapshot, &[number]);
        let built = self.cache.build(self.snapshot.directory_at(number), self.result.graph.features());
        self.add(number, built)
    }

    /// Returns what a local path leads to, relative to a directory.
    fn at(&mut self, directory: &str, path: &str) -> Result<Callee, Obstacle> {
        let Some(path) = join(directory, path) else { return Ok(Callee::Outside) };
        Ok(match self.batch.reached(&path, self.snapshot) {
            Some(Reached::Directory(number)) if !self.batch.has(number) => return Err(Obstacle::Crossing),
            Some(Reached::Directory(number)) => Callee::Module(self.module(number)),
            Some(Reached::Missing) => Callee::Missing,
            Some(Reached::Outside) => Callee::Outside,
            Some(Reached::Foreign) => Callee::Opaque,
            None => {
                self.unread.insert(path);
                Callee::Opaque
            }
        })
    }
}

impl LoadedGraph {
    /// Reports modules whose callers require an engine version that is not modelled.
    fn bind_to_callers(&mut self) {
        for (id, versions) in self.graph.bound_by_callers() {
            self.graph.bind(id, versions, &mut self.findings[id.number()]);
        }
    }

    /// Validates the modules that these roots call, directly or not.
    pub(crate) fn validation(&self, roots: &[NodeId], snapshot: &Snapshot) -> Validated {
        let validation = Validation::of(&self.graph, roots);
        let sources = snapshot.sources();
        let of_module = |id: &NodeId| (*id, validation.of_module(*id, None, sources));
        let mut diagnostics: Vec<(NodeId, ModuleDiagnostics)> =
            validation.modules().par_iter().map(of_module).collect();
        let mut plans = Plans::of(&self.graph, self.checked, &diagnostics);
        plans.complete(&validation, sources, &mut diagnostics);
        let mut validated = Validated::default();
        let mut shared_files = SharedFiles::new(self.graph.named_files());
        for (id, found) in &mut diagnostics {
            let own = &self.findings[id.number()];
            let of_tests = &self.test_findings[id.number()];
            let all: Vec<&Finding> = own.iter().chain(&found.findings).collect();
            match fragments::evidence(self.graph.node(*id), snapshot, &all) {
                None if self.graph.node(*id).module().excluded => {
                    validated.findings.extend(own.iter().cloned());
                }
                None => {
                    let own = placeholders::reduced(own, self.graph.node(*id).role());
                    validated.findings.extend(own.into_iter().chain(of_tests.iter().cloned()));
                    shared_files.complete(self.graph.node(*id), &mut found.findings);
                }
                Some(evidence) => {
                    found.findings.clear();
                    validated.not_modules.insert(*id);
                    if let Evidence::Fragments(finding) = evidence {
                        validated.findings.push(*finding);
                    }
                }
            }
            if found.names_types {
                validated.naming_types.insert(*id);
            }
        }
        let is_module = |id: &NodeId| !validated.not_modules.contains(id);
        let (mut calls, mut unevaluated) = (Vec::new(), BTreeMap::new());
        for (id, found) in diagnostics.iter_mut().filter(|(id, _)| is_module(id)) {
            calls.append(&mut found.planned.calls);
            if !found.unevaluated.is_empty() {
                unevaluated.insert(*id, std::mem::take(&mut found.unevaluated));
            }
        }
        validated.findings.extend(
            diagnostics.into_iter().flat_map(|(_, found)| found.findings.into_iter().chain(found.of_passing)),
        );
        plans.below(calls, &unevaluated, &mut validated.findings);
        validated.findings.extend(validation.of_ways());
        validated.findings = once(validated.findings);
        validated
    }

    /// Frees its memory in all threads.
    pub(crate) fn discard(self) {
        self.graph.into_modules().into_par_iter().for_each(drop);
    }
}

/// Drops findings of validation that repeat one of loading. The engine stops after a loading error.
fn once(findings: Vec<Finding>) -> Vec<Finding> {
    let place = |finding: &Finding| (finding.rule.as_str().to_owned(), finding.primary);
    let loading = findings.iter().filter(|finding| finding.stage == Stage::Load && finding.primary.is_some());
    let reported: BTreeSet<_> = loading.map(place).collect();
    let cycles = findings.iter().filter(|finding| is_cycle(finding) && finding.stage == Stage::Load);
    let cycles: Vec<Span> = cycles.filter_map(|finding| finding.primary).collect();
    let in_cycle = |span: Span| cycles.iter().any(|cycle| cycle.overlaps(span));
    let in_reported_cycle =
        |finding: &Finding| is_cycle(finding) && finding.related.iter().any(|other| in_cycle(other.span));
    let is_repeated = |finding: &Finding| {
        finding.stage == Stage::Validate && (reported.contains(&place(finding)) || in_reported_cycle(finding))
    };
    findings.into_iter().filter(|finding| !is_repeated(finding)).collect()
}

fn is_cycle(finding: &Finding) -> bool {
    finding.rule == EngineRule::ReferenceCycle.id()
}
