//! Evaluates child modules with the values that their calls give to variables, as a plan does. For `validate`, variables
//! of child modules are unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::plan::{KnownToPlan, Plan};
use super::run_values::{Computed, Inputs, steps_to_enter};
use super::scope::Instance;
use super::{planned_validations, validation};
use crate::finding::{Finding, Related, make_warnings, set_module};
use crate::graph::instance_keys::has_instances;
use crate::graph::references::sites::{self, Found, Owner};
use crate::graph::{ModuleGraph, Node, NodeId, arguments};
use crate::module::declaration::ModuleCall;
use crate::module::{Variables, says_more};
use crate::syntax::Attribute;
use crate::text::Span;
use crate::value::Budget;

/// Modules that more calls lead to are not evaluated.
const MOST_LEVELS: usize = 24;

/// More instances of a call than this are not distinguished.
const MOST_OF_CALL: usize = 16;

/// The evaluation steps that a call takes, apart from those of its expressions.
const OF_CALL: usize = 32;

/// A call that gives values to the variables of a module which say more than their declarations.
#[derive(Debug)]
pub struct PlannedCall {
    caller: NodeId,
    child: NodeId,
    inputs: Inputs,
    known_to_plan: KnownToPlan,
    /// The calls that lead to the module, as in an address: `module.a.module.b`.
    address: String,
    /// Whether the module certainly has an instance.
    is_certain: bool,
    /// The first module above it whose values count.
    start: NodeId,
    header: Span,
    level: usize,
}

/// What evaluating a module as a plan does leads to.
#[derive(Debug, Default)]
pub struct Planned {
    /// The calls that give values to variables with which a plan may find more.
    pub calls: Vec<PlannedCall>,
    /// The evaluation steps that it took.
    pub steps: usize,
    /// Whether it needed more steps than it had.
    pub is_cut: bool,
}

/// A call whose module was not evaluated completely.
#[derive(Debug)]
pub struct Cut {
    /// The module with the call.
    pub caller: NodeId,
    /// The header of the call.
    pub header: Span,
    /// The calls that lead to the module, as in an address.
    pub address: String,
}

/// The result of evaluating the module of a call.
#[derive(Debug)]
pub struct Evaluated {
    /// The errors in the module.
    pub findings: Vec<Finding>,
    /// The calls in it that hand on what its own call says.
    pub calls: Vec<PlannedCall>,
    /// The evaluation steps that it took.
    pub steps: usize,
    /// The call, if its module needed more steps than it had.
    pub cut: Option<PlannedCall>,
}

impl From<PlannedCall> for Cut {
    fn from(PlannedCall { caller, header, address, .. }: PlannedCall) -> Self {
        Self { caller, header, address }
    }
}

impl PlannedCall {
    /// Keeps the first of the calls that give the same values to the same module.
    pub fn distinct(calls: Vec<Self>) -> Vec<Self> {
        let mut firsts = BTreeMap::new();
        let mut is_certain = vec![None; calls.len()];
        for (number, call) in calls.iter().enumerate() {
            let first = *firsts.entry((call.child, &call.inputs, &call.known_to_plan)).or_insert(number);
            is_certain[first] = Some(call.is_certain || is_certain[first] == Some(true));
        }
        let firsts = calls.into_iter().zip(is_certain);
        firsts.filter_map(|(call, is_certain)| Some(Self { is_certain: is_certain?, ..call })).collect()
    }

    /// The module that is called.
    pub fn child(&self) -> NodeId {
        self.child
    }

    /// Evaluates the module in so many steps at most. The engine does not evaluate the expressions in `unevaluated`.
    pub fn evaluated(self, graph: &ModuleGraph, steps: usize, unevaluated: &BTreeSet<Span>) -> Evaluated {
        let node = graph.node(self.child);
        let work = Budget::of(steps);
        let plan = Plan::below(node, self.inputs.clone(), &self.known_to_plan, graph.node(self.start), &work);
        let mut findings = Vec::new();
        if !work.take(steps_to_enter(node.module())) {
            return Evaluated { findings, calls: Vec::new(), steps, cut: Some(self) };
        }
        sites::for_each(node, &mut |site, found| match (found, &site.owner) {
            (Found::Dependencies(_) | Found::Broken(_) | Found::Unevaluated(_), _)
            | (_, Owner::Provider(_)) => {}
            (Found::Expression(expr, _), _) if unevaluated.contains(&expr.span) => {}
            (Found::Expression(expr, around), _) => findings.extend(plan.errors(site, expr, around)),
        });
        let calls = if !findings.is_empty() && fails_validation(&plan) {
            findings.clear();
            Vec::new()
        } else {
            calls(&plan, Some(&self), &mut findings)
        };
        if !self.is_certain {
            make_warnings(&mut findings);
        }
        for finding in &mut findings {
            finding.add_sentence(&format!("Here the module is `{}`.", self.address));
            finding.related.push(Related { span: self.header, message: "called here".to_owned() });
        }
        set_module(&mut findings, &node.module().directory);
        let cut = work.is_exhausted().then_some(self);
        Evaluated { findings, calls, steps: steps.saturating_sub(work.get()), cut }
    }
}

/// The calls in a module that give values to variables which say more than their declarations. Below the first module,
/// only what the values of its caller add counts. Also finds the values of calls that fail validations which refer to
/// more than their variable.
pub(super) fn calls(
    plan: &Plan<'_>,
    above: Option<&PlannedCall>,
    findings: &mut Vec<Finding>,
) -> Vec<PlannedCall> {
    let level = above.map_or(0, |above| above.level + 1);
    if level == MOST_LEVELS {
        return Vec::new();
    }
    let mut calls = Vec::new();
    for (call, child) in plan.node.child_calls().filter(|(_, child)| child.module().is_whole()) {
        let has_instances = has_instances(call, |repeated| plan.values.repetition(repeated));
        if has_instances == Some(false) {
            continue;
        }
        let is_certain =
            has_instances.is_some() && above.map_or_else(|| plan.node.is_planned(), |above| above.is_certain);
        let handed_on = above.map(|_| handed_on(plan, call, child));
        if handed_on.as_ref().map_or(child.module().variables.is_empty(), BTreeSet::is_empty) {
            continue;
        }
        let start = above.map_or(plan.node.id(), |above| above.start);
        let of_call = findings.len();
        for instance in instances(plan, call, child) {
            if !plan.work.take(OF_CALL) {
                break;
            }
            let mut inputs = plan.values.inputs(call, child.module(), instance.as_ref());
            let validated = planned_validations::affected(child, &inputs);
            if !validated.is_empty() {
                let start = plan.node.graph().node(start);
                let values = Plan::below(child, inputs.clone(), &KnownToPlan::default(), start, plan.work);
                let mut refused = planned_validations::of_call(&values, call, &validated, &mut inputs.failed);
                if !is_certain {
                    make_warnings(&mut refused);
                }
                add_other(refused, of_call, findings);
            }
            let known_to_plan = known_to_plan(child, &inputs, handed_on.as_ref());
            if known_to_plan == KnownToPlan::default() {
                continue;
            }
            calls.push(PlannedCall {
                caller: plan.node.id(),
                child: child.id(),
                inputs,
                known_to_plan,
                address: address(above, call, instance.as_ref()),
                is_certain,
                start,
                header: call.origin.header(),
                level,
            });
        }
    }
    calls
}

/// Adds those of some findings that no other instance of the call has; the findings of these start at `from`.
fn add_other(mut found: Vec<Finding>, from: usize, findings: &mut Vec<Finding>) {
    let known: BTreeSet<_> = findings[from..].iter().map(Finding::place_and_summary).collect();
    found.retain(|finding| !known.contains(&finding.place_and_summary()));
    findings.extend(found);
}

/// The address of the module that an instance of a call makes.
fn address(above: Option<&PlannedCall>, call: &ModuleCall, instance: Option<&Instance>) -> String {
    let prefix = above.map_or_else(String::new, |above| format!("{}.", above.address));
    let key = instance.map_or_else(String::new, |instance| format!("[{}]", instance.key()));
    format!("{prefix}module.{}{key}", call.name)
}

/// The instances of a call whose arguments depend on the instance, if they are known and few. Otherwise a single `None`.
fn instances(plan: &Plan<'_>, call: &ModuleCall, child: Node<'_>) -> Vec<Option<Instance>> {
    let (count, for_each) = call.repeated();
    let given = arguments::given(call, child.module());
    let repeated =
        count.or(for_each).filter(|_| Instance::is_used_by(given.iter().map(|argument| &argument.expr)));
    let all = repeated.map(|repeated| plan.instances_of(repeated)).unwrap_or_default();
    if all.is_empty() || all.len() > MOST_OF_CALL {
        return vec![None];
    }
    all.iter().cloned().map(Some).collect()
}

/// Whether the value of a variable fails a validation, which is reported at the call. The engine then does not evaluate
/// what refers to the variable.
fn fails_validation(plan: &Plan<'_>) -> bool {
    let mut variables = plan.node.module().variables.values();
    variables.any(|variable| {
        let value = plan.values.variable(&variable.name);
        value.is_some_and(|it| {
            !validation::refused(&it.value, None, variable, plan.node, plan.work).is_empty()
        })
    })
}

/// The variables that a call sets to values which only a plan knows.
fn handed_on(plan: &Plan<'_>, call: &ModuleCall, child: Node<'_>) -> BTreeSet<SmolStr> {
    let given = arguments::given(call, child.module());
    let is_new = |argument: &&Arc<Attribute>| plan.knows_more(&argument.expr, call.is_repeated());
    given.iter().filter(is_new).map(|argument| argument.name.clone()).collect()
}

/// The variables of a called module whose values say more than their declarations, or those of them that are `handed_on`.
fn known_to_plan(child: Node<'_>, inputs: &Inputs, handed_on: Option<&BTreeSet<SmolStr>>) -> KnownToPlan {
    let set = inputs.variables.set();
    let says_more = |(name, value): &&(SmolStr, Computed)| {
        let variable = child.module().variables.get(name);
        handed_on.is_none_or(|names| names.contains(name))
            && variable.is_some_and(|variable| says_more(&value.value, variable))
    };
    let telling = child.module().variables_with(Variables::Telling).len();
    let is_telling =
        |(name, _): &&(SmolStr, Computed)| child.module().is_variable_with(Variables::Telling, name);
    let overridden = set.iter().filter(is_telling).count();
    KnownToPlan {
        set: set.iter().filter(says_more).map(|(name, _)| name.clone()).collect(),
        are_defaults: handed_on.is_none() && telling > overridden,
    }
}
