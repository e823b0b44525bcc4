//! The findings of the engine about the modules of some root modules, beyond those of single directories.

use std::collections::BTreeSet;

use crate::finding::{Finding, set_module};
use crate::graph::dependency_cycles::Called;
use crate::graph::evaluation::Planned;
use crate::graph::reach::Reached;
use crate::graph::{
    ModuleGraph, NodeId, arguments, builtin, children, constant_arguments, dependency_cycles, deprecations,
    dynamic_blocks, evaluation, imports, moves, providers, references, test_files, versions,
};
use crate::text::{Sources, Span};

/// The validation of all modules of some root modules.
///
/// Findings within one module are requested module by module, so callers can do this in parallel.
#[derive(Debug)]
pub struct Validation<'t> {
    graph: &'t ModuleGraph,
    roots: &'t [NodeId],
    below: Vec<NodeId>,
    reached: Reached,
    called: Called,
}

/// The findings about one module.
#[derive(Debug, Default)]
pub struct ModuleDiagnostics {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The findings about provider configurations that its calls pass. They show nothing about its own files.
    pub of_passing: Vec<Finding>,
    /// What a plan of the module leads to.
    pub planned: Planned,
    /// The expressions that the engine does not evaluate, because of errors in the findings.
    pub unevaluated: BTreeSet<Span>,
    /// Whether a type name is used where a value is expected, which only some engines accept.
    pub names_types: bool,
}

impl<'t> Validation<'t> {
    /// Computes the facts about all modules that the findings about single ones need.
    pub fn of(graph: &'t ModuleGraph, roots: &'t [NodeId]) -> Self {
        let below = graph.below(roots);
        let called = Called::among(below.clone());
        Self { graph, roots, below, reached: Reached::from(graph, roots), called }
    }

    /// The modules, in the order in which they were added to the graph.
    pub fn modules(&self) -> &[NodeId] {
        &self.below
    }

    /// The findings about one module, with regard to its callers. A plan of it is evaluated in so many steps, if they are
    /// given.
    pub fn of_module(&self, id: NodeId, of_plan: Option<usize>, sources: &Sources) -> ModuleDiagnostics {
        let mut findings = Vec::new();
        let node = self.graph.node(id);
        let of_passing = providers::check_passing(node, &self.reached);
        if node.module().excluded {
            if node.module().unmodelled.is_some() {
                children::missing(node, &mut findings);
                let is_root = self.roots.contains(&id);
                findings.extend(node.module().unmodelled_engine().filter(|_| is_root));
            }
            set_module(&mut findings, &node.module().directory);
            return ModuleDiagnostics { findings, of_passing, ..ModuleDiagnostics::default() };
        }
        children::missing(node, &mut findings);
        children::check(node, &mut findings);
        if !self.reached.is_stuck(node) {
            providers::check_declarations(node, sources, &mut findings);
        }
        versions::checks::check(node, &mut findings);
        providers::check_missing(node, &mut findings);
        providers::check_instances(node, &mut findings);
        arguments::check(node, &mut findings);
        deprecations::check(node, &mut findings);
        imports::check(node, &mut findings);
        moves::check(node, &mut findings);
        let checked = references::check(node, &mut findings);
        let mut unevaluated = builtin::check(node, &checked.wrong, &mut findings);
        unevaluated.extend(dynamic_blocks::check(node, &checked.wrong, &mut findings));
        unevaluated.extend(checked.wrong);
        let planned = evaluation::check(node, &unevaluated, of_plan, &mut findings);
        evaluation::check_values(node, &mut findings);
        dependency_cycles::check(node, &checked.links, &self.called, &mut findings);
        test_files::check(node, &mut findings);
        set_module(&mut findings, &node.module().directory);
        ModuleDiagnostics { findings, of_passing, planned, unevaluated, names_types: checked.names_types }
    }

    /// The findings about the calls between modules.
    pub fn of_ways(&self) -> Vec<Finding> {
        let mut findings = providers::repeated(self.graph, self.roots);
        findings.extend(constant_arguments::check(self.graph, self.roots));
        findings.extend(providers::too_many_uses(self.graph));
        findings
    }
}
