//! Writes values and type constraints as expressions.

use super::defaults::{Defaults, Parts};
use super::{Type, TypeConstraint, Value};
use crate::syntax::{key, quoted};

impl Value {
    /// An expression with this value, on one line. Returns `None` if a part of it is unknown or is a number without a
    /// literal form.
    pub fn written(&self) -> Option<String> {
        match self {
            Self::Bool(value) => Some(value.to_string()),
            Self::Number(number) if number.is_infinite() => None,
            Self::Number(number) => number.text(),
            Self::String(text) => Some(quoted(text)),
            Self::List(_, elements) | Self::Set(_, elements) | Self::Tuple(elements) => {
                let elements: Option<Vec<_>> = elements.iter().map(Self::written).collect();
                Some(format!("[{}]", elements?.join(", ")))
            }
            Self::Map(_, elements) | Self::Object(elements) if elements.is_empty() => Some("{}".to_owned()),
            Self::Map(_, elements) | Self::Object(elements) => {
                let pair = |(name, value): (_, &Self)| Some(format!("{} = {}", key(name), value.written()?));
                let pairs: Option<Vec<_>> =
                    elements.iter().map(|(name, value)| pair((name.as_str(), value))).collect();
                Some(format!("{{ {} }}", pairs?.join(", ")))
            }
            Self::Marked(inner, _) => inner.written(),
            Self::Null(_) => Some("null".to_owned()),
            Self::Unknown(_) => None,
        }
    }
}

impl TypeConstraint {
    /// A type expression, with its defaults. Returns `None` if a default is unknown.
    pub fn written(&self) -> Option<String> {
        typed(&self.ty, self.defaults.as_ref())
    }
}

fn typed(ty: &Type, defaults: Option<&Defaults>) -> Option<String> {
    let parts = defaults.map(|defaults| &defaults.parts);
    let of_elements = match parts {
        Some(Parts::Elements(inner)) => Some(&**inner),
        Some(Parts::Tuple(_) | Parts::Object(_)) | None => None,
    };
    match ty {
        Type::Any | Type::Bool | Type::Number | Type::String => Some(ty.to_string()),
        Type::List(element) => Some(format!("list({})", typed(element, of_elements)?)),
        Type::Set(element) => Some(format!("set({})", typed(element, of_elements)?)),
        Type::Map(element) => Some(format!("map({})", typed(element, of_elements)?)),
        Type::Tuple(elements) => {
            let of = |index: usize| match parts {
                Some(Parts::Tuple(parts)) => parts.get(&index),
                Some(Parts::Elements(_) | Parts::Object(_)) | None => of_elements,
            };
            let each = elements.iter().enumerate();
            let elements: Option<Vec<_>> = each.map(|(index, element)| typed(element, of(index))).collect();
            Some(format!("tuple([{}])", elements?.join(", ")))
        }
        Type::Object(attributes) if attributes.is_empty() => Some("object({})".to_owned()),
        Type::Object(attributes) => {
            let mut written = Vec::with_capacity(attributes.len());
            for (name, attribute) in &**attributes {
                let inner = match parts {
                    Some(Parts::Object(parts)) => parts.get(name),
                    Some(Parts::Elements(_) | Parts::Tuple(_)) | None => None,
                };
                let ty = typed(&attribute.ty, inner)?;
                let default = defaults.and_then(|defaults| defaults.values.get(name));
                written.push(match default {
                    // An attribute with a default is optional, whatever its type declares.
                    Some(default) => format!("{name} = optional({ty}, {})", default.written()?),
                    None if attribute.optional => format!("{name} = optional({ty})"),
                    None => format!("{name} = {ty}"),
                });
            }
            Some(format!("object({{ {} }})", written.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::parse_expression;
    use crate::value::{constant, type_constraint};

    #[test]
    fn a_value_is_written_so_that_it_means_itself() {
        for text in ["true", "1.5", "\"a\\n\"", "[1, \"b\", null]", "{ a = 1, \"b c\" = [] }", "{}"] {
            let expr = parse_expression(text).expect("an expression");
            assert_eq!(constant(&expr, &mut Vec::new()).written().as_deref(), Some(text));
        }
    }

    #[test]
    fn a_type_is_written_with_its_defaults() {
        for text in [
            "any",
            "list(map(set(number)))",
            "tuple([string, bool])",
            "object({})",
            "object({ a = string, b = optional(number), c = optional(list(string), [\"x\"]) })",
            "map(object({ a = optional(object({ b = optional(bool, true) }), { b = null }) }))",
        ] {
            let expr = parse_expression(text).expect("an expression");
            assert_eq!(type_constraint(&expr, &mut Vec::new()).written().as_deref(), Some(text));
        }
    }
}
