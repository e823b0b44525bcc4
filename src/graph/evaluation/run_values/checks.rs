//! Conditions: whether they hold, and what the engine does not evaluate because one of them fails.

use smol_str::SmolStr;

use super::super::scope::{Instance, Start};
use super::scope::RunScope;
use super::{Name, RunValues, Within};
use crate::finding::{Finding, Severity};
use crate::graph::references::sites::Symbols;
use crate::module::address::ResourceAddress;
use crate::module::declaration::{Condition, Output, Resource, Variable};
use crate::syntax::Traversal;
use crate::value::{Type, Value, convert};

/// The status of a condition in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::graph) enum CheckStatus {
    Pass,
    Fail,
    Unknown,
    /// It depends on an error, so the engine does not evaluate it.
    Skipped,
}

impl CheckStatus {
    /// The result of the evaluation of a condition. `None` if it was skipped.
    fn of(result: Option<(Value, Vec<Finding>)>) -> Self {
        let Some((value, found)) = result else { return Self::Skipped };
        let value = convert(&value.without_marks(), &Type::Bool).ok().filter(|_| found.is_empty());
        match value.and_then(|value| value.as_bool()) {
            Some(true) => Self::Pass,
            Some(false) => Self::Fail,
            None => Self::Unknown,
        }
    }
}

impl RunValues<'_> {
    /// Whether a condition of the module that is in no resource or variable holds, if that is known.
    pub(in crate::graph) fn holds(&self, condition: &Condition) -> CheckStatus {
        let Some(attribute) = condition.condition.as_ref().filter(|attribute| !attribute.is_broken) else {
            return CheckStatus::Unknown;
        };
        let was_failing = self.is_failing.get();
        let scope = RunScope::of(self, self.scope(), Within::Module);
        let status = CheckStatus::of(self.unless_failing(&attribute.expr, &scope));
        self.is_failing.set(was_failing);
        status
    }

    /// Whether a validation of a variable holds, if that is known.
    pub(in crate::graph) fn validates(&self, validation: &Condition, variable: &SmolStr) -> CheckStatus {
        match validation.condition.as_ref().filter(|attribute| !attribute.is_broken) {
            Some(attribute) => CheckStatus::of(self.in_validation(&attribute.expr, variable)),
            None => CheckStatus::Unknown,
        }
    }

    /// Whether a condition of a resource holds in all its instances, if that is known.
    pub(in crate::graph) fn holds_in_all(&self, condition: &Condition, resource: &Resource) -> CheckStatus {
        let Some(attribute) = condition.condition.as_ref().filter(|attribute| !attribute.is_broken) else {
            return CheckStatus::Unknown;
        };
        let was_failing = self.is_failing.get();
        let symbols = Symbols { itself: true, ..Symbols::OF_ARGUMENTS };
        let holds = |instance: Option<&Instance>| {
            let itself = self.instance(resource, instance);
            CheckStatus::of(self.at(&attribute.expr, symbols, instance, Some(&itself)))
        };
        let all: Option<Vec<_>> = if resource.is_repeated() {
            let instances = self.instances(resource.repeated());
            instances.map(|instances| instances.iter().map(|instance| holds(Some(instance))).collect())
        } else {
            Some(vec![holds(None)])
        };
        self.is_failing.set(was_failing);
        let Some(all) = all else { return CheckStatus::Unknown };
        let worst = [CheckStatus::Fail, CheckStatus::Unknown, CheckStatus::Skipped];
        worst.into_iter().find(|result| all.contains(result)).unwrap_or(CheckStatus::Pass)
    }

    /// The same values in a test, without those of variables that fail a validation: the engine evaluates nothing that refers
    /// to these.
    pub(in crate::graph) fn without_invalid(self) -> Self {
        let fails = |variable: &&Variable| {
            variable.validations.iter().any(|validation| {
                self.validates(validation, &variable.name) == CheckStatus::Fail
                    || !self.errors(validation).is_empty()
            })
        };
        let variables = self.node.module().variables.values().map(|variable| &**variable);
        let failing: Vec<&SmolStr> = variables.filter(fails).map(|variable| &variable.name).collect();
        if failing.is_empty() { self } else { self.without(failing.into_iter()) }
    }

    /// Whether a resource of the module refers to something that failed, so that the engine does not evaluate it.
    pub(in crate::graph) fn skips_resource(&self, address: &ResourceAddress) -> bool {
        self.skips(&Name::Resource(address.clone()))
    }

    /// The same for an output.
    pub(in crate::graph) fn skips_output(&self, name: &SmolStr) -> bool {
        self.skips(&Name::Output(name.clone()))
    }

    fn skips(&self, name: &Name) -> bool {
        let was_failing = self.is_failing.get();
        self.named(name.clone());
        self.is_failing.set(was_failing);
        self.skipped.borrow().contains(name)
    }

    /// Notes whether a declaration fails: if something that it refers to fails, or a condition of its own.
    pub(super) fn judge(&self, name: &Name) {
        let module = self.node.module();
        let (resource, output) = match name {
            Name::Resource(address) => (module.resources.get(address), None),
            Name::Output(name) => (None, module.outputs.get(name)),
            Name::Variable(_) | Name::Local(_) | Name::Call(_) => return,
        };
        let has_error = self.is_failing.replace(false);
        let depend = |reference: &Traversal| {
            RunScope::of(self, self.scope(), Within::Module).computed(reference);
        };
        if let Some(resource) = resource {
            let (count, for_each) = resource.repeated();
            for attribute in [count, for_each].into_iter().flatten() {
                attribute.expr.for_each_variable(depend);
            }
            resource.config.for_each_expression(&mut |expr| expr.for_each_variable(depend));
        }
        if let Some(value) = output.and_then(|output| output.value.as_ref()) {
            value.expr.for_each_variable(depend);
        }
        let depends_on = resource.map(|resource| &resource.depends_on);
        for dependency in depends_on.or(output.map(|output| &output.depends_on)).into_iter().flatten() {
            depend(&dependency.traversal);
        }
        let is_skipped = self.is_failing.get();
        if is_skipped {
            self.skipped.borrow_mut().insert(name.clone());
        }
        let fails = || {
            let of_resource = |resource: &Resource| {
                let mut conditions = resource.preconditions.iter().chain(&resource.postconditions);
                conditions.any(|condition| self.holds_in_all(condition, resource) == CheckStatus::Fail)
            };
            let of_output = |output: &Output| {
                output.preconditions.iter().any(|condition| self.holds(condition) == CheckStatus::Fail)
            };
            resource.is_some_and(|resource| of_resource(resource))
                || output.is_some_and(|output| of_output(output))
        };
        self.is_failing.set(has_error || is_skipped || fails());
    }

    /// Whether these are values of a test, where conditions of the module decide what is evaluated.
    pub(super) fn is_test(&self) -> bool {
        matches!(self.start, Some(Start::Test(_)))
    }

    /// The errors in the evaluation of a condition of the module and of its message.
    pub(in crate::graph) fn errors(&self, condition: &Condition) -> Vec<Finding> {
        let usable = condition.parts().filter(|attribute| !attribute.is_broken);
        let found = usable.flat_map(|attribute| self.value(&attribute.expr, Within::Module, None).1);
        found.filter(|finding| finding.severity == Severity::Error).collect()
    }
}
