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

/// The iterators of the `dynamic` blocks around an expression, with their values for one element of each.
type Iterators = Vec<(SmolStr, Value)>;

/// The values of iterators for all elements of these collections.
pub(super) type Elements = (Vec<Option<Span>>, Rc<[Iterators]>);

/// Whether an expression refers to an iterator.
pub(super) fn refers_to(expr: &Expr, iterators: &[SmolStr]) -> bool {
    let mut refers = false;
    if !iterators.is_empty() {
        expr.for_each_variable(|reference| refers |= iterators.contains(&reference.root));
    }
    refers
}

impl Evaluation<'_, '_> {
    /// The value of an expression for the last element of the collections around it, and the findings for all elements,
    /// each once.
    pub(super) fn for_each_element(
        &mut self,
        expr: &Expr,
        around: Iteration<'_>,
        symbols: Symbols,
    ) -> (Value, Vec<Finding>) {
        let all = self.iterators(around, symbols);
        let (mut value, mut found) = (Value::UNKNOWN, Vec::new());
        for iterators in all.iter() {
            value = evaluate(expr, &ModuleScope { iterators, ..self.scope(symbols) }, &mut found);
        }
        let mut seen = BTreeSet::new();
        found.retain(|finding| seen.insert(finding.place_and_summary()));
        (value, found)
    }

    /// The values of the iterators for each element of the collections, or unknown ones.
    fn iterators(&mut self, around: Iteration<'_>, symbols: Symbols) -> Rc<[Iterators]> {
        let places: Vec<_> = around.collections.iter().map(|it| it.map(|it| it.span)).collect();
        if let Some((known, all)) = &self.elements
            && *known == places
        {
            return all.clone();
        }
        let mut all: Vec<Iterators> = vec![Vec::new()];
        for (name, collection) in around.names.iter().zip(around.collections) {
            let mut next = Vec::new();
            for outer in &all {
                let scope = ModuleScope { iterators: outer, ..self.scope(symbols) };
                let value = collection.map(|collection| evaluate(collection, &scope, &mut Vec::new()));
                let elements = value.as_ref().and_then(elements);
                let elements = elements.filter(|elements| next.len() + elements.len() <= MOST_ELEMENTS);
                let objects = match elements {
                    Some(elements) => elements
                        .into_iter()
                        .map(|(key, value)| iterator(key.into_owned(), value.clone()))
                        .collect(),
                    None => vec![iterator(Value::UNKNOWN, Value::UNKNOWN)],
                };
                next.extend(objects.into_iter().map(|object| {
                    let mut iterators = outer.clone();
                    iterators.push((name.clone(), object));
                    iterators
                }));
            }
            all = next;
        }
        let all: Rc<[Iterators]> = all.into();
        self.elements = Some((places, all.clone()));
        all
    }
}

/// The value of an iterator.
fn iterator(key: Value, value: Value) -> Value {
    Value::Object(
        [("key", key), ("value", value)].map(|(name, part)| (SmolStr::new_static(name), part)).into(),
    )
}
