//! Parses type constraints.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::finding::{EngineRule, Finding};
use crate::limits::Limits;
use crate::syntax::{Call, Expr, ExprKind, parse_expression};
use crate::text::{Span, nearest};

use super::data::normal;
use super::defaults::{Defaults, Parts};
use super::evaluate::too_expensive;
use super::weight::weight;
use super::{Attribute, Budget, Mismatch, Type, Value, constant, convert};

/// A type constraint.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TypeConstraint {
    /// The type; `any` after an error.
    pub ty: Type,
    /// The defaults of optional attributes, if there are any.
    pub defaults: Option<Defaults>,
}

/// The steps to find the type of a node of a value and convert it.
const OF_CONVERTED: usize = 2;

/// The steps to add one node of a default to a value.
const OF_DEFAULT: usize = 6;

impl TypeConstraint {
    /// `any`, without defaults.
    pub const ANY: Self = Self { ty: Type::Any, defaults: None };

    /// `value` with defaults for missing and null attributes. The result may still need conversion to the type.
    pub(super) fn apply_defaults(&self, value: &Value) -> Value {
        match &self.defaults {
            Some(defaults) => defaults.apply(value),
            None => value.clone(),
        }
    }

    /// `value` with the defaults, converted to the type. A null stays one.
    ///
    /// # Errors
    ///
    /// The value does not convert to the type.
    pub fn accept(&self, value: &Value) -> Result<Value, Mismatch> {
        let value = if value.is_null() { value.clone() } else { self.apply_defaults(value) };
        if value.is(&self.ty.without_optional()) {
            return Ok(value);
        }
        convert(&value, &self.ty)
    }

    /// Takes the steps to apply the defaults to a value and convert it.
    ///
    /// # Errors
    ///
    /// Too few steps are left, so that the value has to be treated as unknown. The finding at `at` reports it, unless an
    /// earlier one did.
    pub(crate) fn pay(
        &self,
        value: &Value,
        work: &Budget,
        at: Span,
        limits: &Limits,
    ) -> Result<(), Option<Finding>> {
        let before = work.get();
        if before == 0 {
            return Err(None);
        }
        let left = before.saturating_sub(self.steps(value, before));
        work.set(left);
        if left > 0 { Ok(()) } else { Err(Some(too_expensive(Some(work), at, limits))) }
    }

    /// The steps to apply the defaults to a value and convert it. Counting stops above `most`.
    fn steps(&self, value: &Value, most: usize) -> usize {
        let added = self.defaults.as_ref().map_or(0, |defaults| defaults.added(value, most));
        let own = weight(value, most).saturating_mul(OF_CONVERTED).saturating_add(self.ty.nodes());
        added.saturating_mul(OF_DEFAULT).saturating_add(own)
    }
}

/// Parses the `type` argument of a variable.
pub fn type_constraint(expr: &Expr, findings: &mut Vec<Finding>) -> TypeConstraint {
    if expr.is_native_quoted_string() {
        quoted(expr, findings);
        return TypeConstraint::ANY;
    }
    // A bare `list`, `map` or `set` is a type only here, and not in another type.
    match expr.keyword().as_deref() {
        Some("list") => return plain(Type::list(Type::Any)),
        Some("map") => return plain(Type::map(Type::Any)),
        Some(_) | None => {}
    }
    let before = findings.len();
    let constraint = exact_type(expr, findings);
    if findings.len() > before { TypeConstraint::ANY } else { constraint }
}

/// A quoted type, the syntax before Terraform 0.12.
fn quoted(expr: &Expr, findings: &mut Vec<Finding>) {
    let before = findings.len();
    let value = constant(expr, findings);
    if findings.len() > before {
        return;
    }
    let text = value.as_str().unwrap_or_default();
    let (summary, help) = match text {
        "string" => ("Invalid quoted type constraints", "write `string`, without quotes".to_owned()),
        "list" | "map" => ("Invalid quoted type constraints", with_element(text)),
        _ => ("Invalid legacy variable type hint", without_quotes(text)),
    };
    let finding = Finding::language(EngineRule::InvalidTypeConstraint, summary).at(expr.span).help(help);
    findings.push(finding.detail("A type in quotes is a string, not a type."));
}

/// The help for a quoted type that was not valid in Terraform 0.11.
fn without_quotes(text: &str) -> String {
    const ANY_TYPE: &str = "write a type without quotes, such as `string` or `list(string)`";
    let Ok(expr) = parse_expression(text) else { return ANY_TYPE.to_owned() };
    let mut errors = Vec::new();
    exact_type(&expr, &mut errors);
    match errors.into_iter().next() {
        None => "write the type without quotes".to_owned(),
        Some(error) => error.help.unwrap_or_else(|| ANY_TYPE.to_owned()),
    }
}

/// The help for a type constructor without a type of its elements.
fn with_element(name: &str) -> String {
    format!("write `{name}(string)`, or `{name}(any)` if the elements are not strings")
}

fn exact_type(expr: &Expr, findings: &mut Vec<Finding>) -> TypeConstraint {
    if let Some(name) = expr.keyword() {
        let (detail, help) = match name.as_str() {
            "bool" => return plain(Type::Bool),
            "string" => return plain(Type::String),
            "number" => return plain(Type::Number),
            "any" => return plain(Type::Any),
            "list" | "map" | "set" => (needs_element(&name), Some(with_element(&name))),
            "object" => (NEEDS_ATTRIBUTES.to_owned(), Some("write `object({ … })`, or `any`".to_owned())),
            "tuple" => (NEEDS_ELEMENTS.to_owned(), Some("write `tuple([ … ])`, or `any`".to_owned())),
            _ => (format!("There is no type {name:?}."), similar_type(&name).map(did_you_mean)),
        };
        return invalid_with_help(detail, expr.span, help, findings);
    }
    if let ExprKind::Call(call) = &expr.kind {
        return constructed(call, expr.span, findings);
    }
    if expr.is_unread() {
        return TypeConstraint::ANY;
    }
    if let ExprKind::JsonString(string) = &expr.kind {
        match parse_expression(&string.text) {
            Ok(Expr { kind: ExprKind::Call(call), span }) => {
                let before = findings.len();
                let constraint = constructed(&call, span, findings);
                rebase(&mut findings[before..], expr.span);
                return constraint;
            }
            Err(wrong) if wrong.iter().any(is_limit) => {
                // The part that was not parsed may be a valid type.
                findings.extend(wrong.into_iter().filter(is_limit).map(|finding| finding.at(expr.span)));
                return TypeConstraint::ANY;
            }
            Ok(_) | Err(_) => {}
        }
    }
    let detail =
        "A type is one of the names bool, number, string and any, or one made of others, as in list(string).";
    invalid(detail, expr.span, findings)
}

/// The type that an unknown name most likely means.
fn similar_type(name: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 17] = [
        ("string", "string"),
        ("str", "string"),
        ("number", "number"),
        ("int", "number"),
        ("integer", "number"),
        ("float", "number"),
        ("bool", "bool"),
        ("boolean", "bool"),
        ("any", "any"),
        ("list", "list(…)"),
        ("array", "list(…)"),
        ("map", "map(…)"),
        ("dict", "map(…)"),
        ("set", "set(…)"),
        ("object", "object({ … })"),
        ("struct", "object({ … })"),
        ("tuple", "tuple([ … ])"),
    ];
    let meant = nearest(&name.to_lowercase(), NAMES.iter().map(|(name, _)| *name))?;
    NAMES.iter().find(|(name, _)| *name == meant).map(|(_, meant)| *meant)
}

fn is_limit(finding: &Finding) -> bool {
    finding.rule == EngineRule::LimitReached.id()
}

const NEEDS_ATTRIBUTES: &str = "An object type takes one argument: a map of attribute names and their types.";
const NEEDS_ELEMENTS: &str = "A tuple type takes one argument: a list of types.";

fn needs_element(name: &str) -> String {
    format!("A {name} type takes one argument: the type of its elements.")
}

/// A type in the form of a function call.
fn constructed(call: &Call, span: Span, findings: &mut Vec<Finding>) -> TypeConstraint {
    let parens = call.open.to(call.close);
    let name = call.name.as_str();
    let (argument, needs) = match name {
        "bool" | "string" | "number" | "any" => {
            return invalid(format!("The type {name} takes no arguments."), parens, findings);
        }
        "list" | "set" | "map" => (call.arguments.as_slice(), needs_element(name)),
        "object" => (call.arguments.as_slice(), NEEDS_ATTRIBUTES.to_owned()),
        "tuple" => (call.arguments.as_slice(), NEEDS_ELEMENTS.to_owned()),
        "optional" => {
            return invalid("Only an attribute of an object type can be optional.", call.name_span, findings);
        }
        _ => {
            let detail = format!("No type with arguments is named {name:?}.");
            let meant = nearest(name, ["list", "set", "map", "object", "tuple"]);
            return invalid_with_help(detail, span, meant.map(did_you_mean), findings);
        }
    };
    let argument = match argument {
        [one] => one,
        [] => return invalid(needs, parens, findings),
        [_, extra @ .., last] => {
            let extra = extra.first().unwrap_or(last).span.to(last.span);
            return invalid(needs, extra, findings);
        }
    };
    match name {
        "object" => object(argument, findings),
        "tuple" => tuple(argument, findings),
        _ => {
            let element = exact_type(argument, findings);
            let ty = match name {
                "list" => Type::list(element.ty),
                "set" => Type::set(element.ty),
                _ => Type::map(element.ty),
            };
            let defaults = element
                .defaults
                .map(|inner| Defaults { parts: Parts::Elements(Box::new(inner)), values: BTreeMap::new() });
            TypeConstraint { ty, defaults }
        }
    }
}

fn tuple(argument: &Expr, findings: &mut Vec<Finding>) -> TypeConstraint {
    let Some(elements) = argument.as_list() else {
        return invalid(NEEDS_ELEMENTS, argument.span, findings);
    };
    let mut types = Vec::with_capacity(elements.len());
    let mut parts = BTreeMap::new();
    for (index, element) in elements.iter().enumerate() {
        let element = exact_type(element, findings);
        types.push(element.ty);
        if let Some(defaults) = element.defaults {
            parts.insert(index, defaults);
        }
    }
    let defaults =
        (!parts.is_empty()).then(|| Defaults { parts: Parts::Tuple(parts), values: BTreeMap::new() });
    TypeConstraint { ty: Type::tuple(types), defaults }
}

fn object(argument: &Expr, findings: &mut Vec<Finding>) -> TypeConstraint {
    let Some(pairs) = argument.as_map() else {
        return invalid(NEEDS_ATTRIBUTES, argument.span, findings);
    };
    let mut attributes = BTreeMap::new();
    let mut values = BTreeMap::new();
    let mut parts = BTreeMap::new();
    for (key, expr) in pairs {
        let Some(name) = key.keyword().map(normal) else {
            invalid("Attribute names are written without quotes.", key.span(), findings);
            continue;
        };
        let Entry::Vacant(free) = attributes.entry(name.clone()) else {
            invalid(format!("The attribute {name:?} is already declared."), key.span(), findings);
            continue;
        };
        let Some(attribute) = attribute(expr, findings) else { continue };
        free.insert(Attribute { ty: attribute.constraint.ty, optional: attribute.optional });
        if let Some(default) = attribute.default {
            values.insert(name.clone(), default);
        }
        if let Some(defaults) = attribute.constraint.defaults {
            parts.insert(name, defaults);
        }
    }
    let defaults =
        (!values.is_empty() || !parts.is_empty()).then_some(Defaults { parts: Parts::Object(parts), values });
    TypeConstraint { ty: Type::object(attributes), defaults }
}

/// An attribute of an object type.
struct Read {
    constraint: TypeConstraint,
    optional: bool,
    default: Option<Value>,
}

/// Parses `type`, `optional(type)` or `optional(type, default)`. Returns `None` if there is no type.
fn attribute(expr: &Expr, findings: &mut Vec<Finding>) -> Option<Read> {
    let call = match &expr.kind {
        ExprKind::Call(call) if call.name == "optional" => call,
        _ => return Some(Read { constraint: exact_type(expr, findings), optional: false, default: None }),
    };
    let parens = call.open.to(call.close);
    let before = findings.len();
    let mut default = None;
    let mut optional = false;
    match call.arguments.as_slice() {
        [] => {
            invalid("An optional attribute needs a type: optional(string).", parens, findings);
            None
        }
        [ty, rest @ ..] => {
            match rest {
                [] => optional = true,
                [expr] => {
                    let value = constant(expr, findings);
                    if findings.len() == before {
                        optional = true;
                        default = Some((value, expr.span));
                    }
                }
                [_, _, ..] => {
                    let detail = "An optional attribute takes only a type and a default.";
                    invalid(detail, parens, findings);
                }
            }
            let constraint = exact_type(ty, findings);
            let default =
                default.and_then(|(value, span)| checked_default(&value, &constraint.ty, span, findings));
            Some(Read { constraint, optional, default })
        }
    }
}

/// A default, converted to the type of its attribute.
fn checked_default(value: &Value, ty: &Type, span: Span, findings: &mut Vec<Finding>) -> Option<Value> {
    let invalid = |mismatch| {
        let summary = "Invalid default value for optional attribute";
        let detail = format!("The default does not match the type of the attribute: {mismatch}.");
        findings.push(Finding::language(EngineRule::InvalidDefaultValue, summary).at(span).detail(detail));
    };
    convert(value, ty).map_err(invalid).ok()
}

/// Moves spans relative to the text of a JSON string to their position in the file. The engine counts from the quote,
/// as if that were the first character.
fn rebase(findings: &mut [Finding], string: Span) {
    for finding in findings {
        finding.primary = finding.primary.map(|inner| Span {
            file: string.file,
            start: string.start.saturating_add(inner.start),
            end: string.start.saturating_add(inner.end),
        });
    }
}

fn plain(ty: Type) -> TypeConstraint {
    TypeConstraint { ty, defaults: None }
}

fn invalid(detail: impl Into<String>, at: Span, findings: &mut Vec<Finding>) -> TypeConstraint {
    invalid_with_help(detail, at, None, findings)
}

fn invalid_with_help(
    detail: impl Into<String>,
    at: Span,
    help: Option<String>,
    findings: &mut Vec<Finding>,
) -> TypeConstraint {
    let finding = Finding::language(EngineRule::InvalidTypeConstraint, "Invalid type specification");
    findings.push(finding.at(at).detail(detail).help_if(help));
    TypeConstraint::ANY
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}
