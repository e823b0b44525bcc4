//! Converts values to types.
//!
//! As in cty, there are two steps: whether values of one type convert to the other at all, and then whether this
//! value does. The second step is taken only if the first one succeeds, and its error has a path.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::conversion_error::explain;
use super::unify::{Mode, common_element, filled, possible, unify};
use super::{Attribute, Mismatch, Number, PathStep, Type, Value};

/// `value` converted to type `want`.
pub fn convert(value: &Value, want: &Type) -> Result<Value, Mismatch> {
    if *want == Type::Any || value.is(&want.without_optional()) {
        return Ok(value.clone());
    }
    let own = value.ty();
    if !possible(&own, want, Mode::Unsafe) {
        return Err(Mismatch { path: Vec::new(), message: explain(&own, want) });
    }
    Conversion { path: Vec::new() }.apply(value, want)
}

/// `value` converted to type `to`, after unification has shown that the types are convertible.
pub(super) fn fit(value: &Value, to: &Type) -> Result<Value, Mismatch> {
    Conversion { path: Vec::new() }.apply(value, to)
}

/// The state of a conversion.
struct Conversion {
    path: Vec<PathStep>,
}

impl Conversion {
    /// Converts a value for which [`possible`] is true.
    fn apply(&mut self, value: &Value, to: &Type) -> Result<Value, Mismatch> {
        if *to == Type::Any {
            return Ok(value.clone());
        }
        match (value, to) {
            (Value::Marked(inner, marks), _) => Ok(self.apply(inner, to)?.mark(*marks)),
            (Value::Unknown(own), _) => Ok(Value::Unknown(filled(own, &to.without_optional()))),
            (Value::Null(own), _) => Ok(Value::Null(filled(own, &to.without_optional()))),
            (Value::Number(number), Type::String) => {
                Ok(number.text().map_or(Value::Unknown(Type::String), Value::string))
            }
            (Value::Bool(value), Type::String) => {
                Ok(Value::String(SmolStr::new_static(if *value { "true" } else { "false" })))
            }
            (Value::String(text), Type::Number) => {
                Number::parse(text).map(Value::Number).ok_or_else(|| self.fails("a number is required"))
            }
            (Value::String(text), Type::Bool) => self.parse_bool(text),
            (Value::Object(own), Type::Object(wanted)) => self.object_to_object(own, wanted),
            (Value::Tuple(own), Type::Tuple(wanted)) => {
                let elements = own.iter().enumerate().zip(wanted.iter());
                let converted: Result<_, _> = elements
                    .map(|((index, value), wanted)| self.part(PathStep::Index(index), value, wanted))
                    .collect();
                Ok(Value::Tuple(converted?))
            }
            (Value::Set(own, _), Type::List(_)) if !value.has_known_order() && !value.is_wholly_known() => {
                // Two unknown elements may be equal.
                Ok(Value::Unknown(Type::list(own.clone())))
            }
            (Value::Set(_, elements), Type::List(wanted)) if !value.has_known_order() => {
                let converted = self.elements(elements, wanted)?;
                self.sequence(value.arranged(converted), to, || (**wanted).clone())
            }
            (
                Value::List(own, elements) | Value::Set(own, elements),
                Type::List(wanted) | Type::Set(wanted),
            ) => {
                let converted = self.elements(elements, wanted)?;
                self.sequence(converted, to, || empty_element(own, wanted))
            }
            (Value::Tuple(elements), Type::List(wanted) | Type::Set(wanted)) => {
                self.tuple_to_sequence(elements, to, wanted)
            }
            (Value::Map(own, elements), Type::Map(wanted)) => self.map_to_map(own, elements, wanted),
            (Value::Object(attributes), Type::Map(wanted)) => self.object_to_map(attributes, wanted),
            (Value::Map(element, elements), Type::Object(wanted)) => {
                self.map_to_object(element, elements, wanted)
            }
            _ => {
                // A type that equals the wanted one except for optional attributes is converted here, too.
                if value.is(&to.without_optional()) {
                    Ok(value.clone())
                } else {
                    Err(self.fails(explain(&value.ty(), to)))
                }
            }
        }
    }

    fn map_to_map(
        &mut self,
        own: &Type,
        elements: &BTreeMap<SmolStr, Value>,
        wanted: &Type,
    ) -> Result<Value, Mismatch> {
        if elements.is_empty() {
            return Ok(Value::Map(empty_element(own, wanted), BTreeMap::new()));
        }
        let converted = self.by_key(elements, wanted)?;
        let unified = if complex(wanted) { self.unified_map(converted, Mode::Safe)? } else { converted };
        self.map(unified, "element types must all match for conversion to map")
    }

    /// Converts an element or attribute, unless it already has the wanted type.
    fn part(&mut self, step: PathStep, value: &Value, to: &Type) -> Result<Value, Mismatch> {
        if value.is(to) {
            return Ok(value.clone());
        }
        self.path.push(step);
        let converted = self.apply(value, to);
        self.path.pop();
        converted
    }

    fn parse_bool(&self, text: &str) -> Result<Value, Mismatch> {
        match text {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(self.fails(match text.to_lowercase().as_str() {
                "true" => "a bool is required; to convert from string, use lowercase \"true\"",
                "false" => "a bool is required; to convert from string, use lowercase \"false\"",
                _ => "a bool is required",
            })),
        }
    }

    fn object_to_object(
        &mut self,
        own: &BTreeMap<SmolStr, Value>,
        wanted: &BTreeMap<SmolStr, Attribute>,
    ) -> Result<Value, Mismatch> {
        let converted = wanted.iter().map(|(name, wanted)| {
            let value = match own.get(name) {
                Some(value) => self.part(PathStep::Attribute(name.clone()), value, &wanted.ty)?,
                None => Value::Null(wanted.ty.without_optional()),
            };
            Ok((name.clone(), value))
        });
        Ok(Value::Object(converted.collect::<Result<_, _>>()?))
    }

    /// Converts a tuple to `to`, a list or set of `wanted`. Only the elements of a list are unified again.
    fn tuple_to_sequence(&mut self, elements: &[Value], to: &Type, wanted: &Type) -> Result<Value, Mismatch> {
        let common = common_type(elements.iter(), wanted, true);
        let mut converted = self.elements(elements, &common)?;
        if matches!(to, Type::List(_)) && !converted.is_empty() {
            let types: Vec<Type> = converted.iter().map(Value::ty).collect();
            let Some(unified) = unify(&types, Mode::Unsafe) else {
                return Err(self.fails("cannot find a common base type for all elements"));
            };
            if !converted.iter().all(|value| value.is(&unified)) {
                converted = self.elements(&converted, &unified)?;
            }
        }
        self.sequence(converted, to, || wanted.without_optional())
    }

    /// A list or set, as `to` is one, of elements that now have one type. `empty` is the type of no elements.
    fn sequence(
        &self,
        elements: Vec<Value>,
        to: &Type,
        empty: impl FnOnce() -> Type,
    ) -> Result<Value, Mismatch> {
        let (element, elements) = match to {
            _ if elements.is_empty() => (empty(), elements),
            Type::Set(_) => self.gathered(elements, "element types must all match for conversion to set")?,
            _ => self.gathered(elements, "element types must all match for conversion to list")?,
        };
        Ok(match to {
            Type::Set(_) => Value::set(element, elements),
            _ => Value::List(element, elements),
        })
    }

    fn object_to_map(
        &mut self,
        attributes: &BTreeMap<SmolStr, Value>,
        wanted: &Type,
    ) -> Result<Value, Mismatch> {
        if attributes.is_empty() {
            return Ok(Value::Map(wanted.without_optional(), BTreeMap::new()));
        }
        let common = common_type(attributes.values(), wanted, false);
        let converted = self.by_key(attributes, &common)?;
        let unified = if complex(&common) { self.unified_map(converted, Mode::Unsafe)? } else { converted };
        self.map(unified, "attribute types must all match for conversion to map")
    }

    fn map_to_object(
        &mut self,
        element: &Type,
        elements: &BTreeMap<SmolStr, Value>,
        wanted: &BTreeMap<SmolStr, Attribute>,
    ) -> Result<Value, Mismatch> {
        let mut converted = BTreeMap::new();
        for (name, wanted) in wanted {
            let Some(value) = elements.get(name) else { continue };
            if *element != wanted.ty && !possible(element, &wanted.ty, Mode::Unsafe) {
                let why = explain(element, &wanted.ty);
                return Err(
                    self.fails(format!("map element type is incompatible with attribute {name:?}: {why}"))
                );
            }
            converted.insert(name.clone(), self.part(PathStep::Key(name.clone()), value, &wanted.ty)?);
        }
        for (name, wanted) in wanted {
            if converted.contains_key(name) {
                continue;
            }
            if !wanted.optional {
                return Err(self.fails(format!("map has no element for required attribute {name:?}")));
            }
            converted.insert(name.clone(), Value::Null(wanted.ty.without_optional()));
        }
        Ok(Value::Object(converted))
    }

    fn elements(&mut self, elements: &[Value], to: &Type) -> Result<Vec<Value>, Mismatch> {
        let steps = elements.iter().enumerate();
        steps.map(|(index, value)| self.part(PathStep::Index(index), value, to)).collect()
    }

    fn by_key(
        &mut self,
        elements: &BTreeMap<SmolStr, Value>,
        to: &Type,
    ) -> Result<BTreeMap<SmolStr, Value>, Mismatch> {
        let steps = elements.iter();
        steps
            .map(|(key, value)| Ok((key.clone(), self.part(PathStep::Key(key.clone()), value, to)?)))
            .collect()
    }

    /// Converts the elements of a map to one type.
    fn unified_map(
        &mut self,
        elements: BTreeMap<SmolStr, Value>,
        mode: Mode,
    ) -> Result<BTreeMap<SmolStr, Value>, Mismatch> {
        let types: Vec<Type> = elements.values().map(Value::ty).collect();
        let Some(unified) = unify(&types, mode) else {
            return Err(self.fails("cannot find a common base type for all elements"));
        };
        if elements.values().all(|value| value.is(&unified)) {
            return Ok(elements);
        }
        self.by_key(&elements, &unified)
    }

    /// A map of elements that now have one type.
    fn map(&self, elements: BTreeMap<SmolStr, Value>, otherwise: &str) -> Result<Value, Mismatch> {
        let (keys, values): (Vec<_>, Vec<_>) = elements.into_iter().unzip();
        let (element, values) = self.gathered(values, otherwise)?;
        Ok(Value::Map(element, keys.into_iter().zip(values).collect()))
    }

    /// The common type of the elements, and the elements. Values without a type get that type. `otherwise` is the
    /// error if types differ.
    fn gathered(&self, elements: Vec<Value>, otherwise: &str) -> Result<(Type, Vec<Value>), Mismatch> {
        gather(elements).ok_or_else(|| self.fails(otherwise))
    }

    fn fails(&self, message: impl Into<String>) -> Mismatch {
        Mismatch { path: self.path.clone(), message: message.into() }
    }
}

/// The element type of a collection of `parts`.
fn common_type<'a, 'e>(
    parts: impl Iterator<Item = &'a Value>,
    wanted: &'e Type,
    sequence: bool,
) -> Cow<'e, Type> {
    if *wanted != Type::Any {
        return Cow::Borrowed(wanted);
    }
    let types: Vec<Type> = parts.map(Value::ty).collect();
    common_element(types.iter(), wanted, Mode::Unsafe, sequence).unwrap_or(Cow::Borrowed(wanted))
}

/// The common type of the elements, and the elements. Values without a type get that type. Returns `None` if types
/// differ.
pub(super) fn gather(elements: Vec<Value>) -> Option<(Type, Vec<Value>)> {
    let element = elements.iter().find(|value| !value.is(&Type::Any)).map_or(Type::Any, Value::ty);
    let typed = |value: Value| match value.unmarked() {
        (Value::Null(Type::Any), marks) => Some(Value::Null(element.clone()).mark(marks)),
        (Value::Unknown(Type::Any), marks) => Some(Value::Unknown(element.clone()).mark(marks)),
        _ => value.is(&element).then_some(value),
    };
    let elements = elements.into_iter().map(typed).collect::<Option<_>>()?;
    Some((element, elements))
}

/// Whether maps with this element type are unified again after the conversion of each element.
fn complex(element: &Type) -> bool {
    match element {
        Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Object(_) => true,
        Type::Any | Type::Bool | Type::Number | Type::String | Type::Tuple(_) => false,
    }
}

/// The element type of an empty collection.
fn empty_element(own: &Type, wanted: &Type) -> Type {
    if *wanted == Type::Any { own.clone() } else { wanted.without_optional() }
}
