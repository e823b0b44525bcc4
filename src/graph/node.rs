//! Modules as one engine sees them, and the calls between them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use super::addresses::AddressChange;
use super::conflicts::Conflicts;
use super::evaluation::Locals;
use super::location::Location;
use super::node_id::NodeId;
use super::providers::{ProviderChange, Table, Uses};
use super::role::Surroundings;
use crate::engine::Engine;
use crate::module::Module;
use crate::module::address::{ModuleSource, ModuleStep, ResourceAddress};
use crate::module::declaration::ModuleCall;
use crate::module::terragrunt::{Generated, RunBy};
use crate::module::test_file::TestFile;
use crate::module::values::ValuesFile;
use crate::vfs::{NamedFiles, join};

/// What a module call leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// A module of this tree.
    Module(NodeId),
    /// A directory that is not there.
    Missing,
    /// A directory outside of what may be read.
    Outside,
    /// A module from elsewhere, or one whose source is not known before something runs: nothing is guessed about it.
    Opaque,
}

/// All modules that one engine sees, and how they call each other.
#[derive(Debug)]
pub struct ModuleGraph {
    pub(super) engine: Engine,
    pub(super) nodes: Vec<NodeData>,
    /// The files that functions can read.
    pub(super) named_files: Arc<NamedFiles>,
    /// By node: what it declares about providers, once somebody asks.
    pub(super) provider_tables: OnceLock<Vec<Table>>,
    /// By node: the provider configurations that it uses, once somebody asks.
    pub(super) uses: OnceLock<Vec<Uses>>,
    /// What became of provider configurations since an earlier state, once somebody asks.
    pub(super) provider_changes: OnceLock<Vec<ProviderChange>>,
    /// What became of the addresses of objects since an earlier state, once somebody asks.
    pub(super) address_changes: OnceLock<Vec<AddressChange>>,
    /// By node: the first of the modules that lead to it and back, once somebody asks.
    pub(super) rings: OnceLock<Vec<Option<NodeId>>>,
    /// By node: of what it and all below it ask for versions that there are none of, once somebody asks.
    pub(super) clashes: OnceLock<Vec<Conflicts>>,
    /// By node: where an engine finds it from a root module, once somebody asks.
    pub(super) locations: OnceLock<Vec<Location>>,
}

#[derive(Debug)]
pub(super) struct NodeData {
    pub(super) module: Module,
    /// Whether the engine finds errors in its files.
    pub(super) broken: bool,
    pub(super) around: Surroundings,
    /// The units of Terragrunt that run it.
    pub(super) run_by: RunBy,
    pub(super) calls: BTreeMap<SmolStr, Callee>,
    pub(super) callers: Vec<(NodeId, SmolStr)>,
    /// The modules that its refused calls name.
    pub(super) named: Vec<NodeId>,
    /// The modules that name it in refused calls.
    pub(super) named_by: Vec<NodeId>,
    /// Its test files.
    pub(super) tests: Vec<Test>,
    /// The modules with runs that load it.
    pub(super) run_by_tests: Vec<NodeId>,
    /// What files set its variables to.
    pub(super) values_files: Vec<ValuesFile>,
    /// Whether it configures a provider, once somebody asks.
    pub(super) configures_provider: OnceLock<bool>,
    /// What its local values are worth, once somebody asks.
    pub(super) locals: OnceLock<Locals>,
}

/// A test file, and the modules that its runs load.
#[derive(Debug)]
pub struct Test {
    /// What it declares.
    pub file: TestFile,
    /// Whether files beside it may set variables.
    pub has_values_files: bool,
    /// By run: what its `module` block leads to; none for a run of the module under test.
    pub loads: Vec<Option<Callee>>,
}

/// A module in its place.
#[derive(Debug, Clone, Copy)]
pub struct Node<'t> {
    pub(super) graph: &'t ModuleGraph,
    pub(super) id: NodeId,
}

impl ModuleGraph {
    /// A tree without modules.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            nodes: Vec::new(),
            named_files: Arc::default(),
            provider_tables: OnceLock::new(),
            uses: OnceLock::new(),
            provider_changes: OnceLock::new(),
            address_changes: OnceLock::new(),
            rings: OnceLock::new(),
            clashes: OnceLock::new(),
            locations: OnceLock::new(),
        }
    }

    /// The same, with files that functions can read.
    #[must_use]
    pub fn reading(self, named_files: Arc<NamedFiles>) -> Self {
        Self { named_files, ..self }
    }

    /// The engine that sees it so.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Adds a module; `broken` says whether the engine finds errors in its files.
    pub fn add(&mut self, module: Module, broken: bool) -> NodeId {
        self.forget();
        self.nodes.push(NodeData {
            module,
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
            configures_provider: OnceLock::new(),
            locals: OnceLock::new(),
        });
        NodeId(self.nodes.len() - 1)
    }

    /// Says what is known of a module beside its files.
    pub fn surround(&mut self, id: NodeId, around: Surroundings) {
        self.nodes[id.0].around = around;
    }

    /// Records the test files of a module. What their runs load is not known before [`ModuleGraph::link_run`].
    pub fn set_tests(&mut self, id: NodeId, files: Vec<TestFile>, has_values_files: bool) {
        let opaque = |file: &TestFile| {
            file.runs.iter().map(|run| run.module.as_ref().map(|_| Callee::Opaque)).collect()
        };
        let tests = files.into_iter().map(|file| Test { loads: opaque(&file), has_values_files, file });
        self.nodes[id.0].tests = tests.collect();
    }

    /// Records what the `module` block of a run leads to: the run with this number in the test file with that one.
    pub fn link_run(&mut self, id: NodeId, (test, run): (usize, usize), leads_to: Callee) {
        self.nodes[id.0].tests[test].loads[run] = Some(leads_to);
        if let Callee::Module(child) = leads_to {
            self.nodes[child.0].run_by_tests.push(id);
        }
    }

    /// Records what files set the variables of a module to.
    pub fn set_values(&mut self, id: NodeId, files: Vec<ValuesFile>) {
        self.nodes[id.0].values_files = files;
    }

    /// Records which units of Terragrunt run a module.
    pub fn run_by(&mut self, id: NodeId, run_by: RunBy) {
        self.nodes[id.0].run_by = run_by;
    }

    /// Records that units of Terragrunt may run every module that nothing else calls.
    pub fn may_be_run(&mut self, generated: &Generated) {
        for number in 0..self.nodes.len() {
            if !self.node(NodeId(number)).is_called() {
                let node = &mut self.nodes[number];
                node.run_by.with(None, generated);
                node.module.generate(generated);
            }
        }
    }

    /// Says what a call of a module leads to.
    pub fn link(&mut self, caller: NodeId, call: &SmolStr, leads_to: Callee) {
        self.forget();
        self.nodes[caller.0].locals.take();
        self.nodes[caller.0].calls.insert(call.clone(), leads_to);
        if let Callee::Module(child) = leads_to {
            self.nodes[child.0].callers.push((caller, call.clone()));
        }
    }

    /// Records that a refused call of a module names another one: nothing is known of how it is called, but it is
    /// called once the error is corrected, so it is no root module.
    pub fn link_refused(&mut self, caller: NodeId, child: NodeId) {
        self.forget();
        self.nodes[caller.0].named.push(child);
        self.nodes[child.0].named_by.push(caller);
    }

    /// Drops what was found out about all modules together.
    pub(super) fn forget(&mut self) {
        self.provider_tables.take();
        self.uses.take();
        self.provider_changes.take();
        self.address_changes.take();
        self.rings.take();
        self.clashes.take();
        self.locations.take();
    }

    /// By node: the modules that it calls.
    pub(super) fn called(&self) -> Vec<Vec<usize>> {
        let child = |callee: &Callee| match callee {
            Callee::Module(child) => Some(child.0),
            Callee::Missing | Callee::Outside | Callee::Opaque => None,
        };
        self.nodes.iter().map(|node| node.calls.values().filter_map(child).collect()).collect()
    }

    /// Every module, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len()).map(|number| Node { graph: self, id: NodeId(number) })
    }

    /// The modules alone, once nobody asks for more.
    pub fn into_modules(self) -> Vec<Module> {
        self.nodes.into_iter().map(|node| node.module).collect()
    }

    /// One module.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { graph: self, id }
    }
}

impl<'t> Node<'t> {
    /// Which one it is.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The tree that it stands in.
    pub fn graph(self) -> &'t ModuleGraph {
        self.graph
    }

    /// The module itself.
    pub fn module(self) -> &'t Module {
        &self.data().module
    }

    /// Whether the engine finds errors in its files.
    pub fn is_broken(self) -> bool {
        self.data().broken
    }

    /// Its calls, by name, and what they lead to.
    pub fn calls(self) -> impl Iterator<Item = (&'t ModuleCall, Callee)> {
        let data = self.data();
        data.module
            .calls
            .values()
            .map(|call| (&**call, data.calls.get(&call.name).copied().unwrap_or(Callee::Opaque)))
    }

    /// What the call of that name leads to.
    pub fn callee(self, call: &str) -> Callee {
        self.data().calls.get(call).copied().unwrap_or(Callee::Opaque)
    }

    /// The directory that a call names, from the top, be it there or not; none of what comes from elsewhere.
    pub fn named_by(self, call: &ModuleCall) -> Option<String> {
        match call.source.as_ref()?.address.as_ref()? {
            ModuleSource::Local(path) => join(&self.module().directory, path),
            ModuleSource::Registry(_) | ModuleSource::Remote(_) => None,
        }
    }

    /// The module that the call of that name leads to, where it is known.
    pub fn child(self, call: &str) -> Option<Node<'t>> {
        match self.callee(call) {
            Callee::Module(id) => Some(self.graph.node(id)),
            Callee::Missing | Callee::Outside | Callee::Opaque => None,
        }
    }

    /// The modules that it calls, and those that its refused calls name.
    pub fn children(self) -> impl Iterator<Item = NodeId> + 't {
        let called = self.data().calls.values().filter_map(|callee| match callee {
            Callee::Module(child) => Some(*child),
            Callee::Missing | Callee::Outside | Callee::Opaque => None,
        });
        called.chain(self.data().named.iter().copied())
    }

    /// The calls that lead here, each with the module that it stands in.
    pub fn callers(self) -> impl Iterator<Item = (Node<'t>, &'t ModuleCall)> {
        let callers = self.data().callers.iter();
        callers.filter_map(|(caller, call)| {
            let caller = self.graph.node(*caller);
            Some((caller, &**caller.module().calls.get(call)?))
        })
    }

    /// Whether a `moved` or `removed` block of a module that calls this one names what is at an address in this one, or
    /// a module around it.
    pub(crate) fn is_left_by_callers(self, path: &[ModuleStep], resource: Option<&ResourceAddress>) -> bool {
        let has_blocks = |module: &Module| !module.moved.is_empty() || !module.removed.is_empty();
        self.callers().filter(|(caller, _)| has_blocks(caller.module())).any(|(caller, call)| {
            let step = ModuleStep { name: call.name.clone(), key: None };
            let path: Vec<ModuleStep> = std::iter::once(step).chain(path.iter().cloned()).collect();
            caller.module().is_left(&path, resource)
        })
    }

    /// Its test files.
    pub fn tests(self) -> &'t [Test] {
        &self.data().tests
    }

    /// The sources of the modules that its runs load, each with the numbers of the test file and of the run.
    pub fn run_modules(self) -> Vec<((usize, usize), Option<ModuleSource>)> {
        let of_file = |(test, file): (usize, &Test)| {
            let runs = file.file.runs.iter().enumerate();
            let modules = runs.filter_map(move |(run, it)| Some(((test, run), it.module.as_ref()?)));
            modules.map(|(number, module)| (number, module.source.address.clone())).collect::<Vec<_>>()
        };
        self.tests().iter().enumerate().flat_map(of_file).collect()
    }

    /// The modules with tests that run it.
    pub fn run_by_tests(self) -> impl Iterator<Item = Node<'t>> {
        self.data().run_by_tests.iter().map(|id| self.graph.node(*id))
    }

    /// What files set its variables to.
    pub fn values_files(self) -> &'t [ValuesFile] {
        &self.data().values_files
    }

    /// The units of Terragrunt that run it, or may.
    pub fn run_by_units(self) -> &'t RunBy {
        &self.data().run_by
    }

    /// The directories of the modules that call it, or name it in refused calls.
    pub(super) fn caller_directories(self) -> impl Iterator<Item = &'t str> {
        let data = self.data();
        let callers = data.callers.iter().map(|(caller, _)| caller).chain(&data.named_by);
        callers.map(|caller| self.graph.node(*caller).module().directory.as_str())
    }

    /// What is known of it beside its files.
    pub(super) fn surroundings(self) -> Surroundings {
        self.data().around
    }

    /// Whether some local module calls it, be it in a call that is refused.
    pub fn is_called(self) -> bool {
        let data = self.data();
        !data.callers.is_empty() || !data.named_by.is_empty() || data.around.is_called_from_outside
    }

    /// Whether a module calls it that is not in this tree, so that not all of its callers are known.
    pub fn is_called_from_outside(self) -> bool {
        self.data().around.is_called_from_outside
    }

    pub(super) fn data(self) -> &'t NodeData {
        &self.graph.nodes[self.id.0]
    }
}
