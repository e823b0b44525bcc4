//! Checks values of `count`, `for_each` and module arguments.

use crate::finding::{Code, EngineRule, Finding, Related, Severity};
use crate::graph::references::sites::{Owner, Site};
use crate::module::declaration::Variable;
use crate::module::{Module, undeclared_attributes};
use crate::syntax::{Expr, ExprKind};
use crate::text::with_article;
use crate::value::{Mismatch, Type, TypeConstraint, Value, convert};

fn invalid(rule: EngineRule, summary: &str, detail: impl Into<String>, expr: &Expr) -> Finding {
    Finding::language(rule, summary).detail(detail).at(expr.span)
}

/// The error for a value that cannot be converted to the required type.
fn incorrect_type(detail: impl Into<String>, expr: &Expr) -> Finding {
    invalid(EngineRule::InvalidValue, "Incorrect value type", detail, expr).code(Code::IncorrectType)
}

/// The error in a value of `count`, if any.
pub(super) fn count(value: &Value, expr: &Expr) -> Option<Finding> {
    let why = match convert(value, &Type::Number) {
        Ok(Value::Null(_)) => "null",
        Ok(Value::Number(number)) if number.index().is_none() => {
            "a negative, fractional or very large number"
        }
        Ok(_) => return None,
        Err(_) => {
            let detail = match value.as_str() {
                Some(_) => "`count` must be a whole number, and this string is not a number.".to_owned(),
                None => format!("`count` must be a whole number, not {}.", with_article(&value.ty().name())),
            };
            let is_flag = value.ty() == Type::Bool && !matches!(expr.kind, ExprKind::Conditional(_));
            let help = is_flag.then(|| "put `? 1 : 0` after the condition".to_owned());
            return Some(incorrect_type(detail, expr).help_if(help));
        }
    };
    let detail = format!("`count` must be a whole number, not {why}.");
    Some(invalid(EngineRule::InvalidValue, "Invalid count argument", detail, expr))
}

/// The error in a value of `for_each`, if any.
pub(super) fn for_each(value: &Value, expr: &Expr) -> Option<Finding> {
    let (summary, why) = match value {
        Value::Null(_) => ("Invalid for_each argument", "it is null".to_owned()),
        Value::Set(element, elements) if !elements.is_empty() && value.is_wholly_known() => match element {
            Type::String if elements.iter().any(Value::is_null) => {
                ("Invalid for_each set argument", "it contains null".to_owned())
            }
            Type::String => return None,
            other => ("Invalid for_each set argument", format!("this is a set of {}", other.name())),
        },
        Value::Unknown(Type::Any | Type::Map(_) | Type::Set(_) | Type::Object(_))
        | Value::Map(..)
        | Value::Object(_)
        | Value::Set(..) => return None,
        _ => ("Invalid for_each argument", format!("it is a {}", value.ty().name())),
    };
    let detail = format!("`for_each` must be a map, an object or a set of strings: {why}.");
    let finding = invalid(EngineRule::InvalidValue, summary, detail, expr);
    Some(finding.help_if(help(&value.ty()).map(str::to_owned)))
}

/// The error in the value of `for_each` of a `dynamic` block, if any.
pub(super) fn dynamic_for_each(value: &Value, expr: &Expr) -> Option<Finding> {
    let ty = value.ty();
    let why = match (value, &ty) {
        (Value::Null(_), _) => "null".to_owned(),
        (_, Type::Bool | Type::Number | Type::String) => with_article(&ty.name()),
        _ => return None,
    };
    let detail = format!("`for_each` must be a collection, not {why}.");
    let help =
        (ty == Type::Bool && !value.is_null()).then(|| "put `? [1] : []` after the condition".to_owned());
    Some(invalid(EngineRule::InvalidValue, "Invalid dynamic for_each value", detail, expr).help_if(help))
}

/// The help for a collection that is not valid in `for_each`.
fn help(ty: &Type) -> Option<&'static str> {
    let elements = match ty {
        Type::List(element) | Type::Set(element) => std::slice::from_ref(&**element),
        Type::Tuple(elements) => elements,
        _ => return None,
    };
    let is_primitive = |ty: &Type| matches!(ty, Type::String | Type::Number | Type::Bool);
    if matches!(ty, Type::Set(_)) && elements.iter().all(|element| matches!(element, Type::String)) {
        Some("remove the null element")
    } else if elements.iter().all(|element| matches!(element, Type::String)) {
        Some("convert it to a set with `toset`")
    } else if elements.iter().any(|element| matches!(element, Type::Any)) {
        Some(
            "convert it to a set with `toset` if its elements are strings, or to a map with a `for` expression",
        )
    } else if elements.iter().all(is_primitive) {
        Some(
            "convert it to a set of strings: `toset([for value in X : tostring(value)])`, where X is the collection",
        )
    } else {
        Some("convert it to a map with a `for` expression, which gives each element a key")
    }
}

/// The error in the value of a part of a condition, if any. Those of resources are checked only once their values are
/// known.
pub(super) fn condition(value: &Value, expr: &Expr, is_condition: bool, site: &Site<'_>) -> Option<Finding> {
    match &site.owner {
        Owner::Output(_) if is_condition => {
            let failed = "Module output value precondition failed";
            result(value, expr, (failed, "This condition is false for every value.", Severity::Error))
        }
        Owner::Check(_) if is_condition => {
            let failed = "Check block assertion failed";
            result(value, expr, (failed, "This condition is false.", Severity::Warning))
        }
        Owner::Output(_) | Owner::Check(_) if !is_condition => message(value, expr),
        Owner::Variable(variable) if is_condition => validation(value, expr, variable),
        _ => None,
    }
}

/// The error in a value of `for_each` in an `import` block, if any. More types are valid there.
pub(super) fn import_for_each(value: &Value, expr: &Expr) -> Option<Finding> {
    let is_single = matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_));
    let detail =
        format!("`for_each` must be a map, an object or a set of strings, not a {}.", value.ty().name());
    is_single.then(|| invalid(EngineRule::InvalidValue, "Invalid for_each argument", detail, expr))
}

/// The error in the `id` of an import, if any.
pub(super) fn import_id(value: &Value, expr: &Expr) -> Option<Finding> {
    let why = match convert(value, &Type::String) {
        Ok(Value::Null(_)) => "null",
        Ok(Value::String(text)) if text.is_empty() => "empty",
        Ok(_) => return None,
        Err(_) => {
            let detail = "The `id` of an import must be a string.";
            return Some(incorrect_type(detail, expr));
        }
    };
    let detail = format!("The `id` of an import must not be {why}.");
    Some(invalid(EngineRule::InvalidMovedRemovedImport, "Invalid import id argument", detail, expr))
}

/// The error for the result of a precondition or postcondition of a resource, if any.
pub(super) fn of_resource(value: &Value, expr: &Expr, is_postcondition: bool) -> Option<Finding> {
    let failed =
        if is_postcondition { "Resource postcondition failed" } else { "Resource precondition failed" };
    result(value, expr, (failed, "This condition is false.", Severity::Error))
}

/// The finding for the result of a condition, if any, with these parts if the result is false.
fn result(value: &Value, expr: &Expr, (failed, detail, severity): (&str, &str, Severity)) -> Option<Finding> {
    let is_false = convert(value, &Type::Bool) == Ok(Value::Bool(false));
    let failure = || invalid(EngineRule::InvalidCheckOrCondition, failed, detail, expr).severity(severity);
    no_condition(value, expr).or_else(|| is_false.then(failure))
}

/// The error for a known result of a condition that is neither true nor false.
pub(super) fn no_condition(value: &Value, expr: &Expr) -> Option<Finding> {
    match convert(value, &Type::Bool) {
        _ if !value.is_known() => None,
        Ok(Value::Null(_)) => Some(invalid_result("null", expr)),
        Ok(_) => None,
        Err(_) => Some(invalid_result(&with_article(&value.ty().name()), expr)),
    }
}

fn invalid_result(what: &str, expr: &Expr) -> Finding {
    let detail = format!("A condition must be true or false, not {what}.");
    invalid(EngineRule::InvalidCheckOrCondition, "Invalid condition result", detail, expr)
}

/// The error in a condition whose value will be of a type that is neither true nor false.
pub(super) fn never_a_condition(value: &Value, expr: &Expr) -> Option<Finding> {
    let is_never = !value.is_known() && convert(value, &Type::Bool).is_err();
    is_never.then(|| invalid_result(&with_article(&value.ty().name()), expr))
}

/// The error of a validation that fails, or has an unusable result, before the value of the variable is known.
fn validation(value: &Value, expr: &Expr, variable: &Variable) -> Option<Finding> {
    if let Some(unusable) = unusable(value, expr) {
        return Some(unusable);
    }
    // A condition that does not refer to the variable is an error of its own.
    let refers = || expr.variables().into_iter().any(|reference| variable.is_meant_by(reference));
    (convert(value, &Type::Bool) == Ok(Value::Bool(false)) && refers()).then(|| {
        Finding::language(EngineRule::InvalidCheckOrCondition, "Invalid value for variable")
            .detail(format!("Every value of the variable `{}` fails this validation.", variable.name))
            .at(variable.origin.header())
            .related(expr.span, "this condition is always false")
    })
}

/// The engine's error for a result that is not a boolean.
pub(super) fn unusable(result: &Value, condition: &Expr) -> Option<Finding> {
    let why = why_not(result, &Type::Bool).filter(|_| result.is_known())?;
    let detail = format!("A condition must be true or false: {why}.");
    let summary = "Invalid variable validation result";
    Some(invalid(EngineRule::InvalidCheckOrCondition, summary, detail, condition))
}

/// Why a value cannot be used as one of a type.
fn why_not(value: &Value, ty: &Type) -> Option<String> {
    match convert(value, ty) {
        Ok(Value::Null(_)) => Some("it is null".to_owned()),
        Ok(_) => None,
        Err(mismatch) => Some(mismatch.to_string()),
    }
}

pub(super) fn message(value: &Value, expr: &Expr) -> Option<Finding> {
    let detail = format!("An error message must be a string: {}.", why_not(value, &Type::String)?);
    Some(invalid(EngineRule::InvalidCheckOrCondition, "Invalid error message", detail, expr))
}

/// The type of a variable.
pub(super) fn constraint(variable: &Variable) -> &TypeConstraint {
    variable.constraint.as_ref().map_or(&TypeConstraint::ANY, |constraint| &constraint.value)
}

/// The value converted to the type of a variable.
pub(super) fn converted(value: &Value, variable: &Variable) -> Result<Value, Mismatch> {
    constraint(variable).accept(value)
}

/// The error in a value that a call gives to a variable, if any.
pub(super) fn argument(value: &Value, expr: &Expr, variable: &Variable) -> Option<Finding> {
    given(EngineRule::ModuleArgumentType, value, expr, variable)
}

/// The error in a value that a call or a file gives to a variable, if any.
pub(super) fn given(rule: EngineRule, value: &Value, expr: &Expr, variable: &Variable) -> Option<Finding> {
    // It converts to every type.
    if *value == Value::UNKNOWN {
        return None;
    }
    let name = &variable.name;
    let declared =
        variable.constraint.as_ref().map_or(variable.origin.header(), |constraint| constraint.span);
    match converted(value, variable) {
        Err(mismatch) => {
            let sensitive = variable.is_sensitive();
            let finding = Finding::language(rule, "Invalid value for input variable").detail(format!(
                "The value does not match the type of the variable `{name}`: {}.",
                mismatch.explained(name)
            ));
            let finding = finding.code(Code::IncorrectVariableType);
            // The engine hides the value of a sensitive variable, and reports the declaration.
            Some(if sensitive {
                finding.at(variable.origin.header()).related(expr.span, "set here")
            } else {
                finding.at(expr.span).related(declared, "the type of the variable")
            })
        }
        Ok(Value::Null(_)) => (variable.refuses_null() && variable.default.is_none()).then(|| {
            Finding::language(rule, "Required variable not set")
                .detail(format!(
                    "The variable `{name}` sets `nullable = false` and has no default, so its value must not be null."
                ))
                .at(expr.span)
                .related(variable.origin.header(), "declared here")
        }),
        Ok(_) => None,
    }
}

/// Reports the attributes of a value that the type of the variable of a child module drops.
pub(super) fn ignored(expr: &Expr, variable: &Variable, child: &Module, findings: &mut Vec<Finding>) {
    let Some(constraint) = &variable.constraint else { return };
    let from = findings.len();
    let target = format!("input variable {:?}", variable.name);
    undeclared_attributes::attributes(expr, &constraint.value.ty, &target, &child.features, findings);
    for finding in &mut findings[from..] {
        let message = "the type of the variable".to_owned();
        finding.related.push(Related { span: constraint.span, message });
    }
}
