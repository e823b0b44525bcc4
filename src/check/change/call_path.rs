//! A path of calls from a root module to a module, and the expressions that have the same values on it as before a
//! change.

mod equality;
mod forms;

use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::graph::{Absence, Node, Used};
use crate::module::canonical::NamedValue;
use crate::syntax::{Attribute, Block, Expr, ExprKind};
use crate::value::{Budget, Type};
use equality::Compared;
pub(super) use equality::is_alike;

/// A new value is compared with at most this many removed ones, to find out whether it is one of them, renamed.
const MOST_REMOVED: usize = 100;

/// A path of calls from a root module to a module.
pub(super) struct CallPath<'c> {
    pub(super) now: Absence,
    /// The same path before the change, and the module there.
    pub(super) before: Option<(Absence, Node<'c>)>,
    /// The path to the caller, the caller, and the name of the call.
    caller: Option<(Rc<Self>, Node<'c>, SmolStr)>,
}

impl<'c> CallPath<'c> {
    /// The path that consists of a root module. `before` is the module before the change, and `unset` a variable that
    /// has its default.
    pub(super) fn of_root(
        (node, before): (Node<'c>, Option<Node<'c>>),
        unset: Option<&str>,
        work: &Rc<Budget>,
    ) -> Self {
        let before = before.map(|node| (Absence::in_root(node, unset, work), node));
        Self { now: Absence::in_root(node, unset, work), before, caller: None }
    }

    /// A path about which nothing is known.
    pub(super) fn unknown(work: &Rc<Budget>) -> Self {
        Self { now: Absence::unknown(work), before: None, caller: None }
    }

    /// Whether the path consists of a root module that existed before the change.
    pub(super) fn is_of_root(&self) -> bool {
        self.caller.is_none() && self.before.is_some()
    }

    /// The path that consists of a root module, `node`, in which nothing sets a variable.
    pub(super) fn without_value(&self, node: Node<'c>, variable: &str) -> Self {
        let before = self.before.as_ref().map(|(_, earlier)| *earlier);
        Self::of_root((node, before), Some(variable), self.now.work())
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
            && let Some(now) = self.now.given(node, call, variable)
            && before.given(*earlier, call, variable) == Some(now)
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

    /// Whether an output of `node`, the module at the end of the path, is the same text as before the change, with a
    /// fallback before or after that is not needed. With one, nothing is known about the value as long as the text is
    /// not, so that other expressions that use it may differ.
    pub(super) fn has_same_text(&self, node: Node<'c>, output: &SmolStr) -> bool {
        let Some((_, earlier)) = &self.before else { return false };
        let value = |node| expression(node, &NamedValue::Output(output.clone()));
        let (Some(was), Some(is)) = (value(*earlier), value(node)) else { return false };
        let [was, is] = [&was.expr, &is.expr].map(|expr| with_fallback(expr).unwrap_or(expr));
        let is_text = |node: Node<'_>, text: &Expr| {
            let values = node.values_within(self.now.work());
            let is_text = values.is_identifier(text, 0) || values.of(text).ty() == Type::String;
            is_text && values.cannot_fail(text)
        };
        have_same_flags((*earlier, output), (node, output))
            && is_text(*earlier, was)
            && is_text(node, is)
            && self.is_equal(&Compared::all(node), was, is, 0)
    }

    /// The caller of the module at the end of the path, and the name of the call.
    pub(super) fn caller_now(&self) -> Option<(Node<'c>, &SmolStr)> {
        self.caller.as_ref().map(|(_, caller, call)| (*caller, call))
    }

    /// The root module at the start of the path, which ends at `node`.
    pub(super) fn root(&self, node: Node<'c>) -> Node<'c> {
        self.caller.as_ref().map_or(node, |(path, caller, _)| path.root(*caller))
    }

    /// The path to the caller of the module at the end of the path.
    pub(super) fn of_caller(&self) -> Option<&Self> {
        self.caller.as_ref().map(|(path, ..)| &**path)
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
                let removed = earlier.module().locals.values().filter(|it| !locals.contains_key(&it.name));
                removed.take(MOST_REMOVED).any(|it| is_equal(&it.attribute))
            }
            NamedValue::Output(_) => {
                let outputs = &node.module().outputs;
                let removed = earlier.module().outputs.values().filter(|it| !outputs.contains_key(&it.name));
                removed.take(MOST_REMOVED).any(|it| it.value.as_deref().is_some_and(is_equal))
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

    /// Whether the call sets a variable that did not exist before the change to the value of one that no longer exists
    /// and has the same declaration.
    pub(super) fn is_renamed_variable(&self, node: Node<'c>, name: &str) -> bool {
        let Some((_, earlier)) = &self.before else { return false };
        let variables = &node.module().variables;
        let Some(is) = variables.get(name) else { return false };
        let removed = earlier.module().variables.values().filter(|it| !variables.contains_key(&it.name));
        let mut removed = removed.take(MOST_REMOVED);
        removed.any(|was| is_alike(was, is) && self.is_given_the_same(&was.name, &is.name, 0))
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

    /// Whether an expression of the module before the change, and one of `node`, the module at the end of the path, have
    /// the same value.
    pub(super) fn is_same_expression(&self, node: Node<'c>, was: &Expr, is: &Expr) -> bool {
        self.is_equal(&Compared::all(node), was, is, 0)
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
}

/// The first argument of `try`.
fn with_fallback(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    call.arguments.first().filter(|_| call.name == "try" && !call.expands_last)
}

/// Whether an output before the change, and one now, have nothing but a value and the same marks.
fn have_same_flags(before: (Node<'_>, &SmolStr), now: (Node<'_>, &SmolStr)) -> bool {
    let flags = |(node, name): (Node<'_>, &SmolStr)| {
        let output = node.module().outputs.get(name)?;
        let is_plain = output.depends_on.is_empty() && output.constraint.is_none();
        (is_plain && output.preconditions.is_empty())
            .then_some((output.is_sensitive(), output.is_ephemeral()))
    };
    flags(now).is_some_and(|now| flags(before) == Some(now))
}

/// The argument that defines a value, other than the default of a variable. `None` if there is none.
pub(super) fn expression(node: Node<'_>, value: &NamedValue) -> Option<Arc<Attribute>> {
    let module = node.module();
    match value {
        NamedValue::Variable(_) | NamedValue::Resource(_) | NamedValue::Call(_) => None,
        NamedValue::Local(name) => module.locals.get(name).map(|local| local.attribute.clone()),
        NamedValue::Output(name) => module.outputs.get(name)?.value.clone(),
        NamedValue::Argument { call, variable } => module.calls.get(call)?.argument(variable).cloned(),
    }
}
