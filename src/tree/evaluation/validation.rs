//! Finds arguments of module calls that the validations of the module refuse, where that is known beforehand.

use std::cell::Cell;

use smol_str::SmolStr;

use super::scope::{Locals, ModuleScope};
use crate::engine::Engine;
use crate::finding::{Finding, Language};
use crate::limits::Limits;
use crate::module::declaration::Variable;
use crate::syntax::{Expr, StepKind, Traversal};
use crate::tree::references::sites::Symbols;
use crate::tree::{Node, references};
use crate::value::{Constraint, Resolved, Scope, Value, convert, evaluate};

/// One finding for each validation that refuses the value. It points where the value is set, as the engine does; for a
/// default the engine gives no place.
pub(super) fn refused(
    value: &Value,
    expr: Option<&Expr>,
    variable: &Variable,
    child: Node<'_>,
    work: &Cell<usize>,
) -> Vec<Finding> {
    if variable.validations.is_empty() || !value.is_known() {
        return Vec::new();
    }
    let any = Constraint::ANY;
    let constraint = variable.constraint.as_ref().map_or(&any, |constraint| &constraint.value);
    let value = if value.is_null() { value.clone() } else { constraint.apply_defaults(value) };
    let Ok(value) = convert(&value, &constraint.ty) else { return Vec::new() };
    let refuses_null = variable.nullable.as_ref().is_some_and(|nullable| !nullable.value);
    if value.is_null() && refuses_null {
        return Vec::new();
    }
    // The engine looks at what all of them refer to before it evaluates any.
    let parts =
        variable.validations.iter().flat_map(|validation| [&validation.condition, &validation.error_message]);
    if parts.flatten().any(|part| references::is_wrong(child, variable, &part.expr)) {
        return Vec::new();
    }
    let locals = Locals::default();
    let scope = OneKnown {
        rest: ModuleScope {
            node: child,
            locals: &locals,
            iterators: &[],
            work,
            symbols: Symbols::default(),
            unnamed: false,
        },
        name: &variable.name,
        value: &value,
    };
    let refusing = variable.validations.iter().filter(|validation| {
        validation.condition.as_ref().is_some_and(|condition| {
            let mut found = Vec::new();
            let result = evaluate(&condition.expr, &scope, &mut found);
            found.is_empty() && result == Value::Bool(false)
        })
    });
    refusing
        .map(|validation| {
            let finding = Finding::language(Language::ModuleArgumentType, "Invalid value for variable");
            let finding = match expr {
                Some(expr) => finding.at(expr.span).detail(format!(
                    "The module called here validates its variable `{}`, and this value does not pass.",
                    variable.name
                )),
                None => finding.related(variable.origin.header(), "declared here, with its default").detail(
                    format!(
                        "The default of the variable `{}` does not pass its own validation.",
                        variable.name
                    ),
                ),
            };
            finding.related(
                validation
                    .condition
                    .as_ref()
                    .map_or(validation.block.header, |condition| condition.expr.span),
                "it has to meet this condition",
            )
        })
        .collect()
}

/// A module of which one variable is known.
struct OneKnown<'s> {
    rest: ModuleScope<'s>,
    name: &'s SmolStr,
    value: &'s Value,
}

impl Scope for OneKnown<'_> {
    fn engine(&self) -> Engine {
        self.rest.engine()
    }

    fn limits(&self) -> &Limits {
        self.rest.limits()
    }

    fn work(&self) -> &Cell<usize> {
        self.rest.work
    }

    fn resolve(&self, reference: &Traversal) -> Option<Resolved> {
        let is_known = reference.root == "var"
            && reference
                .steps
                .first()
                .is_some_and(|step| step.kind == StepKind::Attribute(self.name.clone()));
        if is_known {
            return Some(Resolved { value: self.value.clone(), steps: 1 });
        }
        self.rest.resolve(reference)
    }
    fn lacks_function(&self, name: &str) -> bool {
        self.rest.lacks_function(name)
    }
}
