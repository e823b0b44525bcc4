//! Finds the errors that only a plan finds, within the evaluation steps that all modules of a graph share.
//!
//! Each module first has a small part of them. What remains goes to modules that need more, and then to the modules
//! below with the values of each call. The result does not depend on the order in which threads get to the modules.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem;

use rayon::prelude::*;

use crate::finding::{Code, Finding};
use crate::graph::{Cut, Evaluated, ModuleDiagnostics, ModuleGraph, NodeId, PlannedCall, Validation};
use crate::limits::{Limit, Limits};
use crate::session::batches::Checked;
use crate::text::{Sources, Span, counted};

/// The number of modules that share the remaining steps. What they leave goes to the next ones, so that some modules are
/// evaluated completely even if there are too few steps for all.
const AT_A_TIME: usize = 8;

/// The plans of the modules of a graph.
pub(super) struct Plans<'t> {
    graph: &'t ModuleGraph,
    limits: Limits,
    /// The evaluation steps that remain.
    steps: usize,
    /// The calls whose modules were not evaluated completely.
    cut: Vec<Cut>,
}

impl<'t> Plans<'t> {
    /// Those of a graph. `checked` are modules that are not in it but leave their steps to the others, and `found` is the
    /// result of a first round.
    pub(super) fn of(
        graph: &'t ModuleGraph,
        checked: Checked,
        found: &[(NodeId, ModuleDiagnostics)],
    ) -> Self {
        let limits = graph.nodes().next().map(|node| node.module().limits).unwrap_or_default();
        let (modules, bytes) =
            graph.nodes().fold((checked.modules, checked.bytes), |(modules, bytes), node| {
                (modules + 1, bytes + node.module().bytes)
            });
        let taken: usize = found.iter().map(|(_, found)| found.planned.steps).sum();
        let steps = limits.evaluation_of_plans(modules, bytes).saturating_sub(taken);
        Self { graph, limits, steps, cut: Vec::new() }
    }

    /// Evaluates the modules again that needed more steps than they had.
    pub(super) fn complete(
        &mut self,
        validation: &Validation<'_>,
        sources: &Sources,
        found: &mut [(NodeId, ModuleDiagnostics)],
    ) {
        let mut cut: Vec<_> = found.iter_mut().filter(|(_, found)| found.planned.is_cut).collect();
        for cut in cut.chunks_mut(AT_A_TIME) {
            let steps = self.share(cut.len());
            let taken = cut.par_iter_mut().map(|(id, found)| {
                if !gives_more(found.planned.steps, steps) {
                    return 0;
                }
                *found = validation.of_module(*id, Some(steps), sources);
                found.planned.steps
            });
            self.steps = self.steps.saturating_sub(taken.sum());
        }
        for (id, _) in cut.iter().filter(|(_, found)| found.planned.is_cut) {
            let first = self.graph.node(*id).calls().next();
            self.cut.extend(first.map(|(call, _)| Cut {
                caller: *id,
                header: call.origin.header(),
                address: format!("module.{}", call.name),
            }));
        }
    }

    /// Adds the errors in modules that follow from the values of calls, each once: those of the calls, then those of the
    /// calls in their modules, and so on. `unevaluated` are the expressions of each module that the engine does not
    /// evaluate.
    pub(super) fn below(
        mut self,
        mut calls: Vec<PlannedCall>,
        unevaluated: &BTreeMap<NodeId, BTreeSet<Span>>,
        found: &mut Vec<Finding>,
    ) {
        let place = |finding: &Finding| {
            let related = finding.related.iter().filter(|_| finding.primary.is_none());
            let related: Vec<Span> = related.map(|related| related.span).collect();
            (finding.primary, related, finding.summary.clone())
        };
        let mut places = BTreeMap::new();
        let mut cut = VecDeque::new();
        loop {
            let mut distinct = PlannedCall::distinct(mem::take(&mut calls));
            if distinct.is_empty() {
                // What all others leave goes to one call after the other.
                let Some((call, steps)) = cut.pop_front() else { break };
                if gives_more(steps, self.share(1)) {
                    distinct.push(call);
                } else {
                    self.cut.push(call.into());
                }
            }
            let mut findings = Vec::new();
            for (one, steps) in self.evaluated(distinct, unevaluated) {
                findings.extend(one.findings);
                calls.extend(one.calls);
                cut.extend(one.cut.map(|call| (call, steps)));
            }
            for finding in findings {
                if places.is_empty() {
                    places = found.iter().enumerate().map(|(number, other)| (place(other), number)).collect();
                }
                let first = *places.entry(place(&finding)).or_insert(found.len());
                match found.get_mut(first) {
                    None => found.push(finding),
                    Some(first) if first.severity > finding.severity => *first = finding,
                    Some(_) => {}
                }
            }
        }
        found.extend(self.too_expensive());
    }

    /// Evaluates the modules of calls, each with the steps that it could take.
    fn evaluated(
        &mut self,
        calls: Vec<PlannedCall>,
        unevaluated: &BTreeMap<NodeId, BTreeSet<Span>>,
    ) -> Vec<(Evaluated, usize)> {
        let none = BTreeSet::new();
        let mut all = Vec::with_capacity(calls.len());
        let mut calls = calls.into_iter();
        while calls.len() > 0 {
            let some: Vec<_> = calls.by_ref().take(AT_A_TIME).collect();
            let steps = self.share(some.len());
            let evaluated = |call: PlannedCall| {
                let unevaluated = unevaluated.get(&call.child()).unwrap_or(&none);
                (call.evaluated(self.graph, steps, unevaluated), steps)
            };
            let evaluated: Vec<_> = some.into_par_iter().map(evaluated).collect();
            let taken = evaluated.iter().map(|(one, _)| one.steps).sum();
            self.steps = self.steps.saturating_sub(taken);
            all.extend(evaluated);
        }
        all
    }

    /// The steps for each of so many modules, if no other needs any.
    fn share(&self, modules: usize) -> usize {
        (self.steps / modules).min(self.limits.evaluation())
    }

    /// The notice that modules were not evaluated completely, at the first of their calls.
    fn too_expensive(&self) -> Option<Finding> {
        let Cut { caller, header, address } = self.cut.first()?;
        let others = match self.cut.len() - 1 {
            0 => String::new(),
            others => format!(" and {}", counted(others, "other call")),
        };
        let detail = format!(
            "Errors that only `plan` finds may be missing below `{address}`{others}: all modules together have too few \
             evaluation steps for them."
        );
        let finding =
            Finding::limit(Limit::Evaluation, &self.limits, "Module too expensive to evaluate", &detail);
        // No single expression takes the steps.
        let options = self.limits.options(Limit::Evaluation);
        let finding = finding.help_if(options.map(|options| format!("try a higher limit, with {options}")));
        let directory = &self.graph.node(*caller).module().directory;
        Some(finding.code(Code::ValueLeftUnknown).at(*header).at_plan().module(directory.clone()))
    }
}

/// Whether another round may find more: with hardly more steps, it would not.
fn gives_more(before: usize, now: usize) -> bool {
    now / 2 > before
}
