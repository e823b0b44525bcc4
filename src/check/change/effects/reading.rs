//! Decides whether a value reads a changed file whose path a caller of its module sets.

use super::{ANY_PATH, Effects, Place};
use crate::graph::{Node, User, for_each_user};
use crate::module::canonical::NamedValue;
use crate::syntax::{Expr, ExprKind, StepKind};
use crate::value::Function;
use crate::vfs::join;

/// References are followed to this depth.
const DEEPEST: usize = 8;

impl Effects<'_> {
    /// Whether a function in a value may read a changed file at a path that is not known in the module alone. Such a
    /// path is relative to the root module.
    pub(super) fn may_read_elsewhere(&self, place: Place, value: &NamedValue) -> bool {
        if place.path == ANY_PATH {
            return true;
        }
        let node = self.node(place);
        let mut may_read = false;
        for_each_user(node, &self.views[place.view].files(node, &self.side.snapshot), &mut |expr, user| {
            if of_user(user).as_ref() == Some(value) {
                expr.walk(&mut |inner, _| {
                    if let ExprKind::Call(call) = &inner.kind
                        && Function::reads_files(&call.name)
                        && let Some(path) = call.arguments.first()
                    {
                        may_read |= depends_on_callers(node, path, 0) && self.may_be_changed(place, path);
                    }
                });
            }
        });
        may_read
    }

    /// Whether an expression may be the path of a changed file, or of a directory with one.
    fn may_be_changed(&self, place: Place, expr: &Expr) -> bool {
        let (path, node) = (&self.paths[place.path], self.node(place));
        let value = path.now.value(node, expr);
        let Some(named) = value.as_ref().and_then(|value| value.as_str()) else { return true };
        if named.starts_with('/') {
            return true;
        }
        let Some(named) = join(&path.root(node).module().directory, named) else { return false };
        let is_named = |changed: &str| {
            changed
                .strip_prefix(named.as_str())
                .is_some_and(|rest| rest.is_empty() || named.is_empty() || rest.starts_with('/'))
        };
        self.changed.iter().any(|changed| is_named(changed))
    }
}

/// What an expression of a user defines, configures or repeats.
pub(in crate::check::change) fn of_user(user: &User) -> Option<NamedValue> {
    match user {
        User::Value(value) | User::Repetition(value) => Some(value.clone()),
        User::Resource(resource) => Some(NamedValue::Resource(resource.clone())),
        User::Plan | User::Validation(_) => None,
    }
}

/// Whether an expression refers to anything but paths and local values that do not.
fn depends_on_callers(node: Node<'_>, expr: &Expr, depth: usize) -> bool {
    let mut depends = false;
    expr.for_each_variable(|traversal| {
        let local = || {
            let StepKind::Attribute(name) = &traversal.steps.first()?.kind else { return None };
            node.module().locals.get(name)
        };
        depends |= match traversal.root.as_str() {
            "path" => false,
            "local" if depth < DEEPEST => {
                local().is_none_or(|local| depends_on_callers(node, &local.attribute.expr, depth + 1))
            }
            _ => true,
        };
    });
    depends
}
