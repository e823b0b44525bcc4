//! Iteration: `[for a in b : c]`, `{for a in b : c => d}` and `a[*].b`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use smol_str::SmolStr;

use crate::finding::EngineRule;
use crate::syntax::{Expr, For};
use crate::text::Span;
use crate::value::convert::{convert, gather};
use crate::value::{Marks, Number, Type, Value};

use super::kept_calls::KeptCalls;
use super::{Evaluator, Frame, Inside, Names};

/// The names of the key and the value variable.
type ForNames<'n> = (Option<&'n str>, &'n str);

impl Evaluator<'_> {
    pub(super) fn for_each(&mut self, each: &For, inside: Inside<'_>) -> Value {
        let names = (each.key_name.as_deref(), each.value_name.as_str());
        let collection = self.read(&each.collection, inside);
        let condition = each.condition.as_ref();
        let elements = match self.elements(&collection, &each.collection, names, condition, inside) {
            Ok(elements) => elements,
            Err(result) => return result,
        };
        let mut result = ForResult { marks: elements.marks, known: true };
        let value = match &each.key {
            Some(key) => self.for_object(each, key, names, &elements, inside, &mut result),
            None => self.for_tuple(each, names, &elements, inside, &mut result),
        };
        if result.known { value } else { Value::UNKNOWN }.mark(result.marks)
    }

    fn for_tuple(
        &mut self,
        each: &For,
        names: ForNames<'_>,
        elements: &Elements<'_>,
        inside: Inside<'_>,
        result: &mut ForResult,
    ) -> Value {
        let mut values = Vec::new();
        for (key, value) in &elements.each {
            let frame = frame(names, key, value, &elements.kept, inside);
            if self.included(each.condition.as_ref(), &frame, false, result) {
                values.push(self.value(&each.value, Some(&frame)));
            }
        }
        Value::Tuple(elements.collection.arranged(values))
    }

    /// The results of a `for` directive in a template, one per element.
    pub(super) fn for_each_rendered(
        &mut self,
        names: ForNames<'_>,
        collection: &Expr,
        inside: Inside<'_>,
        mut body: impl FnMut(&mut Self, Inside<'_>) -> Value,
    ) -> Value {
        let unknown = Value::Unknown(Type::String);
        let value = self.read(collection, inside);
        let Ok(elements) = self.elements(&value, collection, names, None, inside) else { return unknown };
        let marks = elements.marks;
        let each = elements.each.iter().map(|(key, value)| {
            let frame = frame(names, key, value, &elements.kept, inside);
            body(self, Some(&frame))
        });
        // All iterations are evaluated, to report their errors.
        let parts: Vec<Value> = elements.collection.arranged(each.collect());
        let (mut text, mut all_marks) = (String::new(), marks);
        for part in &parts {
            let Some(part_text) = part.as_str() else { return unknown.mark(marks) };
            text.push_str(part_text);
            all_marks = all_marks.and(part.unmarked().1);
        }
        Value::string(text).mark(all_marks)
    }

    fn for_object(
        &mut self,
        each: &For,
        key_expr: &Expr,
        names: ForNames<'_>,
        elements: &Elements<'_>,
        inside: Inside<'_>,
        result: &mut ForResult,
    ) -> Value {
        let mut values: BTreeMap<SmolStr, Value> = BTreeMap::new();
        let mut groups: BTreeMap<SmolStr, Vec<Value>> = BTreeMap::new();
        for (key, value) in &elements.each {
            let frame = frame(names, key, value, &elements.kept, inside);
            if !self.included(each.condition.as_ref(), &frame, true, result) {
                continue;
            }
            let key = self.value(key_expr, Some(&frame));
            let Some(name) = self.key_of_element(&key, key_expr.span, result) else {
                result.known = false;
                continue;
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
                        "Two elements have the key {:?}. An ellipsis (`...`) after the value groups the values of \
                         each key.",
                        taken.key()
                    );
                    self.error(EngineRule::InvalidValue, "Duplicate object key", detail, key_expr.span);
                }
            }
        }
        let groups =
            groups.into_iter().map(|(key, group)| (key, Value::Tuple(elements.collection.arranged(group))));
        values.extend(groups);
        Value::Object(values)
    }

    /// The attribute name for a key. Returns `None` if it is unknown, or after an error. Only the first error is
    /// reported.
    fn key_of_element(&mut self, key: &Value, at: Span, result: &mut ForResult) -> Option<SmolStr> {
        let (key, marks) = key.unmarked();
        let why = match convert(key, &Type::String) {
            _ if key.is_null() => "A key must not be null.".to_owned(),
            converted => {
                result.marks = result.marks.and(marks);
                match converted {
                    Ok(Value::String(name)) => return Some(name),
                    Err(mismatch) if key.is_known() => format!("This is not a valid key: {mismatch}."),
                    Ok(_) | Err(_) => return None,
                }
            }
        };
        if result.known {
            self.error(EngineRule::InvalidValue, "Invalid object key", why, at);
        }
        None
    }

    /// The elements of a collection. If they are unknown, or after an error, the result of the whole expression.
    fn elements<'c>(
        &mut self,
        collection: &'c Value,
        expr: &Expr,
        names: ForNames<'_>,
        condition: Option<&Expr>,
        inside: Inside<'_>,
    ) -> Result<Elements<'c>, Value> {
        let (value, marks) = collection.unmarked();
        if value.is_null() {
            let detail = "Null cannot be iterated over.";
            self.error(EngineRule::InvalidValue, "Iteration over null value", detail, expr.span);
            return Err(Value::UNKNOWN);
        }
        let kind = match value {
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(value.ty()),
            Value::Unknown(ty) => Some(ty.clone()),
            _ => None,
        };
        match kind {
            Some(Type::Any) => return Err(Value::UNKNOWN),
            Some(ty @ (Type::Bool | Type::Number | Type::String)) => {
                let detail = format!("A {} cannot be iterated over.", ty.name());
                self.error(EngineRule::InvalidValue, "Iteration over non-iterable value", detail, expr.span);
                return Err(Value::UNKNOWN);
            }
            Some(Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Tuple(_) | Type::Object(_)) | None => {}
        }
        let of_condition = match condition {
            Some(condition) => self.plausible(condition, names, inside).ok_or(Value::UNKNOWN)?,
            None => Marks::NONE,
        };
        let each = elements(value).ok_or_else(|| Value::UNKNOWN.mark(marks.and(of_condition)))?;
        Ok(Elements { collection: value, each, marks, kept: KeptCalls::default() })
    }

    /// Checks a condition before it is evaluated for each element, and returns its marks. Returns `None` after an
    /// error.
    fn plausible(&mut self, condition: &Expr, names: ForNames<'_>, inside: Inside<'_>) -> Option<Marks> {
        let before = self.findings.len();
        let kept = KeptCalls::default();
        let frame = frame(names, &Value::UNKNOWN, &Value::UNKNOWN, &kept, inside);
        let value = self.value(condition, Some(&frame));
        if value.is_null() {
            let detail = "A condition must be true or false, not null.";
            self.error(EngineRule::InvalidValue, "Condition is null", detail, condition.span);
        } else if let Err(mismatch) = convert(&value, &Type::Bool) {
            self.invalid_condition(
                true,
                format!("A condition must be true or false: {mismatch}."),
                condition.span,
            );
        }
        (!self.failed_since(before)).then(|| value.unmarked().1)
    }

    /// Whether an element certainly passes the condition. Only the first error is reported.
    fn included(
        &mut self,
        condition: Option<&Expr>,
        frame: &Frame<'_>,
        object: bool,
        result: &mut ForResult,
    ) -> bool {
        let Some(condition) = condition else { return true };
        let mut value = self.value(condition, Some(frame));
        let marks = value.take_marks();
        let why = match convert(&value, &Type::Bool) {
            _ if value.is_null() => "A condition must be true or false, not null.".to_owned(),
            converted => {
                result.marks = result.marks.and(marks);
                match converted {
                    Ok(value) => {
                        result.known &= value.is_known();
                        return value.as_bool() == Some(true);
                    }
                    // For an unknown value, only an object expression reports that it is not a condition.
                    Err(_) if !value.is_known() && !object => {
                        result.known = false;
                        return false;
                    }
                    Err(mismatch) => format!("A condition must be true or false: {mismatch}."),
                }
            }
        };
        self.invalid_condition(result.known, why, condition.span);
        result.known = false;
        false
    }

    fn invalid_condition(&mut self, reports: bool, detail: String, at: Span) {
        if reports {
            self.error(EngineRule::InvalidValue, "Invalid 'for' condition", detail, at);
        }
    }

    pub(super) fn splat(&mut self, source: &Expr, each: &Expr, inside: Inside<'_>) -> Value {
        let before = self.findings.len();
        let value = self.read(source, inside);
        if self.failed_since(before) {
            return Value::UNKNOWN;
        }
        let (unmarked, marks) = value.unmarked();
        self.splat_of(&value, unmarked, source, each, inside).mark(marks)
    }

    fn splat_of(
        &mut self,
        marked: &Value,
        value: &Value,
        source: &Expr,
        each: &Expr,
        inside: Inside<'_>,
    ) -> Value {
        // A value that is not a sequence becomes a tuple of one element, and a null an empty tuple.
        let elements = match value {
            Value::Null(Type::Tuple(_) | Type::List(_) | Type::Set(_)) => {
                let detail = "Null cannot be iterated over.";
                return self.error(EngineRule::InvalidValue, "Splat of null value", detail, source.span);
            }
            Value::Null(_) => return Value::Tuple(Vec::new()),
            Value::Unknown(ty @ (Type::Tuple(_) | Type::List(_) | Type::Set(_))) => {
                return Value::Unknown(self.splat_type(ty, each, inside, true));
            }
            Value::Unknown(Type::Any) => return Value::UNKNOWN,
            // An unknown value may be null, so the number of elements is unknown.
            Value::Unknown(_) => {
                self.each(each, marked, inside);
                return Value::UNKNOWN;
            }
            Value::List(element, elements) | Value::Set(element, elements) if elements.is_empty() => {
                let result = self.splat_type(&Type::list(element.clone()), each, inside, true);
                return Value::List(result.element().cloned().unwrap_or(Type::Any), Vec::new());
            }
            Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => elements,
            _ => {
                let before = self.findings.len();
                let result = self.each(each, marked, inside);
                return if self.failed_since(before) {
                    Value::Unknown(Type::tuple([result.ty()]))
                } else {
                    Value::Tuple(vec![result])
                };
            }
        };
        let before = self.findings.len();
        let results: Vec<Value> = elements.iter().map(|element| self.each(each, element, inside)).collect();
        if self.failed_since(before) {
            return Value::Unknown(self.splat_type(&value.ty(), each, inside, false));
        }
        let results = value.arranged(results);
        match value {
            Value::Tuple(_) => Value::Tuple(results),
            _ => gather(results).map_or(Value::UNKNOWN, |(element, elements)| Value::List(element, elements)),
        }
    }

    fn each(&mut self, each: &Expr, element: &Value, inside: Inside<'_>) -> Value {
        self.value(each, Some(&Frame { outer: inside, names: Names::Element(element) }))
    }

    /// The type of the result of a splat on a sequence of type `ty`.
    fn splat_type(&mut self, ty: &Type, each: &Expr, inside: Inside<'_>, reports: bool) -> Type {
        let before = self.findings.len();
        let result = if let Type::Tuple(elements) = ty {
            Type::tuple(elements.iter().map(|ty| self.each(each, &Value::Unknown(ty.clone()), inside).ty()))
        } else {
            let element = ty.element().cloned().unwrap_or(Type::Any);
            Type::list(self.each(each, &Value::Unknown(element), inside).ty())
        };
        if !reports {
            self.findings.truncate(before);
        }
        result
    }
}

fn frame<'f>(
    names: ForNames<'f>,
    key: &'f Value,
    value: &'f Value,
    kept: &'f KeptCalls,
    outer: Inside<'f>,
) -> Frame<'f> {
    let key = names.0.map(|name| (name, key));
    Frame { outer, names: Names::Variables { key, value: (names.1, value), kept } }
}

/// The elements of a collection with their keys, the marks of the collection, and what is the same for each of them.
struct Elements<'c> {
    collection: &'c Value,
    each: Vec<(Cow<'c, Value>, &'c Value)>,
    marks: Marks,
    kept: KeptCalls,
}

/// The result of a `for` expression so far.
struct ForResult {
    marks: Marks,
    known: bool,
}

/// The elements of a known collection, each with its key. The elements of a set are their own keys.
pub fn elements(value: &Value) -> Option<Vec<(Cow<'_, Value>, &Value)>> {
    Some(match value {
        Value::List(_, elements) | Value::Tuple(elements) => {
            let key = |place| Cow::Owned(Value::Number(Number::from(place)));
            elements.iter().enumerate().map(|(place, value)| (key(place), value)).collect()
        }
        Value::Set(_, elements) => elements.iter().map(|value| (Cow::Borrowed(value), value)).collect(),
        Value::Map(_, elements) | Value::Object(elements) => {
            elements.iter().map(|(key, value)| (Cow::Owned(Value::String(key.clone())), value)).collect()
        }
        _ => return None,
    })
}
