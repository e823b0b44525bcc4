//! Decides which unknown values of a module are certainly not null, or not a certain text.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::null_refusal::refusing_null;
use super::{DEEPEST, RunValues, Within};
use crate::graph::Node;
use crate::module::address::{Subject, reference};
use crate::syntax::{Attribute, Expr, ExprKind, Part, Template};
use crate::value::{Function, Value};

/// The known parts of a text with unknown ones.
#[derive(Debug, Clone)]
struct Text {
    /// Without the last character, which a following one may change in the normal form of strings.
    start: SmolStr,
    end: SmolStr,
    may_be_empty: bool,
}

impl Text {
    fn of(template: &Template) -> Self {
        let literal = |part: Option<&Part>| match part {
            Some(Part::Literal { text, .. }) => {
                Value::string(text.clone()).as_str().unwrap_or_default().to_owned()
            }
            _ => String::new(),
        };
        let (mut start, mut end) = (literal(template.parts.first()), literal(template.parts.last()));
        start.pop();
        if !end.starts_with(|first: char| first.is_ascii()) {
            end.clear();
        }
        let may_be_empty = template.parts.iter().all(|part| literal(Some(part)).is_empty());
        Self { start: start.into(), end: end.into(), may_be_empty }
    }

    fn may_be(&self, text: &str) -> bool {
        text.starts_with(self.start.as_str())
            && text.ends_with(self.end.as_str())
            && (self.may_be_empty || !text.is_empty())
    }
}

/// The variables of a module that are not null on a path of calls, and what is known about their text.
#[derive(Debug, Default)]
pub(in crate::graph) struct NotNull {
    variables: BTreeSet<SmolStr>,
    texts: BTreeMap<SmolStr, Text>,
    /// Whether the module is run as a root module, so that any value that a plan can be made with may be set.
    is_root: bool,
    refusing: OnceCell<BTreeSet<SmolStr>>,
    locals: RefCell<BTreeMap<SmolStr, bool>>,
}

impl NotNull {
    pub(in crate::graph) fn in_root() -> Self {
        Self { is_root: true, ..Self::default() }
    }

    /// The variables of a child module to which its caller gives these expressions. The caller's values are needed to
    /// know whether they may be null.
    pub(in crate::graph) fn in_child(caller: &RunValues<'_>, given: &[Arc<Attribute>]) -> Self {
        let not_null = given.iter().filter(|argument| caller.is_not_null(&argument.expr));
        let texts = given.iter().filter_map(|it| Some((it.name.clone(), caller.text(&it.expr, 0)?)));
        Self {
            variables: not_null.map(|argument| argument.name.clone()).collect(),
            texts: texts.collect(),
            ..Self::default()
        }
    }

    /// The same knowledge, for another use of it.
    pub(in crate::graph) fn again(&self) -> Self {
        Self { variables: self.variables.clone(), texts: self.texts.clone(), ..Self::default() }
    }

    fn has(&self, node: Node<'_>, variable: &SmolStr) -> bool {
        self.variables.contains(variable)
            || node.module().variables.get(variable).is_some_and(|variable| variable.refuses_null())
            || self.is_root && self.refusing.get_or_init(|| refusing_null(node)).contains(variable)
    }
}

impl RunValues<'_> {
    /// Whether the value of an expression of the module is certainly not null.
    pub(in crate::graph) fn is_not_null(&self, expr: &Expr) -> bool {
        let Some(not_null) = self.not_null else { return false };
        let all = |all: &[Expr]| all.iter().all(|expr| self.is_not_null(expr));
        let is_not_null = match &expr.kind {
            ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Tuple(_)
            | ExprKind::Object(_)
            | ExprKind::For(_)
            | ExprKind::Splat { .. }
            | ExprKind::Unary(..)
            | ExprKind::Binary(..) => true,
            ExprKind::Template(template) => self.is_text(template),
            ExprKind::Parens(inner) => self.is_not_null(inner),
            ExprKind::Conditional(parts) => all(&parts[1..]),
            ExprKind::Call(call) => match call.name.as_str() {
                "merge" => {
                    call.arguments.iter().any(|argument| self.is_not_null(argument)) && !call.expands_last
                }
                "nonsensitive" | "sensitive" | "tobool" | "tolist" | "tomap" | "tonumber" | "toset"
                | "tostring" | "try" => all(&call.arguments),
                name => Function::named(name).is_some_and(Function::is_never_null),
            },
            ExprKind::Traversal(traversal) => {
                let module = self.node.module();
                let Ok(reference) = reference(traversal, &module.features) else { return false };
                match (&reference.subject, reference.remaining) {
                    (Subject::Variable(name), []) => not_null.has(self.node, name),
                    (Subject::Local(name), []) => self.is_local_not_null(not_null, name),
                    (Subject::Path(_), []) => true,
                    _ => false,
                }
            }
            _ => false,
        };
        is_not_null || self.is_known(expr)
    }

    /// Whether the value of an expression is certainly another text than this one.
    pub(in crate::graph) fn is_other_text(&self, expr: &Expr, value: &Value) -> bool {
        let text = || self.text(expr, 0);
        value.as_str().is_some_and(|value| text().is_some_and(|text| !text.may_be(value)))
    }

    /// The known parts of the text that an expression makes, possibly behind names.
    fn text(&self, expr: &Expr, depth: usize) -> Option<Text> {
        let not_null = self.not_null?;
        match &expr.kind {
            ExprKind::Parens(inner) => self.text(inner, depth),
            ExprKind::Template(template) => {
                if let [Part::Interpolation(inner)] = &template.parts[..] {
                    return self.text(inner, depth);
                }
                Some(Text::of(template))
            }
            ExprKind::Traversal(traversal) if depth < DEEPEST => {
                let reference = reference(traversal, &self.node.module().features).ok()?;
                match (&reference.subject, reference.remaining) {
                    (Subject::Variable(name), []) => not_null.texts.get(name).cloned(),
                    (Subject::Local(name), []) => {
                        let local = self.node.module().locals.get(name)?;
                        self.text(&local.attribute.expr, depth + 1)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is_text(&self, template: &Template) -> bool {
        match &template.parts[..] {
            [Part::Interpolation(inner)] => self.is_not_null(inner),
            _ => true,
        }
    }

    fn is_local_not_null(&self, not_null: &NotNull, name: &SmolStr) -> bool {
        if let Some(known) = not_null.locals.borrow().get(name) {
            return *known;
        }
        // For local values that depend on each other.
        not_null.locals.borrow_mut().insert(name.clone(), false);
        let local = self.node.module().locals.get(name);
        let is_not_null = local.is_some_and(|local| self.is_not_null(&local.attribute.expr));
        not_null.locals.borrow_mut().insert(name.clone(), is_not_null);
        is_not_null
    }

    /// Whether the value of an expression is known, and not null.
    fn is_known(&self, expr: &Expr) -> bool {
        let (value, _) = self.of(expr, Within::Module);
        !matches!(value.value.unmarked().0, Value::Unknown(_) | Value::Null(_))
    }
}
