//! Finds arguments of module calls that the validations of the module refuse, where that is known beforehand.

use std::cell::Cell;

use smol_str::SmolStr;

use super::locals::Locals;
use super::scope::ModuleScope;
use crate::engine::{Engine, Product};
use crate::finding::{EngineRule, Finding, Severity};
use crate::graph::references::sites::Symbols;
use crate::graph::{Node, arguments, references};
use crate::limits::Limits;
use crate::module::declaration::{ModuleCall, Variable};
use crate::syntax::{Expr, StepKind, Traversal};
use crate::text::Span;
use crate::value::{Constraint, Resolved, Scope, Value, convert, evaluate};

/// A default value that a validation of its variable refuses.
#[derive(Debug)]
pub struct RefusedDefault<'t> {
    /// The variable.
    pub variable: &'t Variable,
    /// The default value.
    pub default: Span,
    /// The condition that refuses it.
    pub condition: Span,
    /// The summary of the error that the condition ends with, if it does not give false.
    pub error: Option<String>,
    /// Whether a call of the module leaves the default in place.
    pub is_used: bool,
}

impl<'t> Node<'t> {
    /// The default values of this module that fail a validation, as far as that is known before anything runs.
    pub fn refused_defaults(self) -> Vec<RefusedDefault<'t>> {
        let module = self.module();
        let work = Cell::new(module.limits.evaluation_of_module());
        let mut refused = Vec::new();
        for variable in module.variables.values() {
            let Some(default) = &variable.default else { continue };
            let mut refusals = refusals(&default.value, variable, self, &work);
            // What refuses every value, the engine reports.
            refusals.retain(|refusal| !refusal.is_certain);
            if refusals.is_empty() {
                continue;
            }
            let leaves = |(_, call): (Node<'_>, &ModuleCall)| {
                module.complete
                    && arguments::given(call, module).iter().all(|given| given.name != variable.name)
            };
            let is_used = self.callers().any(leaves);
            refused.extend(refusals.into_iter().map(|Refusal { condition, error, .. }| RefusedDefault {
                variable,
                default: default.span,
                condition,
                error,
                is_used,
            }));
        }
        refused
    }
}

/// One finding for each validation that refuses the value. It points where the value is set, as the engine does; for a
/// default the engine gives no place.
pub(super) fn refused(
    value: &Value,
    expr: Option<&Expr>,
    variable: &Variable,
    child: Node<'_>,
    work: &Cell<usize>,
) -> Vec<Finding> {
    let refusals = refusals(value, variable, child, work).into_iter();
    refusals
        .filter(|refusal| refusal.error.is_none())
        .map(|refusal| {
            let finding = Finding::language(EngineRule::ModuleArgumentType, "Invalid value for variable");
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
            finding.related(refusal.condition, "it has to meet this condition")
        })
        .collect()
}

/// A condition that refuses a value.
struct Refusal {
    condition: Span,
    /// The summary of the error that it ends with, if it does not give false.
    error: Option<String>,
    /// Whether it refuses every value.
    is_certain: bool,
}

/// The validations of a variable that refuse a value.
fn refusals(value: &Value, variable: &Variable, node: Node<'_>, work: &Cell<usize>) -> Vec<Refusal> {
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
    if parts.flatten().any(|part| references::is_wrong(node, variable, &part.expr)) {
        return Vec::new();
    }
    let locals = Locals::default();
    let unknown = ModuleScope {
        node,
        locals: &locals,
        iterators: &[],
        work,
        symbols: Symbols::default(),
        unnamed: false,
    };
    let known =
        OneKnown { rest: unknown, name: Some(&variable.name), value: &value, engine: node.graph().engine() };
    let conditions = variable.validations.iter().filter_map(|validation| validation.condition.as_ref());
    conditions
        .filter_map(|condition| {
            let mut found = Vec::new();
            if evaluate(&condition.expr, &known, &mut found).as_bool() == Some(false) && found.is_empty() {
                let is_certain = known.of_any(&condition.expr).as_bool() == Some(false);
                return Some(Refusal { condition: condition.expr.span, error: None, is_certain });
            }
            let error = if found.is_empty() { None } else { known.error_of_value(&condition.expr) };
            let (condition, is_certain) = (condition.expr.span, false);
            error.map(|error| Refusal { condition, error: Some(error), is_certain })
        })
        .collect()
}

/// A module of which one variable is known, if it is named.
struct OneKnown<'s> {
    rest: ModuleScope<'s>,
    name: Option<&'s SmolStr>,
    value: &'s Value,
    engine: Engine,
}

impl OneKnown<'_> {
    /// The value of an expression whatever that of the variable is.
    fn of_any(&self, expr: &Expr) -> Value {
        evaluate(expr, &OneKnown { name: None, ..*self }, &mut Vec::new())
    }

    /// The summary of the error that an expression ends with for this value, but not for every value. An operand that
    /// some engine does not evaluate does not count.
    fn error_of_value(&self, expr: &Expr) -> Option<String> {
        let error = |name| {
            let (value, engine) = (self.value, Engine::newest(Product::Terraform));
            let mut found = Vec::new();
            evaluate(expr, &OneKnown { rest: self.rest, name, value, engine }, &mut found);
            found.into_iter().find(|finding| finding.severity == Severity::Error)
        };
        error(self.name).filter(|_| error(None).is_none()).map(|finding| finding.summary)
    }
}

impl Scope for OneKnown<'_> {
    fn engine(&self) -> Engine {
        self.engine
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
                .zip(self.name)
                .is_some_and(|(step, name)| step.kind == StepKind::Attribute(name.clone()));
        if is_known {
            return Some(Resolved { value: self.value.clone(), steps: 1 });
        }
        self.rest.resolve(reference)
    }
    fn lacks_function(&self, name: &str) -> bool {
        self.rest.lacks_function(name)
    }
}
