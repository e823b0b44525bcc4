//! Checks the values that tests set against the variables of the modules that they run.

use super::locals::Locals;
use super::scope::ModuleScope;
use super::{accepted_values, validation};
use crate::finding::{Finding, Severity};
use crate::graph::Node;
use crate::module::declaration::Variable;
use crate::syntax::Expr;
use crate::value::{Budget, Value, evaluate};

/// The error in a value that a run sets for a variable of its module. Returns `None` if the value has references. A
/// failed validation that the run expects is not an error.
pub(in crate::graph) fn value_of_test(
    expr: &Expr,
    variable: Option<&Variable>,
    node: Node<'_>,
    work: &Budget,
    expects_failure: bool,
) -> Vec<Finding> {
    if !expr.variables().is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let locals = Locals::default();
    let value: Value = evaluate(expr, &ModuleScope::new(node, &locals, work), &mut found);
    let failed = found.iter().any(|finding| finding.severity == Severity::Error);
    if let Some(variable) = variable.filter(|_| !failed) {
        found.extend(accepted_values::argument(&value, expr, variable));
        if !expects_failure {
            found.extend(validation::refused(&value, Some(expr), variable, node, work));
        }
    }
    found.into_iter().map(Finding::at_test).collect()
}
