//! Compares the values that two type constraints accept.

use crate::value::Type;

/// Whether every value that `before` accepts can be converted to `after`. Returns false if that depends on the value.
pub(super) fn accepts_all(after: &Type, before: &Type) -> bool {
    match (after, before) {
        (Type::Any, _)
        | (Type::String, Type::String | Type::Number | Type::Bool)
        | (Type::Number, Type::Number)
        | (Type::Bool, Type::Bool) => true,
        (Type::List(to) | Type::Set(to), Type::List(from) | Type::Set(from))
        | (Type::Map(to), Type::Map(from)) => accepts_all(to, from),
        (Type::List(to) | Type::Set(to), Type::Tuple(from)) => from.iter().all(|from| accepts_all(to, from)),
        (Type::Map(to), Type::Object(from)) => from.values().all(|from| accepts_all(to, &from.ty)),
        (Type::Object(to), Type::Map(from)) => to.values().all(|to| to.optional && accepts_all(&to.ty, from)),
        (Type::Object(to), Type::Object(from)) => to.iter().all(|(name, to)| match from.get(name) {
            Some(from) => (to.optional || !from.optional) && accepts_all(&to.ty, &from.ty),
            None => to.optional,
        }),
        (Type::Tuple(to), Type::Tuple(from)) => {
            to.len() == from.len() && to.iter().zip(from.iter()).all(|(to, from)| accepts_all(to, from))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse_expression;
    use crate::value::type_constraint;

    fn ty(text: &str) -> Type {
        type_constraint(&parse_expression(text).expect("an expression"), &mut Vec::new()).ty
    }

    #[test]
    fn a_wider_type_accepts_what_a_narrower_one_does() {
        let wider = [
            ("any", "string"),
            ("string", "number"),
            ("set(string)", "list(bool)"),
            ("map(string)", "object({ a = string, b = number })"),
            ("object({ a = string, b = optional(string) })", "object({ a = string })"),
            ("object({ a = string })", "object({ a = string, b = string })"),
            ("object({ a = optional(string) })", "object({ a = string })"),
            ("list(string)", "tuple([string, number])"),
        ];
        for (after, before) in wider {
            assert!(accepts_all(&ty(after), &ty(before)), "{before} to {after}");
        }
        let narrower = [
            ("string", "any"),
            ("number", "string"),
            ("string", "list(string)"),
            ("object({ a = string, b = string })", "object({ a = string })"),
            ("object({ a = string })", "object({ a = optional(string) })"),
            ("object({ a = string })", "map(string)"),
        ];
        for (after, before) in narrower {
            assert!(!accepts_all(&ty(after), &ty(before)), "{before} to {after}");
        }
    }
}
