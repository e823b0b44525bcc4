//! Type expressions and their errors.

use super::{expression, reported};
use crate::value::{Type, type_constraint};

fn read(text: &str) -> (Type, Vec<String>) {
    let (source, expr) = expression(text);
    let mut findings = Vec::new();
    let constraint = type_constraint(&expr, &mut findings);
    (constraint.ty, reported(&source, &findings))
}

#[test]
fn what_is_a_type() {
    for (text, written) in [
        ("string", "string"),
        ("any", "any"),
        ("list", "list(any)"),
        ("map", "map(any)"),
        ("set(list(number))", "set(list(number))"),
        ("tuple([string, bool])", "tuple([string, bool])"),
        (
            "object({ b = string, a = optional(map(any), {}) })",
            "object({a = optional(map(any)), b = string})",
        ),
        ("object({ null = string })", "object({null = string})"),
    ] {
        let (ty, findings) = read(text);
        assert_eq!(findings, Vec::<String>::new(), "{text}");
        assert_eq!(ty.to_string(), written);
    }
}

#[test]
fn what_is_none() {
    let invalid = "Invalid type specification";
    for (text, reported) in [
        ("\"string\"", "Invalid quoted type constraints @ \"string\"".to_owned()),
        ("\"list\"", "Invalid quoted type constraints @ \"list\"".to_owned()),
        ("\"number\"", "Invalid legacy variable type hint @ \"number\"".to_owned()),
        ("foo", format!("{invalid} @ foo")),
        ("set", format!("{invalid} @ set")),
        ("list(list)", format!("{invalid} @ list")),
        ("null", format!("{invalid} @ null")),
        ("1", format!("{invalid} @ 1")),
        ("(string)", format!("{invalid} @ (string)")),
        ("string()", format!("{invalid} @ ()")),
        ("any(1)", format!("{invalid} @ (1)")),
        ("list()", format!("{invalid} @ ()")),
        ("list(string, number, bool)", format!("{invalid} @ number, bool")),
        ("foo(string)", format!("{invalid} @ foo(string)")),
        ("object([])", format!("{invalid} @ []")),
        ("object({ \"a\" = string })", format!("{invalid} @ \"a\"")),
        ("object({ a = string, a = number })", format!("{invalid} @ a")),
        ("tuple({})", format!("{invalid} @ {{}}")),
        ("optional(string)", format!("{invalid} @ optional")),
        ("object({ a = optional() })", format!("{invalid} @ ()")),
        ("object({ a = optional(string, 1, 2) })", format!("{invalid} @ (string, 1, 2)")),
        ("object({ a = optional(string, foo) })", "Variables not allowed @ foo".to_owned()),
        ("object({ a = optional(string, f()) })", "Function calls not allowed @ f()".to_owned()),
        (
            "object({ a = optional(number, \"x\") })",
            "Invalid default value for optional attribute @ \"x\"".to_owned(),
        ),
    ] {
        let (ty, findings) = read(text);
        assert_eq!(findings, [reported], "{text}");
        assert_eq!(ty, Type::Any, "{text}");
    }
}
