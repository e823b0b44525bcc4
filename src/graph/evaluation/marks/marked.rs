//! What a value is marked with: as a whole, and in its parts.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::module::declaration::{Spanned, Variable};
use crate::syntax::{Step, StepKind};

/// The marks that there are, each with where it comes from.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::graph::evaluation) struct Marks<'t> {
    pub(in crate::graph::evaluation) sensitive: Option<From<'t>>,
    pub(in crate::graph::evaluation) ephemeral: Option<From<'t>>,
}

/// Where a mark comes from.
#[derive(Debug, Clone, Copy)]
pub(in crate::graph::evaluation) enum From<'t> {
    /// A variable that is declared with it.
    Variable(&'t Variable),
    /// The expression, which says so or refers to something that always is.
    Expression,
}

/// What a value is marked with.
#[derive(Debug, Clone, Default)]
pub(in crate::graph::evaluation) struct Marked<'t> {
    /// The value itself.
    pub(in crate::graph::evaluation) whole: Marks<'t>,
    pub(super) parts: Parts<'t>,
    /// Whether the value is known, though what is in it may not be.
    pub(super) known: bool,
    /// What it is, where that is sure.
    pub(super) shape: Option<Shape>,
}

/// What has parts that expressions go through one by one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A tuple of so many elements.
    Tuple(usize),
    Object,
}

/// What the parts of a value are marked with.
#[derive(Debug, Clone, Default)]
pub(super) enum Parts<'t> {
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

/// Of what is ephemeral by itself.
pub(super) const EPHEMERAL: Marks<'static> = Marks { sensitive: None, ephemeral: Some(From::Expression) };

impl<'t> Marks<'t> {
    pub(super) fn and(self, other: Self) -> Self {
        Self { sensitive: self.sensitive.or(other.sensitive), ephemeral: self.ephemeral.or(other.ephemeral) }
    }

    pub(super) fn all(marks: impl IntoIterator<Item = Self>) -> Self {
        marks.into_iter().fold(Self::default(), Self::and)
    }

    pub(super) fn any(self) -> bool {
        self.sensitive.is_some() || self.ephemeral.is_some()
    }

    /// Those that a variable is declared with.
    pub(super) fn of(variable: &'t Variable) -> Self {
        let mark = |flag: Option<&Spanned<bool>>| {
            flag.is_some_and(|flag| flag.value).then_some(From::Variable(variable))
        };
        Self { sensitive: mark(variable.sensitive.as_ref()), ephemeral: mark(variable.ephemeral.as_ref()) }
    }
}

impl<'t> Marked<'t> {
    pub(super) fn whole(whole: Marks<'t>) -> Self {
        Self { whole, ..Self::default() }
    }

    pub(super) fn known() -> Self {
        Self { known: true, ..Self::default() }
    }

    /// A value made of parts, of which those without a mark are left out.
    pub(super) fn made_of(parts: impl Iterator<Item = (SmolStr, Self)>) -> Self {
        let parts: BTreeMap<SmolStr, Self> = parts.filter(|(_, part)| part.deep().any()).collect();
        let parts = if parts.is_empty() { Parts::None } else { Parts::Each(parts) };
        Self { parts, ..Self::known() }
    }

    pub(super) fn is_tuple(&self) -> bool {
        self.known
            && matches!((&self.parts, self.shape), (Parts::Each(_) | Parts::None, Some(Shape::Tuple(_))))
    }

    /// Whether it is made of parts before our eyes, so that the marks of the whole are all told.
    pub(in crate::graph::evaluation) fn is_laid_out(&self) -> bool {
        self.known && self.shape.is_some()
    }

    /// The same, without telling its parts apart where there are too many of them.
    pub(in crate::graph::evaluation) fn bounded(self) -> Self {
        if self.size() > LARGEST { Self { parts: Parts::Some(self.deep()), ..self } } else { self }
    }

    fn size(&self) -> usize {
        match &self.parts {
            Parts::None | Parts::Some(_) => 1,
            Parts::Each(parts) => parts.values().map(Self::size).fold(1, usize::saturating_add),
        }
    }

    /// Of the value and of everything in it.
    pub(in crate::graph::evaluation) fn deep(&self) -> Marks<'t> {
        let parts = match &self.parts {
            Parts::None => Marks::default(),
            Parts::Each(parts) => Marks::all(parts.values().map(Self::deep)),
            Parts::Some(marks) => *marks,
        };
        self.whole.and(parts)
    }

    /// A part of it. What is got out of something marked is marked too.
    pub(super) fn part(&self, name: &str) -> Self {
        let part = match &self.parts {
            Parts::Each(parts) => parts.get(name).cloned().unwrap_or_default(),
            Parts::None | Parts::Some(_) => Self::default(),
        };
        Self { whole: part.whole.and(self.whole), ..part }
    }

    /// A part, with the marks of something else besides.
    pub(super) fn over(self, part: Self) -> Self {
        Self { whole: part.whole.and(self.whole), ..part }
    }

    pub(super) fn steps(self, steps: &[Step]) -> Self {
        steps.iter().fold(self, |value, step| match &step.kind {
            StepKind::Attribute(name) | StepKind::Key(name) => value.part(name),
            StepKind::Number(digits) => value.part(digits),
            StepKind::Word(_) => Self { whole: value.whole, ..Self::default() },
        })
    }
}
