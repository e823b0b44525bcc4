//! Attribute access and indexes: `a.b` and `a[b]`.

use crate::finding::{Code, EngineRule, Finding};
use crate::text::Span;
use crate::value::convert::convert;
use crate::value::data::normal;
use crate::value::{Number, Type, Value};

use super::Evaluator;

impl Evaluator<'_> {
    pub(super) fn attribute(&mut self, from: &Value, name: &str, at: Span) -> Value {
        let (from, marks) = from.unmarked();
        let name = &*normal(name.into());
        let missing = || unsupported(format!("This object does not have an attribute named {name:?}."));
        let finding = match from {
            Value::Null(_) => {
                Finding::language(EngineRule::InvalidReference, "Attempt to get attribute from null value")
                    .detail("This is null, and has no attributes.")
            }
            Value::Object(attributes) => match attributes.get(name) {
                Some(value) => return value.clone().mark(marks),
                None => missing(),
            },
            Value::Map(_, elements) => match elements.get(name) {
                Some(value) => return value.clone().mark(marks),
                None => Finding::language(EngineRule::InvalidReference, "Missing map element")
                    .detail(format!("This map has no element with the key {name:?}.")),
            },
            Value::Unknown(Type::Any) => return Value::UNKNOWN.mark(marks),
            Value::Unknown(Type::Map(element)) => return Value::Unknown((**element).clone()).mark(marks),
            Value::Unknown(Type::Object(attributes)) => match attributes.get(name) {
                Some(attribute) => return Value::Unknown(attribute.ty.clone()).mark(marks),
                None => missing(),
            },
            _ => unsupported(no_attributes(&from.ty())),
        };
        self.report(finding.at(at));
        Value::UNKNOWN
    }

    pub(super) fn index(&mut self, from: &Value, key: &Value, at: Span) -> Value {
        let ((from, marks), (key, key_marks)) = (from.unmarked(), key.unmarked());
        if from.is_null() {
            let detail = "This is null, and has no elements.";
            self.error(EngineRule::InvalidReference, "Attempt to index null value", detail, at);
            return Value::UNKNOWN;
        }
        if key.is_null() {
            return self.invalid_index("A key must not be null.", at);
        }
        let ty = from.ty();
        if ty == Type::Any || key.is(&Type::Any) {
            return Value::UNKNOWN.mark(marks);
        }
        let key = match key_of(&ty, key) {
            Ok(key) => key,
            Err(why) => return self.invalid_index(why, at),
        };
        // The marks of the key move to the element, except for the name of an attribute.
        let both = if matches!(ty, Type::Object(_)) { marks } else { marks.and(key_marks) };
        let no_key = |key: &str| format!("No element has the key {key:?}.");
        let found = match (from, &key) {
            (Value::List(_, elements) | Value::Tuple(elements), Value::Number(index)) => {
                let element = index.index().and_then(|index| elements.get(index)).cloned();
                element.ok_or_else(|| no_such_index(index, elements.len()))
            }
            (Value::Unknown(Type::Tuple(elements)), Value::Number(index)) => {
                let element = index.index().and_then(|index| elements.get(index)).cloned();
                element.map(Value::Unknown).ok_or_else(|| no_such_index(index, elements.len()))
            }
            (Value::Map(_, elements) | Value::Object(elements), Value::String(key)) => {
                elements.get(key).cloned().ok_or_else(|| no_key(key))
            }
            (Value::Unknown(Type::Object(attributes)), Value::String(key))
                if self.scope.is_some_and(|scope| scope.engine().indexes_unknown_objects()) =>
            {
                let attribute = attributes.get(key).map(|attribute| attribute.ty.clone());
                attribute.map(Value::Unknown).ok_or_else(|| no_key(key))
            }
            _ => {
                return ty
                    .element()
                    .map_or(Value::UNKNOWN, |element| Value::Unknown(element.clone()))
                    .mark(marks);
            }
        };
        match found {
            Ok(element) => element.mark(both),
            Err(why) => self.invalid_index(why, at),
        }
    }

    fn invalid_index(&mut self, detail: impl Into<String>, at: Span) -> Value {
        self.error(EngineRule::InvalidReference, "Invalid index", detail, at);
        Value::UNKNOWN
    }
}

fn unsupported(detail: String) -> Finding {
    Finding::language(EngineRule::InvalidReference, "Unsupported attribute")
        .code(Code::UnsupportedAttribute)
        .detail(detail)
}

/// The key converted to the type of the keys of `ty`, or why it is not one of these.
fn key_of(ty: &Type, key: &Value) -> Result<Value, String> {
    let wanted = match ty {
        Type::List(_) | Type::Tuple(_) => Type::Number,
        Type::Map(_) | Type::Object(_) => Type::String,
        Type::Set(_) => return Err("Elements of a set have no keys, so they cannot be selected.".to_owned()),
        Type::Any | Type::Bool | Type::Number | Type::String => {
            return Err("This value has no elements.".to_owned());
        }
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
        format!("The index {index} is out of range: the collection has {length} elements, counted from 0.")
    }
}
