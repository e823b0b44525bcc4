//! Evaluates expressions in `dynamic` blocks for each element of the collections.

use std::collections::BTreeSet;
use std::rc::Rc;

use smol_str::SmolStr;

use super::Evaluation;
use super::scope::ModuleScope;
use crate::finding::Finding;
use crate::graph::references::sites::Symbols;
use crate::syntax::{Expr, Iteration};
use crate::text::Span;
use crate::value::{Value, elements, evaluate};

/// More elements of nested `dynamic` blocks together than this are not distinguished.
const MOST_ELEMENTS: usize = 64;

/// The iterators of the `dynamic` blocks around an expression, outermost first, each with its value for one element.
type Iterators = Vec<(SmolStr, Rc<Value>)>;

/// A `dynamic` block around the last expression, in those around it.
pub(super) struct Level {
    name: SmolStr,
    collection: Option<Span>,
    /// The iterators up to this one, for all elements of the collections.
    each: Rc<[Iterators]>,
}

/// Whether an expression refers to an iterator.
pub(super) fn refers_to(expr: &Expr, iterators: &[SmolStr]) -> bool {
    let mut refers = false;
    if !iterators.is_empty() {
        expr.for_each_variable(|reference| refers |= iterators.contains(&reference.root));
    }
    refers
}

impl Evaluation<'_, '_> {
    /// The values of an expression for all elements of the collections around it, and the findings, each once.
    pub(super) fn for_each_element(
        &mut self,
        expr: &Expr,
        around: Iteration<'_>,
        symbols: Symbols,
    ) -> (Vec<Value>, Vec<Finding>) {
        self.enter(around, symbols);
        let each = self.levels.last().map(|level| level.each.clone()).unwrap_or_default();
        let mut found = Vec::new();
        let value = |iterators: &Iterators| {
            evaluate(expr, &ModuleScope { iterators, ..self.scope(symbols) }, &mut found)
        };
        let values = each.iter().map(value).collect();
        let mut seen = BTreeSet::new();
        found.retain(|finding| seen.insert(finding.place_and_summary()));
        (values, found)
    }

    /// Computes the iterators around an expression, apart from those that the last expression had too.
    fn enter(&mut self, around: Iteration<'_>, symbols: Symbols) {
        let blocks = || around.names.iter().zip(around.collections.iter().copied());
        let is_same = |(level, (name, collection)): &(&Level, (&SmolStr, Option<&Expr>))| {
            level.name == **name && level.collection == collection.map(|collection| collection.span)
        };
        let same = self.levels.iter().zip(blocks()).take_while(is_same).count();
        self.levels.truncate(same);
        for (name, collection) in blocks().skip(same) {
            let outer = self.levels.last().map_or_else(|| Rc::from([Vec::new()]), |level| level.each.clone());
            let of_outer: Vec<_> =
                outer.iter().map(|iterators| self.objects(collection, iterators, symbols)).collect();
            let number: usize = of_outer.iter().map(|objects| objects.as_ref().map_or(1, Vec::len)).sum();
            let is_small = number <= MOST_ELEMENTS;
            let mut each = Vec::new();
            for (iterators, objects) in outer.iter().zip(of_outer) {
                let unknown = || vec![iterator(Value::UNKNOWN, Value::UNKNOWN)];
                for object in objects.filter(|_| is_small).unwrap_or_else(unknown) {
                    let mut iterators = iterators.clone();
                    iterators.push((name.clone(), Rc::new(object)));
                    each.push(iterators);
                }
            }
            let collection = collection.map(|collection| collection.span);
            self.levels.push(Level { name: name.clone(), collection, each: each.into() });
        }
    }

    /// The values of an iterator for the elements of a collection, if they are known and not very many.
    fn objects(
        &self,
        collection: Option<&Expr>,
        iterators: &Iterators,
        symbols: Symbols,
    ) -> Option<Vec<Value>> {
        let scope = ModuleScope { iterators, ..self.scope(symbols) };
        let value = evaluate(collection?, &scope, &mut Vec::new());
        let elements = elements(&value).filter(|elements| elements.len() <= MOST_ELEMENTS)?;
        Some(elements.into_iter().map(|(key, value)| iterator(key.into_owned(), value.clone())).collect())
    }
}

/// The value of an iterator.
fn iterator(key: Value, value: Value) -> Value {
    let parts = [("key", key), ("value", value)];
    Value::Object(parts.map(|(name, part)| (SmolStr::new_static(name), part)).into())
}
