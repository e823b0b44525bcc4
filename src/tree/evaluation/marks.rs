//! Turns expressions into what their values are marked with, sensitive or ephemeral, as far as that is sure.
//!
//! As in the engine, a mark stays with a value through most that is made of it, and a collection can hold values that
//! are marked without being so itself. Variables are unknown when it validates, and what is made of something unknown
//! keeps the marks of the whole, but not those of its parts.

mod elements;

use std::cell::Cell;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::module::Module;
use crate::module::declaration::{Given, Variable};
use crate::syntax::{Call, Expr, ExprKind, ObjectItem, ObjectKey, Part, Step, StepKind, Template, Traversal};
use elements::{concatenated, number};

/// The marks that there are, each with where it comes from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks<'t> {
    pub(super) sensitive: Option<From<'t>>,
    pub(super) ephemeral: Option<From<'t>>,
}

/// Where a mark comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum From<'t> {
    /// A variable that is declared with it.
    Variable(&'t Variable),
    /// The expression, which says so or refers to something that always is.
    Expression,
}

/// What a value is marked with.
#[derive(Debug, Clone, Default)]
pub(super) struct Marked<'t> {
    /// The value itself.
    pub(super) whole: Marks<'t>,
    parts: Parts<'t>,
    /// Whether the value is known, though what is in it may not be.
    known: bool,
    /// What it is, where that is sure.
    shape: Option<Shape>,
}

/// What has parts that expressions go through one by one.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// A tuple of so many elements.
    Tuple(usize),
    Object,
}

/// What the parts of a value are marked with.
#[derive(Debug, Clone, Default)]
enum Parts<'t> {
    /// Nothing, or nobody knows.
    #[default]
    None,
    /// These, by attribute or by place; the others are not marked.
    Each(BTreeMap<SmolStr, Marked<'t>>),
    /// Some of them.
    Some(Marks<'t>),
}

/// Local values with more parts than this are kept as a whole, as each that refers to one holds a copy.
const LARGEST: usize = 1024;

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
#[rustfmt::skip]
const SHALLOW: &[&str] = &[
    "chunklist", "concat", "flatten", "keys", "length", "merge", "reverse", "setproduct", "slice", "values", "zipmap",
];

/// Those among them that give all parts of what they are given.
const COLLECTING: &[&str] = &["concat", "flatten", "merge", "reverse", "values", "zipmap"];

impl<'t> Marks<'t> {
    fn and(self, other: Self) -> Self {
        Self { sensitive: self.sensitive.or(other.sensitive), ephemeral: self.ephemeral.or(other.ephemeral) }
    }

    fn all(marks: impl IntoIterator<Item = Self>) -> Self {
        marks.into_iter().fold(Self::default(), Self::and)
    }

    fn any(self) -> bool {
        self.sensitive.is_some() || self.ephemeral.is_some()
    }

    /// Those that a variable is declared with.
    fn of(variable: &'t Variable) -> Self {
        let mark = |flag: Option<&Given<bool>>| {
            flag.is_some_and(|flag| flag.value).then_some(From::Variable(variable))
        };
        Self { sensitive: mark(variable.sensitive.as_ref()), ephemeral: mark(variable.ephemeral.as_ref()) }
    }
}

impl<'t> Marked<'t> {
    fn whole(whole: Marks<'t>) -> Self {
        Self { whole, ..Self::default() }
    }

    fn known() -> Self {
        Self { known: true, ..Self::default() }
    }

    /// A value made of parts, of which those without a mark are left out.
    fn made_of(parts: impl Iterator<Item = (SmolStr, Self)>) -> Self {
        let parts: BTreeMap<SmolStr, Self> = parts.filter(|(_, part)| part.deep().any()).collect();
        let parts = if parts.is_empty() { Parts::None } else { Parts::Each(parts) };
        Self { parts, ..Self::known() }
    }

    fn is_tuple(&self) -> bool {
        self.known
            && matches!((&self.parts, self.shape), (Parts::Each(_) | Parts::None, Some(Shape::Tuple(_))))
    }

    /// Whether it is made of parts before our eyes, so that the marks of the whole are all told.
    pub(super) fn is_laid_out(&self) -> bool {
        self.known && self.shape.is_some()
    }

    /// The same, without telling its parts apart where there are too many of them.
    pub(super) fn bounded(self) -> Self {
        if self.size() > LARGEST { Self { parts: Parts::Some(self.deep()), ..self } } else { self }
    }

    fn size(&self) -> usize {
        match &self.parts {
            Parts::None | Parts::Some(_) => 1,
            Parts::Each(parts) => parts.values().map(Self::size).fold(1, usize::saturating_add),
        }
    }

    /// Of the value and of everything in it.
    pub(super) fn deep(&self) -> Marks<'t> {
        let parts = match &self.parts {
            Parts::None => Marks::default(),
            Parts::Each(parts) => Marks::all(parts.values().map(Self::deep)),
            Parts::Some(marks) => *marks,
        };
        self.whole.and(parts)
    }

    /// A part of it. What is got out of something marked is marked too.
    fn part(&self, name: &str) -> Self {
        let part = match &self.parts {
            Parts::Each(parts) => parts.get(name).cloned().unwrap_or_default(),
            Parts::None | Parts::Some(_) => Self::default(),
        };
        Self { whole: part.whole.and(self.whole), ..part }
    }

    /// A part, with the marks of something else besides.
    fn over(self, part: Self) -> Self {
        Self { whole: part.whole.and(self.whole), ..part }
    }

    fn steps(self, steps: &[Step]) -> Self {
        steps.iter().fold(self, |value, step| match &step.kind {
            StepKind::Attribute(name) | StepKind::Key(name) => value.part(name),
            StepKind::Number(digits) => value.part(digits),
            StepKind::Word(_) => Self { whole: value.whole, ..Self::default() },
        })
    }
}

impl<'t> Marking<'t, '_> {
    /// What the value of an expression is marked with. The depth of expressions is bounded where they are read.
    pub(super) fn of(&self, expr: &Expr) -> Marked<'t> {
        let whole = |expr: &Expr| self.of(expr).whole;
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => Marked::known(),
            ExprKind::Traversal(traversal) => self.reference(traversal),
            ExprKind::Parens(inner) => self.of(inner),
            ExprKind::Relative(relative) => self.of(&relative.from).steps(&relative.steps),
            ExprKind::Index { collection, key, .. } => {
                Marked::whole(whole(collection).and(self.of(key).deep()))
            }
            ExprKind::Splat { source, each, .. } => self.splat(source, each),
            ExprKind::For(each) => self.for_each(each),
            ExprKind::Unary(_, operand) => Marked::whole(self.of(operand).deep()),
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
                Part::For(directive) => Marked { known: false, ..self.of(&directive.collection) },
            };
            text.whole = text.whole.and(more.whole);
            text.known &= more.known;
        }
        text
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
            "try" | "can" | "issensitive" => Marked::default(),
            "tolist" | "tomap" => Marked { shape: None, ..first() },
            // A set takes on the marks of its elements.
            "toset" => {
                let value = first();
                Marked { whole: value.deep(), known: value.known, ..Marked::default() }
            }
            "element" => {
                let whole = Marks::all(given.iter().map(|argument| argument.whole));
                let place = call.arguments.get(1).and_then(constant_place);
                let place = match (place, first().shape) {
                    (Some(place), Some(Shape::Tuple(length))) => place.checked_rem(length),
                    _ => None,
                };
                let part = place.map(|place| first().part(&number(place)));
                Marked::whole(whole).over(part.unwrap_or_default())
            }
            "lookup" => {
                let whole = Marks::all(given.iter().map(|argument| argument.whole));
                let part = call.arguments.get(1).and_then(constant_text).map(|key| first().part(&key));
                Marked::whole(whole).over(part.unwrap_or_default())
            }
            "concat" if !call.expands_last && given.iter().all(Marked::is_tuple) => concatenated(given),
            name if SHALLOW.contains(&name) => {
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

/// Of what is ephemeral by itself.
const EPHEMERAL: Marks<'static> = Marks { sensitive: None, ephemeral: Some(From::Expression) };
