//! Turns a working tree into one tree of modules for each engine that looks at it.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::engine::Engine;
use crate::finding::{EngineRule, Finding, Stage};
use crate::graph::{Callee, ModuleDiagnostics, ModuleGraph, NodeId, Surroundings, Validation};
use crate::module::address::ModuleSource;
use crate::module::declaration::ModuleCall;
use crate::policy::Policy;
use crate::session::batches::{Batch, Obstacle};
use crate::session::fragments::{self, Evidence};
use crate::session::parse_cache::{Built, ParseCache};
use crate::session::test_files::Tests;
use crate::session::values_files;
use crate::text::Span;
use crate::vfs::{Directory, Reached, Snapshot, join};

/// All modules as one engine sees them, with what is wrong in their files.
#[derive(Debug)]
pub(crate) struct LoadedGraph {
    pub(crate) graph: ModuleGraph,
    /// By node: what is wrong with its files taken by themselves.
    pub(crate) findings: Vec<Vec<Finding>>,
    /// By node: what is wrong with its tests taken by themselves. They are read where a command runs in its directory,
    /// and not where it is called.
    test_findings: Vec<Vec<Finding>>,
}

/// What an engine says of modules.
#[derive(Debug, Default)]
pub(crate) struct Validated {
    /// Everything that is wrong with them.
    pub(crate) findings: Vec<Finding>,
    /// Those that are no modules by the evidence of their files, so that no rule looks at them.
    pub(crate) set_aside: BTreeSet<NodeId>,
    /// Those that name types where others expect a value.
    pub(crate) naming_types: BTreeSet<NodeId>,
}

/// Looks at a batch of modules with the eyes of one engine.
pub(crate) fn look(
    snapshot: &Snapshot,
    cache: &mut ParseCache,
    batch: &Batch,
    policy: &Policy,
    engine: Engine,
) -> Result<LoadedGraph, Obstacle> {
    let directories = batch.directories(snapshot);
    cache.read(snapshot, &directories);
    let built: Vec<(usize, Built)> = directories
        .into_par_iter()
        .filter(|number| !snapshot.directory_at(*number).module_files(engine).is_empty())
        .map(|number| (number, cache.build(snapshot.directory_at(number), engine)))
        .collect();
    let graph = ModuleGraph::new(engine).reading(cache.named_files.clone());
    let mut loaded = LoadedGraph { graph, findings: Vec::new(), test_findings: Vec::new() };
    let is_in_library = !cache.has_root;
    let former_roles = cache.former_roles.clone();
    let around = |number| {
        let Directory { path, has_lock_file, has_values, .. } = snapshot.directory_at(number);
        Surroundings {
            role: policy.role(path),
            has_lock_file: *has_lock_file,
            has_values: *has_values,
            is_called_from_outside: snapshot.is_called_from_outside(path),
            is_used_from_outside: snapshot.is_used_from_outside(path),
            is_in_library,
            former: former_roles.get(path).copied(),
        }
    };
    let mut nodes = BTreeMap::new();
    for (number, built) in built {
        let node = loaded.add(built, around(number));
        loaded.add_tests(node, snapshot, cache, batch);
        loaded.set_values(node, snapshot, cache);
        nodes.insert(number, node);
    }
    let mut unread = BTreeSet::new();
    let mut next: Vec<NodeId> = nodes.values().rev().copied().collect();
    while let Some(caller) = next.pop() {
        let module = loaded.graph.node(caller).module();
        let directory = module.directory.clone();
        let address = |call: &ModuleCall| call.source.as_ref().and_then(|source| source.address.clone());
        let calls: Vec<_> = module.calls.values().map(|call| (call.name.clone(), address(call))).collect();
        let refused: Vec<SmolStr> = module.refused_paths().collect();
        let runs = loaded.graph.node(caller).run_modules();
        let mut reach = |loaded: &mut LoadedGraph, path: &str| {
            let Some(path) = join(&directory, path) else { return Ok(Callee::Outside) };
            Ok(match batch.reached(&path, snapshot) {
                Some(Reached::Directory(number)) if !batch.has(number) => return Err(Obstacle::Crossing),
                Some(Reached::Directory(number)) => {
                    Callee::Module(*nodes.entry(number).or_insert_with(|| {
                        cache.read(snapshot, &[number]);
                        let built = cache.build(snapshot.directory_at(number), engine);
                        let node = loaded.add(built, around(number));
                        loaded.add_tests(node, snapshot, cache, batch);
                        loaded.set_values(node, snapshot, cache);
                        next.push(node);
                        node
                    }))
                }
                Some(Reached::Missing) => Callee::Missing,
                Some(Reached::Outside) => Callee::Outside,
                Some(Reached::Foreign) => Callee::Opaque,
                None => {
                    unread.insert(path);
                    Callee::Opaque
                }
            })
        };
        for (name, address) in calls {
            let callee = match address {
                Some(ModuleSource::Local(path)) => reach(&mut loaded, &path)?,
                Some(ModuleSource::Registry(_) | ModuleSource::Remote(_)) | None => Callee::Opaque,
            };
            loaded.graph.link(caller, &name, callee);
        }
        for (number, address) in runs {
            let callee = match address {
                Some(ModuleSource::Local(path)) => reach(&mut loaded, &path)?,
                Some(ModuleSource::Registry(_) | ModuleSource::Remote(_)) | None => Callee::Opaque,
            };
            loaded.graph.link_run(caller, number, callee);
        }
        for path in refused {
            if let Callee::Module(child) = reach(&mut loaded, &path)? {
                loaded.graph.link_refused(caller, child);
            }
        }
    }
    if let Some(generated) = cache.units.anywhere() {
        loaded.graph.may_be_run(generated);
    }
    if !unread.is_empty() {
        return Err(Obstacle::Unread(unread));
    }
    loaded.bind_to_callers();
    Ok(loaded)
}

impl LoadedGraph {
    fn add(&mut self, built: Built, around: Surroundings) -> NodeId {
        let broken = built.is_broken();
        self.findings.push(built.findings);
        let node = self.graph.add(built.module, broken);
        self.graph.run_by(node, built.run_by);
        self.graph.surround(node, around);
        node
    }

    /// Adds the tests of a module.
    fn add_tests(&mut self, id: NodeId, snapshot: &Snapshot, cache: &ParseCache, batch: &Batch) {
        let directory = &self.graph.node(id).module().directory;
        let reached = |path: &str| batch.reached(path, snapshot);
        let tests = Tests::of(snapshot, cache, directory, self.graph.engine(), &reached);
        self.test_findings.push(tests.findings);
        self.graph.set_tests(id, tests.files, tests.has_values_files);
    }

    /// Adds what files set the variables of a module to.
    fn set_values(&mut self, node: NodeId, snapshot: &Snapshot, cache: &ParseCache) {
        let directory = &self.graph.node(node).module().directory;
        let files = values_files::of_module(directory, snapshot, cache);
        self.graph.set_values(node, files);
    }

    /// Judges modules by the versions of the engine that their callers are for, where these are not modelled.
    fn bind_to_callers(&mut self) {
        for (id, versions) in self.graph.bound_by_callers() {
            self.graph.bind(id, versions, &mut self.findings[id.number()]);
        }
    }

    /// Looks at the modules that some of these roots lead to.
    pub(crate) fn validation(&self, roots: &[NodeId], snapshot: &Snapshot) -> Validated {
        let validation = Validation::of(&self.graph, roots);
        let sources = snapshot.sources();
        let mut diagnostics: Vec<(NodeId, ModuleDiagnostics)> =
            validation.modules().par_iter().map(|id| (*id, validation.of_module(*id, sources))).collect();
        let mut validated = Validated::default();
        for (id, found) in &mut diagnostics {
            let own = &self.findings[id.number()];
            let of_tests = &self.test_findings[id.number()];
            let all: Vec<&Finding> = own.iter().chain(&found.findings).collect();
            match fragments::evidence(self.graph.node(*id), snapshot, &all) {
                None if self.graph.node(*id).module().excluded => {
                    validated.findings.extend(own.iter().cloned());
                }
                None => validated.findings.extend(own.iter().chain(of_tests).cloned()),
                Some(evidence) => {
                    found.findings.clear();
                    validated.set_aside.insert(*id);
                    if let Evidence::Fragments(finding) = evidence {
                        validated.findings.push(*finding);
                    }
                }
            }
            if found.names_types {
                validated.naming_types.insert(*id);
            }
        }
        validated.findings.extend(diagnostics.into_iter().flat_map(|(_, found)| found.findings));
        validated.findings.extend(validation.of_ways());
        validated.findings = once(validated.findings);
        validated
    }

    /// Gives back its memory before something else as large takes its place.
    pub(crate) fn discard(self) {
        self.graph.into_modules().into_par_iter().for_each(drop);
    }
}

/// Leaves out what is found once more after loading: the engine would not have got there.
fn once(findings: Vec<Finding>) -> Vec<Finding> {
    let place = |finding: &Finding| (finding.rule.as_str().to_owned(), finding.primary);
    let loading = findings.iter().filter(|finding| finding.stage == Stage::Load && finding.primary.is_some());
    let told: BTreeSet<_> = loading.map(place).collect();
    let cycles = findings.iter().filter(|finding| is_cycle(finding) && finding.stage == Stage::Load);
    let cycles: Vec<Span> = cycles.filter_map(|finding| finding.primary).collect();
    let in_cycle = |span: Span| cycles.iter().any(|cycle| cycle.overlaps(span));
    let in_told_cycle =
        |finding: &Finding| is_cycle(finding) && finding.related.iter().any(|other| in_cycle(other.span));
    let is_told = |finding: &Finding| {
        finding.stage == Stage::Validate && (told.contains(&place(finding)) || in_told_cycle(finding))
    };
    findings.into_iter().filter(|finding| !is_told(finding)).collect()
}

fn is_cycle(finding: &Finding) -> bool {
    finding.rule == EngineRule::ReferenceCycle.id()
}
