//! The conditions of a module with the variables of a run, and those of the modules that it calls.

use std::cell::Cell;

use smol_str::SmolStr;

use crate::finding::{Code, Continued, EngineRule, Finding};
use crate::graph::evaluation::{CheckStatus, RunValues, failed_validation};
use crate::graph::{Node, arguments};
use crate::module::address::{ResourceAddress, Subject, TestSubject};
use crate::module::declaration::{Check, Condition};
use crate::module::test_file::Run;
use crate::syntax::Expr;

/// An object with conditions.
pub(super) struct Checkable {
    pub(super) subject: TestSubject,
    /// Whether it is in the module under test, and not in one that this calls.
    pub(super) is_own: bool,
    pub(super) status: CheckStatus,
    /// Whether a failure does not keep the engine from applying the plan, since it is known only then.
    pub(super) is_late: bool,
    /// The warnings of a check while the run plans what it applies.
    pub(super) in_plan: Vec<Finding>,
}

/// Why a condition fails.
const FALSE: &str = "is false";

/// Whether no condition fails.
pub(super) fn pass(all: &[Checkable]) -> bool {
    !all.iter().any(|object| object.status.fails())
}

pub(super) fn resource_of(address: &ResourceAddress) -> TestSubject {
    TestSubject::InModule(Subject::Resource { address: address.clone(), key: None })
}

/// The conditions of a module.
pub(super) struct Conditions<'c, 't> {
    pub(super) run: &'c Run,
    pub(super) node: Node<'t>,
    /// The values in the plan of the run.
    pub(super) planned: &'c RunValues<'t>,
    /// The values after the run.
    pub(super) at_end: &'c RunValues<'t>,
    /// Whether this is the module under test.
    pub(super) is_own: bool,
}

impl Conditions<'_, '_> {
    /// All objects; `set` returns the value that is written for a variable.
    pub(super) fn all<'e>(&self, set: &dyn Fn(&SmolStr) -> Option<&'e Expr>) -> Vec<Checkable> {
        let own = self.of_variables(set).into_iter().chain(self.of_resources());
        own.chain(self.of_outputs()).chain(self.of_checks()).chain(self.of_calls()).collect()
    }

    /// Those of variables.
    fn of_variables<'e>(&self, set: &dyn Fn(&SmolStr) -> Option<&'e Expr>) -> Vec<Checkable> {
        let variables = self.node.module().variables.values();
        let checked = variables.filter(|variable| !variable.validations.is_empty()).map(|variable| {
            let is_late = Cell::new(false);
            let judge = |validation: &Condition| {
                self.judge(&is_late, |values| values.status_of_validation(validation, &variable.name))
            };
            let status = self.status(false, &variable.validations, judge, |validation| {
                failed_validation(variable, set(&variable.name), validation)
            });
            self.object(
                TestSubject::InModule(Subject::Variable(variable.name.clone())),
                status,
                is_late.get(),
            )
        });
        checked.collect()
    }

    fn of_resources(&self) -> Vec<Checkable> {
        let resources = self.node.module().resources.values();
        let own = resources.filter(|resource| resource.check.is_none());
        own.map(|resource| {
            let conditions = || resource.preconditions.iter().chain(&resource.postconditions);
            let is_late = Cell::new(false);
            let judge = |condition: &Condition| {
                self.judge(&is_late, |values| values.status_in_all(condition, resource))
            };
            let skips = self.planned.skips_resource(&resource.address);
            let status = self.status(skips, conditions(), judge, |condition| {
                let is_before = resource.preconditions.iter().any(|before| std::ptr::eq(before, condition));
                let kind = if is_before { "precondition" } else { "postcondition" };
                self.failed(&format!("Resource {kind} failed"), FALSE, condition)
            });
            self.object(resource_of(&resource.address), status, is_late.get())
        })
        .collect()
    }

    fn of_outputs(&self) -> Vec<Checkable> {
        let outputs = self.node.module().outputs.values();
        outputs
            .map(|output| {
                let is_late = Cell::new(false);
                let judge = |condition: &Condition| self.judge(&is_late, |values| values.status(condition));
                let skips = self.planned.skips_output(&output.name);
                let status = self.status(skips, &output.preconditions, judge, |condition| {
                    self.failed("Module output value precondition failed", FALSE, condition)
                });
                self.object(TestSubject::Output(output.name.clone()), status, is_late.get())
            })
            .collect()
    }

    fn of_checks(&self) -> Vec<Checkable> {
        let checks = self.node.module().checks.values();
        checks
            .map(|check| {
                let status = |values: &RunValues<'_>| match check.data {
                    Some(_) => CheckStatus::Unknown,
                    None => self.status_of_check(check, values),
                };
                let (in_plan, is_late) = match status(self.planned) {
                    CheckStatus::Fail(errors) if !self.run.plans => (errors, true),
                    CheckStatus::Error(_) => (Vec::new(), false),
                    _ => (Vec::new(), !self.run.plans),
                };
                let subject = TestSubject::Check(check.name.clone());
                Checkable { in_plan, ..self.object(subject, status(self.at_end), is_late) }
            })
            .collect()
    }

    /// Those of the modules that this one calls, if the calls certainly have instances.
    fn of_calls(&self) -> Vec<Checkable> {
        let mut all = Vec::new();
        for (call, child) in self.node.child_calls() {
            let given = arguments::given(call, child.module());
            let set = |name: &SmolStr| Some(&given.iter().find(|given| given.name == *name)?.expr);
            let instances = self.planned.instances_of(call).into_iter().zip(self.at_end.instances_of(call));
            for (planned, at_end) in instances {
                let (planned, at_end) = (&*planned, &*at_end);
                let below = Conditions { run: self.run, node: child, planned, at_end, is_own: false };
                all.extend(below.all(&set));
            }
        }
        all
    }

    /// Whether the assertions of a check hold. One that is known only after apply fails a run, as the warning about it.
    fn status_of_check(&self, check: &Check, values: &RunValues<'_>) -> CheckStatus {
        let is_pending = |condition: &Condition| matches!(values.status(condition), CheckStatus::Pending);
        let judge = |condition: &Condition| match values.status(condition) {
            CheckStatus::Pending => CheckStatus::Fail(Vec::new()),
            status => status,
        };
        self.status(false, &check.asserts, judge, |condition| {
            let failed = if is_pending(condition) {
                let why = "depends on a value that is known only after apply";
                self.failed("Check block assertion known after apply", why, condition)
            } else {
                self.failed("Check block assertion failed", FALSE, condition)
            };
            failed.code(Code::TestContinues(Continued::TheApply))
        })
    }

    fn object(&self, subject: TestSubject, status: CheckStatus, is_late: bool) -> Checkable {
        Checkable { subject, is_own: self.is_own, status, is_late, in_plan: Vec::new() }
    }

    /// The status of a condition in the plan, or after apply if it is known only then.
    fn judge(&self, is_late: &Cell<bool>, status: impl Fn(&RunValues<'_>) -> CheckStatus) -> CheckStatus {
        match status(self.planned) {
            CheckStatus::Pending if !self.run.plans => {
                is_late.set(true);
                status(self.at_end)
            }
            status => status,
        }
    }

    /// Whether the conditions of an object hold, unless the engine `skips` it.
    fn status<'c>(
        &self,
        skips: bool,
        conditions: impl IntoIterator<Item = &'c Condition>,
        judge: impl Fn(&Condition) -> CheckStatus,
        error: impl Fn(&Condition) -> Finding,
    ) -> CheckStatus {
        if skips {
            return CheckStatus::Skipped;
        }
        let mut status = CheckStatus::Pass;
        for condition in conditions {
            let of_run = |error: Finding| error.related(self.run.header, "with the variables of this run");
            match (judge(condition), &mut status) {
                (CheckStatus::Fail(_), CheckStatus::Fail(errors) | CheckStatus::Error(errors)) => {
                    errors.push(of_run(error(condition)));
                }
                (CheckStatus::Fail(_), _) => status = CheckStatus::Fail(vec![of_run(error(condition))]),
                (CheckStatus::Error(found), before) => {
                    let mut errors = match before {
                        CheckStatus::Fail(errors) | CheckStatus::Error(errors) => std::mem::take(errors),
                        CheckStatus::Pass
                        | CheckStatus::Pending
                        | CheckStatus::Unknown
                        | CheckStatus::Skipped => Vec::new(),
                    };
                    errors.extend(found.into_iter().map(of_run));
                    status = CheckStatus::Error(errors);
                }
                (CheckStatus::Unknown, CheckStatus::Pass | CheckStatus::Pending | CheckStatus::Skipped) => {
                    status = CheckStatus::Unknown;
                }
                (CheckStatus::Pending, CheckStatus::Pass | CheckStatus::Skipped) => {
                    status = CheckStatus::Pending;
                }
                (CheckStatus::Skipped, CheckStatus::Pass) => status = CheckStatus::Skipped,
                (
                    CheckStatus::Unknown | CheckStatus::Pending | CheckStatus::Skipped | CheckStatus::Pass,
                    _,
                ) => {}
            }
        }
        status
    }

    fn failed(&self, summary: &str, why: &str, condition: &Condition) -> Finding {
        let at = condition.condition.as_ref().map_or(condition.block.header, |part| part.expr.span);
        Finding::language(EngineRule::InvalidTest, summary)
            .detail(format!("This condition {why} in the run `{}`.", self.run.name))
            .at(at)
    }
}
