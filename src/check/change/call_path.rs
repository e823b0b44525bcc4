//! A path of calls from a root module to a module, and the expressions that have the same values on it as before a
//! change.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::graph::{Absence, Node, Used, have_same_parts, same_steps};
use crate::module::canonical::NamedValue;
use crate::module::declaration::{ModuleCall, Variable};
use crate::syntax::{Attribute, Block, Expr, ExprKind, For, Step, StepKind, Traversal};

/// A path of calls from a root module to a module.
#[derive(Default)]
pub(super) struct CallPath<'c> {
    pub(super) now: Absence,
    /// The same path before the change, and the module there.
    pub(super) before: Option<(Absence, Node<'c>)>,
    /// The path to the caller, the caller, and the name of the call.
    caller: Option<(Rc<Self>, Node<'c>, SmolStr)>,
}

/// Declarations that refer to each other are compared to this depth.
const DEEPEST: usize = 24;

/// Names that a `for` expression or a `dynamic` block may hide.
const ROOTS: [&str; 8] = ["var", "local", "module", "data", "path", "each", "count", "terraform"];

/// What a comparison of expressions is about.
struct Compared<'q, 'c> {
    /// The module now.
    node: Node<'c>,
    /// A value that differs, although its name is the same.
    altered: Option<&'q Used>,
    /// Whether an expression refers to it.
    is_found: Cell<bool>,
}

impl<'q, 'c> Compared<'q, 'c> {
    fn all(node: Node<'c>) -> Self {
        Self { node, altered: None, is_found: Cell::new(false) }
    }

    fn despite(node: Node<'c>, altered: &'q Used) -> Self {
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
}

impl<'c> CallPath<'c> {
    /// The path that consists of a root module. `before` is the module before the change, and `unset` a variable that
    /// has its default.
    pub(super) fn of_root(node: Node<'c>, before: Option<Node<'c>>, unset: Option<&str>) -> Self {
        let before = before.map(|node| (Absence::in_root(node, unset), node));
        Self { now: Absence::in_root(node, unset), before, caller: None }
    }

    /// This path, if it consists of a root module, `node`, in which nothing sets a variable.
    pub(super) fn without_value(&self, node: Node<'c>, variable: &str) -> Option<Self> {
        let (_, earlier) = self.before.as_ref().filter(|_| self.caller.is_none())?;
        Some(Self::of_root(node, Some(*earlier), Some(variable)))
    }

    /// The path that a call of `caller`, the module at the end of this path, continues to `child`.
    pub(super) fn in_child(self: &Rc<Self>, caller: Node<'c>, call: &SmolStr, child: Node<'c>) -> Self {
        let before = self.before.as_ref().and_then(|(absence, node)| {
            let of_before = node.child(call)?;
            let is_same = of_before.module().directory == child.module().directory;
            is_same.then(|| (absence.in_child(call, of_before), of_before))
        });
        let now = self.now.in_child(call, child);
        Self { now, before, caller: Some((Rc::clone(self), caller, call.clone())) }
    }

    /// Whether a resource or module call of `node`, the module at the end of the path, has no instances before and
    /// after the change. One that does not exist has none.
    pub(super) fn is_absent(&self, node: Node<'c>, value: &NamedValue) -> bool {
        let Some((before, earlier)) = &self.before else { return false };
        match value {
            NamedValue::Resource(resource) => {
                let is_absent = |absence: &Absence, node: Node<'_>| {
                    !node.module().resources.contains_key(resource) || absence.has_resource(resource)
                };
                is_absent(before, *earlier) && is_absent(&self.now, node)
            }
            NamedValue::Call(call) => {
                let is_absent = |absence: &Absence, node: Node<'_>| {
                    !node.module().calls.contains_key(call) || absence.has_call(call)
                };
                let child = |node: Node<'c>| node.child(call).map(|child| child.module().directory.as_str());
                let is_other = child(*earlier) != child(node);
                let is_in_both = [*earlier, node].iter().all(|node| node.module().calls.contains_key(call));
                !(is_in_both && is_other) && is_absent(before, *earlier) && is_absent(&self.now, node)
            }
            _ => false,
        }
    }

    /// Whether a named value of `node`, the module at the end of the path, is the same as before the change.
    pub(super) fn has_same(&self, node: Node<'c>, value: &NamedValue) -> bool {
        let Some((before, earlier)) = &self.before else { return false };
        if let NamedValue::Argument { call, variable } = value
            && let Some(now) = self.now.given(call, variable)
            && before.given(call, variable) == Some(now)
        {
            return true;
        }
        if let NamedValue::Output(name) = value
            && !have_same_flags((*earlier, name), (node, name))
        {
            return false;
        }
        match (expression(*earlier, value), expression(node, value)) {
            (Some(was), Some(is)) => self.is_equal(&Compared::all(node), &was.expr, &is.expr, 0),
            _ => false,
        }
    }

    /// The caller of the module at the end of the path before the change, and the name of the call.
    pub(super) fn caller_before(&self) -> Option<(Node<'c>, &SmolStr)> {
        let (path, _, call) = self.caller.as_ref()?;
        path.before.as_ref().map(|(_, earlier)| (*earlier, call))
    }

    /// Whether a value that did not exist before the change is one that no longer exists, under another name.
    pub(super) fn is_renamed(&self, node: Node<'c>, value: &NamedValue) -> bool {
        let Some((_, earlier)) = &self.before else { return false };
        let Some(is) = expression(node, value) else { return false };
        let is_equal = |was: &Attribute| self.is_equal(&Compared::all(node), &was.expr, &is.expr, 0);
        match value {
            NamedValue::Local(_) => {
                let locals = &node.module().locals;
                let mut removed =
                    earlier.module().locals.values().filter(|it| !locals.contains_key(&it.name));
                removed.any(|it| is_equal(&it.attribute))
            }
            NamedValue::Output(_) => {
                let outputs = &node.module().outputs;
                let mut removed =
                    earlier.module().outputs.values().filter(|it| !outputs.contains_key(&it.name));
                removed.any(|it| it.value.as_deref().is_some_and(is_equal))
            }
            NamedValue::Argument { call, variable } => {
                let Some((child, former)) = node.child(call).zip(earlier.child(call)) else { return false };
                let (variables, former) = (&child.module().variables, &former.module().variables);
                let (Some(was), Some(variable)) = (earlier.module().calls.get(call), variables.get(variable))
                else {
                    return false;
                };
                was.config.just_attributes(&mut Vec::new()).iter().any(|argument| {
                    !variables.contains_key(&argument.name)
                        && former.get(&argument.name).is_some_and(|former| is_alike(former, variable))
                        && is_equal(argument)
                })
            }
            NamedValue::Variable(_) | NamedValue::Resource(_) | NamedValue::Call(_) => false,
        }
    }

    /// Whether an altered value has the same marks as before the change, if it is an output.
    pub(super) fn has_same_marks(&self, node: Node<'c>, altered: &Used) -> bool {
        let Used::Output { call, output } = altered else { return true };
        let Some((_, earlier)) = &self.before else { return false };
        let modules = earlier.child(call).zip(node.child(call));
        let same = |output| modules.is_some_and(|(was, is)| have_same_flags((was, output), (is, output)));
        output.as_ref().is_some_and(same)
    }

    /// Whether a named value of `node`, the module at the end of the path, is the same as before the change, although
    /// it uses an altered value.
    pub(super) fn is_same_despite(&self, node: Node<'c>, value: &NamedValue, altered: &Used) -> bool {
        let Some((_, earlier)) = &self.before else { return false };
        let (Some(was), Some(is)) = (expression(*earlier, value), expression(node, value)) else {
            return false;
        };
        let compared = Compared::despite(node, altered);
        self.is_equal(&compared, &was.expr, &is.expr, 0) && compared.is_found.get()
    }

    /// Whether a block has the same content as before the change, although it uses an altered value.
    pub(super) fn has_same_content_despite(
        &self,
        node: Node<'c>,
        blocks: (&Block, &Block),
        altered: &Used,
    ) -> bool {
        let compared = Compared::despite(node, altered);
        self.are_equal_blocks(&compared, blocks, &|_| false) && compared.is_found.get()
    }

    /// Whether a block has the same content as before the change, other than the arguments that `is_left_out` names.
    pub(super) fn has_same_content(
        &self,
        node: Node<'c>,
        blocks: (&Block, &Block),
        is_left_out: &dyn Fn(&str) -> bool,
    ) -> bool {
        self.are_equal_blocks(&Compared::all(node), blocks, is_left_out)
    }

    fn are_equal_blocks(
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
    fn is_equal(&self, compared: &Compared<'_, 'c>, was: &Expr, is: &Expr, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        let same = |was: &Expr, is: &Expr| self.is_equal(compared, was, is, depth + 1);
        let is_equal = match (&was.kind, &is.kind) {
            (ExprKind::Parens(was), _) => return same(was, is),
            (_, ExprKind::Parens(is)) => return same(was, is),
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
            ) => was_full == is_full && same(was, is) && same(of_was, of_is),
            (ExprKind::Call(was), ExprKind::Call(is)) if was.expands_last != is.expands_last => false,
            (ExprKind::For(it), _) if hides_values(it) => return false,
            _ => have_same_parts(was, is, &same),
        };
        is_equal || self.has_same_known_value(compared.node, was, is)
    }

    fn has_same_known_value(&self, node: Node<'c>, was: &Expr, is: &Expr) -> bool {
        let Some((before, earlier)) = &self.before else { return false };
        self.now.value(node, is).is_some_and(|is| before.value(*earlier, was) == Some(is))
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
        let (Some((was, was_steps)), Some((is, is_steps))) = (was.split_first(), is.split_first()) else {
            return false;
        };
        let (StepKind::Attribute(old), StepKind::Attribute(new)) = (&was.kind, &is.kind) else {
            return false;
        };
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

    /// Whether the call sets a variable to the value that it set another one to before the change.
    fn is_given_the_same(&self, old: &str, new: &str, depth: usize) -> bool {
        let Some((path, caller, call)) = &self.caller else { return false };
        let Some((_, earlier)) = &path.before else { return false };
        let (Some(was), Some(is)) = (earlier.module().calls.get(call), caller.module().calls.get(call))
        else {
            return false;
        };
        match (argument(was, old), argument(is, new)) {
            (Some(was), Some(is)) => path.is_equal(&Compared::all(*caller), &was.expr, &is.expr, depth + 1),
            (was, is) => was.is_none() && is.is_none(),
        }
    }
}

/// Whether an output before the change, and one now, have nothing but a value and the same marks.
fn have_same_flags(before: (Node<'_>, &SmolStr), now: (Node<'_>, &SmolStr)) -> bool {
    let flags = |(node, name): (Node<'_>, &SmolStr)| {
        let output = node.module().outputs.get(name)?;
        let [sensitive, ephemeral] =
            [&output.sensitive, &output.ephemeral].map(|flag| flag.as_ref().is_some_and(|flag| flag.value));
        let is_plain = output.depends_on.is_empty() && output.constraint.is_none();
        (is_plain && output.preconditions.is_empty()).then_some((sensitive, ephemeral))
    };
    flags(now).is_some_and(|now| flags(before) == Some(now))
}

/// Whether two variables differ at most in their names. A validation may name its variable, so variables with one are
/// not compared.
fn is_alike(was: &Variable, is: &Variable) -> bool {
    let parts = |variable: &Variable| {
        let flags = [&variable.sensitive, &variable.ephemeral, &variable.nullable, &variable.constant];
        (
            variable.constraint.as_ref().map(|constraint| constraint.value.clone()),
            variable.default.as_ref().map(|default| default.value.clone()),
            flags.map(|flag| flag.as_ref().map(|flag| flag.value)),
        )
    };
    was.validations.is_empty() && is.validations.is_empty() && parts(was) == parts(is)
}

/// Whether the names of a `for` expression may hide values of the module.
fn hides_values(it: &For) -> bool {
    let names = [it.key_name.as_ref(), Some(&it.value_name)];
    names.into_iter().flatten().any(|name| ROOTS.contains(&name.as_str()))
}

/// The name that a reference starts with, after its root, and the further steps.
fn first(traversal: &Traversal) -> Option<(&SmolStr, &[Step])> {
    let (first, further) = traversal.steps.split_first()?;
    match &first.kind {
        StepKind::Attribute(name) => Some((name, further)),
        StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_) => None,
    }
}

/// The argument that defines a value, other than the default of a variable. `None` if there is none.
pub(super) fn expression(node: Node<'_>, value: &NamedValue) -> Option<Arc<Attribute>> {
    let module = node.module();
    match value {
        NamedValue::Variable(_) | NamedValue::Resource(_) | NamedValue::Call(_) => None,
        NamedValue::Local(name) => module.locals.get(name).map(|local| local.attribute.clone()),
        NamedValue::Output(name) => module.outputs.get(name)?.value.clone(),
        NamedValue::Argument { call, variable } => argument(module.calls.get(call)?, variable),
    }
}

/// The argument of a call for a variable.
pub(super) fn argument(call: &ModuleCall, variable: &str) -> Option<Arc<Attribute>> {
    call.config.just_attributes(&mut Vec::new()).into_iter().find(|argument| argument.name == variable)
}
