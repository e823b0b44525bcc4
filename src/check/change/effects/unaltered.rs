//! Decides whether a value, a resource or a module call that a change touches is the same as before on a path of calls.

use std::cell::Cell;
use std::iter;
use std::mem::discriminant;
use std::rc::Rc;
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::call_path::{CallPath, expression};
use super::super::side::Side;
use super::{ANY_PATH, Blocks, Effects, Place};
use crate::check::EngineView;
use crate::graph::{Node, Used, User, Values};
use crate::module::ModuleFile;
use crate::module::canonical::NamedValue;
use crate::module::declaration::Variable;
use crate::syntax::{Attribute, Block, Call, Expr, ExprKind, ObjectKey, Part};
use crate::value::constant;

impl<'c> Effects<'c> {
    /// Whether a value is the same as before on a path of calls, or a resource or call has no instances as before.
    pub(super) fn is_unaltered(&self, place: Place, value: &NamedValue) -> bool {
        let (path, node) = (&self.paths[place.path], self.node(place));
        match value {
            NamedValue::Resource(_) => {
                path.is_absent(node, value) || self.has_same_content(place, value, &|_| false)
            }
            NamedValue::Call(call) => {
                let is_argument = |name: &str| {
                    let call = node.module().calls.get(call);
                    call.is_some_and(|call| call.argument(name).is_some())
                };
                path.is_absent(node, value) || self.has_same_content(place, value, &is_argument)
            }
            NamedValue::Output(name) => {
                path.has_same(node, value)
                    || path.has_same_text(node, name) && self.is_only_shown(place.view, path, name)
            }
            _ => path.has_same(node, value),
        }
    }

    /// Whether an output of the module at the end of a path is nothing but an output of the root module there.
    fn is_only_shown(&self, view: usize, path: &CallPath<'c>, output: &SmolStr) -> bool {
        let Some(((caller, call), of_caller)) = path.caller_now().zip(path.of_caller()) else { return true };
        let flow = self.flow(Place { view, id: caller.id(), path: ANY_PATH });
        let used = Used::output(call, output);
        flow.users(&used).all(|user| {
            let User::Value(value @ NamedValue::Output(shown)) = user else { return false };
            let is_reference =
                |it: &Attribute| matches!(&it.expr.kind, ExprKind::Traversal(it) if it.steps.len() == 2);
            expression(caller, value).is_some_and(|value| is_reference(&value))
                && self.is_only_shown(view, of_caller, shown)
        })
    }

    pub(super) fn values(&self, node: Node<'c>) -> Values<'c> {
        node.values_within(&self.work)
    }

    /// Whether the block of a resource or call has the same content as before on a path of calls.
    fn has_same_content(&self, place: Place, value: &NamedValue, is_left_out: &dyn Fn(&str) -> bool) -> bool {
        let path = &self.paths[place.path];
        let blocks = self.blocks(place, value);
        blocks.is_some_and(|(was, is)| path.has_same_content(self.node(place), (&was, &is), is_left_out))
    }

    /// Whether a user of an altered value is the same as before on a path of calls.
    pub(super) fn is_same_despite(&self, place: Place, user: &User, altered: &Used) -> bool {
        let (path, node) = (&self.paths[place.path], self.node(place));
        if self.reads_changed_files || !path.has_same_marks(node, altered) {
            return false;
        }
        let same_block = |value: &NamedValue| {
            let blocks = self.blocks(place, value);
            blocks.is_some_and(|(was, is)| path.has_same_content_despite(node, (&was, &is), altered))
        };
        match user {
            User::Value(value) => path.is_same_despite(node, value, altered),
            User::Resource(resource) => same_block(&NamedValue::Resource(resource.clone())),
            User::Repetition(of) => same_block(of),
            User::Plan | User::Validation(_) => false,
        }
    }

    /// The only block of a resource or call before and after the change.
    fn blocks(&self, place: Place, value: &NamedValue) -> Option<(Arc<Block>, Arc<Block>)> {
        let (_, earlier) = self.paths[place.path].before.as_ref()?;
        let node = self.node(place);
        let (view, _) = self.before.node(&earlier.module().directory, node.graph().engine())?;
        let header = header(value)?;
        let blocks = |side: &Side, view: EngineView<'_>, node: Node<'_>| {
            let blocks = || Rc::new(blocks_of(&view.files(node, &side.snapshot)));
            match self.blocks.get(&self.in_state(side, node), blocks).get(&header)?.as_slice() {
                [only] => Some(Arc::clone(only)),
                _ => None,
            }
        };
        blocks(self.before, view, *earlier).zip(blocks(self.side, self.views[place.view], node))
    }

    /// Whether a value is new and cannot fail, or fails as before under another name. What uses it differs, too.
    pub(super) fn is_harmless(&self, place: Place, value: &NamedValue) -> bool {
        let is_new = match value {
            NamedValue::Local(name) => self.is_new(place, &Used::Local(name.clone())),
            NamedValue::Argument { call, variable } => {
                let child = self.node(place).child(call);
                let of_path = &self.paths[place.path];
                // The path to the child is only known if its caller called it before.
                let former = of_path.before.as_ref().and_then(|(_, earlier)| earlier.child(call));
                let (Some(child), Some(former)) = (child, former) else { return false };
                child.module().variables.contains_key(variable)
                    && !former.module().variables.contains_key(variable)
                    && !self.was_used(place.view, former, &Used::Variable(variable.clone()))
            }
            NamedValue::Output(name) => {
                let path = &self.paths[place.path];
                let former = path.before.as_ref().zip(path.caller_before());
                former.is_some_and(|((_, former), (caller, call))| {
                    let used = Used::output(call, name);
                    !former.module().outputs.contains_key(name) && !self.was_used(place.view, caller, &used)
                })
            }
            NamedValue::Variable(_) | NamedValue::Resource(_) | NamedValue::Call(_) => false,
        };
        is_new && (self.paths[place.path].is_renamed(self.node(place), value) || !self.may_fail(place, value))
    }

    /// Whether nothing had this name before the change, so that every expression that uses it differs, too.
    pub(super) fn is_new(&self, place: Place, used: &Used) -> bool {
        let Some((_, earlier)) = self.paths[place.path].before else { return false };
        let module = earlier.module();
        let is_declared = match used {
            Used::Variable(name) => module.variables.contains_key(name),
            Used::Local(name) => module.locals.contains_key(name),
            Used::Output { .. } => true,
        };
        !is_declared && !self.was_used(place.view, earlier, used)
    }

    /// Whether an expression used a name before the change.
    fn was_used(&self, view: usize, earlier: Node<'c>, used: &Used) -> bool {
        let before = self.before.node(&earlier.module().directory, self.views[view].engine);
        let Some((view, _)) = before else { return true };
        self.flow_in(self.before, view, earlier).users(used).next().is_some()
    }

    /// Whether the evaluation of a value that uses an altered one may fail.
    pub(super) fn may_fail(&self, place: Place, value: &NamedValue) -> bool {
        self.may_fail_unless(place, value, &|_| false, &|_, _| false)
    }

    /// Whether the evaluation of a value whose expression is altered may fail where it did not before.
    pub(super) fn may_fail_anew(&self, place: Place, value: &NamedValue) -> bool {
        let former = self.paths[place.path].before.as_ref();
        let former = former.and_then(|(_, earlier)| expression(*earlier, value));
        let Some(former) = former.filter(|_| !self.reads_changed_files) else {
            return self.may_fail(place, value);
        };
        let mut evaluated = Evaluated::default();
        evaluated.add(&former.expr);
        let is_sound = |expr: &Expr| self.is_built_of(place, &evaluated, expr);
        let is_accepted = |variable: &Variable, expr: &Expr| {
            self.takes_same_type(place, value, variable)
                && self.has_same_type(place, &former.expr, expr)
                && variable.validations.is_empty()
        };
        self.may_fail_unless(place, value, &is_sound, &is_accepted)
    }

    /// Whether the variable of an argument has the same type as before the change.
    fn takes_same_type(&self, place: Place, value: &NamedValue, variable: &Variable) -> bool {
        let former = self.paths[place.path].before.as_ref();
        let NamedValue::Argument { call, variable: name } = value else { return false };
        let former = former.and_then(|(_, earlier)| earlier.child(call)?.module().variables.get(name));
        let parts = |variable: &Variable| {
            let ty = variable.constraint.as_ref().map(|constraint| constraint.value.clone());
            (ty, variable.nullable.as_ref().map(|nullable| nullable.value))
        };
        former.is_some_and(|former| parts(former) == parts(variable))
    }

    /// Whether an expression has the same type as before the change, as far as its parts are not the same.
    fn has_same_type(&self, place: Place, was: &Expr, is: &Expr) -> bool {
        let (node, path) = (self.node(place), &self.paths[place.path]);
        let Some((_, earlier)) = &path.before else { return false };
        if path.is_same_expression(node, was, is) {
            return true;
        }
        match (&was.kind, &is.kind) {
            (ExprKind::Object(was), ExprKind::Object(is)) => {
                was.len() == is.len()
                    && was.iter().zip(is).all(|(was, is)| match (&was.key, &is.key) {
                        (ObjectKey::Name(old, _), ObjectKey::Name(new, _)) => {
                            old == new && self.has_same_type(place, &was.value, &is.value)
                        }
                        _ => false,
                    })
            }
            (ExprKind::Tuple(was), ExprKind::Tuple(is)) => {
                was.len() == is.len()
                    && was.iter().zip(is).all(|(was, is)| self.has_same_type(place, was, is))
            }
            _ => {
                let (values_before, values) = (self.values(*earlier), self.values(node));
                let is_null = values_before.of(was).is_null() || values.of(is).is_null();
                let ty = values.type_of(is);
                !is_null && values_before.type_of(was) == ty && !ty.has_any()
            }
        }
    }

    /// Whether the evaluation of a value may fail, other than that of an expression that is known to be sound, and the
    /// conversion to the type of a variable, unless that is known to accept it.
    fn may_fail_unless(
        &self,
        place: Place,
        value: &NamedValue,
        is_sound: &dyn Fn(&Expr) -> bool,
        is_accepted: &dyn Fn(&Variable, &Expr) -> bool,
    ) -> bool {
        let node = self.node(place);
        let variable = match value {
            NamedValue::Argument { call, variable } => {
                let Some(child) = node.child(call) else { return true };
                let Some(variable) = child.module().variables.get(variable) else {
                    return expression(node, value).is_some();
                };
                Some((&**variable, child))
            }
            _ => None,
        };
        let Some(attribute) = expression(node, value) else {
            // The call uses the default now, or the variable is removed.
            return variable.is_some_and(|(variable, child)| {
                let values = self.values(child);
                variable.default.as_ref().is_none_or(|default| !values.validate(&default.value, variable))
            });
        };
        let values = self.values(node);
        let may_fail = !values.cannot_fail(&attribute.expr) && !is_sound(&attribute.expr);
        may_fail
            || variable.is_some_and(|(variable, child)| {
                !values.is_accepted(&attribute.expr, variable, child)
                    && !is_accepted(variable, &attribute.expr)
            })
    }

    /// Whether every part of an expression that may fail is also a part of the former expression, whose evaluation
    /// did not.
    fn is_built_of(&self, place: Place, former: &Evaluated<'_>, expr: &Expr) -> bool {
        let (node, path) = (self.node(place), &self.paths[place.path]);
        let may_compare = || self.work.take(OF_COMPARISON);
        let is_one_of = |all: &Parts<'_>, expr: &Expr| {
            // The value of a large constructor is not computed for each of the parts.
            let is_constructor = matches!(expr.kind, ExprKind::Tuple(_) | ExprKind::Object(_));
            let may_be =
                |former: &Expr| !is_constructor || discriminant(&former.kind) == discriminant(&expr.kind);
            all.any(|former| may_be(former) && may_compare() && path.is_same_expression(node, former, expr))
        };
        let is_built = |expr: &Expr| self.is_built_of(place, former, expr);
        self.values(node).cannot_fail(expr)
            || is_one_of(&former.parts, expr)
            || match &expr.kind {
                ExprKind::Parens(inner) => is_built(inner),
                ExprKind::Tuple(items) => items.iter().all(is_built),
                ExprKind::Object(items) => {
                    items.iter().all(|item| matches!(item.key, ObjectKey::Name(..)) && is_built(&item.value))
                }
                ExprKind::Template(template) => template.parts.iter().all(|part| match part {
                    Part::Literal { .. } => true,
                    Part::Interpolation(inner) => is_one_of(&former.in_text, inner),
                    Part::If(_) | Part::For(_) => false,
                }),
                ExprKind::Call(call) => former.parts.any(|former| match &former.kind {
                    ExprKind::Call(former) => {
                        may_compare() && self.is_same_text_function(place, former, call)
                    }
                    _ => false,
                }),
                ExprKind::Conditional(branches) => former.parts.any(|part| match &part.kind {
                    ExprKind::Conditional(was) => {
                        may_compare() && self.are_built_branches(place, former, (was, branches))
                    }
                    _ => false,
                }),
                _ => false,
            }
    }

    /// Whether the branches of a conditional expression with the condition of the former one have the same types, and
    /// are built of the parts of the former branches.
    fn are_built_branches(
        &self,
        place: Place,
        former: &Evaluated<'_>,
        (was, is): (&[Expr; 3], &[Expr; 3]),
    ) -> bool {
        let (node, path) = (self.node(place), &self.paths[place.path]);
        let Some((_, earlier)) = &path.before else { return false };
        let (values, values_before) = (self.values(node), self.values(*earlier));
        path.is_same_expression(node, &was[0], &is[0])
            && was[1..].iter().zip(&is[1..]).all(|(was, is)| {
                let mut evaluated = former.clone();
                evaluated.add(was);
                let ty = values.of(is).ty();
                path.is_same_expression(node, was, is)
                    || !ty.has_any()
                        && values_before.of(was).ty() == ty
                        && self.is_built_of(place, &evaluated, is)
            })
    }

    /// Whether two calls of a function that makes text of text differ only in constant arguments, and in such calls in
    /// their arguments.
    fn is_same_text_function(&self, place: Place, was: &Call, is: &Call) -> bool {
        let (node, path) = (self.node(place), &self.paths[place.path]);
        let is_alike = |(was, is): (&Expr, &Expr)| match (&was.kind, &is.kind) {
            _ if path.is_same_expression(node, was, is) => true,
            (ExprKind::Call(was), ExprKind::Call(is)) => self.is_same_text_function(place, was, is),
            (ExprKind::Template(_), ExprKind::Template(_)) => {
                let texts = [was, is].map(|it| constant(it, &mut Vec::new()));
                let signs = texts.each_ref().map(|text| text.as_str().map(special_signs));
                signs[0].is_some() && signs[0] == signs[1]
            }
            _ => false,
        };
        TEXT_FUNCTIONS.contains(&was.name.as_str())
            && was.name == is.name
            && !was.expands_last
            && !is.expands_last
            && was.arguments.len() == is.arguments.len()
            && was.arguments.iter().zip(&is.arguments).all(is_alike)
    }
}

/// Functions that make text of any text. A format or a regular expression may be wrong.
const TEXT_FUNCTIONS: [&str; 9] =
    ["chomp", "format", "lower", "replace", "title", "trim", "trimprefix", "trimsuffix", "upper"];

/// The signs of a text that have a meaning in a format or for a regular expression, with what follows the former.
fn special_signs(text: &str) -> (Vec<Option<char>>, bool) {
    let formats = text.match_indices('%').map(|(at, _)| text[at + 1..].chars().next()).collect();
    (formats, text.starts_with('/'))
}

/// The steps to compare two expressions.
const OF_COMPARISON: usize = 20;

/// Parts of an expression, in its order.
#[derive(Default, Clone)]
struct Parts<'e> {
    all: Vec<&'e Expr>,
    /// The one after the last that was looked for and found. Most parts keep their order in a change.
    next: Cell<usize>,
}

impl Parts<'_> {
    /// Whether one of the parts is like this.
    fn any(&self, is_alike: impl Fn(&Expr) -> bool) -> bool {
        let next = self.next.get();
        let found = (next..self.all.len()).chain(0..next).find(|at| is_alike(self.all[*at]));
        self.next.set(found.map_or(next, |at| at + 1));
        found.is_some()
    }
}

/// The parts of an expression that are certainly evaluated without an error if all of it is.
#[derive(Default, Clone)]
struct Evaluated<'e> {
    parts: Parts<'e>,
    /// Those that are converted to a string.
    in_text: Parts<'e>,
}

impl<'e> Evaluated<'e> {
    fn add(&mut self, expr: &'e Expr) {
        self.parts.all.push(expr);
        match &expr.kind {
            ExprKind::Parens(inner) => self.add(inner),
            ExprKind::Tuple(items) => items.iter().for_each(|item| self.add(item)),
            ExprKind::Object(items) => items.iter().for_each(|item| self.add(&item.value)),
            ExprKind::Template(template) => {
                for part in &template.parts {
                    if let Part::Interpolation(inner) = part {
                        self.add(inner);
                        if template.parts.len() > 1 {
                            self.in_text.all.push(inner);
                        }
                    }
                }
            }
            ExprKind::Conditional(conditional) => self.add(&conditional[0]),
            ExprKind::Call(call) if TEXT_FUNCTIONS.contains(&call.name.as_str()) => {
                call.arguments.iter().for_each(|argument| self.add(argument));
            }
            _ => {}
        }
    }
}

/// The blocks in the files of a module.
fn blocks_of(files: &[ModuleFile<'_>]) -> Blocks {
    let mut blocks = Blocks::new();
    for block in files.iter().flat_map(|file| file.body.any_blocks()) {
        let labels = block.labels.iter().map(|label| label.text.clone());
        let header = iter::once(block.kind.clone()).chain(labels).collect();
        blocks.entry(header).or_default().push(block);
    }
    blocks
}

/// The type and labels of the blocks of a resource or module call.
fn header(value: &NamedValue) -> Option<Vec<SmolStr>> {
    match value {
        NamedValue::Resource(address) => {
            Some(vec![address.mode.keyword().into(), address.kind.clone(), address.name.clone()])
        }
        NamedValue::Call(name) => Some(vec!["module".into(), name.clone()]),
        _ => None,
    }
}
