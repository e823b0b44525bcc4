//! Tests of each static analysis.

use super::*;
use crate::syntax::{BinaryOperator, Call, For, ForDirective, ObjectItem, StepKind};
use crate::text::FileId;

fn span(start: usize, end: usize) -> Span {
    Span::new(FileId::new(0), start..end)
}

fn at(start: usize, end: usize, kind: ExprKind) -> Expr {
    Expr { span: span(start, end), kind }
}

fn name(text: &str, start: usize) -> Expr {
    let span = span(start, start + text.len());
    Expr { span, kind: ExprKind::Traversal(Box::new(just_a_name(text, span))) }
}

fn bare(parts: Vec<Part>) -> Template {
    Template { kind: TemplateKind::Bare, parts: parts.into() }
}

fn json(text: &str, start: usize) -> Expr {
    let string = JsonString { text: text.into(), template: Ok(bare(vec![])) };
    at(start, start + text.len() + 2, ExprKind::JsonString(Box::new(string)))
}

fn quoted(start: usize, end: usize, parts: Vec<Part>) -> Expr {
    at(start, end, ExprKind::Template(Template { kind: TemplateKind::Quoted, parts: parts.into() }))
}

fn literal(text: &str, start: usize) -> Part {
    Part::Literal { text: text.into(), span: span(start, start + text.len()) }
}

/// The steps as text, or the summary and the marked text of each finding.
fn read(text: &str) -> Result<Vec<String>, Vec<(String, String)>> {
    let (traversal, findings) = Traversal::parse(text, span(100, 100 + text.len()));
    if findings.is_empty() {
        let traversal = traversal.expect("no finding, so an address");
        let steps = traversal.steps.iter().map(|step| match &step.kind {
            StepKind::Attribute(name) => format!(".{name}"),
            StepKind::Key(key) => format!("[{key:?}]"),
            StepKind::Number(digits) => format!("[{digits}]"),
            StepKind::Word(word) => format!("[{word:?}]"),
        });
        return Ok(std::iter::once(traversal.root.to_string()).chain(steps).collect());
    }
    let marked = |finding: &Finding| {
        let range = finding.primary.expect("a place").range();
        text[range.start - 100..range.end - 100].to_owned()
    };
    Err(findings.iter().map(|finding| (finding.summary.clone(), marked(finding))).collect())
}

#[test]
fn addresses_are_names_and_constant_steps() {
    assert_eq!(read("aws_x.y").expect("one"), ["aws_x", ".y"]);
    assert_eq!(read("a[0].b[\"k.\\n$${\"]").expect("one"), ["a", "[0]", ".b", "[\"k.\\n${\"]"]);
    assert_eq!(read(" a\n .b-c /* x */ [ 10.5e3 ] # y").expect("one"), ["a", ".b-c", "[10.5e3]"]);
    assert_eq!(read("true").expect("one"), ["true"]);
    assert_eq!(read("für.ï").expect("one"), ["für", ".ï"]);
    let (traversal, _) = Traversal::parse("a.b[0]", span(7, 13));
    let traversal = traversal.expect("an address");
    assert_eq!(traversal.span(), span(7, 13));
    assert_eq!(traversal.steps[1].span, span(10, 13));
}

#[test]
fn an_invalid_address_is_reported_at_the_wrong_character() {
    let wrong = |text: &str| {
        let mut found = read(text).expect_err(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let (summary, marked) = found.remove(0);
        format!("{summary}: {marked}")
    };
    assert_eq!(wrong(""), "Variable name required: ");
    assert_eq!(wrong("0"), "Variable name required: 0");
    assert_eq!(wrong("a b"), "Invalid character: b");
    assert_eq!(wrong("a.0"), "Attribute name required: 0");
    assert_eq!(wrong("a.*"), "Attribute name required: *");
    assert_eq!(wrong("a[*]"), "Attribute name required: *");
    assert_eq!(wrong("a."), "Attribute name required: ");
    assert_eq!(wrong("a[b]"), "Index value required: b");
    assert_eq!(wrong("a["), "Index value required: ");
    assert_eq!(wrong("a[0"), "Unclosed index brackets: ");
    assert_eq!(wrong("a[0.b"), "Unclosed index brackets: .");
    assert_eq!(wrong("a[\"${x}\"]"), "Invalid string literal: ${");
    assert_eq!(wrong("a[\"\\q\"]"), "Invalid escape sequence: \\q");
    assert_eq!(wrong("a[\"\\u12é\"]"), "Invalid escape sequence: \\u12");
    assert_eq!(wrong("a[1.2.3]"), "Invalid number literal: 1.2.3");
}

#[test]
fn several_errors_are_reported_together() {
    let reported = |text: &str| {
        let found = read(text).expect_err(text);
        found.into_iter().map(|(summary, marked)| format!("{summary}: {marked}")).collect::<Vec<_>>()
    };
    assert_eq!(reported("a[\"x"), ["Unterminated string literal: ", "Unclosed index brackets: "]);
    assert_eq!(reported("${a}"), ["Invalid character: $", "Variable name required: $"]);
    assert_eq!(reported("~> 1.0"), ["Unsupported operator: ~", "Variable name required: ~"]);
}

#[test]
fn keywords_and_addresses_of_both_notations() {
    assert_eq!(name("all", 0).keyword().as_deref(), Some("all"));
    assert_eq!(json("all", 0).keyword().as_deref(), Some("all"));
    assert_eq!(at(0, 4, ExprKind::Null).keyword().as_deref(), Some("null"));
    assert_eq!(at(0, 4, ExprKind::Bool(true)).keyword().as_deref(), Some("true"));
    assert_eq!(json("a.b", 0).keyword(), None);
    assert_eq!(
        json("a.b", 5).as_traversal().expect("an address").span(),
        span(5, 8),
        "counted from the quote"
    );
    assert_eq!(at(0, 3, ExprKind::Parens(Box::new(name("a", 1)))).keyword(), None);
    let quoted = quoted(0, 5, vec![literal("all", 1)]);
    assert!(quoted.is_native_quoted_string());
    assert!(!json("all", 0).is_native_quoted_string());
    let mut findings = Vec::new();
    assert_eq!(quoted.static_traversal(&mut findings), None);
    assert_eq!(json("${a}", 9).static_traversal(&mut findings), None);
    let found: Vec<_> = findings.iter().map(|f| (f.summary.as_str(), f.primary.expect("a place"))).collect();
    assert_eq!(found, [("Invalid expression", span(0, 5)), ("Invalid expression", span(9, 15))]);
}

#[test]
fn lists_and_maps_are_written_out() {
    let mut findings = Vec::new();
    let list = at(0, 3, ExprKind::Tuple(vec![name("a", 1)]));
    assert_eq!(list.static_list(&mut findings).expect("a list").len(), 1);
    assert_eq!(list.static_map(&mut findings), None);
    assert_eq!(name("abc", 4).static_list(&mut findings), None);
    let found: Vec<_> = findings.iter().map(|f| (f.summary.as_str(), f.primary.expect("a place"))).collect();
    assert_eq!(found, [("Invalid expression", span(0, 1)), ("Invalid expression", span(4, 7))]);

    let bare_name = ObjectItem { key: ObjectKey::Name("a".into(), span(1, 2)), value: name("b", 5) };
    let in_quotes = quoted(7, 10, vec![literal("c", 8)]);
    let quoted_name = ObjectItem { key: ObjectKey::Expr(in_quotes), value: name("d", 12) };
    let map = at(0, 14, ExprKind::Object(vec![bare_name, quoted_name]));
    let pairs = map.as_map().expect("a map");
    assert_eq!(pairs[0].0.keyword().as_deref(), Some("a"));
    assert_eq!(pairs[1].0.keyword(), None);
    let name_of = |text: &str| JsonString { text: text.into(), template: Ok(bare(vec![])) };
    let property = JsonProperty { name_span: span(1, 8), name: name_of("aws.x"), value: json("aws.y", 9) };
    let map = at(0, 20, ExprKind::JsonObject(vec![property]));
    let pairs = map.as_map().expect("a map");
    let key = pairs[0].0.as_traversal().expect("an address").into_owned();
    assert_eq!((key.root.as_str(), key.steps.len()), ("aws", 1));
    assert_eq!(pairs[0].1.as_traversal().expect("an address").root, "aws");
}

#[test]
fn a_value_starts_where_the_engines_point() {
    let starts = |expr: &Expr| (expr.start_span().start, expr.start_span().end);
    assert_eq!(starts(&quoted(0, 5, vec![literal("abc", 1)])), (1, 4));
    assert_eq!(starts(&quoted(0, 2, vec![])), (2, 2), "behind the quotes of an empty string");
    assert_eq!(starts(&quoted(0, 6, vec![Part::Interpolation(Box::new(name("a", 3)))])), (0, 6));
    assert_eq!(
        starts(&quoted(0, 9, vec![Part::Interpolation(Box::new(name("a", 3))), literal("x", 5)])),
        (3, 4)
    );
    let sum = ExprKind::Binary(BinaryOperator::Add, Box::new([name("ab", 1), name("c", 5)]));
    assert_eq!(starts(&at(0, 7, ExprKind::Parens(Box::new(at(1, 6, sum))))), (1, 3));
    assert_eq!(starts(&at(3, 9, ExprKind::Object(vec![]))), (3, 4));
    let (open, close) = (span(1, 2), span(2, 3));
    let call =
        Call { name: "f".into(), name_span: span(0, 1), arguments: vec![], expands_last: false, open, close };
    assert_eq!(starts(&at(0, 3, ExprKind::Call(Box::new(call)))), (0, 2));
}

#[test]
fn names_set_by_a_for_are_no_variables() {
    let inner = For {
        key_name: Some("k".into()),
        value_name: "v".into(),
        collection: name("v", 0),
        key: Some(name("k", 10)),
        value: quoted(
            20,
            30,
            vec![Part::Interpolation(Box::new(name("w", 22))), Part::Interpolation(Box::new(name("v", 25)))],
        ),
        condition: Some(name("c", 40)),
        grouped: false,
    };
    let outside = at(0, 99, ExprKind::Tuple(vec![at(0, 50, ExprKind::For(Box::new(inner))), name("k", 60)]));
    let found: Vec<_> = outside.variables().iter().map(|t| (t.root.as_str(), t.root_span.start)).collect();
    assert_eq!(found, [("v", 0), ("w", 22), ("c", 40), ("k", 60)]);

    let part = Part::For(Box::new(ForDirective {
        span: span(0, 40),
        key: None,
        value: "v".into(),
        collection: name("list", 3),
        body: bare(vec![
            Part::Interpolation(Box::new(name("v", 9))),
            Part::Interpolation(Box::new(name("x", 15))),
        ]),
    }));
    let string = JsonString { text: "…".into(), template: Ok(bare(vec![part])) };
    let found = at(0, 50, ExprKind::JsonString(Box::new(string)));
    let found: Vec<_> = found.variables().iter().map(|t| t.root.as_str()).collect();
    assert_eq!(found, ["list", "x"]);
}
