//! What is true of types, defaults and constants together, as the engines have it.

use crate::finding::Finding;
use crate::syntax::{self, Expr, Notation};
use crate::text::{FileId, Source, Span};

use super::{Value, constant, convert, type_constraint};

/// The expression of `x = …`.
fn expression(text: &str) -> (Source, Expr) {
    let source = Source::new("main.tf", format!("x = {text}\n").into_bytes());
    let (file, findings) = syntax::parse(FileId::new(0), &source, Notation::Native);
    assert_eq!(findings, [], "{text}");
    let schema =
        syntax::Schema { attributes: &[syntax::AttributeSchema { name: "x", required: true }], blocks: &[] };
    let content = file.body.content(&schema, &mut Vec::new());
    let expr = content.attribute("x").expect("an argument x").expr.clone();
    (source, expr)
}

/// Each finding as its summary and the text that it points at.
fn told(source: &Source, findings: &[Finding]) -> Vec<String> {
    let place = |span: Option<Span>| source.slice(span.expect("a place")).to_owned();
    findings.iter().map(|finding| format!("{} @ {}", finding.summary, place(finding.primary))).collect()
}

fn value(text: &str) -> (Value, Vec<String>) {
    let (source, expr) = expression(text);
    let mut findings = Vec::new();
    let value = constant(&expr, &mut findings);
    (value, told(&source, &findings))
}

/// What a variable of this type and default says.
fn variable(ty: &str, default: &str) -> Result<Value, String> {
    let (_, expr) = expression(ty);
    let mut findings = Vec::new();
    let constraint = type_constraint(&expr, &mut findings);
    assert_eq!(findings, [], "{ty}");
    let (value, findings) = value(default);
    assert_eq!(findings, Vec::<String>::new(), "{default}");
    let value = if value.is_null() { value } else { constraint.apply_defaults(&value) };
    convert(&value, &constraint.ty).map_err(|mismatch| mismatch.to_string())
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
        ("number", "true", "number required"),
        ("bool", "1", "bool required"),
        ("string", "[]", "string required"),
        ("list(string)", r#""a""#, "list of string required"),
        ("list(string)", "{}", "list of string required"),
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
        ("list(string)", "[[]]", "element 0: string required"),
        ("list(number)", r#"[1, "x"]"#, "[1]: a number is required"),
        ("map(number)", r#"{ a = "x" }"#, r#"["a"]: a number is required"#),
        ("map(number)", "{ a = [] }", r#"element "a": number required"#),
        ("object({ a = string })", "{}", r#"attribute "a" is required"#),
        ("object({ a = string, b = any })", "{}", r#"attributes "a" and "b" are required"#),
        ("object({ a = any, b = any, c = any })", "{}", r#"attributes "a", "b", and "c" are required"#),
        ("object({ a = object({ b = number }) })", r#"{ a = { b = "x" } }"#, ".a.b: a number is required"),
        (
            "object({ a = object({ b = number }) })",
            "{ a = {} }",
            r#"attribute "a": attribute "b" is required"#,
        ),
        ("tuple([string])", "[]", "tuple required"),
    ] {
        assert_eq!(variable(ty, default), Err(message.to_owned()), "{default} as {ty}");
    }
}
