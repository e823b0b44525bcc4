//! Turns expressions into what their values are marked with, sensitive or ephemeral, as far as that is sure.
//!
//! As in the engine, a mark stays with a value through most that is made of it, and a collection can hold values that
//! are marked without being so itself. Variables are unknown when it validates, and what is made of something unknown
//! keeps the marks of the whole, but not those of its parts.

mod elements;
mod marked;

use std::cell::Cell;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::module::Module;
use crate::syntax::{
    BinaryOperator, Call, Expr, ExprKind, ObjectItem, ObjectKey, Part, Step, StepKind, Template, Traversal,
};
use crate::value::Type;
use elements::{concatenated, number};
use marked::{EPHEMERAL, Parts, Shape};
pub(super) use marked::{From, Marked, Marks};

/// How many local values that only name each other are followed.
const LONGEST_WAY: usize = 8;

/// The local values of a module, and what can be asked about its expressions.
pub(super) struct Marking<'t, 'e> {
    pub(super) module: &'t Module,
    pub(super) locals: &'e MarkedLocals<'t>,
    /// The value of a condition, where it is known.
    pub(super) truth: &'e dyn Fn(&Expr) -> Option<bool>,
    /// How many elements may still be looked at one by one.
    pub(super) patience: &'e Cell<usize>,
    /// What the names of the `for` expressions around stand for, the innermost last.
    pub(super) bound: Vec<(SmolStr, Marked<'t>)>,
    /// What the element of the splat around stands for.
    pub(super) element: Option<Marked<'t>>,
}

/// How many elements are looked at one by one in an expression.
pub(super) const PATIENCE: usize = 1024;

/// The local values of a module that were looked at.
pub(super) type MarkedLocals<'t> = BTreeMap<SmolStr, Marked<'t>>;

/// Functions that look at the value that they are given and leave its parts as they are.
const SHALLOW: &[&str] = &["keys", "length", "setproduct"];

/// Those that say nothing, not even a mark, of what is not known.
#[rustfmt::skip]
const SHALLOW_IF_KNOWN: &[&str] = &[
    "chunklist", "concat", "flatten", "merge", "reverse", "slice", "values", "zipmap",
];

/// Those among them that give all parts of what they are given.
const COLLECTING: &[&str] = &["concat", "flatten", "merge", "reverse", "values", "zipmap"];

impl<'t> Marking<'t, '_> {
    /// What the value of an expression is marked with. The depth of expressions is bounded where they are read.
    pub(super) fn of(&self, expr: &Expr) -> Marked<'t> {
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => Marked::known(),
            ExprKind::Traversal(traversal) => self.reference(traversal),
            ExprKind::Parens(inner) => self.of(inner),
            ExprKind::Relative(relative) => self.of(&relative.from).steps(&relative.steps),
            ExprKind::Index { collection, key, .. } => {
                let (collection, key) = (self.of(collection), self.of(key));
                // What is got with a key that is not known has not its marks, and what is got out of an object never.
                match collection.shape {
                    Some(Shape::Tuple(_)) if key.known => Marked::whole(collection.whole.and(key.whole)),
                    _ => Marked::whole(collection.whole),
                }
            }
            ExprKind::Splat { source, each, .. } => self.splat(source, each),
            ExprKind::For(each) => self.for_each(each),
            ExprKind::Unary(_, operand) => if_known(&[self.of(operand)]),
            ExprKind::Binary(BinaryOperator::And | BinaryOperator::Or, operands) => {
                if_known(&operands.each_ref().map(|operand| self.of(operand)))
            }
            ExprKind::Binary(_, operands) => {
                Marked::whole(Marks::all(operands.iter().map(|operand| self.of(operand).deep())))
            }
            ExprKind::Conditional(parts) => self.conditional(parts),
            ExprKind::Tuple(elements) => {
                let each = elements.iter().map(|element| self.of(element)).enumerate();
                let tuple = Marked::made_of(each.map(|(place, element)| (number(place), element)));
                Marked { shape: Some(Shape::Tuple(elements.len())), ..tuple }
            }
            ExprKind::Object(items) => self.object(items),
            ExprKind::JsonObject(properties) => {
                let each = properties.iter();
                Marked::made_of(each.map(|property| (property.name.text.clone(), self.of(&property.value))))
            }
            ExprKind::Template(template) => self.template(template),
            ExprKind::JsonString(string) => match &string.template {
                Ok(template) => self.template(template),
                Err(_) => Marked::default(),
            },
            ExprKind::Call(call) => self.call(call),
            ExprKind::Element => self.element.clone().unwrap_or_default(),
            ExprKind::Invalid | ExprKind::Unread => Marked::default(),
        }
    }

    /// What a reference gives.
    pub(super) fn reference(&self, traversal: &Traversal) -> Marked<'t> {
        if let Some((_, value)) = self.bound.iter().rfind(|(name, _)| *name == traversal.root) {
            return value.clone().steps(&traversal.steps);
        }
        let named = |at: usize| match traversal.steps.get(at).map(|step| &step.kind) {
            Some(StepKind::Attribute(name)) => Some(name),
            _ => None,
        };
        let (value, steps) = match (traversal.root.as_str(), named(0)) {
            ("var", Some(name)) => {
                let marks = self.module.variables.get(name).map(|variable| Marks::of(variable));
                (Marked::whole(marks.unwrap_or_default()), 1)
            }
            ("local", Some(name)) => (self.locals.get(name).cloned().unwrap_or_default(), 1),
            ("ephemeral", Some(_)) if named(1).is_some() => (Marked::whole(EPHEMERAL), 2),
            ("terraform" | "tofu", Some(name)) if name == "applying" => (Marked::whole(EPHEMERAL), 1),
            _ => return Marked::default(),
        };
        value.steps(&traversal.steps[steps..])
    }

    /// The marks of both sides count, whichever it is.
    fn conditional(&self, [condition, truthy, falsy]: &[Expr; 3]) -> Marked<'t> {
        let (marks, truthy, falsy) = (self.of(condition).whole, self.of(truthy), self.of(falsy));
        let whole = Marks::all([marks, truthy.whole, falsy.whole]);
        if !truthy.deep().and(falsy.deep()).any() {
            return Marked::whole(whole);
        }
        match (self.truth)(condition) {
            Some(true) => Marked { whole, ..truthy },
            Some(false) => Marked { whole, ..falsy },
            None => Marked::whole(whole),
        }
    }

    fn object(&self, items: &[ObjectItem]) -> Marked<'t> {
        let mut keys = Marked::known();
        let parts = items.iter().map(|item| {
            let name = match &item.key {
                ObjectKey::Name(name, _) => name.clone(),
                ObjectKey::Expr(key) => {
                    let given = self.of(key);
                    keys.whole = keys.whole.and(given.whole);
                    keys.known &= given.known;
                    constant_text(key).unwrap_or_default()
                }
            };
            (name, self.of(&item.value))
        });
        let object = Marked::made_of(parts);
        // With a key that is not known, nothing of the object is.
        if !keys.known {
            return Marked::default();
        }
        Marked { whole: keys.whole, shape: Some(Shape::Object), ..object }
    }

    fn template(&self, template: &Template) -> Marked<'t> {
        if let [Part::Interpolation(only)] = &*template.parts {
            return self.of(only);
        }
        let mut text = Marked::known();
        for part in &template.parts {
            let more = match part {
                Part::Literal { .. } => continue,
                Part::Interpolation(expr) => self.of(expr),
                Part::If(directive) => Marked { known: false, ..self.of(&directive.condition) },
                Part::For(directive) if self.is_of_any_type(&directive.collection) => Marked::default(),
                Part::For(directive) => Marked { known: false, ..self.of(&directive.collection) },
            };
            text.whole = text.whole.and(more.whole);
            text.known &= more.known;
        }
        text
    }

    /// Whether an expression is a variable that takes values of any type. Of a value whose type is not known, much is
    /// not even marked.
    fn is_of_any_type(&self, expr: &Expr) -> bool {
        self.is_of_any_type_behind(expr, LONGEST_WAY)
    }

    /// The same, behind no more local values than that.
    fn is_of_any_type_behind(&self, expr: &Expr, locals: usize) -> bool {
        match &expr.kind {
            ExprKind::Parens(inner) => self.is_of_any_type_behind(inner, locals),
            ExprKind::Call(call) => {
                call.arguments.iter().any(|argument| self.is_of_any_type_behind(argument, locals))
            }
            ExprKind::Traversal(traversal) if traversal.root == "local" => {
                let [Step { kind: StepKind::Attribute(name), .. }] = &traversal.steps[..] else {
                    return false;
                };
                let Some(local) = self.module.locals.get(name) else { return true };
                let Some(locals) = locals.checked_sub(1) else { return true };
                let expr = &local.attribute.expr;
                matches!(expr.kind, ExprKind::Traversal(_)) && self.is_of_any_type_behind(expr, locals)
            }
            ExprKind::Traversal(traversal) if traversal.root == "var" => {
                let Some(StepKind::Attribute(name)) = traversal.steps.first().map(|step| &step.kind) else {
                    return false;
                };
                let variable = self.module.variables.get(name);
                let constraint = variable.and_then(|variable| variable.constraint.as_ref());
                constraint.is_none_or(|constraint| constraint.value.ty == Type::Any)
            }
            // Nothing is known of what resources and modules give either.
            ExprKind::Traversal(_) => true,
            _ => false,
        }
    }

    fn call(&self, call: &Call) -> Marked<'t> {
        let given: Vec<Marked<'t>> = call.arguments.iter().map(|argument| self.of(argument)).collect();
        let first = || given.first().cloned().unwrap_or_default();
        match call.name.trim_start_matches("core::") {
            "sensitive" => {
                let value = first();
                let sensitive = value.whole.sensitive.or(Some(From::Expression));
                Marked { whole: Marks { sensitive, ..value.whole }, ..value }
            }
            "nonsensitive" => {
                let value = first();
                Marked { whole: Marks { sensitive: None, ..value.whole }, ..value }
            }
            "ephemeralasnull" => {
                let value = first();
                let sensitive = value.whole.sensitive;
                Marked::whole(Marks { sensitive, ephemeral: None })
            }
            // What may still be an error counts as nothing that is known.
            "try" | "can" | "issensitive" | "templatestring" => Marked::default(),
            _ if call.expands_last && given.last().is_some_and(|last| !last.known) => Marked::default(),
            "keys" | "setproduct" if call.arguments.iter().any(|argument| self.is_of_any_type(argument)) => {
                Marked::default()
            }
            "tolist" | "tomap" => first(),
            "abs" => if_known(&given),
            // A set takes on the marks of its elements.
            "toset" => {
                let value = first();
                Marked { whole: value.deep(), known: value.known, ..Marked::default() }
            }
            "element" => {
                let (list, index) = (first(), given.get(1).cloned().unwrap_or_default());
                if !list.known || !index.known {
                    return Marked::whole(index.whole);
                }
                let place = match (call.arguments.get(1).and_then(constant_place), list.shape) {
                    (Some(place), Some(Shape::Tuple(length))) => place.checked_rem(length),
                    _ => None,
                };
                let part = place.map(|place| list.part(&number(place)));
                Marked::whole(list.whole.and(index.whole)).over(part.unwrap_or_default())
            }
            // Whether what is given last is ever taken is not known here.
            "lookup" => {
                let (map, key) = (first(), given.get(1).cloned().unwrap_or_default());
                let has_type = !call.arguments.first().is_some_and(|map| self.is_of_any_type(map));
                let whole = if has_type { map.whole.and(key.whole) } else { key.whole };
                let part = call.arguments.get(1).and_then(constant_text).map(|key| map.part(&key));
                match part {
                    Some(part) if has_type => Marked::whole(whole).over(part),
                    _ => Marked::whole(whole),
                }
            }
            "concat" if !call.expands_last && given.iter().all(Marked::is_tuple) => concatenated(given),
            name if SHALLOW_IF_KNOWN.contains(&name) && !given.iter().all(|argument| argument.known) => {
                Marked::default()
            }
            name if SHALLOW.contains(&name) || SHALLOW_IF_KNOWN.contains(&name) => {
                let known = given.iter().all(|argument| argument.known);
                let whole = Marks::all(given.iter().map(|argument| argument.whole));
                let parts = if known && COLLECTING.contains(&name) {
                    Parts::Some(Marks::all(given.iter().map(Marked::deep)))
                } else {
                    Parts::None
                };
                Marked { whole, parts, known, shape: None }
            }
            _ => {
                let known = given.iter().all(|argument| argument.known);
                Marked { known, ..Marked::whole(Marks::all(given.iter().map(Marked::deep))) }
            }
        }
    }
}

/// The marks of operands, by an operator that says nothing, not even a mark, of what is not known.
fn if_known<'t>(operands: &[Marked<'t>]) -> Marked<'t> {
    if operands.iter().all(|operand| operand.known) {
        Marked::whole(Marks::all(operands.iter().map(Marked::deep)))
    } else {
        Marked::default()
    }
}

/// The place that a number written out stands for.
fn constant_place(expr: &Expr) -> Option<usize> {
    match &expr.kind {
        ExprKind::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// The text of a string without sequences in it.
fn constant_text(expr: &Expr) -> Option<SmolStr> {
    let ExprKind::Template(Template { parts, .. }) = &expr.kind else { return None };
    match &**parts {
        [Part::Literal { text, .. }] => Some(text.clone()),
        _ => None,
    }
}
