//! The modules that some roots lead to, turned into everything that the engine says of them beyond single directories.

use crate::finding::Finding;
use crate::graph::dependency_cycles::Called;
use crate::graph::reach::Reached;
use crate::graph::{
    ModuleGraph, NodeId, arguments, builtin, children, constant_arguments, dependency_cycles, deprecations,
    evaluation, imports, instances, providers, references, requirements, test_files,
};
use crate::text::Sources;

/// A look at the modules that some roots lead to.
///
/// What can be said of one module at a time is asked module by module, so that whoever asks may do so side by side.
#[derive(Debug)]
pub struct Validation<'t> {
    graph: &'t ModuleGraph,
    roots: &'t [NodeId],
    below: Vec<NodeId>,
    reached: Reached,
    called: Called,
}

/// What is said of one module.
#[derive(Debug, Default)]
pub struct ModuleDiagnostics {
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// Whether it names a type where others expect a value, which only some engines let pass.
    pub names_types: bool,
}

impl<'t> Validation<'t> {
    /// Finds out what has to be known of all modules before anything is said of one.
    pub fn of(graph: &'t ModuleGraph, roots: &'t [NodeId]) -> Self {
        let below = graph.below(roots);
        let called = Called::among(below.clone());
        Self { graph, roots, below, reached: Reached::from(graph, roots), called }
    }

    /// The modules, in the order in which they were added to the tree.
    pub fn modules(&self) -> &[NodeId] {
        &self.below
    }

    /// What is said of one module, in its place.
    pub fn of_module(&self, id: NodeId, sources: &Sources) -> ModuleDiagnostics {
        let mut findings = Vec::new();
        let node = self.graph.node(id);
        if node.module().excluded {
            if node.module().unmodelled.is_some() {
                children::missing(node, &mut findings);
            }
            for finding in &mut findings {
                finding.module.clone_from(&node.module().directory);
            }
            return ModuleDiagnostics { findings, names_types: false };
        }
        children::missing(node, &mut findings);
        children::check(node, &mut findings);
        if !self.reached.is_stuck(node) {
            providers::check_declarations(node, sources, &mut findings);
        }
        requirements::check(node, &mut findings);
        providers::check_missing(node, &mut findings);
        instances::check(node, &mut findings);
        arguments::check(node, &mut findings);
        deprecations::check(node, &mut findings);
        imports::check(node, &mut findings);
        let looked_at = references::check(node, &mut findings);
        let mut unevaluated = builtin::check(node, &looked_at.wrong, &mut findings);
        unevaluated.extend(looked_at.wrong);
        evaluation::check(node, &unevaluated, &mut findings);
        evaluation::check_values(node, &mut findings);
        dependency_cycles::check(node, &looked_at.links, &self.called, &mut findings);
        test_files::check(node, &mut findings);
        for finding in &mut findings {
            finding.module.clone_from(&node.module().directory);
        }
        providers::check_passing(node, &self.reached, &mut findings);
        ModuleDiagnostics { findings, names_types: looked_at.names_types }
    }

    /// What is said of the ways from module to module.
    pub fn of_ways(&self) -> Vec<Finding> {
        let mut findings = providers::repeated(self.graph, self.roots);
        findings.extend(constant_arguments::check(self.graph, self.roots));
        findings
    }
}
