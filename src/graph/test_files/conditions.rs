//! The conditions of a module with the variables of a run, and those of the modules that it calls.

use smol_str::SmolStr;

use crate::finding::{Code, Continued, EngineRule, Finding};
use crate::graph::evaluation::{CheckStatus, RunValues, failed_validation};
use crate::graph::{Node, arguments};
use crate::module::address::{ResourceAddress, Subject, TestSubject};
use crate::module::declaration::Condition;
use crate::module::test_file::Run;
use crate::syntax::Expr;

/// An object with conditions.
pub(super) struct Checkable {
    pub(super) subject: TestSubject,
    /// Whether it is in the module under test, and not in one that this calls.
    pub(super) is_own: bool,
    pub(super) held: Held,
}

/// Whether the conditions of an object hold.
pub(super) enum Held {
    Holds,
    /// The errors of the conditions that fail.
    Fails(Vec<Finding>),
    /// The errors in the evaluation of the conditions. They cannot be expected.
    IsWrong(Vec<Finding>),
    Unknown,
    /// They depend on an error, so the engine does not evaluate them.
    Skipped,
}

/// Whether no condition fails.
pub(super) fn pass(all: &[Checkable]) -> bool {
    !all.iter().any(|object| matches!(object.held, Held::Fails(_) | Held::IsWrong(_)))
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
            let judge =
                |validation: &Condition| self.planned.status_of_validation(validation, &variable.name);
            let held = self.held(false, &variable.validations, judge, |validation| {
                failed_validation(variable, set(&variable.name), validation)
            });
            self.object(TestSubject::InModule(Subject::Variable(variable.name.clone())), held)
        });
        checked.collect()
    }

    fn of_resources(&self) -> Vec<Checkable> {
        let resources = self.node.module().resources.values();
        let own = resources.filter(|resource| resource.check.is_none());
        own.map(|resource| {
            let conditions = || resource.preconditions.iter().chain(&resource.postconditions);
            let judge = |condition: &Condition| self.planned.status_in_all(condition, resource);
            let skips = self.planned.skips_resource(&resource.address);
            let held = self.held(skips, conditions(), judge, |condition| {
                let is_before = resource.preconditions.iter().any(|before| std::ptr::eq(before, condition));
                let kind = if is_before { "precondition" } else { "postcondition" };
                self.failed(&format!("Resource {kind} failed"), condition)
            });
            self.object(resource_of(&resource.address), held)
        })
        .collect()
    }

    fn of_outputs(&self) -> Vec<Checkable> {
        let outputs = self.node.module().outputs.values();
        outputs
            .map(|output| {
                let judge = |condition: &Condition| self.planned.status(condition);
                let skips = self.planned.skips_output(&output.name);
                let held = self.held(skips, &output.preconditions, judge, |condition| {
                    self.failed("Module output value precondition failed", condition)
                });
                self.object(TestSubject::Output(output.name.clone()), held)
            })
            .collect()
    }

    fn of_checks(&self) -> Vec<Checkable> {
        let checks = self.node.module().checks.values();
        checks
            .map(|check| {
                let judge = |condition: &Condition| self.at_end.status(condition);
                let held = match check.data {
                    Some(_) => Held::Unknown,
                    None => self.held(false, &check.asserts, judge, |condition| {
                        let failed = self.failed("Check block assertion failed", condition);
                        failed.code(Code::TestContinues(Continued::TheApply))
                    }),
                };
                self.object(TestSubject::Check(check.name.clone()), held)
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

    fn object(&self, subject: TestSubject, held: Held) -> Checkable {
        Checkable { subject, is_own: self.is_own, held }
    }

    /// Whether the conditions of an object hold, unless the engine `skips` it.
    fn held<'c>(
        &self,
        skips: bool,
        conditions: impl IntoIterator<Item = &'c Condition>,
        judge: impl Fn(&Condition) -> CheckStatus,
        error: impl Fn(&Condition) -> Finding,
    ) -> Held {
        if skips {
            return Held::Skipped;
        }
        let mut held = Held::Holds;
        for condition in conditions {
            let of_run = |error: Finding| error.related(self.run.header, "with the variables of this run");
            match (judge(condition), &mut held) {
                (CheckStatus::Fail, Held::Fails(errors) | Held::IsWrong(errors)) => {
                    errors.push(of_run(error(condition)));
                }
                (CheckStatus::Fail, _) => held = Held::Fails(vec![of_run(error(condition))]),
                (CheckStatus::Error(found), before) => {
                    let mut errors = match before {
                        Held::Fails(errors) | Held::IsWrong(errors) => std::mem::take(errors),
                        Held::Holds | Held::Unknown | Held::Skipped => Vec::new(),
                    };
                    errors.extend(found.into_iter().map(of_run));
                    held = Held::IsWrong(errors);
                }
                (CheckStatus::Unknown, Held::Holds | Held::Skipped) => held = Held::Unknown,
                (CheckStatus::Skipped, Held::Holds) => held = Held::Skipped,
                (CheckStatus::Unknown | CheckStatus::Skipped | CheckStatus::Pass, _) => {}
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
