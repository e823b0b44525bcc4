//! `[for a in b : c]`, `{for a in b : c => d}` and `a[*].b`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use smol_str::SmolStr;

use crate::finding::EngineRule;
use crate::syntax::{Expr, For};
use crate::text::Span;
use crate::value::convert::{convert, gather};
use crate::value::{Number, Type, Value};

use super::{Evaluator, Frame, Inside, Names};

/// Names of the key and of the value.
type ForNames<'n> = (Option<&'n str>, &'n str);

impl Evaluator<'_> {
    pub(super) fn for_each(&mut self, each: &For, inside: Inside<'_>) -> Value {
        let names = (each.key_name.as_deref(), each.value_name.as_str());
        let Some(elements) = self.collection(&each.collection, names, each.condition.as_ref(), inside) else {
            return Value::UNKNOWN;
        };
        if let Some(key) = &each.key {
            return self.for_object(each, key, names, elements, inside);
        }
        let mut values = Vec::new();
        let mut known = true;
        for (key, value) in elements {
            let frame = frame(names, key, value, inside);
            match self.included(each.condition.as_ref(), &frame, false, known) {
                Some(true) => values.push(self.value(&each.value, Some(&frame))),
                Some(false) => {}
                None => known = false,
            }
        }
        if known { Value::Tuple(values) } else { Value::UNKNOWN }
    }

    /// The same for the directive of a template; `None` where nothing is known of how often it is gone through.
    pub(super) fn for_each_rendered(
        &mut self,
        names: ForNames<'_>,
        collection: &Expr,
        inside: Inside<'_>,
        mut body: impl FnMut(&mut Self, Inside<'_>) -> Value,
    ) -> Option<Vec<Value>> {
        let elements = self.collection(collection, names, None, inside)?;
        let each = elements.into_iter().map(|(key, value)| {
            let frame = frame(names, key, value, inside);
            body(self, Some(&frame))
        });
        Some(each.collect())
    }

    fn for_object(
        &mut self,
        each: &For,
        key_expr: &Expr,
        names: ForNames<'_>,
        elements: Vec<(Value, Value)>,
        inside: Inside<'_>,
    ) -> Value {
        let mut values: BTreeMap<SmolStr, Value> = BTreeMap::new();
        let mut groups: BTreeMap<SmolStr, Vec<Value>> = BTreeMap::new();
        let mut known = true;
        for (key, value) in elements {
            let frame = frame(names, key, value, inside);
            match self.included(each.condition.as_ref(), &frame, true, known) {
                Some(true) => {}
                Some(false) => continue,
                None => {
                    known = false;
                    continue;
                }
            }
            let key = self.value(key_expr, Some(&frame));
            if !key.is_known() {
                known = false;
                continue;
            }
            let converted = convert(&key, &Type::String);
            let name = match converted {
                Ok(Value::String(name)) => name,
                Ok(Value::Null(_)) => {
                    self.invalid_key(known, "A key must not be null.".to_owned(), key_expr.span);
                    known = false;
                    continue;
                }
                Ok(_) => {
                    known = false;
                    continue;
                }
                Err(_) if key.is_null() => {
                    self.invalid_key(known, "A key must not be null.".to_owned(), key_expr.span);
                    known = false;
                    continue;
                }
                Err(mismatch) => {
                    self.invalid_key(known, format!("This cannot be a key: {mismatch}."), key_expr.span);
                    known = false;
                    continue;
                }
            };
            let value = self.value(&each.value, Some(&frame));
            if each.grouped {
                groups.entry(name).or_default().push(value);
                continue;
            }
            match values.entry(name) {
                Entry::Vacant(free) => {
                    free.insert(value);
                }
                Entry::Occupied(taken) => {
                    let detail = format!(
                        "Two elements give the key {:?}. An ellipsis (...) behind the value collects all values of \
                         one key.",
                        taken.key()
                    );
                    self.error(EngineRule::InvalidValue, "Duplicate object key", detail, key_expr.span);
                }
            }
        }
        if !known {
            Value::UNKNOWN
        } else if each.grouped {
            Value::Object(groups.into_iter().map(|(key, group)| (key, Value::Tuple(group))).collect())
        } else {
            Value::Object(values)
        }
    }

    /// The elements that are gone through, each with its key; `None` where they are not known, or after an error.
    fn collection(
        &mut self,
        expr: &Expr,
        names: ForNames<'_>,
        condition: Option<&Expr>,
        inside: Inside<'_>,
    ) -> Option<Vec<(Value, Value)>> {
        let value = self.value(expr, inside);
        if value.is_null() {
            let detail = "There is nothing to go through: this is null.";
            self.error(EngineRule::InvalidValue, "Iteration over null value", detail, expr.span);
            return None;
        }
        match value.ty() {
            Type::Any => return None,
            ty @ (Type::Bool | Type::Number | Type::String) => {
                let detail = format!("There is nothing to go through: this is a {}.", ty.name());
                self.error(EngineRule::InvalidValue, "Iteration over non-iterable value", detail, expr.span);
                return None;
            }
            Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Tuple(_) | Type::Object(_) => {}
        }
        if let Some(condition) = condition {
            self.plausible(condition, names, inside)?;
        }
        elements(value)
    }

    /// Whether a condition can be one at all, before it is asked for each element; `None` after an error.
    fn plausible(&mut self, condition: &Expr, names: ForNames<'_>, inside: Inside<'_>) -> Option<()> {
        let before = self.findings.len();
        let frame = frame(names, Value::UNKNOWN, Value::UNKNOWN, inside);
        let value = self.value(condition, Some(&frame));
        if value.is_null() {
            let detail = "A condition is true or false, and this is null.";
            self.error(EngineRule::InvalidValue, "Condition is null", detail, condition.span);
        } else if let Err(mismatch) = convert(&value, &Type::Bool) {
            self.invalid_condition(
                true,
                format!("A condition is true or false: {mismatch}."),
                condition.span,
            );
        }
        (!self.failed_since(before)).then_some(())
    }

    /// Whether an element passes; `None` where that is not known, or after an error. An error is told only once.
    fn included(
        &mut self,
        condition: Option<&Expr>,
        frame: &Frame<'_>,
        object: bool,
        tell: bool,
    ) -> Option<bool> {
        let Some(condition) = condition else { return Some(true) };
        let value = self.value(condition, Some(frame));
        if value.is_null() {
            let why = "A condition is true or false, and this is null.".to_owned();
            self.invalid_condition(tell, why, condition.span);
            return None;
        }
        match convert(&value, &Type::Bool) {
            Ok(value) => value.as_bool(),
            // Of an unknown value only what makes an object says that it is no condition.
            Err(_) if !value.is_known() && !object => None,
            Err(mismatch) => {
                self.invalid_condition(
                    tell,
                    format!("A condition is true or false: {mismatch}."),
                    condition.span,
                );
                None
            }
        }
    }

    fn invalid_condition(&mut self, tell: bool, detail: String, at: Span) {
        if tell {
            self.error(EngineRule::InvalidValue, "Invalid 'for' condition", detail, at);
        }
    }

    fn invalid_key(&mut self, tell: bool, detail: String, at: Span) {
        if tell {
            self.error(EngineRule::InvalidValue, "Invalid object key", detail, at);
        }
    }

    pub(super) fn splat(&mut self, source: &Expr, each: &Expr, inside: Inside<'_>) -> Value {
        let before = self.findings.len();
        let value = self.value(source, inside);
        if self.failed_since(before) {
            return Value::UNKNOWN;
        }
        // What is no sequence is taken for one of a single element, and a null for an empty one.
        let ty = value.ty();
        let sequence = matches!(ty, Type::Tuple(_) | Type::List(_) | Type::Set(_));
        match (&value, sequence) {
            (Value::Null(_), false) => return Value::Tuple(Vec::new()),
            (Value::Null(_), true) => {
                let detail = "There is nothing to go through: this is null.";
                self.error(EngineRule::InvalidValue, "Splat of null value", detail, source.span);
                return Value::UNKNOWN;
            }
            (_, false) if ty == Type::Any => return Value::UNKNOWN,
            (_, false) => {
                // Whether an unknown value is null, and so how many elements there are, is not known.
                let open = !value.is_known();
                let before = self.findings.len();
                let result = self.each(each, value, inside);
                return match (open, self.failed_since(before)) {
                    (true, _) => Value::UNKNOWN,
                    (false, true) => Value::Unknown(Type::tuple([result.ty()])),
                    (false, false) => Value::Tuple(vec![result]),
                };
            }
            (_, true) => {}
        }
        let elements = match value {
            Value::Unknown(_) => return Value::Unknown(self.splat_type(&ty, each, inside, true)),
            Value::List(_, elements) | Value::Set(_, elements) if elements.is_empty() => {
                let result = self.splat_type(&ty, each, inside, true);
                let element = result.element().cloned().unwrap_or(Type::Any);
                return Value::List(element, elements);
            }
            Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => elements,
            _ => return Value::UNKNOWN,
        };
        let before = self.findings.len();
        let results: Vec<Value> =
            elements.into_iter().map(|element| self.each(each, element, inside)).collect();
        if self.failed_since(before) {
            return Value::Unknown(self.splat_type(&ty, each, inside, false));
        }
        match ty {
            Type::Tuple(_) => Value::Tuple(results),
            _ => gather(results).map_or(Value::UNKNOWN, |(element, elements)| Value::List(element, elements)),
        }
    }

    fn each(&mut self, each: &Expr, element: Value, inside: Inside<'_>) -> Value {
        self.value(each, Some(&Frame { outer: inside, names: Names::Element(element) }))
    }

    /// The type of what a splat gives for a sequence of type `ty`.
    fn splat_type(&mut self, ty: &Type, each: &Expr, inside: Inside<'_>, tell: bool) -> Type {
        let before = self.findings.len();
        let result = if let Type::Tuple(elements) = ty {
            Type::tuple(elements.iter().map(|ty| self.each(each, Value::Unknown(ty.clone()), inside).ty()))
        } else {
            let element = ty.element().cloned().unwrap_or(Type::Any);
            Type::list(self.each(each, Value::Unknown(element), inside).ty())
        };
        if !tell {
            self.findings.truncate(before);
        }
        result
    }
}

fn frame<'f>(names: ForNames<'f>, key: Value, value: Value, outer: Inside<'f>) -> Frame<'f> {
    Frame { outer, names: Names::Variables { key: names.0.map(|name| (name, key)), value: (names.1, value) } }
}

/// What is in a known collection, each with its key.
fn elements(value: Value) -> Option<Vec<(Value, Value)>> {
    match value {
        Value::List(_, elements) | Value::Tuple(elements) => Some(
            elements
                .into_iter()
                .enumerate()
                .map(|(i, value)| (Value::Number(Number::from(i)), value))
                .collect(),
        ),
        Value::Set(_, elements) => Some(elements.into_iter().map(|value| (value.clone(), value)).collect()),
        Value::Map(_, elements) | Value::Object(elements) => {
            Some(elements.into_iter().map(|(key, value)| (Value::String(key), value)).collect())
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Null(_) | Value::Unknown(_) => None,
    }
}
