//! Conversion of defaults to types.

use super::{expression, value};
use crate::value::{Number, Type, Value, convert, type_constraint};

/// The default of a variable with this type, or the error.
fn variable(ty: &str, default: &str) -> Result<Value, String> {
    let (_, expr) = expression(ty);
    let mut findings = Vec::new();
    let constraint = type_constraint(&expr, &mut findings);
    assert_eq!(findings, [], "{ty}");
    let (value, findings) = value(default);
    assert_eq!(findings, Vec::<String>::new(), "{default}");
    constraint.accept(&value).map_err(|mismatch| mismatch.to_string())
}

#[test]
fn what_converts() {
    for (ty, default) in [
        ("string", "1"),
        ("string", "true"),
        ("number", r#""1e5""#),
        ("bool", r#""1""#),
        ("any", "[1, true]"),
        ("list(string)", "[1, true]"),
        ("list(any)", r#"[1, "a"]"#),
        ("list(any)", "[{ a = 1 }, { b = 2 }]"),
        ("list(object({ a = any }))", r#"[{ a = "x" }, { a = 1 }]"#),
        ("set(string)", "[]"),
        ("map(any)", r#"{ a = 1, b = "x" }"#),
        ("map(list(any))", "{ a = [1], b = [] }"),
        ("object({ a = string })", "{ a = 1, b = [] }"),
        ("object({ a = optional(string) })", "{}"),
        ("object({ a = optional(list(string), [1]) })", "{}"),
        ("tuple([string, number])", r#"["a", "1"]"#),
        ("list(string)", "null"),
        ("list", "[1, 2]"),
        ("map", "{}"),
        ("list(number)", r#"[null, "1"]"#),
        // A combining accent and a precomposed letter are equal.
        ("object({ e\u{301} = string })", "{ \u{e9} = 1 }"),
    ] {
        assert!(variable(ty, default).is_ok(), "{default} as {ty}: {:?}", variable(ty, default));
    }
}

#[test]
fn what_does_not_convert() {
    for (ty, default, message) in [
        ("number", r#""""#, "a number is required"),
        ("number", r#"" 1""#, "a number is required"),
        ("number", r#""0x10""#, "a number is required"),
        ("bool", r#""True""#, "a bool is required; to convert from string, use lowercase \"true\""),
        ("number", "true", "a number is required, but this is a bool"),
        ("bool", "1", "a bool is required, but this is a number"),
        ("string", "[]", "a string is required, but this is a tuple"),
        ("list(string)", r#""a""#, "a list of string is required, but this is a string"),
        ("list(string)", "{}", "a list of string is required, but this is an object"),
        ("list(any)", "[1, true]", "all list elements must have the same type"),
        ("set(any)", "[1, true]", "all set elements must have the same type"),
        ("map(any)", "{ a = 1, b = true }", "all map elements must have the same type"),
        ("list(any)", r#"[{ a = 1 }, { b = ["x"] }]"#, "all list elements must have the same type"),
        ("list(any)", "[{ a = 1 }, null]", "all list elements must have the same type"),
        (
            "set(object({ a = any }))",
            r#"[{ a = "x" }, { a = 1 }]"#,
            "element types must all match for conversion to set",
        ),
        ("list(string)", "[[]]", "for element 0, a string is required, but this is a tuple"),
        ("list(number)", r#"[1, "x"]"#, "for `[1]`, a number is required"),
        ("map(number)", r#"{ a = "x" }"#, r#"for `["a"]`, a number is required"#),
        ("map(number)", "{ a = [] }", r#"for element "a", a number is required, but this is a tuple"#),
        ("object({ a = string })", "{}", r#"attribute "a" is required"#),
        ("object({ a = string, b = any })", "{}", r#"attributes "a" and "b" are required"#),
        ("object({ a = any, b = any, c = any })", "{}", r#"attributes "a", "b", and "c" are required"#),
        (
            "object({ a = object({ b = number }) })",
            r#"{ a = { b = "x" } }"#,
            "for `a.b`, a number is required",
        ),
        (
            "object({ a = object({ b = number }) })",
            "{ a = {} }",
            r#"attribute "a": attribute "b" is required"#,
        ),
        ("tuple([string])", "[]", "a tuple of 1 element is required, but this has 0"),
        ("tuple([string, bool])", "[1, []]", "for element 1, a bool is required, but this is a tuple"),
    ] {
        assert_eq!(variable(ty, default), Err(message.to_owned()), "{default} as {ty}");
    }
}

#[test]
fn defaults_of_optional_attributes_are_filled_in() {
    for (ty, default, filled) in [
        ("object({ a = optional(string, 1) })", "{}", r#"{ a = "1" }"#),
        ("object({ a = optional(string, 1) })", "{ a = null }", r#"{ a = "1" }"#),
        ("object({ a = optional(object({ b = optional(number, 2) }), {}) })", "{}", "{ a = { b = 2 } }"),
        ("tuple([object({ a = optional(bool, true) })])", "[{}]", "[{ a = true }]"),
        ("object({ a = optional(string, \"x\"), b = bool })", "{ b = \"1\" }", r#"{ a = "x", b = true }"#),
    ] {
        assert_eq!(variable(ty, default), Ok(value(filled).0), "{default} as {ty}");
    }
    let (_, expr) = expression("map(object({ a = optional(string, \"x\") }))");
    let constraint = type_constraint(&expr, &mut Vec::new());
    assert_eq!(constraint.apply_defaults(&Value::NULL), Value::NULL, "a null stays one");
}

#[test]
fn what_was_converted_is_converted_again_as_what_it_has_become() {
    for (first, default, second, message) in [
        (
            "list(string)",
            r#"[1, "a"]"#,
            "tuple([number, string])",
            Err("a tuple is required, but this is a list of string"),
        ),
        (
            "object({ a = string })",
            r#"{ a = "x", b = 1 }"#,
            "object({ a = string, b = any })",
            Err(r#"attribute "b" is required"#),
        ),
        ("string", "1", "bool", Ok(())),
        ("map(any)", r#"{ a = 1, b = "x" }"#, "map(number)", Err(r#"for `["b"]`, a number is required"#)),
        ("string", "null", "list(string)", Err("a list of string is required, but this is a string")),
        ("any", "null", "list(string)", Ok(())),
        ("map(string)", r#"{ a = "1" }"#, "object({ a = number, b = optional(list(string)) })", Ok(())),
        (
            "map(string)",
            r#"{ b = "1" }"#,
            "object({ b = optional(list(string)) })",
            Err(
                r#"map element type is incompatible with attribute "b": a list of string is required, but this is a string"#,
            ),
        ),
        (
            "map(string)",
            "{}",
            "object({ a = string })",
            Err(r#"map has no element for required attribute "a""#),
        ),
        ("list(string)", "[]", "list(number)", Ok(())),
        (
            "list(string)",
            "[]",
            "list(object({}))",
            Err("incorrect list element type: an object is required, but this is a string"),
        ),
    ] {
        let converted = variable(first, default).unwrap();
        let (_, expr) = expression(second);
        let ty = type_constraint(&expr, &mut Vec::new()).ty;
        let again = convert(&converted, &ty).map(|_| ()).map_err(|mismatch| mismatch.to_string());
        assert_eq!(again, message.map_err(str::to_owned), "{default} as {first}, then {second}");
    }
}

#[test]
fn ten_thousand_elements_take_no_time() {
    let object = |n: usize| {
        let number = Value::Number(Number::from(n));
        Value::Object([("a".into(), number), ("b".into(), Value::string("x"))].into())
    };
    let list = Value::Tuple((0..10_000).map(object).collect());
    for ty in ["list(any)", "set(any)", "list(map(string))", "any"] {
        let (_, expr) = expression(ty);
        let ty = type_constraint(&expr, &mut Vec::new()).ty;
        assert!(convert(&list, &ty).is_ok(), "{ty}");
    }
    assert!(convert(&list, &Type::list(Type::Number)).is_err());
}
