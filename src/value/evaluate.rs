//! Evaluates expressions as the engine does.
//!
//! As in the engine, the value of an expression with an error is unknown, so that each error is reported once.

use std::borrow::Cow;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding, has_errors};
use crate::limits::{Limit, Limits};
use crate::syntax::{Expr, ExprKind, JsonString, ObjectKey, Step, StepKind, Traversal};
use crate::text::Span;

use super::convert::convert;
use super::weight::{BYTES_PER_STEP, OF_MAP};
use super::{Number, Resolved, Scope, Type, Value};

mod access;
mod argument;
mod call;
mod cost;
mod iterate;
mod kept_calls;
mod object;
mod operator;
mod template;
mod template_file;

pub use call::TERRAFORM_FUNCTIONS;
pub(crate) use cost::too_expensive;
pub use iterate::elements;

use kept_calls::KeptCalls;

use cost::{OF_CONSTANT, OF_CONSTANT_BYTE, OF_DISCARDED_FINDING, OF_FINDING, deeper_than, limit_reached};

/// Evaluates an expression without variables and functions, with the default limits.
pub fn constant(expr: &Expr, findings: &mut Vec<Finding>) -> Value {
    constant_within(&Limits::default(), expr, findings)
}

/// Like [`constant`], with the limits of a run.
pub fn constant_within(limits: &Limits, expr: &Expr, findings: &mut Vec<Finding>) -> Value {
    let length = expr.span.range().len();
    let left = length.saturating_mul(OF_CONSTANT_BYTE).saturating_add(OF_CONSTANT).min(limits.evaluation());
    Evaluator::new(limits, left, None, findings).value(expr, None)
}

/// Like [`constant_within`], with one variable.
pub fn evaluate_with(
    (name, value): (&str, &Value),
    limits: &Limits,
    expr: &Expr,
    findings: &mut Vec<Finding>,
) -> Value {
    let names = Names::Variables { key: None, value: (name, value), kept: &KeptCalls::default() };
    let frame = Frame { outer: None, names };
    Evaluator::new(limits, limits.evaluation(), None, findings).value(expr, Some(&frame))
}

/// The name that a key of an object constructor is, with its place, if it is a constant.
pub fn constant_key(key: &ObjectKey) -> Option<(SmolStr, Span)> {
    match key {
        ObjectKey::Name(name, span) => Some((name.clone(), *span)),
        ObjectKey::Expr(expr) => {
            let mut wrong = Vec::new();
            let text =
                convert(&constant(expr, &mut wrong), &Type::String).ok().filter(|_| wrong.is_empty())?;
            Some((text.as_str()?.into(), expr.span))
        }
    }
}

/// Evaluates an expression with the variables and functions of `scope`.
pub fn evaluate(expr: &Expr, scope: &dyn Scope, findings: &mut Vec<Finding>) -> Value {
    let left = scope.limits().evaluation().min(scope.work().get());
    let mut evaluator = Evaluator::new(scope.limits(), left, Some(scope), findings);
    let value = evaluator.value(expr, None);
    let (added, exhausted) = (evaluator.added, evaluator.exhausted);
    let done = left + added - evaluator.left;
    // Zero remaining steps mean that the limit was already reported.
    scope.work().set((scope.work().get() + added).saturating_sub(done).max(usize::from(!exhausted)));
    if exhausted {
        return Value::UNKNOWN;
    }
    // Each of many locals may contain the one before it, and code that traverses values is recursive.
    if !deeper_than(&value, scope.limits().nesting()) {
        return value;
    }
    findings.push(limit_reached("Value nested too deep", expr.span, scope.limits(), Limit::Nesting));
    Value::UNKNOWN
}

/// Follows constant steps into a value.
pub fn follow(from: Cow<'_, Value>, steps: &[Step], findings: &mut Vec<Finding>) -> Value {
    let limits = Limits::default();
    Evaluator::new(&limits, limits.evaluation(), None, findings).steps(from, steps).into_owned()
}

/// A constant string, after conversion.
pub fn text(expr: &Expr, limits: &Limits, findings: &mut Vec<Finding>) -> Option<SmolStr> {
    let before = findings.len();
    partial_text(expr, limits, findings).filter(|_| !has_errors(&findings[before..]))
}

/// Like [`text`], also after an error in a template: the part before the error is the value.
pub fn partial_text(expr: &Expr, limits: &Limits, findings: &mut Vec<Finding>) -> Option<SmolStr> {
    match decoded(expr, &Type::String, limits, findings)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// A constant bool, after conversion.
pub fn flag(expr: &Expr, limits: &Limits, findings: &mut Vec<Finding>) -> Option<bool> {
    let before = findings.len();
    let value = decoded(expr, &Type::Bool, limits, findings)?;
    value.as_bool().filter(|_| !has_errors(&findings[before..]))
}

/// A constant that is converted to the type. Reports unknown and null values.
fn decoded(expr: &Expr, ty: &Type, limits: &Limits, findings: &mut Vec<Finding>) -> Option<Value> {
    let value = constant_within(limits, expr, findings);
    let unsuitable = |why: String| {
        Finding::language(EngineRule::InvalidValue, "Unsuitable value type").at(expr.start_span()).detail(why)
    };
    match convert(&value, ty) {
        Ok(Value::Null(_)) => findings.push(unsuitable("This must not be null.".to_owned())),
        Ok(Value::Unknown(_)) => {
            findings.push(unsuitable(format!("This must be a constant {}.", ty.name())));
        }
        Ok(value) => return Some(value),
        Err(mismatch) => findings.push(unsuitable(format!("This value has the wrong type: {mismatch}."))),
    }
    None
}

/// The variables of a `for` expression or the element of a splat.
struct Frame<'f> {
    outer: Option<&'f Frame<'f>>,
    names: Names<'f>,
}

enum Names<'f> {
    /// The variables of a `for` expression, and the calls whose values it keeps.
    Variables { key: Option<(&'f str, &'f Value)>, value: (&'f str, &'f Value), kept: &'f KeptCalls },
    /// The current element of a splat.
    Element(&'f Value),
}

impl<'f> Frame<'f> {
    fn variable(&self, name: &str) -> Option<&'f Value> {
        match &self.names {
            Names::Variables { value, .. } if value.0 == name => Some(value.1),
            Names::Variables { key: Some(key), .. } if key.0 == name => Some(key.1),
            Names::Variables { .. } | Names::Element(_) => self.outer?.variable(name),
        }
    }

    fn element(&self) -> Option<&'f Value> {
        match &self.names {
            Names::Element(value) => Some(value),
            Names::Variables { .. } => self.outer?.element(),
        }
    }

    /// Whether there are any named variables.
    fn has_variables(&self) -> bool {
        matches!(self.names, Names::Variables { .. }) || self.outer.is_some_and(Frame::has_variables)
    }
}

type Inside<'f> = Option<&'f Frame<'f>>;

struct Evaluator<'e> {
    limits: &'e Limits,
    findings: &'e mut Vec<Finding>,
    /// The remaining evaluation steps.
    left: usize,
    /// The steps that files added to these.
    added: usize,
    /// Whether the limit was reached, which is reported once.
    exhausted: bool,
    /// The steps that a finding costs.
    of_finding: usize,
    /// The scope, or `None` where only constants are valid.
    scope: Option<&'e dyn Scope>,
    /// Inside `try` and `can`: whether the engine may know more of a value that was used.
    is_open: Option<bool>,
}

impl<'e> Evaluator<'e> {
    fn new(
        limits: &'e Limits,
        left: usize,
        scope: Option<&'e dyn Scope>,
        findings: &'e mut Vec<Finding>,
    ) -> Self {
        // If no steps remain at the start, an earlier evaluation reported the limit.
        Self {
            limits,
            findings,
            left,
            added: 0,
            exhausted: left == 0,
            of_finding: OF_FINDING,
            scope,
            is_open: None,
        }
    }

    /// The value of an expression. A copy of an existing value counts as evaluation steps, because values could grow
    /// without limit otherwise.
    fn value(&mut self, expr: &Expr, inside: Inside<'_>) -> Value {
        let value = self.read(expr, inside);
        self.owned(value, expr.span)
    }

    fn owned(&mut self, value: Cow<'_, Value>, at: Span) -> Value {
        match value {
            Cow::Owned(value) => value,
            Cow::Borrowed(value) if self.may_hold(value, at) => value.clone(),
            Cow::Borrowed(_) => Value::UNKNOWN,
        }
    }

    /// Like [`Self::value`], without a copy if an existing value has it, whole or as a part.
    fn read<'v>(&mut self, expr: &Expr, inside: Inside<'v>) -> Cow<'v, Value>
    where
        'e: 'v,
    {
        let has_attributes = match &expr.kind {
            ExprKind::Object(items) => !items.is_empty(),
            ExprKind::JsonObject(properties) => !properties.is_empty(),
            _ => false,
        };
        if !self.may_go_on(if has_attributes { 1 + OF_MAP } else { 1 }, expr.span) {
            return Cow::Owned(Value::UNKNOWN);
        }
        Cow::Owned(match &expr.kind {
            ExprKind::Traversal(traversal) => return self.traversal(traversal, inside),
            ExprKind::Relative(relative) => {
                let from = self.read(&relative.from, inside);
                return self.steps(from, &relative.steps);
            }
            ExprKind::Index { collection, key, brackets } => {
                let before = self.findings.len();
                let collection = self.read(collection, inside);
                let failed = self.failed_since(before);
                if failed && matches!(key.kind, ExprKind::Null | ExprKind::Bool(_)) {
                    // With such a key, the engine treats this as constant steps, which end with the first error.
                    return Cow::Owned(Value::UNKNOWN);
                }
                let key = self.read(key, inside);
                // An error quotes the key, or names its type.
                if !self.may_hold(&key, expr.span) {
                    return Cow::Owned(Value::UNKNOWN);
                }
                return part(collection, |collection| self.index(collection, &key, *brackets));
            }
            ExprKind::Element => {
                return Cow::Borrowed(inside.and_then(Frame::element).unwrap_or(&Value::UNKNOWN));
            }
            ExprKind::Parens(inner) => return self.read(inner, inside),
            ExprKind::Null => Value::NULL,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Number(digits) => {
                Number::parse(digits).map_or(Value::Unknown(Type::Number), Value::Number)
            }
            ExprKind::Template(template) => self.template(template, expr.span, inside),
            ExprKind::Tuple(elements) => {
                Value::Tuple(elements.iter().map(|element| self.value(element, inside)).collect())
            }
            ExprKind::Object(items) => self.object(items, inside),
            ExprKind::Splat { source, each, .. } => self.splat(source, each, inside),
            ExprKind::Call(call) => return self.call_once(call, expr, inside),
            ExprKind::Conditional(parts) => self.conditional(parts, inside),
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand, expr.span, inside),
            ExprKind::Binary(operator, operands) => self.binary(*operator, operands, expr.span, inside),
            ExprKind::For(each) => self.for_each(each, inside),
            ExprKind::JsonString(string) => self.json_string(string, expr.span, inside),
            ExprKind::JsonObject(properties) => self.json_object(properties, inside),
            ExprKind::Invalid | ExprKind::Unread => Value::UNKNOWN,
        })
    }

    /// Where only constants are valid, a JSON string is not a template.
    fn json_string(&mut self, string: &JsonString, at: Span, inside: Inside<'_>) -> Value {
        match (self.scope, &string.template) {
            (None, _) => Value::string(string.text.clone()),
            (Some(_), Ok(template)) => self.template(template, at, inside),
            (Some(_), Err(findings)) => {
                self.keep(findings.iter().cloned());
                Value::UNKNOWN
            }
        }
    }

    fn traversal<'v>(&mut self, traversal: &Traversal, inside: Inside<'v>) -> Cow<'v, Value>
    where
        'e: 'v,
    {
        if let Some(value) = inside.and_then(|frame| frame.variable(&traversal.root)) {
            return self.steps(Cow::Borrowed(value), &traversal.steps);
        }
        if let Some(Resolved { value, steps }) = self.scope.and_then(|scope| scope.resolve(traversal)) {
            let value = match value {
                Cow::Owned(value) if !self.may_hold(&value, traversal.root_span) => {
                    Cow::Owned(Value::UNKNOWN)
                }
                value => value,
            };
            let value = self.steps(value, traversal.steps.get(steps..).unwrap_or_default());
            if self.is_open == Some(false) && self.scope.is_some_and(Scope::knows_less) {
                self.is_open = Some(!value.is_wholly_known());
            }
            return value;
        }
        let (summary, detail) = if self.scope.is_some() || inside.is_some_and(Frame::has_variables) {
            ("Unknown variable", format!("No value named `{}` is available here.", traversal.root))
        } else {
            ("Variables not allowed", "A constant is required here, so variables are not allowed.".to_owned())
        };
        Cow::Owned(self.error(EngineRule::InvalidReference, summary, detail, traversal.root_span))
    }

    /// Follows constant steps up to the first invalid one.
    fn steps<'v>(&mut self, from: Cow<'v, Value>, steps: &[Step]) -> Cow<'v, Value> {
        // Only the last part is copied, not every part on the way to it.
        part(from, |value| self.part_at(value, steps))
    }

    fn part_at<'v>(&mut self, from: &'v Value, steps: &[Step]) -> Cow<'v, Value> {
        let mut value = Cow::Borrowed(from);
        for step in steps {
            let before = self.findings.len();
            let quoted = match &step.kind {
                StepKind::Attribute(name) | StepKind::Key(name) => name.len(),
                StepKind::Number(digits) => digits.len(),
                StepKind::Word(_) => 0,
            };
            if !self.may_go_on(quoted / BYTES_PER_STEP, step.span) {
                return Cow::Owned(Value::UNKNOWN);
            }
            value = part(value, |value| match &step.kind {
                StepKind::Attribute(name) => self.attribute(value, name, step.span),
                StepKind::Key(key) => self.index(value, &Value::string(key.clone()), step.span),
                StepKind::Number(digits) => {
                    let key = Number::parse(digits).map_or(Value::Unknown(Type::Number), Value::Number);
                    self.index(value, &key, step.span)
                }
                StepKind::Word(word) => {
                    let key = word.map_or(Value::NULL, Value::Bool);
                    self.index(value, &key, step.span)
                }
            });
            if self.failed_since(before) {
                return Cow::Owned(Value::UNKNOWN);
            }
        }
        value
    }

    /// Reports an error. Returns the unknown value that takes the place of the result.
    fn error(&mut self, rule: EngineRule, summary: &str, detail: impl Into<String>, at: Span) -> Value {
        self.report(Finding::language(rule, summary).detail(detail).at(at));
        Value::UNKNOWN
    }

    fn report(&mut self, finding: Finding) {
        self.keep([finding]);
    }

    /// Adds findings, such as those that were found [apart](Self::apart).
    fn keep(&mut self, findings: impl IntoIterator<Item = Finding>) {
        let before = self.findings.len();
        self.findings.extend(findings);
        let added = self.findings.len() - before;
        self.left = self.left.saturating_sub(self.of_finding * added);
    }

    fn failed_since(&self, before: usize) -> bool {
        has_errors(&self.findings[before..])
    }

    /// Evaluates an expression whose findings may be discarded.
    fn apart(&mut self, evaluate: impl FnOnce(&mut Evaluator<'_>) -> Value) -> (Value, Vec<Finding>) {
        let (value, mut findings) = self.beside(self.scope, OF_DISCARDED_FINDING, evaluate);
        // The finding about a limit is never discarded.
        let is_limit = |finding: &mut Finding| finding.rule == EngineRule::LimitReached.id();
        self.findings.extend(findings.extract_if(.., is_limit));
        (value, findings)
    }

    /// Whether the engine knows the type of each value. See [`Scope::knows_types`].
    fn knows_types(&self) -> bool {
        self.scope.is_some_and(Scope::knows_types)
    }

    /// The result of something that fails here, but perhaps not in the engine.
    fn undecided(&mut self) -> Value {
        self.is_open = self.is_open.map(|_| true);
        Value::UNKNOWN
    }

    /// Whether the engine knows more of the type of a value, so that an error in its conversion is not certain.
    fn has_open_type(&self, value: &Value) -> bool {
        self.knows_types() && value.ty().has_any()
    }

    /// Evaluates an expression with the variables of a scope. The steps count here.
    fn beside(
        &mut self,
        scope: Option<&dyn Scope>,
        of_finding: usize,
        evaluate: impl FnOnce(&mut Evaluator<'_>) -> Value,
    ) -> (Value, Vec<Finding>) {
        let mut findings = Vec::new();
        let mut beside = Evaluator::new(self.limits, self.left, scope, &mut findings);
        (beside.exhausted, beside.of_finding, beside.is_open) = (self.exhausted, of_finding, self.is_open);
        let value = evaluate(&mut beside);
        (self.left, self.exhausted, self.is_open) = (beside.left, beside.exhausted, beside.is_open);
        self.added += beside.added;
        (value, findings)
    }
}

/// A part of a value, borrowed if the value is.
fn part(value: Cow<'_, Value>, select: impl FnOnce(&Value) -> Cow<'_, Value>) -> Cow<'_, Value> {
    match value {
        Cow::Borrowed(value) => select(value),
        Cow::Owned(value) => Cow::Owned(select(&value).into_owned()),
    }
}
