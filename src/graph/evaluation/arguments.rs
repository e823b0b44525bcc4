//! Checks the values that calls give to the variables of child modules.

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::{Evaluation, accepted_values, validation};
use crate::finding::Finding;
use crate::graph::references::sites::Symbols;
use crate::graph::{Node, arguments};
use crate::module::Variables;
use crate::module::declaration::{ModuleCall, Variable};
use crate::syntax::Expr;
use crate::value::{Budget, Value};

impl<'t> Evaluation<'t, '_> {
    /// Checks the arguments of a call against the types of their variables, and the defaults of all other variables
    /// against their validations.
    pub(super) fn arguments(&mut self, call: &ModuleCall, child: Node<'t>) {
        let given = arguments::given(call, child.module());
        let names: HashSet<&str> = given.iter().map(|attribute| attribute.name.as_str()).collect();
        let is_reported = call.source.is_some() && self.room.left > 0;
        let refused = if is_reported { refused_defaults(child) } else { &[] };
        let left = refused.iter().filter(|(name, _)| !names.contains(name.as_str())).take(self.room.left);
        for (_, found) in left {
            self.room.take(found.len());
            let at_call = |finding: Finding| {
                finding.related(call.origin.header(), "called here, without a value for it")
            };
            self.report_all(found.iter().cloned().map(at_call), &format_args!("module.{}", call.name));
        }
        for attribute in &given {
            let Some(variable) = child.module().variables.get(&attribute.name) else { continue };
            let (value, failed) = self.known_or_partial(&attribute.expr, Symbols::OF_ARGUMENTS);
            // After an error, the engine does not check the value further.
            let mut found = if failed {
                Vec::new()
            } else {
                errors(self.node, value, &attribute.expr, variable, child, &self.work)
            };
            accepted_values::ignored(&attribute.expr, variable, child.module(), &mut found);
            self.report_all(found, &format_args!("module.{}", call.name));
        }
    }
}

/// The variables of a module whose defaults fail their validations, with the errors.
fn refused_defaults(node: Node<'_>) -> &[(SmolStr, Vec<Finding>)] {
    let search = || {
        let work = Budget::of(node.module().evaluation_steps());
        let refused = |variable: &Variable| {
            let default = variable.default.as_ref()?;
            let found = validation::refused(&default.value, None, variable, node, &work);
            (!found.is_empty()).then(|| (variable.name.clone(), found))
        };
        node.module().variables_with(Variables::Validated).filter_map(refused).collect()
    };
    node.data().refused_defaults.get_or_init(search)
}

/// The errors in a value that a module gives to a variable of a child module.
pub(super) fn errors(
    caller: Node<'_>,
    mut value: Value,
    expr: &Expr,
    variable: &Variable,
    child: Node<'_>,
    work: &Budget,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let (constraint, limits) = (accepted_values::constraint(variable), &caller.module().limits);
    if let Err(limit) = constraint.pay(&value, work, expr.span, limits) {
        value = Value::UNKNOWN;
        found.extend(limit);
    } else if !variable.validations.is_empty() {
        found = validation::refused(&value, Some(expr), variable, child, work);
    }
    value.take_deep_marks();
    found.extend(accepted_values::argument(&value, expr, variable));
    found
}
