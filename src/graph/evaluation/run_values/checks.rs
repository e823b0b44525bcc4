//! Conditions: whether they hold, and what the engine does not evaluate because one of them fails.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::super::accepted_values;
use super::super::scope::{Instance, Start};
use super::scope::RunScope;
use super::{Computed, Name, RunValues, Within};
use crate::finding::{Finding, Severity, has_errors};
use crate::graph::references::sites::Symbols;
use crate::module::address::ResourceAddress;
use crate::module::declaration::{Condition, Resource, Variable};
use crate::syntax::{Attribute, Expr, Step, Traversal};
use crate::value::{Type, Value, convert};

/// The status of a condition in a test, or of all conditions of an object together.
#[derive(Debug, Clone)]
pub(in crate::graph) enum CheckStatus {
    Pass,
    /// It is false. For an object, these are the errors of its conditions.
    Fail(Vec<Finding>),
    /// It cannot be evaluated, because of these errors in it or in its message. They cannot be expected.
    Error(Vec<Finding>),
    /// The result is known only after apply.
    Pending,
    Unknown,
    /// It depends on an error, so the engine does not evaluate it.
    Skipped,
}

impl CheckStatus {
    /// The status of a condition. `evaluate` returns the value of a part, or `None` for one that is skipped.
    fn of(condition: &Condition, evaluate: impl Fn(&Expr) -> Option<(Computed, Vec<Finding>)>) -> Self {
        let message = condition.error_message.as_ref().filter(|message| !message.is_broken);
        let Some(message) = message else { return Self::Unknown };
        let of_message = evaluate(&message.expr).map(|(text, mut found)| {
            if !has_errors(&found) {
                found.extend(accepted_values::message(text.value.unmarked().0, &message.expr));
            }
            found
        });
        Self::with(condition, accepted_values::no_condition, of_message.unwrap_or_default(), evaluate)
    }

    /// The same, with the findings about the message. `unusable` returns the error for a result that is neither true nor
    /// false.
    fn with(
        condition: &Condition,
        unusable: fn(&Value, &Expr) -> Option<Finding>,
        of_message: Vec<Finding>,
        evaluate: impl Fn(&Expr) -> Option<(Computed, Vec<Finding>)>,
    ) -> Self {
        let tested = condition.condition.as_ref().filter(|tested| !tested.is_broken);
        let Some(tested) = tested else { return Self::Unknown };
        let Some((Computed { value, is_exact }, mut found)) = evaluate(&tested.expr) else {
            return Self::Skipped;
        };
        found.extend(of_message);
        let value = value.without_marks();
        if !has_errors(&found) {
            found.extend(unusable(&value, &tested.expr));
        }
        if has_errors(&found) {
            found.retain(|finding| finding.severity == Severity::Error);
            return Self::Error(found);
        }
        let value = convert(&value, &Type::Bool).ok().filter(|_| found.is_empty());
        match value.and_then(|value| value.as_bool()) {
            Some(true) => Self::Pass,
            Some(false) => Self::Fail(Vec::new()),
            None if is_exact => Self::Pending,
            None => Self::Unknown,
        }
    }

    /// Whether the object with the condition fails.
    pub(in crate::graph) fn fails(&self) -> bool {
        matches!(self, Self::Fail(_) | Self::Error(_))
    }
}

impl RunValues<'_> {
    /// The status of a condition of the module that is in no resource or variable.
    pub(in crate::graph) fn status(&self, condition: &Condition) -> CheckStatus {
        self.once(condition, || {
            let scope = || RunScope::of(self, self.scope(), Within::Module);
            CheckStatus::of(condition, |part| self.unless_failing(part, &scope()))
        })
    }

    /// The status of a condition, which is computed once.
    fn once(&self, condition: &Condition, compute: impl FnOnce() -> CheckStatus) -> CheckStatus {
        let Some(place) = condition.condition.as_ref().map(|tested| tested.expr.span) else {
            return CheckStatus::Unknown;
        };
        if let Some(known) = self.statuses.borrow().get(&place) {
            return known.clone();
        }
        let was_failing = self.is_failing.get();
        let status = compute();
        self.is_failing.set(was_failing);
        self.statuses.borrow_mut().insert(place, status.clone());
        status
    }

    /// The status of a validation of a variable.
    pub(in crate::graph) fn status_of_validation(
        &self,
        validation: &Condition,
        variable: &SmolStr,
    ) -> CheckStatus {
        if self.skips_variable(variable) {
            return CheckStatus::Skipped;
        }
        let evaluate = |part: &Expr| self.in_validation(part, variable);
        let message = validation.error_message.as_ref().filter(|message| !message.is_broken);
        let of_message = message.and_then(|message| Some(evaluate(&message.expr)?.1));
        let unusable = accepted_values::unusable;
        CheckStatus::with(validation, unusable, of_message.unwrap_or_default(), evaluate)
    }

    /// The status of a condition of a resource in all instances of this: the worst one.
    pub(in crate::graph) fn status_in_all(&self, condition: &Condition, resource: &Resource) -> CheckStatus {
        self.once(condition, || self.worst_status(condition, resource))
    }

    fn worst_status(&self, condition: &Condition, resource: &Resource) -> CheckStatus {
        let is_after = resource.postconditions.iter().any(|after| std::ptr::eq(after, condition));
        if is_after && self.failed.borrow().contains(&Name::Resource(resource.address.clone())) {
            return CheckStatus::Skipped;
        }
        let symbols = Symbols { itself: is_after, ..Symbols::OF_ARGUMENTS };
        let status = |instance: Option<&Instance>| {
            let itself = is_after.then(|| self.instance(resource, instance));
            CheckStatus::of(condition, |part| self.at(part, symbols, instance, itself.as_ref()))
        };
        let all: Option<Vec<_>> = if resource.is_repeated() {
            let instances = self.instances(resource.repeated());
            instances.map(|instances| instances.iter().map(|instance| status(Some(instance))).collect())
        } else {
            Some(vec![status(None)])
        };
        let severity = |status: &CheckStatus| match status {
            CheckStatus::Pass => 0,
            CheckStatus::Skipped => 1,
            CheckStatus::Pending => 2,
            CheckStatus::Unknown => 3,
            CheckStatus::Fail(_) => 4,
            CheckStatus::Error(_) => 5,
        };
        let Some(all) = all else { return CheckStatus::Unknown };
        all.into_iter().max_by_key(severity).unwrap_or(CheckStatus::Pass)
    }

    /// The same values in a test, without those of variables that fail a validation: the engine evaluates nothing that refers
    /// to these.
    pub(in crate::graph) fn without_invalid(self) -> Self {
        let fails = |variable: &&Variable| {
            let mut validations = variable.validations.iter();
            validations.any(|validation| self.status_of_validation(validation, &variable.name).fails())
        };
        let variables = || self.node.module().variables.values().map(|variable| &**variable);
        let mut failing: BTreeSet<&SmolStr> =
            variables().filter(fails).map(|variable| &variable.name).collect();
        if failing.is_empty() {
            return self;
        }
        // Also those whose validations refer to one, which the engine does not evaluate.
        let mut users: HashMap<SmolStr, Vec<&SmolStr>> = HashMap::new();
        for variable in variables() {
            for part in variable.validations.iter().flat_map(Condition::parts) {
                part.expr.for_each_variable(|reference| {
                    let name =
                        reference.steps.first().and_then(Step::name).filter(|_| reference.root == "var");
                    if let Some(name) = name {
                        users.entry(name.clone()).or_default().push(&variable.name);
                    }
                });
            }
        }
        let mut waiting: Vec<&SmolStr> = failing.iter().copied().collect();
        while let Some(name) = waiting.pop() {
            let users = users.get(name).into_iter().flatten().copied();
            waiting.extend(users.filter(|user| failing.insert(user)));
        }
        self.failing(failing.into_iter())
    }

    fn skips_variable(&self, name: &SmolStr) -> bool {
        self.skipped.borrow().contains(&Name::Variable(name.clone()))
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

    /// Notes that what is evaluated depends on what a reference names. A value may be large, so each is looked at once.
    fn depend_on_reference(&self, reference: &Traversal) {
        let [first, second] = [0, 1].map(|step| reference.steps.get(step).and_then(Step::name).cloned());
        let key = (reference.root.clone(), first, second);
        let known = self.references.borrow().get(&key).copied();
        let fails = known.unwrap_or_else(|| {
            let was_failing = self.is_failing.replace(false);
            RunScope::of(self, self.scope(), Within::Module).computed(reference);
            let fails = self.is_failing.replace(was_failing);
            self.references.borrow_mut().insert(key, fails);
            fails
        });
        self.is_failing.set(self.is_failing.get() || fails);
    }

    /// Whether an expression refers to something that fails, so that the engine does not evaluate it.
    pub(super) fn refers_to_failure(&self, expr: &Expr) -> bool {
        let was_failing = self.is_failing.replace(false);
        expr.for_each_variable(|reference| self.depend_on_reference(reference));
        self.is_failing.replace(was_failing)
    }

    /// Whether the engine does not evaluate a declaration, because something that it refers to fails.
    pub(super) fn depends_on_failure(&self, name: &Name) -> bool {
        let module = self.node.module();
        let was_failing = self.is_failing.replace(false);
        let depend = |reference: &Traversal| self.depend_on_reference(reference);
        let depend_on_all = |attribute: &Attribute| attribute.expr.for_each_variable(depend);
        let mut depends_on = None;
        match name {
            Name::Local(name) => {
                module.locals.get(name).into_iter().for_each(|local| depend_on_all(&local.attribute));
            }
            Name::Output(name) => {
                let output = module.outputs.get(name);
                output.and_then(|output| output.value.as_deref()).into_iter().for_each(depend_on_all);
                depends_on = output.map(|output| &output.depends_on);
                let conditions = output.into_iter().flat_map(|output| &output.preconditions);
                conditions.flat_map(Condition::parts).for_each(|part| depend_on_all(part));
            }
            Name::Resource(address) => {
                if let Some(resource) = module.resources.get(address) {
                    let (count, for_each) = resource.repeated();
                    [count, for_each].into_iter().flatten().for_each(depend_on_all);
                    resource.config.for_each_expression(&mut |expr| expr.for_each_variable(depend));
                    depends_on = Some(&resource.depends_on);
                    let conditions = resource.preconditions.iter().chain(&resource.postconditions);
                    conditions.flat_map(Condition::parts).for_each(|part| depend_on_all(part));
                }
            }
            // Each argument of a call is evaluated for itself.
            Name::Variable(_) | Name::Call(_) => {}
        }
        depends_on.into_iter().flatten().for_each(|dependency| depend(&dependency.traversal));
        self.is_failing.replace(was_failing)
    }

    /// Whether a postcondition of a declaration fails.
    pub(super) fn fails_postcondition(&self, name: &Name) -> bool {
        let Name::Resource(address) = name else { return false };
        let resource = self.node.module().resources.get(address);
        resource.is_some_and(|resource| {
            let mut conditions = resource.postconditions.iter();
            conditions.any(|condition| self.status_in_all(condition, resource).fails())
        })
    }

    /// Whether a precondition of a declaration fails. The engine then does not evaluate the declaration.
    pub(super) fn fails_precondition(&self, name: &Name) -> bool {
        let module = self.node.module();
        match name {
            Name::Resource(address) => module.resources.get(address).is_some_and(|resource| {
                let mut conditions = resource.preconditions.iter();
                conditions.any(|condition| self.status_in_all(condition, resource).fails())
            }),
            Name::Output(name) => module.outputs.get(name).is_some_and(|output| {
                output.preconditions.iter().any(|condition| self.status(condition).fails())
            }),
            Name::Variable(_) | Name::Local(_) | Name::Call(_) => false,
        }
    }

    /// Whether these are values of a test, where conditions of the module decide what is evaluated.
    pub(super) fn is_test(&self) -> bool {
        matches!(self.start, Some(Start::Test(_)))
    }
}
