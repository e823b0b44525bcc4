//! `templatefile` and `templatestring`: templates with variables of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::Evaluator;
use super::argument::Argument;
use crate::engine::Engine;
use crate::finding::{Finding, Severity, has_errors};
use crate::limits::Limits;
use crate::syntax::{self, Call, Expr, ExprKind, StepKind, Traversal};
use crate::text::{Source, Span};
use crate::value::functions::{FunctionError, read_text};
use crate::value::{Budget, Function, Resolved, Scope, Type, Value};

/// The functions that render a template, which a template cannot call.
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

impl Evaluator<'_> {
    pub(super) fn template_file(
        &mut self,
        scope: &dyn Scope,
        function: &Function,
        call: &Call,
        at: Span,
        arguments: &[Argument<'_>],
        values: &[Value],
    ) -> Value {
        let [path, names] = values else { return Value::UNKNOWN };
        let (Some(path), true) = (path.as_str(), names.is_known()) else { return Value::UNKNOWN };
        let marks = values[0].unmarked().1.and(names.deep_marks());
        let text = match read_text(path, scope) {
            Ok(Some(text)) => text,
            Ok(None) | Err(FunctionError::Expensive | FunctionError::Unknown) => return Value::UNKNOWN,
            Err(FunctionError::Argument(place, why)) => {
                self.invalid_argument(function, place, &arguments[place], &why);
                return Value::UNKNOWN;
            }
            Err(FunctionError::Call(why)) => {
                self.call_failed(call, &why);
                return Value::UNKNOWN;
            }
        };
        let source = Source::new(path, text.into_bytes());
        let template = match syntax::parse_template(source.text()) {
            Ok(template) => template,
            Err(found) => {
                if has_errors(&found) {
                    self.call_failed(call, &described(&source, &found));
                }
                return Value::UNKNOWN;
            }
        };
        match self.rendered_template(scope, &source, &template, names, at) {
            Ok(value) => value.mark(marks),
            Err(failure) => self.rendering_failed(failure, function, call, arguments),
        }
    }

    pub(super) fn template_string(
        &mut self,
        scope: &dyn Scope,
        function: &Function,
        call: &Call,
        at: Span,
        arguments: &[Argument<'_>],
        values: &[Value],
    ) -> Value {
        let ([template, names], [written, _]) = (values, arguments) else { return Value::UNKNOWN };
        if !names.is_known() {
            return Value::UNKNOWN;
        }
        match may_be_reference(written.expr) {
            Some(true) => {}
            Some(false) => {
                self.invalid_argument(
                    function,
                    0,
                    written,
                    "the template must be a reference, such as a local value",
                );
                return Value::UNKNOWN;
            }
            None => return Value::UNKNOWN,
        }
        let marks = template.unmarked().1.and(names.deep_marks());
        let text = match template.unmarked().0 {
            Value::String(text) => text.clone(),
            Value::Unknown(_) => return Value::UNKNOWN,
            _ => {
                self.invalid_argument(function, 0, written, "the template must be a string");
                return Value::UNKNOWN;
            }
        };
        let source = Source::new("<templatestring argument>", text.as_bytes().to_vec());
        let template = match syntax::parse_template(source.text()) {
            Ok(template) => template,
            Err(found) => {
                if has_errors(&found) {
                    self.invalid_argument(function, 0, written, &described(&source, &found));
                }
                return Value::UNKNOWN;
            }
        };
        let value = match self.rendered_template(scope, &source, &template, names, at) {
            Ok(value) => value,
            Err(failure) => return self.rendering_failed(failure, function, call, arguments),
        };
        match crate::value::convert(&value, &Type::String) {
            Ok(value) => value.mark(marks),
            Err(mismatch) => {
                self.call_failed(call, &format!("the result of the template is not a string: {mismatch}"));
                Value::UNKNOWN
            }
        }
    }

    fn rendering_failed(
        &mut self,
        failure: Failure,
        function: &Function,
        call: &Call,
        arguments: &[Argument<'_>],
    ) -> Value {
        match failure {
            Failure::Names(why) => self.invalid_argument(function, 1, &arguments[1], &why),
            Failure::Template(why) => self.call_failed(call, &why),
        }
        Value::UNKNOWN
    }

    fn rendered_template(
        &mut self,
        scope: &dyn Scope,
        source: &Source,
        template: &Expr,
        names: &Value,
        at: Span,
    ) -> Result<Value, Failure> {
        let mut names = names.clone();
        names.take_deep_marks();
        let (Value::Object(names) | Value::Map(_, names)) = &names else {
            return Err(Failure::Names("it must be a map or an object".to_owned()));
        };
        if let Some(name) = names.keys().find(|name| !is_name(name)) {
            return Err(Failure::Names(format!("{name:?} is not a valid name of a template variable")));
        }
        let unknown = template.variables().into_iter().find(|found| !names.contains_key(&found.root));
        if let Some(unknown) = unknown {
            return Err(Failure::Names(format!(
                "it has no key {:?}, which the template uses at {}",
                unknown.root,
                place(source, unknown.root_span)
            )));
        }
        if !self.may_go_on(source.text().len() / 16, at) {
            return Ok(Value::UNKNOWN);
        }
        let mut found = Vec::new();
        let scope = TemplateScope { outer: scope, names };
        let mut evaluator = Evaluator::new(self.limits, self.left, Some(&scope), &mut found);
        evaluator.exhausted = self.exhausted;
        let value = evaluator.value(template, None);
        let (left, added, is_exhausted) = (evaluator.left, evaluator.added, evaluator.exhausted);
        (self.left, self.exhausted) = (left, is_exhausted);
        self.added += added;
        if has_errors(&found) {
            return Err(Failure::Template(described(source, &found)));
        }
        if value.is_null() {
            let why = "the result of a template must not be null";
            return Err(Failure::Template(format!("{}: {why}", place(source, template.span))));
        }
        // Positions in a template are not in a file of the run.
        self.findings.extend(found.into_iter().map(|finding| finding.at(at)));
        Ok(value)
    }
}

/// Why a template cannot be rendered.
enum Failure {
    /// The variables are not a map or an object, or their names are invalid.
    Names(String),
    /// The template has an error.
    Template(String),
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

/// Whether this is an HCL identifier.
fn is_name(name: &str) -> bool {
    let expr = syntax::parse_expression(name);
    expr.is_ok_and(|expr| match expr.kind {
        ExprKind::Traversal(traversal) => traversal.steps.is_empty() && traversal.root == name,
        ExprKind::Null | ExprKind::Bool(_) => true,
        _ => false,
    })
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
