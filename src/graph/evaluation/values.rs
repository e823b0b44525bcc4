//! Evaluates single expressions of a module, as far as they are known before planning.

use super::locals::Locals;
use super::order::{Ordered, in_order};
use super::scope::ModuleScope;
use crate::finding::Severity;
use crate::graph::Node;
use crate::graph::references::sites::Symbols;
use crate::syntax::Expr;
use crate::value::{Budget, Value, evaluate};

/// The values of one module. Errors in its expressions are reported elsewhere; here their values are unknown.
pub struct Values<'t> {
    node: Node<'t>,
    locals: &'t Locals,
    work: Budget,
}

impl<'t> Node<'t> {
    /// The values of this module. Each call starts with a new evaluation step limit.
    pub fn values(self) -> Values<'t> {
        let locals = self.data().locals.get_or_init(|| locals(self));
        Values { node: self, locals, work: Budget::of(self.module().evaluation_steps()) }
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
    let work = Budget::of(node.module().evaluation_steps());
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

fn value(node: Node<'_>, locals: &Locals, work: &Budget, expr: &Expr) -> Value {
    let mut found = Vec::new();
    // Invalid symbols are reported elsewhere.
    let scope = ModuleScope { symbols: Symbols::OF_ARGUMENTS, ..ModuleScope::new(node, locals, work) };
    let value = evaluate(expr, &scope, &mut found);
    if found.iter().any(|finding| finding.severity == Severity::Error) { Value::UNKNOWN } else { value }
}
