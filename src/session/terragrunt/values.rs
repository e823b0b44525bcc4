//! Evaluates expressions of a unit with the functions of the engines.
//!
//! A value can depend on the absolute path of the repository, which differs between machines. So an expression is
//! evaluated for two such paths. Its value is known if both results agree, apart from the path itself.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::engine::{Engine, Product};
use crate::finding::has_errors;
use crate::limits::Limits;
use crate::session::terragrunt::paths::{At, READ, Scope, TOP, UNKNOWN, is_of_terragrunt};
use crate::syntax::{Expr, ExprKind, Part, Traversal};
use crate::value::{self, Budget, Resolved, Type, Value, convert};

/// Two paths where the repository could be. No text that a unit contains is a part of them.
const TOPS: [&str; 2] = ["/builds/\u{2}a", "/home/user/My \u{3}Work"];

/// The largest number of evaluation steps for one expression, with the locals that it refers to.
const MOST_STEPS: usize = 20_000;

/// The largest number of locals that refer to each other in a chain, if a function has to be evaluated for them.
const DEEPEST: u32 = 8;

/// The functions that are computed like those of Terragrunt, because they read files.
pub(super) const OF_FILES: [&str; 2] = ["file", "templatefile"];

/// What `read_terragrunt_config` returns beside `locals` and `inputs`.
const OTHER_ATTRIBUTES: [&str; 14] = [
    "catalog",
    "dependencies",
    "dependency",
    "download_dir",
    "engine",
    "exclude",
    "feature",
    "generate",
    "iam_role",
    "include",
    "prevent_destroy",
    "remote_state",
    "skip",
    "terraform",
];

impl Scope<'_, '_> {
    /// Evaluates an expression to a string. `None` if it is not wholly known.
    pub(super) fn computed(&mut self, expr: &Expr, at: At) -> Option<String> {
        let [first, second] = TOPS.map(|top| self.with_top(expr, at, top));
        first.filter(|text| second.as_ref() == Some(text))
    }

    /// The string if the repository is at this path.
    fn with_top(&mut self, expr: &Expr, at: At, top: &'static str) -> Option<String> {
        let steps = self.files.steps_left().min(MOST_STEPS);
        if steps == 0 || !self.may_go_on() {
            return None;
        }
        let evaluation = Evaluation {
            unit: RefCell::new(self),
            top,
            work: Budget::of(steps),
            limits: Limits::default(),
            known: RefCell::default(),
            depth: Cell::default(),
        };
        let value = evaluation.value(expr, at);
        let used = steps.saturating_sub(evaluation.work.get());
        self.files.take_steps(used);
        let text = convert(&value, &Type::String).ok()?;
        let text = text.as_str()?.replace(top, &String::from(TOP));
        (!text.contains(marker(top))).then_some(text)
    }
}

/// The evaluation of an expression, if the repository is at a certain path.
struct Evaluation<'e, 'a, 's> {
    unit: RefCell<&'e mut Scope<'a, 's>>,
    top: &'static str,
    work: Budget,
    limits: Limits,
    /// The values of locals.
    known: RefCell<HashMap<(At, SmolStr), Value>>,
    depth: Cell<u32>,
}

/// The scope of the expressions in a file.
struct InFile<'v, 'e, 'a, 's> {
    evaluation: &'v Evaluation<'e, 'a, 's>,
    at: At,
}

impl Evaluation<'_, '_, '_> {
    fn value(&self, expr: &Expr, at: At) -> Value {
        let mut wrong = Vec::new();
        let value = value::evaluate(expr, &InFile { evaluation: self, at }, &mut wrong);
        let is_unknown = has_errors(&wrong) || searches(expr) && self.has_top(&value);
        if is_unknown { Value::UNKNOWN } else { value }
    }

    /// The value of a local.
    fn local(&self, name: &SmolStr, at: At) -> Value {
        let key = (at, name.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let file = self.unit.borrow().file_at(at);
        let value = self.below(file.locals.get(name), at);
        self.known.borrow_mut().insert(key, value.clone());
        value
    }

    /// The value of an expression in another place, unless it is too deep.
    fn below(&self, expr: Option<&Expr>, at: At) -> Value {
        let Some(expr) = expr.filter(|_| self.depth.get() < DEEPEST && self.unit.borrow_mut().may_go_on())
        else {
            return Value::UNKNOWN;
        };
        self.depth.set(self.depth.get() + 1);
        let value = self.value(expr, at);
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// The configuration in another file.
    fn configuration(&self, path: &str, at: At) -> Value {
        let Some(at) = self.unit.borrow_mut().configuration(path, at) else { return Value::UNKNOWN };
        let file = self.unit.borrow().file_at(at);
        let locals = file.locals.keys().map(|name| (name.clone(), self.local(name, at))).collect();
        let mut attributes: BTreeMap<SmolStr, Value> =
            OTHER_ATTRIBUTES.map(|name| (name.into(), Value::UNKNOWN)).into();
        attributes.insert("locals".into(), Value::Object(locals));
        attributes.insert("inputs".into(), self.below(file.inputs.as_ref(), at));
        Value::Object(attributes)
    }

    /// Whether a string in a value contains the path of the repository, or a part of it.
    fn has_top(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => text.contains(marker(self.top)),
            _ => value.parts().any(|part| self.has_top(part)),
        }
    }
}

impl value::Scope for InFile<'_, '_, '_, '_> {
    fn engine(&self) -> Engine {
        Engine::newest(Product::OpenTofu)
    }

    fn limits(&self) -> &Limits {
        &self.evaluation.limits
    }

    fn work(&self) -> &Budget {
        &self.evaluation.work
    }

    fn resolve(&self, reference: &Traversal) -> Option<Resolved<'_>> {
        let found = self.evaluation.unit.borrow_mut().named_local(&reference.root, &reference.steps, self.at);
        Some(match found {
            Some(local) => {
                let value = self.evaluation.local(&local.name, local.at);
                Resolved { value: Cow::Owned(value), steps: local.steps }
            }
            None => Resolved { value: Cow::Owned(Value::UNKNOWN), steps: reference.steps.len() },
        })
    }

    fn computes(&self, function: &str) -> bool {
        OF_FILES.contains(&function) || is_of_terragrunt(function)
    }

    fn call(&self, function: &str, arguments: &[Value]) -> Value {
        let Evaluation { top, unit, .. } = self.evaluation;
        let text = |value: &Value| match value {
            Value::String(text) => text.replace(top, &String::from(TOP)),
            _ => UNKNOWN.into(),
        };
        let arguments: Vec<String> = arguments.iter().map(text).collect();
        if let (READ, Some(path)) = (function, arguments.first()) {
            return self.evaluation.configuration(path, self.at);
        }
        match unit.borrow_mut().call(function, &arguments, self.at) {
            Some(text) if !text.contains(UNKNOWN) => Value::string(text.replace(TOP, top)),
            Some(_) => Value::Unknown(Type::String),
            None => Value::UNKNOWN,
        }
    }
}

/// The character that only this path contains.
fn marker(top: &str) -> impl Fn(char) -> bool {
    let marker = top.chars().find(|c| c.is_control());
    move |c| Some(c) == marker
}

/// Whether an expression searches for parts of strings. They may be parts of the path of the repository, too.
fn searches(expr: &Expr) -> bool {
    let mut searches = false;
    expr.walk(&mut |inner, _| {
        if let ExprKind::Call(call) = &inner.kind {
            searches |= match call.name.as_str() {
                "regex" | "regexall" | "replace" | "trim" | "trimprefix" | "trimsuffix" => true,
                "split" => !call.arguments.first().is_some_and(is_slash),
                _ => false,
            };
        }
    });
    searches
}

fn is_slash(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Template(template) => {
            matches!(&*template.parts, [Part::Literal { text, .. }] if text == "/")
        }
        ExprKind::JsonString(string) => string.text == "/",
        _ => false,
    }
}
