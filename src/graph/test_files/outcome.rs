//! Reports conditions and assertions that fail with the variables of a run, if no provider is needed to know that.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::names::Names;
use crate::finding::{Code, Continued, EngineRule, Finding, Severity};
use crate::graph::evaluation::{
    Computed, Outputs, Resources, RunValues, VariableValues, assertion, default_of, failed_validation,
    value_of_test,
};
use crate::graph::{Node, Test};
use crate::module::Module;
use crate::module::address::{ResourceAddress, Subject, TestSubject, reference, reference_in_test};
use crate::module::declaration::{Condition, Resource};
use crate::module::test_file::Run;
use crate::syntax::Traversal;
use crate::text::Span;
use crate::value::Budget;

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

/// Adds the variables that the file sets, or that have a default, to those that the run sets.
pub(super) fn remaining(
    test: &Test,
    run: &Run,
    module: Node<'_>,
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
}

/// Checks what a run without errors so far leads to, with these assertions.
pub(super) fn check(
    Names { node: tested, test, run, .. }: &Names<'_, '_>,
    node: Node<'_>,
    given: &VariableValues,
    asserts: &[&Condition],
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
        let at_end = if run.plans { planned } else { Resources::Applied };
        let is_overridden = is_overridden(test, run);
        let values = |resources| {
            let given = given.clone();
            let values = RunValues::new(node, (resources, is_overridden), given, &earlier.outputs, work);
            values.in_tests_of(*tested)
        };
        let outcome = Outcome { run, asserts, test, node, planned: values(planned), at_end: values(at_end) };
        outcome.of()
    };
    if let Some(outputs) = outputs {
        earlier.outputs.insert(run.name.clone(), outputs);
    }
    found
}

/// Whether a run replaces any value of a provider or module.
fn is_overridden(test: &Test, run: &Run) -> bool {
    let has_mocks = test.file.providers.values().any(|provider| provider.mock.is_some());
    has_mocks || !test.file.overrides.is_empty() || !run.overrides.is_empty()
}

/// An object with conditions.
struct Checkable {
    subject: TestSubject,
    held: Held,
}

/// Whether the conditions of an object hold.
enum Held {
    Holds,
    /// The errors of the conditions that fail.
    Fails(Vec<Finding>),
    /// The errors in the evaluation of the conditions. They cannot be expected.
    IsWrong(Vec<Finding>),
    Unknown,
}

struct Outcome<'r> {
    run: &'r Run,
    /// Those with valid references.
    asserts: &'r [&'r Condition],
    test: &'r Test,
    node: Node<'r>,
    planned: RunValues<'r>,
    at_end: RunValues<'r>,
}

impl Outcome<'_> {
    /// The findings, and the outputs if no condition of the module fails.
    fn of(&self) -> (Vec<Finding>, Option<Outputs>) {
        let mut all = self.variables();
        // What depends on an object that fails is not evaluated.
        let has_wrong_variables = !self.pass(&all);
        if !has_wrong_variables {
            all.extend(self.resources());
        }
        if self.pass(&all) {
            all.extend(self.outputs());
            all.extend(self.checks());
        } else if !has_wrong_variables {
            all.extend(self.checks().into_iter().filter(|check| self.is_apart(&check.subject)));
        }
        if all.iter().any(|object| self.is_open(object)) {
            return (Vec::new(), None);
        }
        let passes = self.pass(&all);
        let mut findings = self.failures(all);
        if !passes || !findings.is_empty() {
            return (findings, None);
        }
        let outputs = self.at_end.outputs();
        self.at_end.evaluate_all();
        let wrong = self.at_end.declaration_errors();
        if !wrong.is_empty() {
            let of_run =
                |finding: Finding| finding.related(self.run.header, "with the variables of this run");
            return (wrong.into_iter().map(of_run).collect(), None);
        }
        for assert in self.asserts {
            findings.extend(assertion(assert, &self.at_end));
        }
        (findings, Some(outputs))
    }

    fn pass(&self, all: &[Checkable]) -> bool {
        let fails = |object: &Checkable| matches!(object.held, Held::Fails(_) | Held::IsWrong(_));
        !all.iter().any(|object| fails(object) || self.is_open(object))
    }

    /// Whether the assertions of a check depend on variables only, so that they are evaluated after other failures.
    fn is_apart(&self, check: &TestSubject) -> bool {
        let TestSubject::Check(name) = check else { return false };
        let check = self.node.module().checks.get(name);
        let asserts = check.into_iter().flat_map(|check| &check.asserts);
        let conditions = asserts.filter_map(|assert| assert.condition.as_ref());
        let mut left: Vec<&Traversal> = conditions.flat_map(|condition| condition.expr.variables()).collect();
        let mut seen = BTreeSet::new();
        while let Some(traversal) = left.pop() {
            match reference(traversal, &self.node.module().features).map(|found| found.subject) {
                Ok(Subject::Variable(_)) => {}
                Ok(Subject::Local(name)) => {
                    let Some(local) = self.node.module().locals.get(&name) else { return false };
                    if seen.insert(name) {
                        left.extend(local.attribute.expr.variables());
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether an object may fail as the run expects.
    fn is_open(&self, object: &Checkable) -> bool {
        matches!(object.held, Held::Unknown) && self.expected(&object.subject).next().is_some()
    }

    /// The elements of `expect_failures` for an object, each with its place.
    fn expected(&self, object: &TestSubject) -> impl Iterator<Item = Span> {
        self.expectations().filter(move |(subject, _)| subject == object).map(|(_, span)| span)
    }

    /// The objects that are expected to fail; for an instance of a resource, the resource.
    fn expectations(&self) -> impl Iterator<Item = (TestSubject, Span)> {
        let features = &self.node.module().features;
        self.run.expect_failures.iter().filter_map(|expected| {
            let subject = match reference_in_test(&expected.traversal, features).ok()?.subject {
                TestSubject::InModule(Subject::Resource { address, .. }) => resource(&address),
                subject => subject,
            };
            Some((subject, expected.span))
        })
    }

    /// The errors of conditions that fail unexpectedly, and the expected failures that do not occur.
    fn failures(&self, all: Vec<Checkable>) -> Vec<Finding> {
        let mut findings = Vec::new();
        let exists = |(subject, _): &(TestSubject, Span)| can_fail(subject, self.node.module());
        let mut missing: Vec<(TestSubject, Span)> = self.expectations().filter(exists).collect();
        let (mut is_decided, mut is_planned) = (false, true);
        for Checkable { subject, held } in all {
            let expected = self.expected(&subject).next();
            match (held, expected) {
                (Held::Fails(errors), None) => {
                    is_decided = true;
                    is_planned &= matches!(subject, TestSubject::Check(_));
                    findings.extend(errors);
                }
                (Held::Fails(errors), Some(at)) => {
                    is_decided = true;
                    if !self.run.plans && !matches!(subject, TestSubject::Check(_)) {
                        is_planned = false;
                        findings.push(while_planning(self.run, &subject, at));
                        findings.extend(errors);
                    }
                    missing.retain(|(expected, _)| *expected != subject);
                }
                (Held::IsWrong(errors), _) => {
                    is_decided = true;
                    is_planned = false;
                    findings.extend(errors);
                }
                (Held::Holds, Some(_)) => is_decided = true,
                (Held::Holds | Held::Unknown, _) => {}
            }
        }
        if is_decided && (self.run.plans || is_planned) {
            findings.extend(missing.into_iter().map(|(_, at)| missing_failure(at)));
        }
        findings
    }

    fn variables(&self) -> Vec<Checkable> {
        let variables = self.node.module().variables.values();
        let checked = variables.filter(|variable| !variable.validations.is_empty()).map(|variable| {
            let name = &variable.name;
            let set = self.run.variables.get(name).or_else(|| self.test.given(name));
            let wrong: Vec<Finding> =
                variable.validations.iter().flat_map(|condition| self.planned.errors(condition)).collect();
            let held = if wrong.is_empty() {
                self.held(&variable.validations, |condition| self.planned.holds(condition), {
                    |condition| failed_validation(variable, set.map(|set| &set.expr), condition)
                })
            } else {
                Held::IsWrong(wrong)
            };
            Checkable { subject: TestSubject::InModule(Subject::Variable(name.clone())), held }
        });
        checked.collect()
    }

    fn resources(&self) -> Vec<Checkable> {
        let resources = self.node.module().resources.values();
        let own = resources.filter(|resource| resource.check.is_none());
        own.map(|object| {
            let conditions = || object.preconditions.iter().chain(&object.postconditions);
            let judge = |condition: &Condition| self.planned.holds_in_all(condition, object);
            let held = self.held(conditions(), judge, |condition| {
                let is_before = object.preconditions.iter().any(|before| std::ptr::eq(before, condition));
                let kind = if is_before { "precondition" } else { "postcondition" };
                self.failed(&format!("Resource {kind} failed"), condition)
            });
            Checkable { subject: resource(&object.address), held }
        })
        .collect()
    }

    fn outputs(&self) -> Vec<Checkable> {
        let outputs = self.node.module().outputs.values();
        outputs
            .map(|output| {
                let judge = |condition: &Condition| self.planned.holds(condition);
                let held = self.held(&output.preconditions, judge, |condition| {
                    self.failed("Module output value precondition failed", condition)
                });
                Checkable { subject: TestSubject::Output(output.name.clone()), held }
            })
            .collect()
    }

    fn checks(&self) -> Vec<Checkable> {
        let checks = self.node.module().checks.values();
        checks
            .map(|check| {
                let judge = |condition: &Condition| self.at_end.holds(condition);
                let held = match check.data {
                    Some(_) => Held::Unknown,
                    None => self.held(&check.asserts, judge, |condition| {
                        let failed = self.failed("Check block assertion failed", condition);
                        failed.code(Code::TestContinues(Continued::TheApply))
                    }),
                };
                Checkable { subject: TestSubject::Check(check.name.clone()), held }
            })
            .collect()
    }

    fn held<'c>(
        &self,
        conditions: impl IntoIterator<Item = &'c Condition>,
        judge: impl Fn(&Condition) -> Option<bool>,
        error: impl Fn(&Condition) -> Finding,
    ) -> Held {
        let mut held = Held::Holds;
        for condition in conditions {
            let error = || error(condition).related(self.run.header, "with the variables of this run");
            match (judge(condition), &mut held) {
                (Some(false), Held::Fails(errors)) => errors.push(error()),
                (Some(false), _) => held = Held::Fails(vec![error()]),
                (None, Held::Holds) => held = Held::Unknown,
                (None | Some(true), _) => {}
            }
        }
        held
    }

    fn failed(&self, summary: &str, condition: &Condition) -> Finding {
        let at = condition.condition.as_ref().map_or(condition.block.header, |part| part.expr.span);
        Finding::language(EngineRule::InvalidTest, summary)
            .detail(format!("This condition is false in the run `{}`.", self.run.name))
            .at(at)
    }
}

fn resource(address: &ResourceAddress) -> TestSubject {
    TestSubject::InModule(Subject::Resource { address: address.clone(), key: None })
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
