//! Follows marks through what goes from element to element: `for` expressions, splats, and tuples put together.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::{Marked, Marking, Marks, Parts, Shape};
use crate::syntax::{Expr, For};

impl<'t> Marking<'t, '_> {
    /// What a `for` expression gives. Of what is not known, only the marks of the whole are left.
    pub(super) fn for_each(&self, each: &For) -> Marked<'t> {
        if self.is_of_any_type(&each.collection) {
            return Marked::default();
        }
        let collection = self.of(&each.collection);
        let whole = collection.whole;
        let Some(elements) = self.elements(&collection) else { return Marked::whole(whole) };
        let mut result = Marked { whole, known: true, ..Marked::default() };
        let mut parts = BTreeMap::new();
        for (name, element) in elements {
            let mut bound = self.bound.clone();
            bound.extend(each.key_name.clone().map(|key| (key, Marked::known())));
            bound.push((each.value_name.clone(), element));
            let inner = self.inside(bound, self.element.clone());
            if let Some(key) = &each.key {
                let key = inner.of(key);
                result.whole = result.whole.and(key.whole);
                result.known &= key.known;
            }
            if let Some(condition) = &each.condition {
                result.whole = result.whole.and(inner.of(condition).whole);
                result.known = false;
            }
            parts.insert(name, inner.of(&each.value));
        }
        if !result.known {
            return Marked::whole(result.whole);
        }
        let keeps_names = match (&each.key, collection.shape) {
            (None, Some(Shape::Tuple(_))) => true,
            (Some(key), Some(Shape::Object)) => each.key_name == key.keyword() && !each.grouped,
            _ => false,
        };
        if keeps_names {
            return Marked { whole, shape: collection.shape, ..Marked::made_of(parts.into_iter()) };
        }
        result.parts = Parts::Some(Marks::all(parts.values().map(Marked::deep)));
        result
    }

    /// What a splat gives of what is surely a tuple.
    pub(super) fn splat(&self, source: &Expr, each: &Expr) -> Marked<'t> {
        let source = self.of(source);
        let elements = self.elements(&source).filter(|_| matches!(source.shape, Some(Shape::Tuple(_))));
        let Some(elements) = elements else { return Marked::whole(source.whole) };
        let parts = elements.into_iter().map(|(name, element)| {
            let inner = self.inside(self.bound.clone(), Some(element));
            (name, inner.of(each))
        });
        Marked { whole: source.whole, shape: source.shape, ..Marked::made_of(parts) }
    }

    /// The elements of a known value one by one, of those without a mark at most one; none where it may have no
    /// element, or too many.
    fn elements(&self, value: &Marked<'t>) -> Option<Vec<(SmolStr, Marked<'t>)>> {
        let none = BTreeMap::new();
        let (marked, length) = match (&value.parts, value.shape?) {
            (Parts::Each(parts), Shape::Tuple(length)) => (parts, length),
            (Parts::Each(parts), Shape::Object) => (parts, 0),
            (Parts::None, Shape::Tuple(length)) if length > 0 => (&none, length),
            (Parts::None | Parts::Some(_), _) => return None,
        };
        self.patience.set(self.patience.get().checked_sub(marked.len() + 1)?);
        let mut elements: Vec<_> =
            marked.iter().map(|(name, element)| (name.clone(), element.clone())).collect();
        // All others are alike.
        let other = (0..length).map(number).find(|name| !marked.contains_key(name));
        elements.extend(other.map(|name| (name, Marked::default())));
        Some(elements)
    }

    /// The same questions, asked where more names mean something.
    fn inside(&self, bound: Vec<(SmolStr, Marked<'t>)>, element: Option<Marked<'t>>) -> Self {
        let Self { module, locals, truth, patience, .. } = *self;
        Self { module, locals, truth, patience, bound, element }
    }
}

/// Tuples, one behind the other.
pub(super) fn concatenated(tuples: Vec<Marked<'_>>) -> Marked<'_> {
    let whole = Marks::all(tuples.iter().map(|tuple| tuple.whole));
    let mut all = Vec::new();
    let mut start: usize = 0;
    for tuple in tuples {
        if let Parts::Each(parts) = tuple.parts {
            let moved = parts.into_iter().filter_map(|(name, part)| {
                let place: usize = name.parse().ok()?;
                Some((number(start.saturating_add(place)), part))
            });
            all.extend(moved);
        }
        if let Some(Shape::Tuple(length)) = tuple.shape {
            start = start.saturating_add(length);
        }
    }
    Marked { whole, shape: Some(Shape::Tuple(start)), ..Marked::made_of(all.into_iter()) }
}

/// The name of a place in a tuple.
pub(super) fn number(place: usize) -> SmolStr {
    SmolStr::new(place.to_string())
}
