//! Evaluates the validations that refer to more than their own variable, as a plan does. `validate` knows the value of
//! their own variable at most.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::accepted_values;
use super::plan::{ONLY_PLAN, Plan};
use super::run_values::{Inputs, RunValues, VariableValues};
use super::scope::ModuleScope;
use super::validation::{self, Refusal};
use crate::finding::{Finding, Severity, has_errors};
use crate::graph::{Node, arguments};
use crate::module::Variables;
use crate::module::declaration::{Condition, ModuleCall, Variable};
use crate::syntax::Expr;
use crate::value::{Budget, Type, Value, convert, evaluate};

/// The variables of a called module whose validations refer to other declarations, and may fail with these values. Most
/// calls leave most variables at their defaults, which are evaluated once.
pub(super) fn affected<'t>(node: Node<'t>, inputs: &Inputs) -> Vec<&'t Variable> {
    let module = node.module();
    if !module.has_variables_with(Variables::ValidatedTogether) {
        return Vec::new();
    }
    let are_valid = || {
        let work = Budget::of(module.evaluation_steps());
        let values = RunValues::of_plan(node, VariableValues::or_defaults(BTreeMap::new()), &work);
        let mut failed = BTreeSet::new();
        refusals(&values, &module.validated_with_variables(), node, &work, &mut failed);
        failed.is_empty() && !work.is_exhausted()
    };
    if *node.data().are_defaults_valid.get_or_init(are_valid) {
        module.validated_with(inputs.variables.set().iter().map(|(name, _)| name).chain(&inputs.failed))
    } else {
        module.variables_with(Variables::ValidatedTogether).collect()
    }
}

/// The findings for the `validated` variables of a call whose values fail validations together with others. `plan` is that
/// of the called module. Adds the variables that the engine does not evaluate to those that `failed`.
pub(super) fn of_call(
    plan: &Plan<'_>,
    call: &ModuleCall,
    validated: &[&Variable],
    failed: &mut BTreeSet<SmolStr>,
) -> Vec<Finding> {
    let refused = refusals(&plan.values, validated, plan.node, plan.work, failed);
    if refused.is_empty() {
        return Vec::new();
    }
    let given = arguments::given(call, plan.node.module());
    let given: BTreeMap<&str, &Expr> =
        given.iter().map(|argument| (argument.name.as_str(), &argument.expr)).collect();
    let mut findings = Vec::new();
    for (variable, refusals) in refused {
        let given = given.get(variable.name.as_str()).copied();
        findings.extend(refusals.into_iter().map(|refusal| {
            let mut finding = refusal.at_call(variable, given);
            if given.is_none() {
                finding = finding.related(call.origin.header(), "called here, without a value for it");
            }
            finding.add_sentence(ONLY_PLAN);
            finding.at_plan().address(format!("module.{}", call.name))
        }));
    }
    findings
}

/// The `validated` variables of a module whose values fail validations together with the other values of the module. Like
/// the engine, does not evaluate what refers to a variable that fails. Adds the variables that fail in themselves to
/// those that `failed`.
pub(super) fn refusals<'v>(
    values: &RunValues<'_>,
    validated: &[&'v Variable],
    node: Node<'_>,
    work: &Budget,
    failed: &mut BTreeSet<SmolStr>,
) -> Vec<(&'v Variable, Vec<Refusal>)> {
    let of = |values: &_, variable: &'v Variable| {
        let refusals = refusals_of(values, variable, node, work);
        (!refusals.is_empty()).then_some((variable, refusals))
    };
    let validated = validated.iter().filter(|variable| !failed.contains(&variable.name));
    let failing: Vec<_> = validated.filter_map(|variable| of(values, variable)).collect();
    failed.extend(failing.iter().map(|(variable, _)| variable.name.clone()));
    if failing.len() < 2 {
        return failing;
    }
    let values = values.failing(failing.iter().map(|(variable, _)| &variable.name));
    failing.into_iter().filter(|(variable, _)| of(&values, variable).is_some()).collect()
}

/// The validations of a variable that its value fails together with the other `values` of its module, without those that
/// it fails whatever they are.
fn refusals_of(values: &RunValues<'_>, variable: &Variable, node: Node<'_>, work: &Budget) -> Vec<Refusal> {
    let Some(own) = values.variable(&variable.name) else { return Vec::new() };
    let Some(value) = validation::validated(&own.value, variable, node) else { return Vec::new() };
    let value = value.without_marks();
    let mut parts = variable.validations.iter().flat_map(Condition::parts);
    if parts.any(|part| values.in_validation(&part.expr, &variable.name).is_none()) {
        return Vec::new();
    }
    let alone = validation::refused(&own.value, None, variable, node, work);
    let is_reported = |expr: &Expr| {
        let mut spans = alone.iter().flat_map(|finding| {
            finding.primary.into_iter().chain(finding.related.iter().map(|related| related.span))
        });
        spans.any(|span| expr.span.encloses(span))
    };
    let scope =
        ModuleScope { known: Some((&variable.name, &value)), ..ModuleScope::new(node, node.locals(), work) };
    let judge = |validation: &Condition| {
        let (condition, message) = (validation.condition.as_ref()?, validation.error_message.as_ref()?);
        if !variable.refers_to_others(validation) || is_reported(&condition.expr) {
            return None;
        }
        let (result, mut found) = values.in_validation(&condition.expr, &variable.name)?;
        let result = result.value.without_marks();
        let error = if has_errors(&found) {
            let mut of_validate = Vec::new();
            evaluate(&condition.expr, &scope, &mut of_validate);
            found.retain(|finding| finding.severity == Severity::Error);
            Some(found.into_iter().next().filter(|_| !has_errors(&of_validate))?)
        } else {
            accepted_values::unusable(&result, &condition.expr)
        };
        if let Some(error) = error {
            return Some(Refusal::unusable(condition.expr.span, error));
        }
        (convert(&result, &Type::Bool) == Ok(Value::Bool(false))).then(|| {
            let text = values.in_validation(&message.expr, &variable.name);
            let message = text.and_then(|(text, found)| validation::shown(&text.value, &found));
            Refusal::is_false(condition.expr.span, message)
        })
    };
    variable.validations.iter().filter_map(judge).collect()
}
