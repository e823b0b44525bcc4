//! Evaluates single expressions of a module, as far as they are known before planning.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::locals::Locals;
use super::order::in_order;
use super::scope::ModuleScope;
use crate::finding::{Finding, has_errors};
use crate::graph::Node;
use crate::graph::instance_keys::InstanceKeys;
use crate::graph::references::sites::Symbols;
use crate::module::address::{InstanceKey, Subject, reference};
use crate::module::declaration::Repeated;
use crate::syntax::Expr;
use crate::text::Span;
use crate::value::{Budget, Value, elements, evaluate, too_expensive};

/// The values of one module. Errors in its expressions are reported elsewhere; here their values are unknown.
pub struct Values<'t> {
    pub(super) node: Node<'t>,
    pub(super) locals: &'t Locals,
    pub(super) work: Rc<Budget>,
    /// Conditions that are true where an expression is evaluated.
    pub(super) assumed: RefCell<Vec<Expr>>,
    /// The local values that use all instances of a module.
    of_instances: OnceCell<HashSet<SmolStr>>,
    instance_keys: InstanceKeys,
}

impl<'t> Node<'t> {
    /// The values of this module. Each call starts with a new evaluation step limit.
    pub fn values(self) -> Values<'t> {
        self.values_within(&Rc::new(Budget::of(self.module().evaluation_steps())))
    }

    /// The values of this module, which take their evaluation steps from `work`.
    pub(crate) fn values_within(self, work: &Rc<Budget>) -> Values<'t> {
        Values {
            node: self,
            locals: self.locals(),
            work: Rc::clone(work),
            assumed: RefCell::default(),
            of_instances: OnceCell::new(),
            instance_keys: InstanceKeys::default(),
        }
    }

    /// The value of an expression of this module, without marks, which takes its evaluation steps from `work`.
    pub(crate) fn value_within(self, work: &Budget, expr: &Expr) -> Value {
        value(self, self.locals(), work, expr).without_marks()
    }

    /// The local values of this module, as far as they are known before planning.
    pub(super) fn locals(self) -> &'t Locals {
        self.data().locals.get_or_init(|| locals(self, &BTreeSet::new()))
    }
}

impl Values<'_> {
    /// The value of an expression, without marks.
    pub fn of(&self, expr: &Expr) -> Value {
        self.marked(expr).without_marks()
    }

    /// Whether a collection has elements, if that is known.
    pub(crate) fn have_elements(&self, collection: &Expr) -> Option<bool> {
        Some(!elements(&self.of(collection))?.is_empty())
    }

    /// Whether a block with this `count` or `for_each` has an instance with this key, or without one, if that is known.
    pub(crate) fn have_instance(&self, repeated: Repeated<'_>, key: Option<&InstanceKey>) -> Option<bool> {
        self.instance_keys.contain(repeated, key, |repeated| self.of(&repeated.expr))
    }

    /// Whether an expression uses all instances of a module with `count` or `for_each`. They are a list or a map in
    /// `validate`, but a tuple or an object in `plan`.
    pub fn use_instances(&self, expr: &Expr) -> bool {
        let locals = self.of_instances.get_or_init(|| {
            let mut found = HashSet::new();
            for local in in_order(self.node) {
                if uses_instances(self.node, &local.attribute.expr, &found) {
                    found.insert(local.name.clone());
                }
            }
            found
        });
        uses_instances(self.node, expr, locals)
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

/// Whether an expression uses all instances of a module, directly or by a local value of `locals`.
fn uses_instances(node: Node<'_>, expr: &Expr, locals: &HashSet<SmolStr>) -> bool {
    let module = node.module();
    let mut uses = false;
    expr.for_each_variable(|traversal| {
        if let "module" | "local" = traversal.root.as_str()
            && let Ok(reference) = reference(traversal, &module.features)
        {
            uses |= match &reference.subject {
                Subject::Local(name) => locals.contains(name),
                Subject::Module { call, key: None, .. } => {
                    module.calls.get(call).is_some_and(|call| call.is_repeated())
                }
                _ => false,
            };
        }
    });
    uses
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
    locals.with_steps_left(work.get() + work.take_added())
}

fn value(node: Node<'_>, locals: &Locals, work: &Budget, expr: &Expr) -> Value {
    let mut found = Vec::new();
    // Invalid symbols are reported elsewhere.
    let scope = ModuleScope { symbols: Symbols::OF_ARGUMENTS, ..ModuleScope::new(node, locals, work) };
    let value = evaluate(expr, &scope, &mut found);
    if has_errors(&found) { Value::UNKNOWN } else { value }
}
