//! Results and errors of functions.

use std::borrow::Cow;

use super::{expression, reported};
use crate::engine::{Choice, Engine};
use crate::limits::Limits;
use crate::syntax::{StepKind, Traversal};
use crate::value::{Budget, Resolved, Scope, Type, Value, evaluate};

/// `var.text`, `var.texts` and `var.open`, all unknown.
struct Variables(&'static str, Budget, Limits);

impl Scope for Variables {
    fn engine(&self) -> Engine {
        Choice::parse(self.0).expect("an engine").engines()[0]
    }

    fn limits(&self) -> &Limits {
        &self.2
    }

    fn work(&self) -> &Budget {
        &self.1
    }

    fn resolve(&self, reference: &Traversal) -> Option<Resolved<'_>> {
        let ty = match &reference.steps.first()?.kind {
            StepKind::Attribute(name) if name == "text" => Type::String,
            StepKind::Attribute(name) if name == "texts" => Type::list(Type::String),
            _ => Type::Any,
        };
        (reference.root == "var").then_some(Resolved { value: Cow::Owned(Value::Unknown(ty)), steps: 1 })
    }
}

fn read_by(engine: &'static str, text: &str) -> (Value, Vec<String>) {
    let (source, expr) = expression(text);
    let mut findings = Vec::new();
    let value = evaluate(&expr, &Variables(engine, Budget::of(10_000), Limits::default()), &mut findings);
    (value, reported(&source, &findings))
}

pub(super) fn read(text: &str) -> (Value, Vec<String>) {
    read_by("terraform@1.11.4", text)
}

#[test]
fn what_functions_give() {
    for (call, result) in [
        ("keys({ b = 1, a = 2 })", "[\"a\", \"b\"]"),
        ("values({ b = 1, a = 2 })", "[2, 1]"),
        ("merge({ a = 1 }, { a = 2, b = 3 }, null)", "{ a = 2, b = 3 }"),
        ("merge(null, [])", "{}"),
        ("concat([1], [\"a\"])", "[1, \"a\"]"),
        ("lookup({ a = 1 }, \"b\", 2)", "2"),
        ("element([1, 2, 3], 4)", "2"),
        ("setproduct([\"a\", \"b\"], [1, 2])", "tolist([[\"a\", 1], [\"a\", 2], [\"b\", 1], [\"b\", 2]])"),
        ("length(setproduct([\"a\", \"a\"], toset([1])))", "1"),
        ("issensitive(\"x\")", "false"),
        ("issensitive(sensitive(\"x\"))", "true"),
        ("flatten([[1, [2]], [], 3])", "[1, 2, 3]"),
        ("contains([\"a\"], \"a\")", "true"),
        ("one([])", "null"),
        ("length(\"e\u{301}\")", "1"),
        ("length([var.text])", "1"),
        ("reverse([1, 2])", "[2, 1]"),
        ("zipmap([\"a\"], [1])", "{ a = 1 }"),
        ("coalesce(null, \"\", \"x\")", "\"x\""),
        ("upper(\"x\")", "\"X\""),
        ("format(\"%s-%d%%\", \"a\", 5)", "\"a-5%\""),
        ("formatlist(\"%s.%s\", [\"a\", \"b\"], \"c\")", "tolist([\"a.c\", \"b.c\"])"),
        ("regex(\"(a)(b?)\", \"xa\")", "[\"a\", \"\"]"),
        ("regexall(\"[0-9]\", \"a1b2\")", "tolist([\"1\", \"2\"])"),
        ("jsondecode(\"{\\\"a\\\": [1]}\")", "{ a = [1] }"),
        ("base64decode(\"YWJj\")", "\"abc\""),
        ("parseint(\"-12\", 10)", "-12"),
        ("range(3, 1)", "tolist([3, 2])"),
        ("index([\"a\", \"b\"], \"b\")", "1"),
        ("sum([1, \"2\"])", "3"),
        ("join(\"-\", [\"a\", \"b\"])", "\"a-b\""),
        ("try(foo.bar.baz(1), 2)", "2"),
        ("can(tonumber(\"x\"))", "false"),
        ("core::keys({})", "[]"),
        ("concat([[1], [2]]...)", "[1, 2]"),
        ("tolist(split(\",\", \"a,b\"))[1]", "\"b\""),
    ] {
        let call = call.replace("foo.bar.baz(1)", "tobool([])");
        assert_eq!(read(&call), read(result), "{call}");
    }
}

/// The results are those of `terraform console` 1.11.4.
#[test]
fn what_functions_make_of_texts_and_numbers() {
    for (call, result) in [
        (r#"substr("abc", 0, 1)"#, r#""a""#),
        (r#"substr("abc", -5, 2)"#, r#""ab""#),
        (r#"substr("abc", -2, 0)"#, r#""bc""#),
        (r#"substr("abc", 5, -1)"#, r#""""#),
        (r#"substr("abc", 1, -3)"#, r#""bc""#),
        (r#"substr("", 1, 2)"#, r#""""#),
        ("substr(\"é✓e\u{301}x\", 1, 2)", r#""✓é""#),
        (r#"title("hello world_a-b.c 1x 'it's")"#, r#""Hello World_a-B.C 1x 'It'S""#),
        (r#"dirname("a/b//../c/x.tf")"#, r#""a/c""#),
        (r#"dirname("")"#, r#"".""#),
        (r#"dirname("/")"#, r#""/""#),
        (r#"dirname("/a/../..")"#, r#""/""#),
        (r#"dirname("a//")"#, r#""a""#),
        (r#"dirname("../../x/..")"#, r#""../../x""#),
        (r#"basename("/a/b/")"#, r#""b""#),
        (r#"basename("")"#, r#"".""#),
        (r#"basename("///")"#, r#""/""#),
        (r#"indent(2, "a\nb\n")"#, r#""a\n  b\n  ""#),
        (r#"chomp("a\n\r")"#, r#""a""#),
        ("strrev(\"aé✓e\u{301}\")", r#""é✓éa""#),
        (r#"trim("?!a?b!", "!?")"#, r#""a?b""#),
        (r#"trimprefix("aab", "a")"#, r#""ab""#),
        (r#"trimsuffix("aab", "b")"#, r#""aa""#),
        (r#"base64encode("hello?")"#, r#""aGVsbG8/""#),
        (r#"base64encode("hell")"#, r#""aGVsbA==""#),
        (r#"base64encode("")"#, r#""""#),
        (
            r#"jsonencode({ b = [1.5, null, true, "<&>\"é\n\u0007\u2028\\"], a = {}, c = toset(["b", "a"]) })"#,
            r#""{\"a\":{},\"b\":[1.5,null,true,\"\\u003c\\u0026\\u003e\\\"é\\n\\u0007\\u2028\\\\\"],\"c\":[\"a\",\"b\"]}""#,
        ),
        ("jsonencode(1e-7)", r#""0.0000001""#),
        (
            "jsonencode([-0, -1 * 0, 0 / -5, -0 - 0, tonumber(\"-0\"), pow(-0, 1)])",
            r#""[-0,-0,-0,-0,-0,-0]""#,
        ),
        (
            "jsonencode([ceil(-0.5), floor(-0), -1 % 1, -0 + 0, 1 - 1, parseint(\"-0\", 10)])",
            r#""[0,0,0,0,0,0]""#,
        ),
        ("jsonencode([abs(-0), min(0, -0), max(0, -0), signum(-0)])", r#""[0,0,0,0]""#),
        ("format(\"%v %d %s\", -0, -0, -0)", r#""-0 0 -0""#),
        ("-0 == 0", "true"),
        ("[1][-0]", "1"),
        (
            r#"format("%v-%v-%v-%v-%v", -5, true, [1, "a"], { a = null }, "<a>")"#,
            r#""-5-true-[1,\"a\"]-{\"a\":null}-<a>""#,
        ),
        ("floor(-1.5)", "-2"),
        ("ceil(-1.5)", "-1"),
        ("abs(-1.5)", "1.5"),
        ("signum(-3)", "-1"),
        ("max(3, 1 / 0)", "1 / 0"),
        ("min(1, -1)", "-1"),
        ("pow(-2, 3)", "-8"),
        (r#"sort(["b", "a", "B", "é"])"#, r#"tolist(["B", "a", "b", "é"])"#),
        ("sort([2, 1, 10])", r#"tolist(["1", "10", "2"])"#),
        ("alltrue([true, null])", "false"),
        ("anytrue([false, null])", "false"),
        (r#"chunklist(["a", "b", "c"], 2)"#, r#"tolist([tolist(["a", "b"]), tolist(["c"])])"#),
        (r#"chunklist(["a"], 0)"#, r#"tolist([tolist(["a"])])"#),
        (
            r#"transpose({ a = ["1", "2"], b = ["2"] })"#,
            r#"tomap({ "1" = tolist(["a"]), "2" = tolist(["a", "b"]) })"#,
        ),
        (r#"matchkeys(["a", "b", "c"], ["x", "y", "x"], ["x"])"#, r#"tolist(["a", "c"])"#),
        (r#"matchkeys([1, 2], [1, 2], ["1"])"#, "tolist([1])"),
        ("element(tolist([1, 2]), -3)", "2"),
        (r#"cidrhost("10.1.2.0/24", 5)"#, r#""10.1.2.5""#),
        (r#"cidrhost("10.1.2.0/24", -1)"#, r#""10.1.2.255""#),
        (r#"cidrsubnet("10.1.2.3/8", 8, 2)"#, r#""10.2.0.0/16""#),
        (r#"cidrsubnet("10.0.0.0/8", 0, 0)"#, r#""10.0.0.0/8""#),
        (
            r#"cidrsubnets("10.0.0.0/8", 4, 8, 4)"#,
            r#"tolist(["10.0.0.0/12", "10.16.0.0/16", "10.32.0.0/12"])"#,
        ),
        (r#"cidrnetmask("10.0.0.0/12")"#, r#""255.240.0.0""#),
        (r#"cidrnetmask("10.0.0.0/0")"#, r#""0.0.0.0""#),
    ] {
        assert_eq!(read(call), read(result), "{call}");
    }
}

#[test]
fn what_is_known_of_what_is_unknown() {
    for (expression, ty) in [
        ("var.texts[*]", "list(string)"),
        ("toset(var.texts)", "set(any)"),
        ("concat(var.texts, [])", "any"),
        ("merge({ a = var.text }, { b = 1 }).a", "string"),
        ("[for x in var.texts : x]", "any"),
        ("\"x${var.open}\"", "string"),
        ("var.open ? 1 : \"a\"", "string"),
        ("jsondecode(var.text)", "any"),
        ("length(var.texts)", "number"),
        ("provider::a::b()", "any"),
    ] {
        let (value, findings) = read(expression);
        assert_eq!(findings, Vec::<String>::new(), "{expression}");
        assert!(!value.is_known(), "{expression}: {value:?}");
        assert_eq!(value.ty().to_string(), ty, "{expression}");
    }
}

#[test]
fn what_is_wrong_with_calls() {
    for (call, reported) in [
        ("uper(\"x\")", "Call to unknown function @ uper"),
        ("upper()", "Not enough function arguments @ )"),
        ("upper(\"x\", 1 + 1)", "Too many function arguments @ 1"),
        ("upper([])", "Invalid function argument @ ["),
        ("upper(null)", "Invalid function argument @ null"),
        ("keys(1)", "Invalid function argument @ 1"),
        ("tonumber(\"x\")", "Invalid function argument @ x"),
        ("merge(1)", "Error in function call @ merge("),
        ("merge(null, [var.text])", "Error in function call @ merge("),
        ("upper(\"x\"...)", "Invalid expanding argument value @ \"x\""),
        ("list(var.open)", "Error in function call @ list("),
        ("sort([\"a\", null])", "Error in function call @ sort("),
        ("element([], -1)", "Error in function call @ element("),
        ("signum(1.5)", "Error in function call @ signum("),
        ("chunklist([], -1)", "Error in function call @ chunklist("),
        ("transpose({ a = [null] })", "Error in function call @ transpose("),
        ("transpose({ a = null })", "Error in function call @ transpose("),
        ("element(toset([1]), -1)", "Error in function call @ element("),
        ("jsonencode(1 / 0)", "Error in function call @ jsonencode("),
        ("pow(-8, 0.5)", "Error in function call @ pow("),
        ("cidrhost(\"10.0.0.0/30\", 4)", "Error in function call @ cidrhost("),
        ("try()", "Error in function call @ try("),
        ("nothing", "Unknown variable @ nothing"),
        ("var.text.x", "Unsupported attribute @ .x"),
        ("element([1], 0).x", "Unsupported attribute @ .x"),
    ] {
        assert_eq!(read(call).1, [reported], "{call}");
    }
}

#[test]
fn what_cannot_be_known_is_unknown() {
    assert_eq!(read("issensitive(var.text)"), (Value::Unknown(Type::Bool), Vec::new()));
    let (large, findings) = read("setproduct(range(100), range(100))");
    assert!(!large.is_known() && findings.is_empty(), "{large:?} {findings:?}");
    assert_eq!(read("!setproduct([\"a\"], [1])").1.len(), 1, "a list is neither true nor false");
}

#[test]
fn engines_have_different_functions() {
    let unknown = |name: &str| vec![format!("Call to unknown function @ {name}")];
    assert_eq!(read_by("opentofu@1.9.0", "urldecode(var.text)").1, Vec::<String>::new());
    assert_eq!(read("urldecode(var.text)").1, unknown("urldecode"));
    let both = |expression: &str| (read(expression).1.len(), read_by("terraform@1.13.0", expression).1.len());
    assert_eq!(both("true || var.text.x"), (1, 0), "a mistake in what does not decide is not reported");
    assert_eq!(both("var.open || var.text.x"), (1, 0), "so does one behind what is not known");
    assert_eq!(both("var.text.x || var.open"), (1, 1));
    assert_eq!(both("var.text.x && false"), (1, 0));
    assert_eq!(both("merge({ a = var.text }, {})[\"b\"]"), (1, 1));
    assert_eq!(read_by("terraform@1.7.0", "issensitive(1)").1, unknown("issensitive"));
    assert_eq!(read_by("terraform@0.13.6", "upper(var.text)").1, Vec::<String>::new());
    assert_eq!(read_by("terraform@0.13.6", "startswith(var.text, \"a\")").1, unknown("startswith"));
    assert_eq!(read_by("terraform@1.7.0", "core::upper(\"x\")").1, unknown("core::upper"));
}
