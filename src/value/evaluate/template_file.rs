//! `templatefile` and `templatestring`: templates with variables of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::Evaluator;
use super::argument::Argument;
use super::cost::OF_FINDING;
use crate::engine::{Engine, Product};
use crate::finding::{Finding, Severity, has_errors};
use crate::limits::Limits;
use crate::syntax::{self, Call, Expr, ExprKind, StepKind, Traversal};
use crate::text::{Source, Span, is_identifier};
use crate::value::functions::{FunctionError, read_text};
use crate::value::{Budget, Function, Resolved, Scope, Type, Value};

/// The functions that render a template, which a template cannot call in Terraform.
pub(super) const RENDERING: [&str; 2] = ["templatefile", "templatestring"];

/// The scope of a template: its variables, and the files of the module that renders it.
struct TemplateScope<'s> {
    outer: &'s dyn Scope,
    names: &'s BTreeMap<SmolStr, Value>,
}

impl Scope for TemplateScope<'_> {
    fn engine(&self) -> Engine {
        self.outer.engine()
    }

    fn limits(&self) -> &Limits {
        self.outer.limits()
    }

    fn work(&self) -> &Budget {
        self.outer.work()
    }

    fn resolve(&self, reference: &Traversal) -> Option<Resolved<'_>> {
        self.names.get(&reference.root).map(|value| Resolved { value: Cow::Borrowed(value), steps: 0 })
    }

    fn outer(&self) -> Option<&dyn Scope> {
        Some(self.outer)
    }

    fn is_in_template(&self) -> bool {
        true
    }
}

/// A call of a function that renders a template.
pub(super) struct Rendering<'c> {
    pub(super) scope: &'c dyn Scope,
    pub(super) function: &'c Function,
    pub(super) call: &'c Call,
    pub(super) at: Span,
    pub(super) arguments: &'c [Argument<'c>],
}

impl Evaluator<'_> {
    pub(super) fn template_file(&mut self, rendering: &Rendering<'_>, values: &[Value]) -> Value {
        let [path, names] = values else { return Value::UNKNOWN };
        let (Some(path), true) = (path.as_str(), names.is_known()) else { return Value::UNKNOWN };
        let marks = values[0].unmarked().1.and(names.deep_marks());
        let text = match read_text(path, rendering.scope) {
            Ok(Some(text)) => text,
            Ok(None) | Err(FunctionError::Expensive | FunctionError::Unknown) => return Value::UNKNOWN,
            Err(FunctionError::Argument(place, why)) => return self.refused(rendering, place, &why),
            Err(FunctionError::Call(why)) => return self.call_failed(rendering.call, &why),
        };
        if !self.may_go_on(text.len(), rendering.at) {
            return Value::UNKNOWN;
        }
        let source = Source::new(path, text.into_bytes());
        match syntax::parse_template(source.text()) {
            Ok(template) => self
                .rendered_template(rendering, &source, &template, names)
                .map_or(Value::UNKNOWN, |value| value.mark(marks)),
            Err(found) if has_errors(&found) => self.call_failed(rendering.call, &described(&source, &found)),
            Err(_) => Value::UNKNOWN,
        }
    }

    pub(super) fn template_string(&mut self, rendering: &Rendering<'_>, values: &[Value]) -> Value {
        let ([template, names], [written, _]) = (values, rendering.arguments) else { return Value::UNKNOWN };
        // OpenTofu takes any string, and keeps the type of a template that is a single interpolation.
        let is_tofu = rendering.scope.engine().product == Product::OpenTofu;
        let result = if is_tofu || names.ty() == Type::Any { Type::Any } else { Type::String };
        if !names.is_known() {
            return Value::Unknown(result);
        }
        match may_be_reference(written.expr).filter(|_| !is_tofu) {
            Some(false) => {
                return self.refused(rendering, 0, "the template must be a reference, such as a local value");
            }
            None if !is_tofu => return Value::UNKNOWN,
            Some(true) | None => {}
        }
        let marks = template.unmarked().1.and(names.deep_marks());
        let text = match template.unmarked().0 {
            Value::String(text) => text.clone(),
            Value::Unknown(_) => return Value::Unknown(result),
            Value::Number(_) | Value::Bool(_) if is_tofu => return Value::UNKNOWN,
            _ => return self.refused(rendering, 0, "the template must be a string"),
        };
        if !self.may_go_on(text.len(), rendering.at) {
            return Value::UNKNOWN;
        }
        let source = Source::new("<templatestring argument>", text.as_bytes().to_vec());
        let template = match syntax::parse_template(source.text()) {
            Ok(template) => template,
            Err(found) if has_errors(&found) => {
                return self.refused(rendering, 0, &described(&source, &found));
            }
            Err(_) => return Value::UNKNOWN,
        };
        let Some(value) = self.rendered_template(rendering, &source, &template, names) else {
            return Value::UNKNOWN;
        };
        match crate::value::convert(&value, &result) {
            Ok(value) => value.mark(marks),
            Err(mismatch) => self.call_failed(
                rendering.call,
                &format!("the result of the template is not a string: {mismatch}"),
            ),
        }
    }

    fn refused(&mut self, rendering: &Rendering<'_>, place: usize, why: &str) -> Value {
        self.invalid_argument(rendering.function, place, &rendering.arguments[place], why)
    }

    /// The result of a template with these variables. Returns `None` after an error.
    fn rendered_template(
        &mut self,
        rendering: &Rendering<'_>,
        source: &Source,
        template: &Expr,
        names: &Value,
    ) -> Option<Value> {
        let at = rendering.at;
        let names = names.clone().without_marks();
        let (Value::Object(names) | Value::Map(_, names)) = &names else {
            self.refused(rendering, 1, "it must be a map or an object");
            return None;
        };
        if let Some(name) = names.keys().find(|name| !is_identifier(name)) {
            self.refused(rendering, 1, &format!("{name:?} is not a valid name of a template variable"));
            return None;
        }
        let unknown = template.variables().into_iter().find(|found| !names.contains_key(&found.root));
        if let Some(unknown) = unknown {
            let (root, place) = (&unknown.root, place(source, unknown.root_span));
            self.refused(
                rendering,
                1,
                &format!("it has no key {root:?}, which the template uses at {place}"),
            );
            return None;
        }
        let scope = TemplateScope { outer: rendering.scope, names };
        let (value, found) = self.beside(Some(&scope), OF_FINDING, |inside| inside.value(template, None));
        if has_errors(&found) {
            self.call_failed(rendering.call, &described(source, &found));
            return None;
        }
        if value.is_null() && scope.engine().product == Product::Terraform {
            let why = "the result of a template must not be null";
            self.call_failed(rendering.call, &format!("{}: {why}", place(source, template.span)));
            return None;
        }
        // Positions in a template are not in a file of the run.
        self.findings.extend(found.into_iter().map(|finding| finding.at(at)));
        Some(value)
    }
}

/// The first error in a template, with its position.
fn described(source: &Source, findings: &[Finding]) -> String {
    let errors = || findings.iter().filter(|finding| finding.severity == Severity::Error);
    let Some(first) = errors().next() else { return String::new() };
    let at = first.primary.map(|span| place(source, span)).unwrap_or_default();
    let more = match errors().count() {
        1 => String::new(),
        2 => " (and one more error)".to_owned(),
        count => format!(" (and {} more errors)", count - 1),
    };
    format!("{at}: {}. {}{more}", first.summary, first.detail.trim_end_matches('.'))
}

fn place(source: &Source, span: Span) -> String {
    let start = source.position(span.start);
    format!("{}:{},{}", source.name(), start.line, start.column)
}

/// Whether an expression is a single reference. Returns `None` if overrule does not decide that.
fn may_be_reference(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Traversal(traversal) => {
            Some(traversal.steps.iter().all(|step| !matches!(step.kind, StepKind::Word(None))))
                .filter(|is| *is)
        }
        ExprKind::Template(_)
        | ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Number(_)
        | ExprKind::Tuple(_)
        | ExprKind::Object(_)
        | ExprKind::Call(_) => Some(false),
        _ => None,
    }
}
