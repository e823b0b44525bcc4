//! Evaluates single expressions of a module, as far as they are known before planning.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::locals::Locals;
use super::order::in_order;
use super::scope::ModuleScope;
use crate::finding::{Finding, has_errors};
use crate::graph::Node;
use crate::graph::references::sites::Symbols;
use crate::syntax::Expr;
use crate::text::Span;
use crate::value::{Budget, Value, evaluate, too_expensive};

/// The values of one module. Errors in its expressions are reported elsewhere; here their values are unknown.
pub struct Values<'t> {
    pub(super) node: Node<'t>,
    pub(super) locals: &'t Locals,
    work: Budget,
    /// Conditions that are true where an expression is evaluated.
    pub(super) assumed: RefCell<Vec<Expr>>,
}

impl<'t> Node<'t> {
    /// The values of this module. Each call starts with a new evaluation step limit.
    pub fn values(self) -> Values<'t> {
        let work = Budget::of(self.module().evaluation_steps());
        Values { node: self, locals: self.locals(), work, assumed: RefCell::default() }
    }

    /// The local values of this module, as far as they are known before planning.
    pub(super) fn locals(self) -> &'t Locals {
        self.data().locals.get_or_init(|| locals(self, &BTreeSet::new()))
    }
}

impl Values<'_> {
    /// The value of an expression, without marks.
    pub fn of(&self, expr: &Expr) -> Value {
        let mut value = self.marked(expr);
        value.take_deep_marks();
        value
    }

    /// The finding that no evaluation steps are left, if that is so.
    pub(in crate::graph) fn limit_reached(&self, at: Span) -> Option<Finding> {
        let is_reached = self.work.get() == 0;
        is_reached.then(|| too_expensive(Some(&self.work), at, &self.node.module().limits))
    }

    /// The value of an expression, with marks.
    pub(in crate::graph) fn marked(&self, expr: &Expr) -> Value {
        value(self.node, self.locals, &self.work, expr)
    }
}

/// Evaluates the local values of a module, as far as they are known before planning. `wrong` holds the expressions that
/// the engine does not evaluate.
pub(super) fn locals(node: Node<'_>, wrong: &BTreeSet<Span>) -> Locals {
    let work = Budget::of(node.module().evaluation_steps());
    let mut locals = Locals::default();
    for local in in_order(node) {
        let mut found = Vec::new();
        let value = if wrong.contains(&local.attribute.expr.span) {
            Value::UNKNOWN
        } else {
            let scope = ModuleScope::new(node, &locals, &work);
            let value = evaluate(&local.attribute.expr, &scope, &mut found);
            if has_errors(&found) { Value::UNKNOWN } else { value }
        };
        locals.keep(&local.name, value, found);
    }
    locals.with_steps_left(work.get())
}

fn value(node: Node<'_>, locals: &Locals, work: &Budget, expr: &Expr) -> Value {
    let mut found = Vec::new();
    // Invalid symbols are reported elsewhere.
    let scope = ModuleScope { symbols: Symbols::OF_ARGUMENTS, ..ModuleScope::new(node, locals, work) };
    let value = evaluate(expr, &scope, &mut found);
    if has_errors(&found) { Value::UNKNOWN } else { value }
}
