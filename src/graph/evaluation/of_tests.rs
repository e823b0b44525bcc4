//! Checks the values and the assertions of tests.

use super::run_values::{Computed, RunValues, Within, suited};
use super::{accepted_values, validation};
use crate::finding::{Code, Continued, EngineRule, Finding, Severity};
use crate::module::declaration::{Condition, Variable};
use crate::syntax::Expr;
use crate::value::{Type, Value, convert};

/// The value that a test gives to a variable, converted to its type, and the errors in it. `values` are those that the
/// expression can refer to.
pub(in crate::graph) fn value_of_test(
    expr: &Expr,
    variable: Option<&Variable>,
    values: &RunValues<'_>,
) -> (Computed, Vec<Finding>) {
    let (given, mut found) = values.of(expr, Within::Variables);
    let Some(variable) = variable.filter(|_| found.is_empty()) else {
        return (given, found.into_iter().map(Finding::at_test).collect());
    };
    found.extend(accepted_values::argument(&given.value, expr, variable));
    (suited(&given, variable).unwrap_or(Computed::UNKNOWN), found.into_iter().map(Finding::at_test).collect())
}

/// The error for a value that fails a validation. Like the engine, it points at the value, or at the variable if its
/// default fails.
pub(in crate::graph) fn failed_validation(
    variable: &Variable,
    given: Option<&Expr>,
    condition: &Condition,
) -> Finding {
    let at = condition.condition.as_ref().map_or(condition.block.header, |condition| condition.expr.span);
    validation::failed(variable, given, at, None).at(given.map_or(variable.origin.header(), |expr| expr.span))
}

/// The result of an assertion of a run.
pub(in crate::graph) fn assertion(assert: &Condition, values: &RunValues<'_>) -> Vec<Finding> {
    let (Some(condition), Some(message)) = (&assert.condition, &assert.error_message) else {
        return Vec::new();
    };
    let (condition, message) = (&condition.expr, &message.expr);
    let (text, mut found) = values.of(message, Within::Assertion);
    if found.is_empty() {
        found.extend(wrong_message(&text.value, message));
    }
    let (mut result, wrong) = values.of(condition, Within::Assertion);
    found.extend(wrong);
    if found.iter().all(|finding| finding.severity != Severity::Error) {
        result.value.take_deep_marks();
        found.extend(failed_assertion(&result, &text.value, condition));
    }
    found.into_iter().map(Finding::at_test).collect()
}

fn wrong_message(value: &Value, expr: &Expr) -> Option<Finding> {
    let (inner, marks) = value.unmarked();
    if let Some(wrong) = accepted_values::message(inner, expr) {
        return Some(wrong);
    }
    let marked = validation::marked_message(marks, expr, "Terraform does not show the message");
    marked.filter(|_| value.is_known()).map(|finding| finding.severity(Severity::Warning))
}

/// The error for the result of a condition that could be evaluated.
fn failed_assertion(result: &Computed, message: &Value, condition: &Expr) -> Option<Finding> {
    let invalid = |summary: &str, detail: String| {
        Finding::language(EngineRule::InvalidTest, summary).detail(detail).at(condition.span)
    };
    if !result.value.is_known() {
        return result.is_exact.then(|| {
            let why =
                "This depends on a value that is known only after apply, and the run has `command = plan`.";
            let finding = invalid("Unknown condition value", why.to_owned());
            finding.help("remove `command = plan`, or do not refer to the value")
        });
    }
    match convert(&result.value, &Type::Bool) {
        Ok(Value::Null(_)) => {
            Some(invalid("Invalid condition run", "A condition must be true or false, not null.".to_owned()))
        }
        Ok(Value::Bool(false)) => {
            let detail = match message.as_str() {
                Some(text) if message.unmarked().1.sensitive.is_none() => text.trim().to_owned(),
                _ => "The condition is false.".to_owned(),
            };
            Some(invalid("Test assertion failed", detail).code(Code::TestContinues(Continued::LaterRuns)))
        }
        Ok(_) => None,
        Err(mismatch) => {
            Some(invalid("Invalid condition run", format!("A condition must be true or false: {mismatch}.")))
        }
    }
}
