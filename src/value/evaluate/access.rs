//! Attribute access and indexes: `a.b` and `a[b]`.

use std::borrow::Cow;

use crate::finding::{Code, EngineRule, Finding};
use crate::text::Span;
use crate::value::convert::convert;
use crate::value::data::normal;
use crate::value::{Marks, Number, Type, Value};

use super::Evaluator;

impl Evaluator<'_> {
    pub(super) fn attribute<'v>(&mut self, from: &'v Value, name: &str, at: Span) -> Cow<'v, Value> {
        let (from, marks) = from.unmarked();
        let name = &*normal(name.into());
        let missing = || unsupported(format!("This object does not have an attribute named {name:?}."));
        let finding = match from {
            Value::Null(_) => {
                Finding::language(EngineRule::InvalidReference, "Attempt to get attribute from null value")
                    .detail("This is null, and has no attributes.")
            }
            Value::Object(attributes) => match attributes.get(name) {
                Some(value) => return self.marked(value, marks, at),
                None => missing(),
            },
            Value::Map(_, elements) => match elements.get(name) {
                Some(value) => return self.marked(value, marks, at),
                None => Finding::language(EngineRule::InvalidReference, "Missing map element")
                    .detail(format!("This map has no element with the key {name:?}.")),
            },
            Value::Unknown(Type::Any) => return Cow::Owned(Value::UNKNOWN.mark(marks)),
            Value::Unknown(Type::Map(element)) => {
                return Cow::Owned(Value::Unknown((**element).clone()).mark(marks));
            }
            Value::Unknown(Type::Object(attributes)) => match attributes.get(name) {
                Some(attribute) => return Cow::Owned(Value::Unknown(attribute.ty.clone()).mark(marks)),
                None => missing(),
            },
            // The name of its type does not depend on its elements.
            Value::Tuple(_) => unsupported(no_attributes(&Type::tuple([]))),
            _ => unsupported(no_attributes(&from.ty())),
        };
        self.report(finding.at(at));
        Cow::Owned(Value::UNKNOWN)
    }

    pub(super) fn index<'v>(&mut self, from: &'v Value, key: &Value, at: Span) -> Cow<'v, Value> {
        let ((from, marks), (key, key_marks)) = (from.unmarked(), key.unmarked());
        if from.is_null() {
            let (summary, detail) = ("Attempt to index null value", "This is null, and has no elements.");
            return Cow::Owned(self.error(EngineRule::InvalidReference, summary, detail, at));
        }
        if key.is_null() {
            return self.invalid_index("A key must not be null.", at);
        }
        if matches!(from, Value::Unknown(Type::Any)) || key.is(&Type::Any) {
            return Cow::Owned(Value::UNKNOWN.mark(marks));
        }
        let key = match key_of(from, key) {
            Ok(key) => key,
            Err(why) => return self.invalid_index(why, at),
        };
        // The marks of the key move to the element, except for the name of an attribute.
        let is_object = matches!(from, Value::Object(_) | Value::Unknown(Type::Object(_)));
        let both = if is_object { marks } else { marks.and(key_marks) };
        let no_key = |key: &str| {
            if is_object {
                format!("The value before this key is an object, and it has no attribute {key:?}.")
            } else {
                format!("No element has the key {key:?}.")
            }
        };
        let unknown = |ty: &Type| Cow::Owned(Value::Unknown(ty.clone()).mark(both));
        let found = match (from, &key) {
            (Value::List(_, elements) | Value::Tuple(elements), Value::Number(index)) => {
                let element = index.index().and_then(|index| elements.get(index));
                element
                    .map(|element| self.marked(element, both, at))
                    .ok_or_else(|| no_such_index(index, elements.len()))
            }
            (Value::Unknown(Type::Tuple(elements)), Value::Number(index)) => {
                let element = index.index().and_then(|index| elements.get(index));
                element.map(unknown).ok_or_else(|| no_such_index(index, elements.len()))
            }
            (Value::Map(_, elements) | Value::Object(elements), Value::String(key)) => {
                elements.get(key).map(|element| self.marked(element, both, at)).ok_or_else(|| no_key(key))
            }
            (Value::Unknown(Type::Object(attributes)), Value::String(key))
                if self.scope.is_some_and(|scope| scope.engine().indexes_unknown_objects()) =>
            {
                attributes.get(key).map(|attribute| unknown(&attribute.ty)).ok_or_else(|| no_key(key))
            }
            (Value::Tuple(_) | Value::Object(_), _) => return Cow::Owned(Value::UNKNOWN.mark(marks)),
            _ => {
                let ty = from.ty().element().cloned().unwrap_or(Type::Any);
                return Cow::Owned(Value::Unknown(ty).mark(marks));
            }
        };
        found.unwrap_or_else(|why| self.invalid_index(why, at))
    }

    /// An element with the marks of its collection. Marks need a copy, which counts as evaluation steps.
    fn marked<'v>(&mut self, element: &'v Value, marks: Marks, at: Span) -> Cow<'v, Value> {
        if marks == Marks::NONE {
            Cow::Borrowed(element)
        } else if self.may_hold(element, at) {
            Cow::Owned(element.clone().mark(marks))
        } else {
            Cow::Owned(Value::UNKNOWN)
        }
    }

    fn invalid_index(&mut self, detail: impl Into<String>, at: Span) -> Cow<'static, Value> {
        let finding = Finding::language(EngineRule::InvalidReference, "Invalid index");
        self.report(finding.code(Code::InvalidIndex).detail(detail).at(at));
        Cow::Owned(Value::UNKNOWN)
    }
}

fn unsupported(detail: String) -> Finding {
    Finding::language(EngineRule::InvalidReference, "Unsupported attribute")
        .code(Code::UnsupportedAttribute)
        .detail(detail)
}

/// The key converted to the type of the keys of a collection, or why it is not one of these.
fn key_of(collection: &Value, key: &Value) -> Result<Value, String> {
    let wanted = match collection {
        Value::List(..) | Value::Tuple(_) | Value::Unknown(Type::List(_) | Type::Tuple(_)) => Type::Number,
        Value::Map(..) | Value::Object(_) | Value::Unknown(Type::Map(_) | Type::Object(_)) => Type::String,
        Value::Set(..) | Value::Unknown(Type::Set(_)) => {
            return Err("Elements of a set have no keys, so they cannot be selected.".to_owned());
        }
        _ => return Err("This value has no elements.".to_owned()),
    };
    convert(key, &wanted).map_err(|mismatch| format!("This is not a valid key: {mismatch}."))
}

fn no_attributes(ty: &Type) -> String {
    match ty {
        Type::List(element) | Type::Set(element) if element.attributes().is_some() => {
            format!(
                "A {} has no attributes, but its elements may have: use a splat such as `[*]`.",
                ty.name()
            )
        }
        _ => format!("A {} has no attributes.", ty.name()),
    }
}

fn no_such_index(index: &Number, length: usize) -> String {
    if !index.is_whole() {
        "The index must be a whole number.".to_owned()
    } else if index.is_negative() {
        "The index must not be negative.".to_owned()
    } else {
        let collection = match length {
            0 => "is empty".to_owned(),
            1 => "has one element, with the index 0".to_owned(),
            length => format!("has {length} elements, counted from 0"),
        };
        format!("The index {index} is out of range: the collection {collection}.")
    }
}
