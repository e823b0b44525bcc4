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
    use crate::value::{Value, convert, type_constraint};

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

    /// A small generator of pseudorandom numbers.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        /// A type as written, nested at most `depth` levels.
        fn ty(&mut self, depth: u64) -> String {
            match self.below(if depth == 0 { 3 } else { 9 }) {
                0 => "string".to_owned(),
                1 => "number".to_owned(),
                2 => "bool".to_owned(),
                3 => format!("list({})", self.ty(depth - 1)),
                4 => format!("set({})", self.ty(depth - 1)),
                5 => format!("map({})", self.ty(depth - 1)),
                6 => format!("tuple([{}, {}])", self.ty(depth - 1), self.ty(depth - 1)),
                _ => {
                    let mut attributes = String::new();
                    for name in ["a", "b"] {
                        let ty = self.ty(depth - 1);
                        match self.below(3) {
                            0 => {}
                            1 => attributes.push_str(&format!("{name} = {ty}, ")),
                            _ => attributes.push_str(&format!("{name} = optional({ty}), ")),
                        }
                    }
                    format!("object({{ {attributes}}})")
                }
            }
        }

        /// An argument for a variable of this type, without attributes that the type does not have.
        fn argument(&mut self, ty: &Type) -> Value {
            match ty {
                Type::String => match self.below(3) {
                    0 => Value::string("12"),
                    1 => Value::string("true"),
                    _ => Value::string("text"),
                },
                Type::Number if self.below(2) == 0 => Value::Number(7.into()),
                Type::Number => Value::string("7"),
                Type::Bool if self.below(2) == 0 => Value::Bool(true),
                Type::Bool => Value::string("true"),
                Type::List(element) | Type::Set(element) => {
                    Value::Tuple((0..self.below(4)).map(|_| self.argument(element)).collect())
                }
                Type::Tuple(elements) => Value::Tuple(elements.iter().map(|it| self.argument(it)).collect()),
                Type::Map(element) => {
                    let keys: Vec<&str> =
                        ["a", "b", "c"].into_iter().filter(|_| self.below(2) == 0).collect();
                    Value::Object(keys.into_iter().map(|key| (key.into(), self.argument(element))).collect())
                }
                Type::Object(attributes) => {
                    let set = attributes.iter().filter(|(_, it)| !it.optional || self.below(2) == 0);
                    let set: Vec<_> = set.collect();
                    Value::Object(
                        set.into_iter().map(|(name, it)| (name.clone(), self.argument(&it.ty))).collect(),
                    )
                }
                Type::Any => Value::string("anything"),
            }
        }
    }

    #[test]
    fn the_answer_agrees_with_conversions_of_values() {
        let mut dice = Dice(7);
        let (mut wider, mut narrower) = (0, 0);
        for _ in 0..4_000 {
            let (before, after) = (dice.ty(2), dice.ty(2));
            let (was, is) = (ty(&before), ty(&after));
            let accepts = accepts_all(&is, &was);
            let mut refused = None;
            for _ in 0..60 {
                let value = dice.argument(&was);
                if convert(&value, &was).is_ok() && convert(&value, &is).is_err() {
                    refused = Some(value);
                }
            }
            match &refused {
                Some(value) if accepts => panic!("{after} does not accept {value:?}, which {before} does"),
                None if !accepts => panic!("{after} seems to accept everything that {before} does"),
                Some(_) => narrower += 1,
                None => wider += 1,
            }
        }
        assert!(wider > 200 && narrower > 1_000, "{wider} wider and {narrower} narrower types");
    }
}
