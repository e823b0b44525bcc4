//! Finds arguments of module calls that fail a validation of the child module, if that is known before planning.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::accepted_values;
use super::scope::ModuleScope;
use crate::finding::{Code, Continued, EngineRule, Finding, Severity, has_errors};
use crate::graph::{Node, Values, arguments, references};
use crate::module::declaration::{Condition, Variable};
use crate::syntax::{Expr, ExprKind};
use crate::text::Span;
use crate::value::{Budget, Marks, Type, Value, convert, evaluate};

/// A default that fails a validation of its own variable.
#[derive(Debug)]
pub struct RefusedDefault<'t> {
    /// The variable.
    pub variable: &'t Variable,
    /// The default.
    pub default: Span,
    /// The condition that fails.
    pub condition: Span,
    /// The summary of the error if the condition cannot be evaluated, or `None` if it is false.
    pub error: Option<String>,
    /// Whether a call of the module uses the default.
    pub is_used: bool,
}

impl Values<'_> {
    /// Whether a value certainly passes all validations of a variable of the module.
    pub(crate) fn validate(&self, value: &Value, variable: &Variable) -> bool {
        let Ok(value) = accepted_values::converted(value, variable) else { return false };
        let own = ModuleScope::new(self.node, self.locals, &self.work);
        let scope = ModuleScope { known: Some((&variable.name, &value)), ..own };
        let holds = |validation: &Condition| {
            let condition = validation.condition.as_ref()?;
            let mut found = Vec::new();
            let result = evaluate(&condition.expr, &scope, &mut found).without_marks();
            Some(found.is_empty() && convert(&result, &Type::Bool).ok()?.as_bool()?)
        };
        variable.validations.iter().all(|validation| holds(validation) == Some(true))
    }
}

impl<'t> Node<'t> {
    /// The defaults of this module that fail a validation, as far as that is known before planning.
    pub fn refused_defaults(self) -> Vec<RefusedDefault<'t>> {
        let module = self.module();
        let work = Budget::of(module.evaluation_steps());
        let mut refused = Vec::new();
        // The number of calls, and for each variable the number of those that set it.
        let calls = LazyCell::new(|| {
            let (mut calls, mut set) = (0, HashMap::<SmolStr, usize>::new());
            for (_, call) in self.callers() {
                calls += 1;
                for given in arguments::given(call, module) {
                    *set.entry(given.name.clone()).or_default() += 1;
                }
            }
            (calls, set)
        });
        for variable in module.variables.values() {
            let Some(default) = &variable.default else { continue };
            let mut refusals = refusals(&default.value, variable, self, &work);
            // The engine itself reports validations that refuse every value.
            refusals.retain(|refusal| !refusal.is_certain && !refusal.asks_for_choice);
            if refusals.is_empty() {
                continue;
            }
            let (calls, set) = &*calls;
            let is_used = module.complete && set.get(&variable.name).unwrap_or(&0) < calls;
            refused.extend(refusals.into_iter().map(|Refusal { condition, error, .. }| RefusedDefault {
                variable,
                default: default.span,
                condition,
                error: error.map(|error| error.summary),
                is_used,
            }));
        }
        refused
    }
}

/// The findings for the validations of a variable with the value of a call, or with its default. Like the engine, those
/// for a false condition point at the argument; for a default, the engine reports no position.
pub(super) fn refused(
    value: &Value,
    expr: Option<&Expr>,
    variable: &Variable,
    child: Node<'_>,
    work: &Budget,
) -> Vec<Finding> {
    let outcome = outcome(value, variable, child, work);
    if outcome.holds {
        return Vec::new();
    }
    let is_reported =
        |refusal: &Refusal| refusal.error.is_none() && !outcome.unexplained.contains(&refusal.condition);
    let unmarked = value.clone().without_marks();
    // A condition may be false for every value, so also for one that is unknown.
    let refusals = all_refusals(&unmarked, variable, child, work).into_iter().filter(is_reported);
    let mut findings: Vec<Finding> = refusals.map(|refusal| refusal.at_call(variable, expr)).collect();
    findings.extend(outcome.errors.into_iter().map(|error| with_value(error, expr)));
    findings
}

/// The outcome of the validations of a variable with one value.
struct Outcome {
    /// Whether all parts can be evaluated and no condition is false, as for most values.
    holds: bool,
    /// Errors beyond those that the engine reports for every value.
    errors: Vec<Finding>,
    /// Conditions whose error message is not known yet, so that the engine reports nothing before it plans.
    unexplained: BTreeSet<Span>,
}

/// Evaluates the validations of a variable with a value, known or not, that may have marks.
fn outcome(value: &Value, variable: &Variable, node: Node<'_>, work: &Budget) -> Outcome {
    let mut outcome = Outcome { holds: true, errors: Vec::new(), unexplained: BTreeSet::new() };
    let Some(value) = validated(value, variable, node) else { return outcome };
    // Whether the variable is sensitive does not count in its own validations.
    let value = value.mark(Marks { sensitive: None, ..variable.marks() });
    let unknown = ModuleScope::new(node, node.locals(), work);
    let known = ModuleScope { known: Some((&variable.name, &value)), ..unknown };
    let evaluated = |expr: &Expr| {
        let mut with = Vec::new();
        let result = evaluate(expr, &known, &mut with);
        if !has_errors(&with) {
            return (result, true, Vec::new());
        }
        let mut without = Vec::new();
        evaluate(expr, &unknown, &mut without);
        let is_new = |finding: &Finding| {
            let is_same =
                |other: &Finding| (&other.summary, other.primary) == (&finding.summary, finding.primary);
            finding.severity == Severity::Error && !without.iter().any(is_same)
        };
        with.retain(is_new);
        (result, false, with)
    };
    for validation in &variable.validations {
        let (Some(condition), Some(message)) = (&validation.condition, &validation.error_message) else {
            continue;
        };
        let (result, is_sound, found) = evaluated(&condition.expr);
        outcome.errors.extend(found);
        let (text, is_message, found) = evaluated(&message.expr);
        outcome.holds &= is_sound && is_message;
        // A JSON string that is not a template is shown as it is.
        let is_shown = !is_message && matches!(message.expr.kind, ExprKind::JsonString(_));
        outcome.errors.extend(found.into_iter().filter(|_| !is_shown));
        let result = result.without_marks();
        outcome.errors.extend(accepted_values::unusable(&result, &condition.expr));
        let is_false = is_sound && convert(&result, &Type::Bool) == Ok(Value::Bool(false));
        outcome.holds &= !is_false && outcome.errors.is_empty();
        if is_shown || !is_false {
            continue;
        }
        if !text.is_known() {
            outcome.unexplained.insert(condition.expr.span);
        } else if is_message {
            outcome.errors.extend(wrong_message(&text, &message.expr));
        }
    }
    outcome
}

/// The error in the known message of a failed validation.
pub(super) fn wrong_message(text: &Value, expr: &Expr) -> Option<Finding> {
    let (inner, marks) = text.unmarked();
    if inner.is_null() {
        return None;
    }
    let marked = || marked_message(marks, expr, "it must not be part of a message");
    accepted_values::message(inner, expr).or_else(marked)
}

/// The finding for a message with a sensitive or ephemeral value, and the effect of that.
pub(super) fn marked_message(marks: Marks, expr: &Expr, effect: &str) -> Option<Finding> {
    let mark = match (marks.sensitive, marks.ephemeral) {
        (Some(_), _) => "sensitive",
        (None, Some(_)) => "ephemeral",
        (None, None) => return None,
    };
    let summary = format!("Error message refers to {mark} values");
    let finding = Finding::language(EngineRule::InvalidCheckOrCondition, summary);
    let finding = finding.code(Code::TestContinues(Continued::LaterRuns));
    Some(finding.detail(format!("This is {mark}, so {effect}.")).at(expr.span))
}

/// The value that the validations of a variable get, if it has any and the engine evaluates them.
pub(super) fn validated(value: &Value, variable: &Variable, node: Node<'_>) -> Option<Value> {
    if variable.validations.is_empty() {
        return None;
    }
    let mut value = accepted_values::converted(value, variable).ok()?;
    if value.is_null() && variable.refuses_null() {
        let default = variable.default.as_ref()?;
        value = accepted_values::converted(&default.value, variable).ok()?;
    }
    // The engine checks the references of all parts before it evaluates any.
    let mut parts = variable.validations.iter().flat_map(Condition::parts);
    let is_wrong = parts.any(|part| references::is_wrong(node, variable, &part.expr));
    (!is_wrong).then_some(value)
}

/// The error for a value, or for the default, that fails a validation, with the error message of the validation if it
/// is known.
pub(super) fn failed(
    variable: &Variable,
    expr: Option<&Expr>,
    condition: Span,
    message: Option<&str>,
) -> Finding {
    let finding = Finding::language(EngineRule::ModuleArgumentType, "Invalid value for variable");
    let is_sensitive = variable.is_sensitive();
    let end = message
        .filter(|_| !is_sensitive)
        .map_or_else(|| ".".to_owned(), |message| format!(": {}", message.trim()));
    let finding = match expr {
        Some(expr) => finding
            .at(expr.span)
            .detail(format!("The value fails the validation of the variable `{}`{end}", variable.name)),
        None => finding
            .related(variable.origin.header(), "declared here, with its default")
            .detail(format!("The default of the variable `{}` fails its own validation{end}", variable.name)),
    };
    finding.related(condition, "the condition")
}

/// The explanation for a condition that is false only because an operand is not evaluated.
const NEWLY_FALSE: &str = "The condition is false since Terraform 1.12 and OpenTofu 1.10, where `&&` and `||` ignore an \
    error in an operand that does not decide the result.";

/// A failed validation.
pub(super) struct Refusal {
    pub(super) condition: Span,
    /// The error if the condition cannot be evaluated, or `None` if it is false.
    pub(super) error: Option<Finding>,
    /// The error message of the validation, if it is known.
    pub(super) message: Option<SmolStr>,
    /// Whether the validation refuses every value.
    pub(super) is_certain: bool,
    /// Whether the condition is false only where `&&` and `||` ignore an error in one operand.
    pub(super) is_newly_false: bool,
    /// Whether the value is `false` or empty and the validation accepts `true` or any text, such as for the terms of a
    /// license: the user of the module sets it on purpose.
    asks_for_choice: bool,
}

impl Refusal {
    /// A condition that is false, with the message of the validation if it is known.
    pub(super) fn is_false(condition: Span, message: Option<SmolStr>) -> Self {
        let (is_certain, is_newly_false, asks_for_choice) = (false, false, false);
        Self { condition, error: None, message, is_certain, is_newly_false, asks_for_choice }
    }

    /// A condition that cannot be evaluated.
    pub(super) fn unusable(condition: Span, error: Finding) -> Self {
        Self { error: Some(error), ..Self::is_false(condition, None) }
    }

    /// The finding at the value that a call gives to the variable, or at its default.
    pub(super) fn at_call(self, variable: &Variable, given: Option<&Expr>) -> Finding {
        if let Some(error) = self.error {
            return with_value(error, given);
        }
        let mut finding = failed(variable, given, self.condition, self.message.as_deref());
        if self.is_newly_false {
            finding.add_sentence(NEWLY_FALSE);
        }
        finding
    }
}

/// An error in a validation, with the value that a call gives to the variable.
fn with_value(error: Finding, given: Option<&Expr>) -> Finding {
    match given {
        Some(expr) => error.related(expr.span, "with this value"),
        None => error,
    }
}

/// The message of a failed validation. The engine does not show one with an error or with a sensitive value.
pub(super) fn shown(message: &Value, found: &[Finding]) -> Option<SmolStr> {
    let is_shown = !has_errors(found) && message.unmarked().1 == Marks::NONE;
    message.as_str().filter(|_| is_shown).map(SmolStr::new)
}

/// The validations of a variable that a known value fails.
pub(super) fn refusals(value: &Value, variable: &Variable, node: Node<'_>, work: &Budget) -> Vec<Refusal> {
    if value.is_known() { all_refusals(value, variable, node, work) } else { Vec::new() }
}

fn all_refusals(value: &Value, variable: &Variable, node: Node<'_>, work: &Budget) -> Vec<Refusal> {
    let Some(value) = validated(value, variable, node) else { return Vec::new() };
    let unknown = ModuleScope::new(node, node.locals(), work);
    let known = ModuleScope { known: Some((&variable.name, &value)), ..unknown };
    let judge = |validation: &Condition| {
        let condition = &validation.condition.as_ref()?.expr;
        let mut found = Vec::new();
        let result = evaluate(condition, &known, &mut found).without_marks();
        let error = if found.is_empty() {
            accepted_values::unusable(&result, condition)
        } else {
            error_of_value(condition, known, unknown)
        };
        let is_false = found.is_empty() && result.as_bool() == Some(false);
        if !is_false {
            return error.map(|error| Refusal::unusable(condition.span, error));
        }
        let is_certain = evaluate(condition, &unknown, &mut Vec::new()).as_bool() == Some(false);
        let message = validation.error_message.as_ref().and_then(|message| {
            let mut found = Vec::new();
            let text = evaluate(&message.expr, &known, &mut found);
            shown(&text, &found)
        });
        let without = ModuleScope { engine: known.engine.without_short_circuit(), ..known };
        let is_newly_false = known.engine.short_circuits()
            && evaluate(condition, &without, &mut Vec::new()).as_bool() != Some(false);
        let chosen = match &value {
            Value::Bool(false) => Some(Value::Bool(true)),
            Value::String(text) if text.is_empty() => Some(Value::String("x".into())),
            _ => None,
        };
        let asks_for_choice = chosen.is_some_and(|chosen| {
            let with_choice = ModuleScope { known: Some((&variable.name, &chosen)), ..unknown };
            evaluate(condition, &with_choice, &mut Vec::new()).as_bool() == Some(true)
        });
        let refusal = Refusal::is_false(condition.span, message);
        Some(Refusal { is_certain, is_newly_false, asks_for_choice, ..refusal })
    };
    variable.validations.iter().filter_map(judge).collect()
}

/// The error of an expression with the known value, if it does not occur for every value.
fn error_of_value(expr: &Expr, known: ModuleScope<'_>, unknown: ModuleScope<'_>) -> Option<Finding> {
    let error = |scope: ModuleScope<'_>| {
        let mut found = Vec::new();
        evaluate(expr, &scope, &mut found);
        found.into_iter().find(|finding| finding.severity == Severity::Error)
    };
    error(known).filter(|_| error(unknown).is_none())
}
