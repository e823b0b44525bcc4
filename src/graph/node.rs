//! Modules as one engine loads them, and the calls between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::addresses::AddressChange;
use super::evaluation::Locals;
use super::import_checks::ImportChecks;
use super::instance_keys::KnownInstances;
use super::location::Location;
use super::node_id::NodeId;
use super::providers::{ProviderChanges, Table, Uses};
use super::role::{Reason, Role, Surroundings};
use super::versions::VersionsBelow;
use super::versions::conflicts::Conflicts;
use crate::engine::{Engine, Features};
use crate::finding::Finding;
use crate::module::Module;
use crate::module::address::{ConfigAddress, ModuleSource, ProviderAddress};
use crate::module::declaration::ModuleCall;
use crate::module::terragrunt::{Generated, RunBy};
use crate::module::test_file::TestFile;
use crate::module::values::{TestValues, ValuesFile};
use crate::text::Span;
use crate::value::Value;
use crate::vfs::{NamedFiles, join};

/// The target of a module call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// A module of this graph.
    Module(NodeId),
    /// A directory that does not exist.
    Missing,
    /// A directory outside the allowed paths.
    Outside,
    /// A module of another repository, or one whose source is unknown before planning: nothing is assumed about it.
    Opaque,
}

impl Callee {
    /// The module of this graph.
    pub fn module(self) -> Option<NodeId> {
        match self {
            Self::Module(id) => Some(id),
            Self::Missing | Self::Outside | Self::Opaque => None,
        }
    }
}

/// All modules that one engine loads, with their calls.
#[derive(Debug)]
pub struct ModuleGraph {
    features: Arc<Features>,
    pub(super) nodes: Vec<NodeData>,
    /// The files that functions can read.
    pub(super) named_files: Arc<NamedFiles>,
    /// What was computed from all modules.
    pub(super) derived: Derived,
}

/// The calls of a module that start longer chains than the calls before them, with the number of calls in the chain.
pub(super) type LongestChains = Vec<(usize, SmolStr)>;

/// Results about all modules, each computed on first use.
#[derive(Debug, Default)]
pub(super) struct Derived {
    /// For each node, its provider declarations.
    pub(super) provider_tables: OnceLock<Vec<Table>>,
    /// For each node, the provider configurations that it uses.
    pub(super) uses: OnceLock<Vec<Uses>>,
    /// For each provider, the modules that use or require it, ascending.
    pub(super) users: OnceLock<HashMap<ProviderAddress, Vec<NodeId>>>,
    /// For each node, its role and the evidence for it.
    pub(super) roles: OnceLock<Vec<(Role, Reason)>>,
    /// The changes to provider configurations since an earlier state.
    pub(super) provider_changes: OnceLock<ProviderChanges>,
    /// The changes to the addresses of objects since an earlier state.
    pub(super) address_changes: OnceLock<Vec<AddressChange>>,
    /// For each node, the first module of its call cycle.
    pub(super) call_cycles: OnceLock<Vec<Option<NodeId>>>,
    /// For each node, its longest chains of calls.
    pub(super) longest_chains: OnceLock<Vec<LongestChains>>,
    /// For each node, the conflicts of version constraints in its subtree.
    pub(super) version_conflicts: OnceLock<Vec<Conflicts>>,
    /// For each node, the version of the engine that its subtree requires.
    pub(super) versions_below: OnceLock<Vec<VersionsBelow>>,
    /// For each node, the addresses in it that `moved` and `removed` blocks of its callers name.
    pub(super) left_by_callers: OnceLock<Vec<HashSet<ConfigAddress>>>,
    /// For each node, whether a root module with evidence leads to it.
    pub(super) below_roots: OnceLock<Vec<bool>>,
    /// For each node, whether it certainly has an instance in the plan of some root module.
    pub(super) planned: OnceLock<Vec<bool>>,
    /// For each node, its location relative to a root module.
    pub(super) locations: OnceLock<Vec<Location>>,
}

#[derive(Debug)]
pub(super) struct NodeData {
    /// Boxed, because lists of nodes are moved as they grow.
    pub(super) module: Box<Module>,
    /// Whether the engine reports errors in its files.
    pub(super) broken: bool,
    pub(super) around: Surroundings,
    /// The Terragrunt units that run it.
    pub(super) run_by: RunBy,
    pub(super) calls: BTreeMap<SmolStr, Callee>,
    pub(super) callers: Vec<(NodeId, SmolStr)>,
    /// The modules that its refused calls name.
    pub(super) named: Vec<NodeId>,
    /// The modules whose refused calls name it.
    pub(super) named_by: Vec<NodeId>,
    /// Its test files.
    pub(super) tests: Vec<Test>,
    /// The modules with runs that load it.
    pub(super) run_by_tests: Vec<NodeId>,
    /// The variable definitions files for it.
    pub(super) values_files: Vec<ValuesFile>,
    /// The values of its local values; computed on first use.
    pub(super) locals: OnceLock<Locals>,
    /// The names of its variables whose defaults fail their validations, with the errors; computed on first use.
    pub(super) refused_defaults: OnceLock<Vec<(SmolStr, Vec<Finding>)>>,
    /// Whether its validations that refer to several variables succeed with the defaults; computed on first use.
    pub(super) are_defaults_valid: OnceLock<bool>,
    /// The results for its imports; computed on first use.
    pub(super) imports: OnceLock<ImportChecks>,
    /// The value of an instance for the module that calls it; computed on first use.
    pub(super) instance: OnceLock<Value>,
    /// What is known about its instances, by the place of `count` or `for_each`; computed on first use.
    pub(super) known_instances: OnceLock<HashMap<Span, KnownInstances>>,
    /// The ends of the names of the files that its resources write; computed on first use.
    pub(super) written: OnceLock<Vec<SmolStr>>,
    /// Those of this module, its callers and the called modules that write files; computed on first use.
    pub(super) writers_around: OnceLock<Vec<NodeId>>,
}

/// A test file, and the modules that its runs load.
#[derive(Debug)]
pub struct Test {
    /// The declarations.
    pub file: TestFile,
    /// The values that variable definitions files give to variables.
    pub values: Arc<TestValues>,
    /// For each run, the target of its `module` block, or `None` for a run of the module under test.
    pub loads: Vec<Option<Callee>>,
}

/// A module in its graph.
#[derive(Debug, Clone, Copy)]
pub struct Node<'t> {
    pub(super) graph: &'t ModuleGraph,
    pub(super) id: NodeId,
}

impl ModuleGraph {
    /// A graph without modules.
    pub fn new(engine: Engine) -> Self {
        Self {
            features: engine.features(),
            nodes: Vec::new(),
            named_files: Arc::default(),
            derived: Derived::default(),
        }
    }

    /// The same graph, with files that functions can read.
    #[must_use]
    pub fn reading(self, named_files: Arc<NamedFiles>) -> Self {
        Self { named_files, ..self }
    }

    /// The files that functions can read.
    pub fn named_files(&self) -> &NamedFiles {
        &self.named_files
    }

    /// The engine that loads the modules.
    pub fn engine(&self) -> Engine {
        self.features.engine
    }

    /// The features of this engine.
    pub(crate) fn features(&self) -> &Arc<Features> {
        &self.features
    }

    /// Allocates space for so many modules.
    pub(crate) fn reserve(&mut self, modules: usize) {
        self.nodes.reserve_exact(modules);
    }

    /// Adds a module; `broken` is true if the engine reports errors in its files.
    pub fn add(&mut self, module: impl Into<Box<Module>>, broken: bool) -> NodeId {
        self.forget();
        self.nodes.push(NodeData {
            module: module.into(),
            broken,
            around: Surroundings::default(),
            run_by: RunBy::default(),
            calls: BTreeMap::new(),
            callers: Vec::new(),
            named: Vec::new(),
            named_by: Vec::new(),
            tests: Vec::new(),
            run_by_tests: Vec::new(),
            values_files: Vec::new(),
            locals: OnceLock::new(),
            refused_defaults: OnceLock::new(),
            are_defaults_valid: OnceLock::new(),
            imports: OnceLock::new(),
            instance: OnceLock::new(),
            known_instances: OnceLock::new(),
            written: OnceLock::new(),
            writers_around: OnceLock::new(),
        });
        NodeId(self.nodes.len() - 1)
    }

    /// Sets the information about a module that does not come from its files.
    pub fn surround(&mut self, id: NodeId, around: Surroundings) {
        self.forget();
        self.nodes[id.0].around = around;
    }

    /// Sets the test files of a module. The targets of their runs are unknown before [`ModuleGraph::link_run`].
    pub fn set_tests(&mut self, id: NodeId, files: Vec<(TestFile, Arc<TestValues>)>) {
        let opaque = |file: &TestFile| {
            file.runs.iter().map(|run| run.module.as_ref().map(|_| Callee::Opaque)).collect()
        };
        let tests = files.into_iter().map(|(file, values)| Test { loads: opaque(&file), values, file });
        self.nodes[id.0].tests = tests.collect();
    }

    /// Sets the target of the `module` block of a run, given by the numbers of the test file and the run.
    pub fn link_run(&mut self, id: NodeId, (test, run): (usize, usize), leads_to: Callee) {
        self.forget();
        self.nodes[id.0].tests[test].loads[run] = Some(leads_to);
        if let Callee::Module(child) = leads_to {
            self.nodes[child.0].run_by_tests.push(id);
        }
    }

    /// Sets the variable definitions files of a module.
    pub fn set_values(&mut self, id: NodeId, files: Vec<ValuesFile>) {
        self.nodes[id.0].values_files = files;
    }

    /// Sets the Terragrunt units that run a module.
    pub fn run_by(&mut self, id: NodeId, run_by: RunBy) {
        self.forget();
        self.nodes[id.0].run_by = run_by;
    }

    /// Records that Terragrunt units may run every module that nothing else calls.
    pub fn may_be_run(&mut self, generated: &Generated) {
        for number in 0..self.nodes.len() {
            if !self.node(NodeId(number)).is_called() {
                let node = &mut self.nodes[number];
                node.run_by.with(None, generated);
                node.module.generate(generated);
            }
        }
    }

    /// Sets the target of a module call.
    pub fn link(&mut self, caller: NodeId, call: &SmolStr, leads_to: Callee) {
        self.forget();
        self.nodes[caller.0].locals.take();
        self.nodes[caller.0].calls.insert(call.clone(), leads_to);
        if let Callee::Module(child) = leads_to {
            self.nodes[child.0].callers.push((caller, call.clone()));
        }
    }

    /// Records that a refused call names another module. The module is called once the error is corrected, so it is
    /// not a root module.
    pub fn link_refused(&mut self, caller: NodeId, child: NodeId) {
        self.forget();
        self.nodes[caller.0].named.push(child);
        self.nodes[child.0].named_by.push(caller);
    }

    /// Drops the results about all modules.
    pub(super) fn forget(&mut self) {
        self.derived = Derived::default();
    }

    /// For each node, the modules that it calls.
    pub(super) fn called(&self) -> Vec<Vec<usize>> {
        let child = |callee: &Callee| Some(callee.module()?.0);
        self.nodes.iter().map(|node| node.calls.values().filter_map(child).collect()).collect()
    }

    /// All modules, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len()).map(|number| Node { graph: self, id: NodeId(number) })
    }

    /// Returns the modules and drops the graph.
    pub fn into_modules(self) -> Vec<Box<Module>> {
        self.nodes.into_iter().map(|node| node.module).collect()
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { graph: self, id }
    }
}

impl<'t> Node<'t> {
    /// The id of the node.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The graph.
    pub fn graph(self) -> &'t ModuleGraph {
        self.graph
    }

    /// The module.
    pub fn module(self) -> &'t Module {
        &self.data().module
    }

    /// Whether the engine reports errors in its files.
    pub fn is_broken(self) -> bool {
        self.data().broken
    }

    /// The module calls by name, with their targets.
    pub fn calls(self) -> impl Iterator<Item = (&'t ModuleCall, Callee)> {
        let data = self.data();
        data.module
            .calls
            .values()
            .map(|call| (&**call, data.calls.get(&call.name).copied().unwrap_or(Callee::Opaque)))
    }

    /// The target of the call with this name.
    pub fn callee(self, call: &str) -> Callee {
        self.data().calls.get(call).copied().unwrap_or(Callee::Opaque)
    }

    /// The directory in the source of a call, relative to the top, even if it does not exist. `None` for a source
    /// that is not local.
    pub fn source_directory(self, call: &ModuleCall) -> Option<String> {
        match call.source.as_ref()?.address.as_ref()? {
            ModuleSource::Local(path) => join(&self.module().directory, path),
            ModuleSource::Registry(_) | ModuleSource::Remote(_) => None,
        }
    }

    /// The child module of the call with this name, if it is known.
    pub fn child(self, call: &str) -> Option<Node<'t>> {
        Some(self.graph.node(self.callee(call).module()?))
    }

    /// The calls whose child module is known, by name, with that module.
    pub fn child_calls(self) -> impl DoubleEndedIterator<Item = (&'t ModuleCall, Node<'t>)> {
        let calls = self.module().calls.values();
        calls.filter_map(move |call| Some((&**call, self.child(&call.name)?)))
    }

    /// The modules that it calls, and those that its refused calls name, once per call.
    pub fn children(self) -> impl Iterator<Item = NodeId> + 't {
        let called = self.data().calls.values().filter_map(|callee| callee.module());
        called.chain(self.data().named.iter().copied())
    }

    /// The calls of this module, each with its caller.
    pub fn callers(self) -> impl Iterator<Item = (Node<'t>, &'t ModuleCall)> {
        let callers = self.data().callers.iter();
        callers.filter_map(|(caller, call)| {
            let caller = self.graph.node(*caller);
            Some((caller, &**caller.module().calls.get(call)?))
        })
    }

    /// This module, and all modules that lead to it.
    pub(crate) fn above(self) -> impl Iterator<Item = Node<'t>> {
        let mut seen = BTreeSet::from([self.id]);
        let mut next = vec![self];
        std::iter::from_fn(move || {
            let node = next.pop()?;
            next.extend(node.callers().map(|(caller, _)| caller).filter(|caller| seen.insert(caller.id)));
            Some(node)
        })
    }

    /// The module path from a root module, with a final dot: through a call of this module, and the first calls of the
    /// modules above.
    pub(super) fn path_through(self, mut call: Option<(Node<'t>, &'t ModuleCall)>) -> String {
        let mut names = Vec::new();
        let mut seen = BTreeSet::from([self.id]);
        while let Some((caller, above)) = call {
            names.push(above.name.as_str());
            call = caller.callers().next().filter(|_| seen.insert(caller.id));
        }
        names.iter().rev().fold(String::new(), |path, name| path + "module." + name + ".")
    }

    /// The test files.
    pub fn tests(self) -> &'t [Test] {
        &self.data().tests
    }

    /// The sources of the modules that its runs load, each with the numbers of the test file and the run.
    pub fn run_modules(self) -> Vec<((usize, usize), Option<ModuleSource>)> {
        let of_file = |(test, file): (usize, &Test)| {
            let runs = file.file.runs.iter().enumerate();
            let modules = runs.filter_map(move |(run, it)| Some(((test, run), it.module.as_ref()?)));
            modules.map(|(number, module)| (number, module.source.address.clone())).collect::<Vec<_>>()
        };
        self.tests().iter().enumerate().flat_map(of_file).collect()
    }

    /// The modules with tests that run this one.
    pub fn run_by_tests(self) -> impl Iterator<Item = Node<'t>> {
        self.data().run_by_tests.iter().map(|id| self.graph.node(*id))
    }

    /// The variable definitions files for it.
    pub fn values_files(self) -> &'t [ValuesFile] {
        &self.data().values_files
    }

    /// The Terragrunt units that run it, or may run it.
    pub fn run_by_units(self) -> &'t RunBy {
        &self.data().run_by
    }

    /// The directories of the modules that call it, or name it in refused calls.
    pub(super) fn caller_directories(self) -> impl Iterator<Item = &'t str> {
        let data = self.data();
        let callers = data.callers.iter().map(|(caller, _)| caller).chain(&data.named_by);
        callers.map(|caller| self.graph.node(*caller).module().directory.as_str())
    }

    /// The information about the module that does not come from its files.
    pub(super) fn surroundings(self) -> Surroundings {
        self.data().around
    }

    /// Whether `init` installed it, so that it belongs to another repository.
    pub fn is_installed(self) -> bool {
        self.data().around.is_installed
    }

    /// Whether a local module calls it, even in a refused call.
    pub fn is_called(self) -> bool {
        let data = self.data();
        !data.callers.is_empty() || !data.named_by.is_empty() || data.around.is_called_from_outside
    }

    /// Whether a module that is not in this graph calls it, or one calls a symbolic link to its directory, so that not all
    /// callers are known.
    pub fn is_called_from_outside(self) -> bool {
        self.data().around.is_called_from_outside
    }

    pub(super) fn data(self) -> &'t NodeData {
        &self.graph.nodes[self.id.0]
    }
}
