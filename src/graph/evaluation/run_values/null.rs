//! Decides which unknown values of a module are certainly not null.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::super::null_refusal::refusing_null;
use super::{RunValues, Within};
use crate::graph::Node;
use crate::module::address::{Subject, reference};
use crate::syntax::{Expr, ExprKind, Part, Template};
use crate::value::{Function, Kind, Value};

/// The variables of a module that are not null on a path of calls.
#[derive(Debug, Default)]
pub(in crate::graph) struct NotNull {
    variables: BTreeSet<SmolStr>,
    /// Whether the module is run as a root module, so that any value that a plan can be made with may be set.
    is_root: bool,
    refusing: OnceCell<BTreeSet<SmolStr>>,
    locals: RefCell<BTreeMap<SmolStr, bool>>,
}

impl NotNull {
    pub(in crate::graph) fn in_root() -> Self {
        Self { is_root: true, ..Self::default() }
    }

    pub(in crate::graph) fn of(variables: BTreeSet<SmolStr>) -> Self {
        Self { variables, ..Self::default() }
    }

    fn has(&self, node: Node<'_>, variable: &SmolStr) -> bool {
        self.variables.contains(variable)
            || node
                .module()
                .variables
                .get(variable)
                .is_some_and(|variable| variable.nullable.as_ref().is_some_and(|nullable| !nullable.value))
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
                name => {
                    NEVER_NULL.contains(&name)
                        || Function::named(name).is_some_and(|it| it.return_type != Kind::Any)
                }
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

/// Functions with a result of any type that is never null.
const NEVER_NULL: [&str; 13] = [
    "coalesce",
    "coalescelist",
    "concat",
    "contains",
    "flatten",
    "format",
    "keys",
    "reverse",
    "setproduct",
    "slice",
    "sum",
    "values",
    "zipmap",
];
