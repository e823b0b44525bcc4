//! Turns expressions of a module, one by one, into what they are worth as far as that is known before anything runs.

use std::cell::Cell;

use super::locals::Locals;
use super::order::{Ordered, in_order};
use super::scope::ModuleScope;
use crate::finding::Severity;
use crate::graph::Node;
use crate::graph::references::sites::Symbols;
use crate::syntax::Expr;
use crate::value::{Value, evaluate};

/// The values of one module. What is wrong with its expressions is told elsewhere; here they are unknown.
pub struct Values<'t> {
    node: Node<'t>,
    locals: &'t Locals,
    work: Cell<usize>,
}

impl<'t> Node<'t> {
    /// What the expressions of this module are worth. The work that this may cause is bounded for each call.
    pub fn values(self) -> Values<'t> {
        let locals = self.data().locals.get_or_init(|| locals(self));
        Values { node: self, locals, work: Cell::new(self.module().evaluation_steps()) }
    }
}

impl Values<'_> {
    /// The value of an expression, without marks.
    pub fn of(&self, expr: &Expr) -> Value {
        let mut value = value(self.node, self.locals, &self.work, expr);
        value.take_deep_marks();
        value
    }
}

fn locals(node: Node<'_>) -> Locals {
    let work = Cell::new(node.module().evaluation_steps());
    let mut locals = Locals::default();
    for local in in_order(node) {
        let (local, value) = match local {
            Ordered::Local(local) => (local, value(node, &locals, &work, &local.attribute.expr)),
            Ordered::InCycle(local) => (local, Value::UNKNOWN),
        };
        locals.keep(&local.name, value);
    }
    locals
}

fn value(node: Node<'_>, locals: &Locals, work: &Cell<usize>, expr: &Expr) -> Value {
    let mut found = Vec::new();
    // That a symbol means nothing at a place is reported elsewhere.
    let scope = ModuleScope { symbols: Symbols::OF_ARGUMENTS, ..ModuleScope::new(node, locals, work) };
    let value = evaluate(expr, &scope, &mut found);
    if found.iter().any(|finding| finding.severity == Severity::Error) { Value::UNKNOWN } else { value }
}
