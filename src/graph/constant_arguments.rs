//! Finds values that are passed to a module which needs them for early evaluation, but that are known only later.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::engine::ModuleAddress;
use crate::finding::{EngineRule, Finding, Room, set_address, set_module};
use crate::graph::{ModuleGraph, Node, NodeId, arguments};
use crate::module::Variables;
use crate::module::declaration::{ModuleCall, Variable};
use crate::module::static_eval::{Purpose, StaticEvaluator};
use crate::syntax::Attribute;
use crate::text::Span;

pub(super) fn check(graph: &ModuleGraph, roots: &[NodeId]) -> Vec<Finding> {
    match graph.features().module_address {
        ModuleAddress::LiteralPerBlock => Vec::new(),
        ModuleAddress::ConstAfterMerge => constants(graph, roots),
        ModuleAddress::StaticAfterMerge => needs(graph, roots),
    }
}

/// Terraform's findings about the constant variables of child modules.
fn constants(graph: &ModuleGraph, roots: &[NodeId]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut modules: BTreeMap<NodeId, StaticEvaluator<'_>> = BTreeMap::new();
    for (caller, call, child) in calls(graph, &graph.below(roots)) {
        if !child.module().has_variables_with(Variables::Constant) {
            continue;
        }
        for attribute in arguments::given(call, child.module()) {
            let variable = child.module().variables.get(&attribute.name);
            let Some(variable) = variable.filter(|variable| variable.is_constant()) else { continue };
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
    let mut search = Search::new(graph, roots);
    for id in &search.below {
        let needs = graph.node(*id).module().static_needs.iter().cloned();
        search.next.extend(needs.map(|need| (*id, need)));
    }
    search.follow();
    search.constants();
    search.follow();
    search.finish()
}

/// A variable that a module needs for early evaluation.
type Need = (NodeId, (SmolStr, Purpose));

/// A call with its caller.
type Edge<'t> = (Node<'t>, &'t ModuleCall);

/// The calls of one module.
#[derive(Default)]
struct Calls<'t> {
    /// Those in which an argument can be reported as missing.
    open: Vec<Edge<'t>>,
    by_argument: HashMap<SmolStr, Vec<(Edge<'t>, Arc<Attribute>)>>,
}

/// A search for values that OpenTofu needs before plan, but that are known only later.
struct Search<'t> {
    graph: &'t ModuleGraph,
    /// The modules that the roots lead to, sorted.
    below: Vec<NodeId>,
    next: Vec<Need>,
    calls: HashMap<NodeId, Calls<'t>>,
    /// The calls that set a variable to such a value.
    refused: HashMap<(NodeId, SmolStr, EngineRule), Rc<[Edge<'t>]>>,
    evaluators: HashMap<NodeId, StaticEvaluator<'t>>,
    /// The findings of a rule that a module can still have.
    room: BTreeMap<(NodeId, EngineRule), Room>,
    findings: Vec<Finding>,
}

impl<'t> Search<'t> {
    fn new(graph: &'t ModuleGraph, roots: &[NodeId]) -> Self {
        Self {
            graph,
            below: graph.below(roots),
            next: Vec::new(),
            calls: HashMap::new(),
            refused: HashMap::new(),
            evaluators: HashMap::new(),
            room: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Checks the arguments for the constants of child modules, and reports each call.
    fn constants(&mut self) {
        let rule = EngineRule::ModuleArgumentType;
        for (caller, call, child) in calls(self.graph, &self.below.clone()) {
            if !child.module().has_variables_with(Variables::Constant) {
                continue;
            }
            let given = given(call, child);
            let set = given.iter().filter_map(|(name, attribute)| {
                let variable =
                    child.module().variables.get(name).filter(|variable| variable.is_constant())?;
                Some((&**variable, Some(attribute)))
            });
            let missing = child.module().variables_with(Variables::RequiredConstant);
            let missing = missing.filter(|variable| !given.contains_key(&variable.name));
            let missing =
                missing.take(if is_complete(caller, child) { self.room_for_missing(caller) } else { 0 });
            for (variable, argument) in set.chain(missing.map(|variable| (variable, None))) {
                if self.is_refused((caller, call), variable, argument, rule) {
                    self.report(caller, variable, rule, call.origin.header(), call);
                }
            }
        }
    }

    /// Checks the arguments for the other variables that modules need.
    fn follow(&mut self) {
        let mut seen = HashSet::new();
        while let Some((of, (name, purpose))) = self.next.pop() {
            let node = self.graph.node(of);
            let Some(variable) = node.module().variables.get(&name) else { continue };
            if seen.insert((of, name.clone(), purpose.at)) {
                let refused = self.refused(node, variable, purpose.rule);
                refused
                    .iter()
                    .for_each(|(_, call)| self.report(node, variable, purpose.rule, purpose.at, call));
            }
        }
    }

    /// The calls of a module that set a variable to a value that is known only later.
    fn refused(&mut self, node: Node<'t>, variable: &Variable, rule: EngineRule) -> Rc<[Edge<'t>]> {
        let key = (node.id(), variable.name.clone(), rule);
        if let Some(known) = self.refused.get(&key) {
            return Rc::clone(known);
        }
        let mut calls = self.calls.remove(&node.id()).unwrap_or_else(|| self.calls_of(node));
        let set = calls.by_argument.get(&variable.name).map_or(&[][..], Vec::as_slice);
        let mut refused = Vec::new();
        for (edge, attribute) in set {
            if self.is_refused(*edge, variable, Some(attribute), rule) {
                refused.push(*edge);
            }
        }
        if variable.default.is_none() {
            let set: HashSet<_> = set.iter().map(|((_, call), _)| call.origin.header()).collect();
            calls.open.retain(|(caller, _)| self.room_for_missing(*caller) > 0);
            for edge in calls.open.iter().filter(|(_, call)| !set.contains(&call.origin.header())) {
                if self.is_refused(*edge, variable, None, rule) {
                    refused.push(*edge);
                }
            }
        }
        self.calls.insert(node.id(), calls);
        let refused: Rc<[Edge<'t>]> = refused.into();
        self.refused.insert(key, Rc::clone(&refused));
        refused
    }

    fn calls_of(&self, node: Node<'t>) -> Calls<'t> {
        let mut calls = Calls::default();
        let is_seen = |(caller, _): &Edge<'_>| self.below.binary_search(&caller.id()).is_ok();
        for edge in node.callers().filter(is_seen) {
            if is_complete(edge.0, node) {
                calls.open.push(edge);
            }
            for (name, attribute) in given(edge.1, node) {
                calls.by_argument.entry(name).or_default().push((edge, attribute));
            }
        }
        calls
    }

    /// Whether the value of a variable is known only later. Reports the argument, and adds the variables that it needs
    /// in turn.
    fn is_refused(
        &mut self,
        (caller, call): Edge<'t>,
        variable: &Variable,
        argument: Option<&Arc<Attribute>>,
        rule: EngineRule,
    ) -> bool {
        let from = self.findings.len();
        if let Some(attribute) = argument {
            let what = format!("`var.{}` of `module.{}`", variable.name, call.name);
            let purpose = Purpose { what, at: attribute.span, rule };
            let evaluator =
                self.evaluators.entry(caller.id()).or_insert_with(|| StaticEvaluator::new(caller.module()));
            evaluator.static_value(&attribute.expr, &purpose);
            let (wrong, reached) = evaluator.take();
            self.findings.extend(wrong.into_iter().map(|finding| with_declaration(finding, variable)));
            self.next.extend(reached.into_iter().map(|need| (caller.id(), need)));
        } else if self.take_room(caller, EngineRule::MissingModuleArgument) {
            self.findings.push(missing(call, variable));
        }
        set_address(&mut self.findings[from..], &format!("module.{}", call.name));
        set_module(&mut self.findings[from..], &caller.module().directory);
        self.findings.len() > from
    }

    /// Adds the finding about the place that needs a value.
    fn report(
        &mut self,
        module: Node<'t>,
        variable: &Variable,
        rule: EngineRule,
        at: Span,
        call: &ModuleCall,
    ) {
        if self.take_room(module, rule) {
            let finding = Finding::language(rule, "Unable to compute static value")
                .detail(format!(
                    "`var.{}` must be known before plan, but `module.{}` sets it to a value that is known only later.",
                    variable.name, call.name
                ))
                .at(at)
                .module(module.module().directory.clone())
                .related(call.origin.header(), "called here");
            self.findings.push(with_declaration(finding, variable));
        }
    }

    /// Takes the place of a finding, if the module can have another one of the rule.
    fn take_room(&mut self, node: Node<'_>, rule: EngineRule) -> bool {
        let room = self.room(node, rule);
        let has_room = room.left > 0;
        room.take(1);
        has_room
    }

    fn room_for_missing(&mut self, caller: Node<'_>) -> usize {
        self.room(caller, EngineRule::MissingModuleArgument).left
    }

    fn room(&mut self, node: Node<'_>, rule: EngineRule) -> &mut Room {
        self.room.entry((node.id(), rule)).or_insert_with(|| node.module().room(&[], rule))
    }

    /// Returns the findings, with those about limits.
    fn finish(mut self) -> Vec<Finding> {
        for ((id, _), room) in self.room {
            let from = self.findings.len();
            room.close(&mut self.findings);
            set_module(&mut self.findings[from..], &self.graph.node(id).module().directory);
        }
        self.findings
    }
}

/// Whether all of a call and of its child module is known.
fn is_complete(caller: Node<'_>, child: Node<'_>) -> bool {
    caller.module().complete && child.module().complete
}

/// The calls in some modules: caller, call, and child module.
fn calls<'t>(
    graph: &'t ModuleGraph,
    callers: &[NodeId],
) -> impl Iterator<Item = (Node<'t>, &'t ModuleCall, Node<'t>)> {
    let nodes = callers.iter().map(|id| graph.node(*id));
    nodes.flat_map(|caller| caller.child_calls().map(move |(call, child)| (caller, call, child)))
}

/// The arguments of a call that set variables of the child module. The first one of a name counts.
fn given(call: &ModuleCall, child: Node<'_>) -> BTreeMap<SmolStr, Arc<Attribute>> {
    let given = arguments::given(call, child.module()).into_iter().rev();
    given.map(|attribute| (attribute.name.clone(), attribute)).collect()
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

fn with_declaration(finding: Finding, variable: &Variable) -> Finding {
    finding.related(variable.origin.header(), "the variable is declared here")
}
