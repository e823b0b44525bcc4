//! Reports conditions and assertions that fail with the variables of a run, if no provider is needed to know that.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use smol_str::SmolStr;

use super::conditions::{Checkable, Conditions, pass, resource_of};
use super::names::Names;
use crate::finding::{Code, Continued, EngineRule, Finding, Severity, make_warnings};
use crate::graph::evaluation::{
    CheckStatus, Computed, Given, GivenValues, Outputs, Replaced, Resources, RunValues, VariableValues,
    assertion, default_of, value_of_test,
};
use crate::graph::{Node, Test};
use crate::module::Module;
use crate::module::address::{Subject, TestSubject, reference_in_test};
use crate::module::declaration::{Condition, Resource};
use crate::module::test_file::{Override, Run};
use crate::text::Span;
use crate::value::{Budget, Value, constant};

/// What the runs before a run of the same file leave.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// The outputs of each run, as far as they are known.
    pub(super) outputs: BTreeMap<SmolStr, Outputs>,
    /// Whether one of them applied something.
    pub(super) is_applied: bool,
    /// Whether one of them has an error, so that no further run is executed.
    pub(super) is_over: bool,
}

/// Adds the variables that the file sets, or that have a default, to those that the run sets. Of those that only the file
/// has, it adds the `asserted` ones, to which assertions refer.
pub(super) fn remaining(
    Names { test, run, .. }: &Names<'_, '_>,
    module: Node<'_>,
    asserted: &BTreeSet<SmolStr>,
    values: &RunValues<'_>,
    given: &mut BTreeMap<SmolStr, Computed>,
) {
    for (name, variable) in &module.module().variables {
        if run.variables.contains_key(name) {
            continue;
        }
        let computed = match test.given(name) {
            Some(set) if !set.is_broken => value_of_test(&set.expr, Some(variable), values).0,
            None if !test.values.may_set(name) && !test.file.declared.contains_key(name) => {
                default_of(variable)
            }
            Some(_) | None => Computed::any_of(variable),
        };
        given.insert(name.clone(), computed);
    }
    for name in asserted.iter().filter(|name| !module.module().variables.contains_key(*name)) {
        let set = test.file.variables.get(name).filter(|set| !set.is_broken);
        if let Some(set) = set.filter(|_| !run.variables.contains_key(name)) {
            given.insert(name.clone(), value_of_test(&set.expr, None, values).0);
        }
    }
}

/// Checks what a run without errors so far leads to, with these assertions. `of_file` are the values that the file may
/// replace.
pub(super) fn check(
    Names { node: tested, test, run, .. }: &Names<'_, '_>,
    node: Node<'_>,
    given: &VariableValues,
    asserts: &[&Condition],
    of_file: &Replaced,
    work: &Budget,
    earlier: &mut Earlier,
) -> Vec<Finding> {
    let module = node.module();
    let is_whole = module.is_whole() && !node.is_broken();
    if earlier.is_over || !is_whole || run.refreshes_only {
        return Vec::new();
    }
    if !run.target.is_empty() {
        return vec![targeted(run)];
    }
    let (found, outputs) = {
        let planned = if earlier.is_applied { Resources::Changed } else { Resources::Planned };
        let mut replaced = of_file.clone();
        add_overrides(run.overrides.all(), &mut replaced.resources, &mut replaced.by_run);
        let values = |resources| {
            let given = given.clone();
            let values = RunValues::new(node, (resources, replaced.clone()), given, &earlier.outputs, work);
            values.in_tests_of(*tested).without_invalid()
        };
        let planned = &values(planned);
        let applied = (!run.plans).then(|| values(Resources::Applied));
        let outcome =
            Outcome { run, asserts, test, node, planned, at_end: applied.as_ref().unwrap_or(planned) };
        outcome.of()
    };
    if let Some(outputs) = outputs {
        earlier.outputs.insert(run.name.clone(), outputs);
    }
    found
}

/// The values that the mocks and overrides of a file may replace in each of its runs of a module.
pub(super) fn replaced_by_file(test: &Test, module: &Module) -> Replaced {
    let mut replaced = Replaced::default();
    add_overrides(test.file.overrides.all(), &mut replaced.resources, &mut replaced.by_file);
    for provider in test.file.providers.values() {
        let Some(mock) = &provider.mock else { continue };
        // Its files may have overrides too.
        if mock.source.is_some() {
            return Replaced::all();
        }
        replaced.resources |=
            module.provider_address(&provider.name).is_some_and(|address| address.is_built_in());
        add_overrides(mock.data.overrides.all(), &mut replaced.resources, &mut replaced.by_file);
    }
    replaced
}

/// Adds the overrides of a file, a mock or a run to the given values. The first override of an object counts. `resources`
/// becomes true if one replaces attributes of `terraform_data`.
fn add_overrides(overrides: &[Override], resources: &mut bool, given: &mut Rc<GivenValues>) {
    for over in overrides {
        let resource = over.target.resource.as_ref();
        if resource.is_some_and(|resource| resource.resource.kind == "terraform_data") {
            *resources = true;
            continue;
        }
        let is_of_instance = resource.is_some_and(|resource| resource.key.is_some())
            || over.target.path.iter().any(|step| step.key.is_some());
        let path = over.target.path.iter().map(|step| step.name.clone()).collect();
        let object = (path, resource.map(|resource| resource.resource.clone()));
        let all = Rc::make_mut(given);
        if is_of_instance {
            all.insert(object, Given::Unknown);
        } else {
            all.entry(object).or_insert_with(|| values(over));
        }
    }
}

/// What an override gives to its object.
fn values(over: &Override) -> Given {
    let Some(given) = &over.values else { return Given::Values(BTreeMap::new()) };
    let mut found = Vec::new();
    let value = if given.is_broken { Value::UNKNOWN } else { constant(&given.expr, &mut found) };
    match value {
        Value::Object(values) | Value::Map(_, values) if found.is_empty() => Given::Values(values),
        _ => Given::Unknown,
    }
}

struct Outcome<'r> {
    run: &'r Run,
    /// Those with valid references.
    asserts: &'r [&'r Condition],
    test: &'r Test,
    node: Node<'r>,
    planned: &'r RunValues<'r>,
    at_end: &'r RunValues<'r>,
}

impl Outcome<'_> {
    /// The findings, and the outputs if no condition of the module fails.
    fn of(&self) -> (Vec<Finding>, Option<Outputs>) {
        let (planned, at_end) = (self.planned, self.at_end);
        let conditions = Conditions { run: self.run, node: self.node, planned, at_end, is_own: true };
        let set = |name: &SmolStr| self.run.variables.get(name).or_else(|| self.test.given(name));
        let all = conditions.all(&|name| Some(&set(name)?.expr));
        if all.iter().any(|object| self.is_open(object)) {
            return (Vec::new(), None);
        }
        let passes = pass(&all);
        self.planned.evaluate_all();
        let mut outputs = self.planned.outputs();
        let mut wrong = self.planned.declaration_errors();
        let Failures { mut findings, is_planned } = self.failures(all, wrong.is_empty());
        if !self.run.plans && is_planned {
            self.at_end.evaluate_all();
            outputs = self.at_end.outputs();
            wrong = self.at_end.declaration_errors();
        }
        let known: BTreeSet<_> = findings.iter().map(Finding::place_and_summary).collect();
        let wrong = wrong.into_iter().filter(|error| !known.contains(&error.place_and_summary()));
        findings.extend(wrong.map(|error| error.related(self.run.header, "with the variables of this run")));
        if findings.is_empty() {
            for assert in self.asserts {
                findings.extend(assertion(assert, self.at_end));
            }
            return (findings, passes.then_some(outputs));
        }
        (findings, None)
    }

    /// Whether an object may fail as the run expects.
    fn is_open(&self, object: &Checkable) -> bool {
        matches!(object.status, CheckStatus::Unknown) && self.expected(object).is_some()
    }

    /// The first element of `expect_failures` for an object. Those of called modules cannot be expected to fail.
    fn expected(&self, object: &Checkable) -> Option<Span> {
        let mut all = self.expectations().filter(|(subject, _)| object.is_own && *subject == object.subject);
        Some(all.next()?.1)
    }

    /// The objects that are expected to fail; for an instance of a resource, the resource.
    fn expectations(&self) -> impl Iterator<Item = (TestSubject, Span)> {
        let features = &self.node.module().features;
        self.run.expect_failures.iter().filter_map(|expected| {
            let subject = match reference_in_test(&expected.traversal, features).ok()?.subject {
                TestSubject::InModule(Subject::Resource { address, .. }) => resource_of(&address),
                subject => subject,
            };
            Some((subject, expected.span))
        })
    }

    /// The errors of conditions that fail unexpectedly, and the expected failures that do not occur. `is_valid` tells
    /// whether everything else in the plan can be evaluated.
    fn failures(&self, all: Vec<Checkable>, is_valid: bool) -> Failures {
        let (mut findings, mut of_checks, mut after_plan) = (Vec::new(), Vec::new(), Vec::new());
        let exists = |(subject, _): &(TestSubject, Span)| can_fail(subject, self.node.module());
        let mut missing: Vec<(TestSubject, Span)> = self.expectations().filter(exists).collect();
        let (mut is_decided, mut is_planned) = (false, is_valid);
        let mut in_plan = Vec::new();
        for object in all {
            let expected = self.expected(&object);
            let Checkable { subject, status, is_late, in_plan: warnings, .. } = object;
            in_plan.extend(warnings);
            let is_check = matches!(subject, TestSubject::Check(_));
            match (status, expected) {
                (CheckStatus::Fail(errors), None) if is_check => {
                    is_decided = true;
                    of_checks.extend(errors);
                }
                (CheckStatus::Error(errors), _) | (CheckStatus::Fail(errors), None) => {
                    is_decided = true;
                    is_planned &= is_late;
                    if is_late { after_plan.extend(errors) } else { findings.extend(errors) }
                }
                (CheckStatus::Fail(errors), Some(at)) => {
                    is_decided = true;
                    if !is_check && !self.run.plans && !is_late {
                        is_planned = false;
                        findings.push(while_planning(self.run, &subject, at));
                        findings.extend(errors);
                    }
                    missing.retain(|(expected, _)| *expected != subject);
                }
                (CheckStatus::Pass | CheckStatus::Pending, Some(_)) => is_decided = true,
                (
                    CheckStatus::Pass | CheckStatus::Pending | CheckStatus::Unknown | CheckStatus::Skipped,
                    _,
                ) => {}
            }
        }
        if self.run.plans || is_planned {
            findings.append(&mut after_plan);
            findings.append(&mut of_checks);
        } else {
            // The engine does not get to the failures that it expects.
            make_warnings(&mut in_plan);
            findings.append(&mut in_plan);
        }
        // Several instances of a called module may have the same error.
        let mut seen = BTreeSet::new();
        findings.retain(|finding| seen.insert(finding.place_and_summary()));
        if is_decided && (self.run.plans || is_planned) {
            findings.extend(missing.into_iter().map(|(_, at)| missing_failure(at)));
        }
        Failures { findings, is_planned }
    }
}

/// The result of all conditions of a run.
struct Failures {
    /// The errors of conditions that fail unexpectedly, and the expected failures that do not occur.
    findings: Vec<Finding>,
    /// Whether the engine has a plan to apply.
    is_planned: bool,
}

/// Whether an object has conditions. If not, this is reported for every run.
fn can_fail(object: &TestSubject, module: &Module) -> bool {
    match object {
        TestSubject::Output(name) => {
            module.outputs.get(name).is_some_and(|output| !output.preconditions.is_empty())
        }
        TestSubject::Check(name) => module.checks.contains_key(name),
        TestSubject::InModule(Subject::Variable(name)) => {
            module.variables.get(name).is_some_and(|variable| !variable.validations.is_empty())
        }
        TestSubject::InModule(Subject::Resource { address, .. }) => {
            let conditions = |resource: &Resource| {
                !resource.preconditions.is_empty() || !resource.postconditions.is_empty()
            };
            module.resources.get(address).is_some_and(|resource| conditions(resource))
        }
        TestSubject::Run(_) | TestSubject::InModule(_) => false,
    }
}

/// The expected failures of variables that do not occur since the values of these are unsuitable, as `findings` report.
pub(super) fn stopped_by_value(test: &Test, run: &Run, node: Node<'_>, findings: &[Finding]) -> Vec<Finding> {
    let features = &node.module().features;
    let is_refused = |name: &SmolStr| {
        let set = run.variables.get(name).or_else(|| test.given(name));
        set.is_some_and(|set| findings.iter().any(|finding| finding.primary == Some(set.expr.span)))
    };
    let expected = run.expect_failures.iter().filter(|_| run.plans && node.module().complete);
    let reported = expected.filter(|expected| {
        let subject = reference_in_test(&expected.traversal, features).map(|reference| reference.subject);
        let subject = subject.ok().filter(|subject| can_fail(subject, node.module()));
        matches!(subject, Some(TestSubject::InModule(Subject::Variable(name))) if is_refused(&name))
    });
    reported.map(|expected| missing_failure(expected.span)).collect()
}

pub(super) fn missing_failure(at: Span) -> Finding {
    Finding::language(EngineRule::InvalidTest, "Missing expected failure")
        .code(Code::TestContinues(Continued::TheRun))
        .detail("The conditions of this object do not fail with the variables of the run.")
        .at(at)
        .help("set variables that lead to the failure, or remove it from `expect_failures`")
}

/// The engine's explanation for an expected failure that occurs too early. Only for outputs it has a place.
fn while_planning(run: &Run, subject: &TestSubject, at: Span) -> Finding {
    let finding = Finding::language(EngineRule::InvalidTest, "Expected failure while planning")
        .severity(Severity::Warning)
        .detail("The expected failure occurs while planning, so nothing is applied and the run fails.")
        .help("set `command = plan`");
    match subject {
        TestSubject::Output(_) => finding.at(at),
        TestSubject::Check(_) | TestSubject::Run(_) | TestSubject::InModule(_) => {
            finding.related(run.header, "this run").related(at, "the expected failure")
        }
    }
}

/// The engine's warning for a run with `target`. The author of the test wants that, so it is not a warning here.
fn targeted(run: &Run) -> Finding {
    Finding::language(EngineRule::InvalidTest, "Resource targeting is in effect")
        .code(Code::TestContinues(Continued::LaterRuns))
        .severity(Severity::Notice)
        .detail("The plan of this run covers only a part of its module.")
        .related(run.header, "this run has `target` in `plan_options`")
}
