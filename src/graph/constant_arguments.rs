//! Finds values that are passed to a module which needs them for early evaluation, but that are known only later.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::ModuleAddress;
use crate::finding::{EngineRule, Finding, set_address, set_module};
use crate::graph::child_variables::ChildVariables;
use crate::graph::{ModuleGraph, Node, NodeId, arguments};
use crate::module::declaration::{ModuleCall, Variable};
use crate::module::static_eval::{Purpose, StaticEvaluator};
use crate::syntax::Attribute;

pub(super) fn check(graph: &ModuleGraph, roots: &[NodeId]) -> Vec<Finding> {
    match graph.engine().features().module_address {
        ModuleAddress::LiteralPerBlock => Vec::new(),
        ModuleAddress::ConstAfterMerge => constants(graph, roots),
        ModuleAddress::StaticAfterMerge => needs(graph, roots),
    }
}

/// Terraform's findings about the constant variables of child modules.
fn constants(graph: &ModuleGraph, roots: &[NodeId]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut modules: BTreeMap<NodeId, StaticEvaluator<'_>> = BTreeMap::new();
    let mut constants = ChildVariables::with(is_constant);
    for (caller, call, child) in calls(graph, roots) {
        if constants.of(child).is_empty() {
            continue;
        }
        for attribute in arguments::given(call, child.module()) {
            let variable = child.module().variables.get(&attribute.name);
            let Some(variable) = variable.filter(|variable| is_constant(variable)) else { continue };
            let evaluator =
                modules.entry(caller.id()).or_insert_with(|| StaticEvaluator::new(caller.module()));
            let outcome = evaluator.constant_value(&attribute.expr);
            // Errors in the argument itself are reported with the errors of all arguments.
            if outcome.failed || !outcome.sure || outcome.value.is_wholly_known() {
                continue;
            }
            let finding = Finding::language(EngineRule::ModuleArgumentType, "Const variables must be known")
                .detail(format!(
                    "The variable `{}` of the child module is `const`, so its value must be known before plan.",
                    variable.name
                ))
                .at(attribute.expr.span)
                .address(format!("module.{}", call.name))
                .module(caller.module().directory.clone());
            findings.push(with_declaration(finding, variable));
        }
    }
    findings
}

/// OpenTofu's findings about the variables that modules need early, through all callers.
fn needs(graph: &ModuleGraph, roots: &[NodeId]) -> Vec<Finding> {
    let below = graph.below(roots);
    let is_seen = |caller: Node<'_>| below.binary_search(&caller.id()).is_ok();
    let mut next: Vec<Need> = Vec::new();
    let mut constants = ChildVariables::with(is_constant);
    for (caller, call, child) in calls(graph, roots) {
        for variable in constants.of(child).iter() {
            let purpose = Purpose {
                what: format!("the constant `var.{}` of `module.{}`", variable.name, call.name),
                at: call.origin.header(),
                rule: EngineRule::ModuleArgumentType,
            };
            let need =
                Need { of: child.id(), variable: variable.name.clone(), purpose, reported_in: caller.id() };
            next.push(need);
        }
    }
    for node in below.iter().map(|id| graph.node(*id)) {
        let needs = node.module().static_needs.iter().cloned();
        next.extend(needs.map(|need| Need::own(node, need)));
    }
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    let mut modules: BTreeMap<NodeId, StaticEvaluator<'_>> = BTreeMap::new();
    while let Some(need) = next.pop() {
        if !seen.insert((need.of, need.variable.clone(), need.purpose.at)) {
            continue;
        }
        for (caller, call) in graph.node(need.of).callers().filter(|(caller, _)| is_seen(*caller)) {
            // A constant is reported at each call, everything else once for all calls.
            let of_other_call = need.reported_in != need.of && need.purpose.at != call.origin.header();
            if !of_other_call {
                let evaluator =
                    modules.entry(caller.id()).or_insert_with(|| StaticEvaluator::new(caller.module()));
                next.extend(need.by(caller, call, evaluator, &mut findings));
            }
        }
    }
    findings
}

/// A variable that a module needs for early evaluation.
struct Need {
    of: NodeId,
    variable: SmolStr,
    purpose: Purpose,
    /// The module in which the engine reports that a value cannot be computed.
    reported_in: NodeId,
}

impl Need {
    /// The need of a module that reports it itself.
    fn own(node: Node<'_>, (variable, purpose): (SmolStr, Purpose)) -> Self {
        Self { of: node.id(), variable, purpose, reported_in: node.id() }
    }

    /// Checks the argument of a call for the variable. Returns the variables that the argument needs in turn.
    fn by<'t>(
        &self,
        caller: Node<'t>,
        call: &ModuleCall,
        evaluator: &mut StaticEvaluator<'t>,
        findings: &mut Vec<Finding>,
    ) -> Vec<Need> {
        let graph = caller.graph();
        let child = graph.node(self.of).module();
        let Some(variable) = child.variables.get(&self.variable) else { return Vec::new() };
        let from = findings.len();
        let mut needs = Vec::new();
        match argument(call, child, &self.variable) {
            Some(attribute) => {
                let purpose = Purpose {
                    what: format!("`var.{}` of `module.{}`", self.variable, call.name),
                    at: attribute.span,
                    rule: self.purpose.rule,
                };
                evaluator.static_value(&attribute.expr, &purpose);
                let (wrong, reached) = evaluator.take();
                findings.extend(wrong.into_iter().map(|finding| with_declaration(finding, variable)));
                needs.extend(reached.into_iter().map(|need| Need::own(caller, need)));
            }
            None if variable.default.is_some() || !caller.module().complete || !child.complete => {}
            None => findings.push(missing(call, variable)),
        }
        set_address(&mut findings[from..], &format!("module.{}", call.name));
        set_module(&mut findings[from..], &caller.module().directory);
        if findings.len() > from {
            let finding = Finding::language(self.purpose.rule, "Unable to compute static value")
                .detail(format!(
                    "`var.{}` must be known before plan, but `module.{}` sets it to a value that is known only later.",
                    self.variable, call.name
                ))
                .at(self.purpose.at)
                .module(graph.node(self.reported_in).module().directory.clone())
                .related(call.origin.header(), "called here");
            findings.push(with_declaration(finding, variable));
        }
        needs
    }
}

/// The calls among the modules that some roots lead to: caller, call, and child module.
fn calls<'t>(
    graph: &'t ModuleGraph,
    roots: &[NodeId],
) -> impl Iterator<Item = (Node<'t>, &'t ModuleCall, Node<'t>)> {
    let nodes = graph.below(roots).into_iter().map(|id| graph.node(id));
    nodes.flat_map(|caller| caller.child_calls().map(move |(call, child)| (caller, call, child)))
}

fn argument(call: &ModuleCall, child: &crate::module::Module, name: &str) -> Option<Arc<Attribute>> {
    arguments::given(call, child).into_iter().find(|attribute| attribute.name == name)
}

fn missing(call: &ModuleCall, variable: &Variable) -> Finding {
    let place = call.config.bodies().first().map(|body| body.missing_item());
    let finding =
        Finding::language(EngineRule::MissingModuleArgument, "Missing required variable in module call")
            .detail(format!(
                "The child module has a required variable `{}`, whose value must be known before plan.",
                variable.name
            ))
            .at(place)
            .help(format!("set `{}`", variable.name));
    with_declaration(finding, variable)
}

fn is_constant(variable: &Variable) -> bool {
    variable.constant.as_ref().is_some_and(|constant| constant.value)
}

fn with_declaration(finding: Finding, variable: &Variable) -> Finding {
    finding.related(variable.origin.header(), "the variable is declared here")
}
