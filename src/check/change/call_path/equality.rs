//! Decides whether expressions before and after a change have the same value on a path of calls.

use std::cell::Cell;

use smol_str::SmolStr;

use super::forms::{have_same_elements, plain};
use super::{CallPath, expression, have_same_flags};
use crate::graph::{Node, Used};
use crate::module::canonical::NamedValue;
use crate::module::declaration::{Condition, Variable};
use crate::syntax::{
    Block, Expr, ExprKind, For, Relative, Step, StepKind, Traversal, have_same_parts, same_steps,
};
use crate::value::Value;

/// Declarations that refer to each other are compared to this depth.
const DEEPEST: usize = 24;

/// The evaluation steps to compare a pair of expressions. Renamed values are compared wherever something refers to them.
const OF_PAIR: usize = 16;

/// Names that a `for` expression or a `dynamic` block may hide.
const ROOTS: [&str; 8] = ["var", "local", "module", "data", "path", "each", "count", "terraform"];

/// What a comparison of expressions is about.
pub(super) struct Compared<'q, 'c> {
    /// The module now.
    node: Node<'c>,
    /// A value that differs, although its name is the same.
    altered: Option<&'q Used>,
    /// Whether an expression refers to it.
    pub(super) is_found: Cell<bool>,
}

impl<'q, 'c> Compared<'q, 'c> {
    pub(super) fn all(node: Node<'c>) -> Self {
        Self { node, altered: None, is_found: Cell::new(false) }
    }

    pub(super) fn despite(node: Node<'c>, altered: &'q Used) -> Self {
        Self { altered: Some(altered), ..Self::all(node) }
    }

    /// Whether a reference may be to the altered value.
    fn is_altered(&self, traversal: &Traversal) -> bool {
        let names = |name: &SmolStr| first(traversal).is_some_and(|(first, _)| first == name);
        let is_altered = self.altered.is_some_and(|altered| match altered {
            Used::Variable(name) => traversal.root == "var" && names(name),
            Used::Local(name) => traversal.root == "local" && names(name),
            Used::Output { call, .. } => traversal.root == "module" && names(call),
        });
        self.is_found.set(self.is_found.get() || is_altered);
        is_altered
    }

    /// Notes whether an expression refers to the altered value.
    fn find_in(&self, expr: &Expr) {
        expr.for_each_variable(|traversal| {
            self.is_altered(traversal);
        });
    }
}

impl<'c> CallPath<'c> {
    pub(super) fn are_equal_blocks(
        &self,
        compared: &Compared<'_, 'c>,
        (was, is): (&Block, &Block),
        is_left_out: &dyn Fn(&str) -> bool,
    ) -> bool {
        if was.kind != is.kind
            || !was.labels.iter().map(|it| &it.text).eq(is.labels.iter().map(|it| &it.text))
            || was.body.is_json()
            || is.body.is_json()
            || was.kind == "dynamic" && was.labels.iter().any(|it| ROOTS.contains(&it.text.as_str()))
        {
            return false;
        }
        let attributes = |block: &Block| {
            let mut attributes = block.body.just_attributes(&mut Vec::new());
            attributes.retain(|attribute| !is_left_out(&attribute.name));
            attributes.sort_by(|a, b| a.name.cmp(&b.name));
            attributes
        };
        let (attributes, blocks) =
            ([attributes(was), attributes(is)], [was.body.any_blocks(), is.body.any_blocks()]);
        let [was, is] = &attributes;
        was.len() == is.len()
            && was
                .iter()
                .zip(is)
                .all(|(was, is)| was.name == is.name && self.is_equal(compared, &was.expr, &is.expr, 0))
            && blocks[0].len() == blocks[1].len()
            && blocks[0]
                .iter()
                .zip(&blocks[1])
                .all(|(was, is)| self.are_equal_blocks(compared, (was, is), &|_| false))
    }

    /// Whether an expression of the module before the change, and one of the module now, differ only in parts that
    /// have the same known value, and in the names of variables and local values with the same definition. Values to
    /// which both refer by the same name are not compared, other than the altered one.
    pub(super) fn is_equal(&self, compared: &Compared<'_, 'c>, was: &Expr, is: &Expr, depth: usize) -> bool {
        if depth > DEEPEST || !self.now.work().take(OF_PAIR) {
            return false;
        }
        let (was, is) = (plain(was), plain(is));
        let same = |was: &Expr, is: &Expr| self.is_equal(compared, was, is, depth + 1);
        let is_equal = match (&was.kind, &is.kind) {
            (ExprKind::Element, ExprKind::Element) => true,
            (ExprKind::Traversal(was), ExprKind::Traversal(is)) if was.root == is.root => {
                if same_steps(&was.steps, &is.steps) {
                    !compared.is_altered(is)
                } else {
                    self.is_same_under_another_name(compared, was, is, depth)
                }
            }
            (
                ExprKind::Splat { source: was, each: of_was, full: was_full, .. },
                ExprKind::Splat { source: is, each: of_is, full: is_full, .. },
            ) => {
                was_full == is_full
                    && (same(was, is) && same(of_was, of_is)
                        || self.is_same_output_of_all(compared, (was, of_was), (is, of_is)))
            }
            (ExprKind::Relative(was), ExprKind::Relative(is)) => {
                same_steps(&was.steps, &is.steps) && same(&was.from, &is.from)
                    || self.is_same_output_of_one(compared, was, is, &same)
            }
            (ExprKind::Call(was), ExprKind::Call(is)) if was.expands_last != is.expands_last => false,
            (ExprKind::For(it), _) if hides_values(it) => return false,
            (ExprKind::Conditional(was), ExprKind::Conditional(is)) => {
                self.is_same_branch(compared, was, is, &same)
            }
            _ => have_same_parts(was, is, &same) || have_same_elements(was, is, &same),
        };
        is_equal || self.has_same_known_value(compared, was, is)
    }

    fn has_same_known_value(&self, compared: &Compared<'_, 'c>, was: &Expr, is: &Expr) -> bool {
        let is_same = self.known_values(compared, was, is).is_some_and(|(was, is)| was == is);
        if is_same {
            compared.find_in(is);
        }
        is_same
    }

    /// The values of an expression before the change and of one now, if all of both is known.
    fn known_values(&self, compared: &Compared<'_, 'c>, was: &Expr, is: &Expr) -> Option<(Value, Value)> {
        let (before, earlier) = self.before.as_ref()?;
        let is = self.now.value(compared.node, is)?;
        Some((before.value(*earlier, was)?, is))
    }

    /// Whether conditional expressions have the same result. If their conditions have the same known value, the branch
    /// that they do not select matters only by its type, to which the other one is converted.
    fn is_same_branch(
        &self,
        compared: &Compared<'_, 'c>,
        was: &[Expr; 3],
        is: &[Expr; 3],
        same: &dyn Fn(&Expr, &Expr) -> bool,
    ) -> bool {
        let values = |at: usize| self.known_values(compared, &was[at], &is[at]);
        let condition = values(0).filter(|(was, is)| was == is).and_then(|(_, is)| is.as_bool());
        let Some(condition) = condition else { return was.iter().zip(is).all(|(was, is)| same(was, is)) };
        let (selected, other) = if condition { (1, 2) } else { (2, 1) };
        compared.find_in(&is[0]);
        compared.find_in(&is[other]);
        same(&was[selected], &is[selected])
            && (same(&was[other], &is[other]) || values(other).is_some_and(|(was, is)| was.ty() == is.ty()))
    }

    /// Whether two references name the same local value or variable, which the change renames.
    fn is_same_under_another_name(
        &self,
        compared: &Compared<'_, 'c>,
        was: &Traversal,
        is: &Traversal,
        depth: usize,
    ) -> bool {
        let Some((_, earlier)) = &self.before else { return false };
        let (Some((old, was_steps)), Some((new, is_steps))) = (first(was), first(is)) else { return false };
        if was.root == "module" && old == new {
            return self.is_same_output(compared.node, old, was_steps, is_steps);
        }
        if !same_steps(was_steps, is_steps) {
            return false;
        }
        match was.root.as_str() {
            "local" => {
                let locals = (earlier.module().locals.get(old), compared.node.module().locals.get(new));
                let (Some(old), Some(new)) = locals else { return false };
                self.is_equal(compared, &old.attribute.expr, &new.attribute.expr, depth + 1)
            }
            "var" => {
                let variables =
                    (earlier.module().variables.get(old), compared.node.module().variables.get(new));
                let (Some(old), Some(new)) = variables else { return false };
                is_alike(old, new) && self.is_given_the_same(&old.name, &new.name, depth)
            }
            _ => false,
        }
    }

    /// Whether the steps after a call name the same output, which the change renames.
    fn is_same_output(&self, node: Node<'c>, call: &SmolStr, was: &[Step], is: &[Step]) -> bool {
        let Some((before, earlier)) = &self.before else { return false };
        let is_key = |step: &Step| matches!(step.kind, StepKind::Key(_) | StepKind::Number(_));
        let keys = usize::from(was.first().is_some_and(is_key));
        let same_key = was.len() > keys && is.len() > keys && same_steps(&was[..keys], &is[..keys]);
        let (was, is) = if same_key { (&was[keys..], &is[keys..]) } else { return false };
        let (Some((was, was_steps)), Some((is, is_steps))) = (was.split_first(), is.split_first()) else {
            return false;
        };
        let Some((old, new)) = was.name().zip(is.name()) else { return false };
        let Some((child, former)) = node.child(call).zip(earlier.child(call)) else { return false };
        if child.module().directory != former.module().directory
            || !same_steps(was_steps, is_steps)
            || !have_same_flags((former, old), (child, new))
        {
            return false;
        }
        let path = Self {
            now: self.now.in_child(call, child),
            before: Some((before.in_child(call, former), former)),
            caller: None,
        };
        let value = |node, name: &SmolStr| expression(node, &NamedValue::Output(name.clone()));
        let values = value(former, old).zip(value(child, new));
        values.is_some_and(|(was, is)| path.is_equal(&Compared::all(child), &was.expr, &is.expr, 0))
    }

    /// Whether two splats select the same output of all instances of a module, which the change renames.
    fn is_same_output_of_all(
        &self,
        compared: &Compared<'_, 'c>,
        (was, of_was): (&Expr, &Expr),
        (is, of_is): (&Expr, &Expr),
    ) -> bool {
        let (ExprKind::Relative(of_was), ExprKind::Relative(of_is)) = (&of_was.kind, &of_is.kind) else {
            return false;
        };
        let is_each = |each: &Relative| matches!(each.from.kind, ExprKind::Element);
        let call = called(was).filter(|call| called(is) == Some(call));
        is_each(of_was)
            && is_each(of_is)
            && call.is_some_and(|call| self.is_same_output(compared.node, call, &of_was.steps, &of_is.steps))
    }

    /// Whether two references select the same output of the same instance of a module, which the change renames.
    fn is_same_output_of_one(
        &self,
        compared: &Compared<'_, 'c>,
        was: &Relative,
        is: &Relative,
        same: &dyn Fn(&Expr, &Expr) -> bool,
    ) -> bool {
        let (
            ExprKind::Index { collection: of_was, key: old, .. },
            ExprKind::Index { collection: of_is, key: new, .. },
        ) = (&was.from.kind, &is.from.kind)
        else {
            return false;
        };
        let call = called(of_was).filter(|call| called(of_is) == Some(call));
        call.is_some_and(|call| self.is_same_output(compared.node, call, &was.steps, &is.steps))
            && same(old, new)
    }

    /// Whether the call sets a variable to the value that it set another one to before the change.
    pub(super) fn is_given_the_same(&self, old: &str, new: &str, depth: usize) -> bool {
        let Some((path, caller, call)) = &self.caller else { return false };
        let Some((_, earlier)) = &path.before else { return false };
        let (Some(was), Some(is)) = (earlier.module().calls.get(call), caller.module().calls.get(call))
        else {
            return false;
        };
        match (was.argument(old), is.argument(new)) {
            (Some(was), Some(is)) => path.is_equal(&Compared::all(*caller), &was.expr, &is.expr, depth + 1),
            (was, is) => was.is_none() && is.is_none(),
        }
    }
}

/// The name of the call in a reference to a whole module.
fn called(expr: &Expr) -> Option<&SmolStr> {
    let ExprKind::Traversal(traversal) = &expr.kind else { return None };
    first(traversal)
        .filter(|(_, further)| traversal.root == "module" && further.is_empty())
        .map(|(name, _)| name)
}

/// Whether two variables differ at most in their names.
pub(in crate::check::change) fn is_alike(was: &Variable, is: &Variable) -> bool {
    let parts = |variable: &Variable| {
        let flags = [&variable.sensitive, &variable.ephemeral, &variable.nullable, &variable.constant];
        (
            variable.constraint.as_ref().map(|constraint| constraint.value.clone()),
            variable.default.as_ref().map(|default| default.value.clone()),
            flags.map(|flag| flag.as_ref().map(|flag| flag.value)),
        )
    };
    let names = (was.name.as_str(), is.name.as_str());
    let validations = [&was.validations, &is.validations];
    parts(was) == parts(is)
        && validations[0].len() == validations[1].len()
        && validations[0].iter().zip(validations[1]).all(|(was, is)| is_same_validation(was, is, names))
}

/// Whether two validations differ at most in the name of their variable.
fn is_same_validation(was: &Condition, is: &Condition, names: (&str, &str)) -> bool {
    let pairs = [(&was.condition, &is.condition), (&was.error_message, &is.error_message)];
    pairs.into_iter().all(|pair| match pair {
        (Some(was), Some(is)) => is_same_but_for_name(&was.expr, &is.expr, names),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    })
}

fn is_same_but_for_name(was: &Expr, is: &Expr, names: (&str, &str)) -> bool {
    let same = |was: &Expr, is: &Expr| is_same_but_for_name(was, is, names);
    match (&was.kind, &is.kind) {
        (ExprKind::Traversal(was), ExprKind::Traversal(is)) if was.root == "var" && is.root == "var" => {
            let (Some((old, was)), Some((new, is))) = (first(was), first(is)) else { return false };
            (old == new || (old.as_str(), new.as_str()) == names) && same_steps(was, is)
        }
        (ExprKind::Call(was), ExprKind::Call(is)) if was.expands_last != is.expands_last => false,
        (ExprKind::For(it), _) if hides_values(it) => false,
        _ => have_same_parts(was, is, &same),
    }
}

/// Whether the names of a `for` expression may hide values of the module.
fn hides_values(it: &For) -> bool {
    let names = [it.key_name.as_ref(), Some(&it.value_name)];
    names.into_iter().flatten().any(|name| ROOTS.contains(&name.as_str()))
}

/// The name that a reference starts with, after its root, and the further steps.
fn first(traversal: &Traversal) -> Option<(&SmolStr, &[Step])> {
    let (first, further) = traversal.steps.split_first()?;
    Some((first.name()?, further))
}
