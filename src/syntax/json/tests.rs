//! Tests of the findings in JSON files, which are those of the engine, and of the values that survive.

use crate::finding::Finding;
use crate::limits::Limits;
use crate::syntax::{
    AttributeSchema, BlockSchema, Body, Content, Expr, ExprKind, Notation, Part, Schema, StepKind, parse,
};
use crate::text::{FileId, Source};

const TERRAFORM: Schema<'static> = Schema {
    attributes: &[AttributeSchema::optional("name")],
    blocks: &[
        BlockSchema::new("locals", &[]),
        BlockSchema::new("variable", &["name"]),
        BlockSchema::new("resource", &["type", "name"]),
    ],
};

fn read(text: &str) -> (Body, Vec<Finding>) {
    let (file, findings) =
        parse(FileId::new(0), &Source::new("main.tf.json", text.into()), Notation::Json, &Limits::default());
    assert_eq!(file.complete, findings.is_empty());
    assert!(file.body.is_json() && file.comments.is_empty());
    (file.body, findings)
}

/// Each finding as `summary @ marked text`.
fn reported(text: &str, findings: &[Finding]) -> Vec<String> {
    let marked =
        |finding: &Finding| text.get(finding.primary.expect("a place").range()).unwrap_or("").to_owned();
    findings.iter().map(|finding| format!("{} @ {}", finding.summary, marked(finding))).collect()
}

fn syntax(text: &str) -> Vec<String> {
    reported(text, &read(text).1)
}

fn content(text: &str) -> (Content, Vec<String>) {
    let (body, mut findings) = read(text);
    let content = body.content(&TERRAFORM, &mut findings);
    (content, reported(text, &findings))
}

/// Each block as `kind label label`.
fn blocks(content: &Content) -> Vec<String> {
    let one = |text: String, label: &crate::syntax::Label| format!("{text} {}", label.text);
    content.blocks.iter().map(|block| block.labels.iter().fold(block.kind.to_string(), one)).collect()
}

/// The argument `name` of a file `{"name": value}`.
fn value(value: &str) -> Expr {
    let text = format!("{{\"name\": {value}}}");
    let (content, findings) = content(&text);
    assert_eq!(findings, Vec::<String>::new());
    content.attribute("name").expect("the argument").expr.clone()
}

#[test]
fn a_file_is_an_object_or_an_array_of_them() {
    assert_eq!(syntax("{}"), [""; 0]);
    assert_eq!(syntax(" [ {}, {} ]\r\n"), [""; 0]);
    assert_eq!(syntax(""), ["Missing value @ ", "Root value must be object @ "]);
    assert_eq!(syntax("true"), ["Root value must be object @ true"]);
    assert_eq!(syntax("{} {}"), ["Extraneous data after value @ {"]);
    assert_eq!(
        syntax("\u{feff}{}"),
        ["Invalid start of value @ \u{feff}", "Root value must be object @ \u{feff}"]
    );
    assert_eq!(content("[{\"variable\": {\"a\": {}}}, {\"variable\": {\"b\": {}}}]").0.blocks.len(), 2);
    let (_, findings) = content("[1, {\"name\": 1}]");
    assert_eq!(findings, ["Incorrect JSON value type @ 1"]);
}

/// The error after a mistake shows where the engine continues.
#[test]
fn each_slip_has_its_words_and_place() {
    let root = "Root value must be object @ {";
    assert_eq!(syntax("{\"a\": 1,}"), ["Trailing comma in object @ ,", root]);
    assert_eq!(syntax("{\"a\": [1,]}"), ["Trailing comma in array @ ,", "Mismatched braces @ }", root]);
    assert_eq!(syntax("{\"a\"}"), ["Missing object value @ }", root]);
    assert_eq!(syntax("{\"a\", \"b\"}"), ["Missing object value @ ,", root]);
    assert_eq!(syntax("{\"a\" = 1}"), ["Missing property value colon @ =", root]);
    assert_eq!(syntax("{\"a\" 1}"), ["Missing property value colon @ 1", root]);
    assert_eq!(syntax("{\"a\": 1 \"b\": 2}"), ["Missing attribute seperator comma @ ", root]);
    assert_eq!(syntax("{\"a\": [1 2]}"), ["Missing attribute seperator comma @ }"]);
    assert_eq!(syntax("{\"a\": [1: 2]}"), ["Invalid array value @ }"]);
    assert_eq!(syntax("{\"a\": [1}, 2]}"), ["Mismatched brackets @ }"]);
    assert_eq!(syntax("{\"a\": 1], \"b\": 2}"), ["Mismatched braces @ ,", root]);
    assert_eq!(syntax("{\"a\": tru}"), ["Invalid JSON keyword @ tru"]);
    assert_eq!(syntax("{\"a\": NaN}"), ["Invalid JSON keyword @ NaN"]);
    assert_eq!(syntax("{\"a\": 01}"), ["Invalid JSON number @ 01"]);
    assert_eq!(syntax("{\"a\": \"\\q \"}"), ["Invalid JSON string @  "]);
    assert_eq!(syntax("{\"a\": \"b\n}"), ["Invalid JSON string @ \n"]);
    let expected = ["Missing JSON value @ }"];
    assert_eq!(syntax("{\"a\": }"), expected);
    assert_eq!(syntax("{\"a\": [,]}")[0], "Invalid start of value @ ,");
    assert_eq!(syntax("{\"a\": ]}")[0], "Missing array element value @ ]");
    assert_eq!(syntax("{1: 2}"), ["Invalid object property name @ 1", root]);
    assert_eq!(syntax("{\"a\": 1"), ["Unclosed object @ {", root]);
    assert_eq!(syntax("[1"), ["Unclosed object @ [", "Root value must be object @ ["]);
    assert_eq!(syntax("[1,"), ["Missing value @ ", "Unclosed object @ [", "Root value must be object @ ["]);
    let help = |text: &str| read(text).1[0].help.clone();
    assert_eq!(help("[True]").as_deref(), Some("did you mean `true`?"));
    assert_eq!(help("[yes]").as_deref(), Some("write strings in quotes"));
}

#[test]
fn what_is_whole_beside_a_slip_is_kept() {
    let (content, findings) =
        content("{\"variable\": {\"a\": {\"type\": nul}, \"b\": {}}, \"locals\": {\"x\": 1,}}");
    assert_eq!(findings[..2], ["Invalid JSON keyword @ nul", "Trailing comma in object @ ,"]);
    assert_eq!(
        findings[2..],
        ["Incorrect JSON value type @ {"],
        "the object with the comma is none any more"
    );
    assert_eq!(blocks(&content), ["variable a", "variable b"]);
    let mut findings = Vec::new();
    let attributes = content.blocks[0].body.just_attributes(&mut findings);
    assert_eq!(attributes[0].expr.kind, ExprKind::Invalid);
}

#[test]
fn labels_are_nested_objects_and_arrays_repeat() {
    let text = r#"{
        "//": "a comment",
        "resource": [{"a": {"b": {}, "c": [{}, {}]}}, {"a": {"d": null}}],
        "variable": {"v": {}, "v": {}},
        "resource": {"e": [{"f": {}}]}
    }"#;
    let (content, findings) = content(text);
    assert_eq!(findings, [""; 0]);
    let expected =
        ["resource a b", "resource a c", "resource a c", "variable v", "variable v", "resource e f"];
    assert_eq!(blocks(&content), expected);
    let header = |number: usize| &text[content.blocks[number].header.range()];
    assert_eq!((header(0), header(1)), ("{", "["));
    assert_eq!(&text[content.blocks[0].labels[1].span.range()], "\"b\"");
    assert_eq!(&text[content.blocks[0].kind_span.range()], "\"resource\"");
    assert_eq!(&text[content.missing_item.range()], "}");
}

#[test]
fn a_value_that_is_no_block_is_reported_at_its_start() {
    assert_eq!(content("{\"resource\": {}}").1, ["Missing block label @ {"]);
    assert_eq!(content("{\"resource\": null}").1, ["Missing block label @ null"]);
    assert_eq!(content("{\"resource\": []}").1, ["Missing block label @ ["]);
    assert_eq!(content("{\"variable\": {\"a\": 1}}").1, ["Incorrect JSON value type @ 1"]);
    let expected = ["Incorrect JSON value type @ \"x\"", "Missing block label @ \"x\""];
    assert_eq!(content("{\"variable\": \"x\"}").1, expected);
    assert_eq!(content("{\"variable\": [null]}").1[0], "Incorrect JSON value type @ null");
    assert_eq!(content("{\"resource\": {\"//\": \"x\"}}").1.len(), 2, "a comment only where a body is");
}

#[test]
fn unexpected_properties_are_reported_once() {
    let (_, findings) = content("{\"nam\": 1, \"nam\": 2, \"//\": 3, \"name\": 4, \"name\": 5}");
    let expected = [
        "Duplicate argument @ \"name\"",
        "Extraneous JSON object property @ \"nam\"",
        "Extraneous JSON object property @ \"nam\"",
    ];
    assert_eq!(findings, expected);
    let (body, mut findings) = read("{\"variabel\": {}, \"more\": 1}");
    body.content(&TERRAFORM, &mut findings);
    let help: Vec<_> = findings.iter().map(|finding| finding.help.as_deref()).collect();
    assert_eq!(help, [Some("did you mean `variable`?"), None]);
}

#[test]
fn the_rest_hides_what_was_taken() {
    let (body, mut findings) =
        read("{\"name\": 1, \"variable\": {\"a\": {}}, \"x\": \"${a.b}\", \"//\": \"${c}\"}");
    let (_, rest) = body.partial_content(&TERRAFORM, &mut findings);
    assert!(!rest.is_empty());
    let mut roots = Vec::new();
    rest.for_each_expression(&mut |expr| expr.for_each_variable(|found| roots.push(found.root.to_string())));
    assert_eq!(roots, ["a"]);
    assert_eq!(rest.just_attributes(&mut findings).len(), 1);
    let schema = Schema { attributes: &[AttributeSchema::optional("x")], blocks: &[] };
    let (_, rest) = rest.partial_content(&schema, &mut findings);
    assert!(rest.is_empty());
    rest.content(&Schema { attributes: &[], blocks: &[] }, &mut findings);
    assert!(findings.is_empty());
    let required = Schema { attributes: &[AttributeSchema::required("x")], blocks: &[] };
    rest.content(&required, &mut findings);
    assert_eq!(findings[0].summary, "Missing required argument");
    assert!(!read("[1]").0.is_empty());
    assert!(read("[]").0.is_empty());
}

#[test]
fn attributes_alone_are_those_of_one_object() {
    let attributes = |text: &str| {
        let (content, mut findings) = content(&format!("{{\"locals\": {text}}}"));
        assert_eq!(findings, [""; 0]);
        let mut raised = Vec::new();
        let found: usize =
            content.blocks.iter().map(|block| block.body.just_attributes(&mut raised).len()).sum();
        findings.extend(raised.into_iter().map(|finding| finding.summary));
        (found, findings)
    };
    assert_eq!(attributes("{\"a\": 1, \"//\": 2, \"b\": {}}"), (2, vec![]));
    assert_eq!(attributes("[{\"a\": 1}, {\"a\": 1}]"), (2, vec![]));
    assert_eq!(attributes("null"), (0, vec![]));
    assert_eq!(attributes("[null]"), (0, vec!["Incorrect JSON value type".to_owned()]));
    assert_eq!(attributes("{\"a\": 1, \"a\": 2}"), (1, vec!["Duplicate attribute definition".to_owned()]));
}

#[test]
fn strings_are_text_and_template() {
    let ExprKind::JsonString(string) = value("\"a\\n$${b}%\"").kind else { panic!("a string") };
    assert_eq!(string.text, "a\n$${b}%");
    let template = string.template.expect("a template");
    assert_eq!(template.parts.len(), 1);
    assert!(matches!(&template.parts[0], Part::Literal { text, .. } if text == "a\n${b}%"));

    let ExprKind::JsonString(string) = value("\"x ${ var.a[0] } %{ if true }y%{ endif }\"").kind else {
        panic!("a string")
    };
    let template = string.template.expect("a template");
    let [Part::Literal { text, span }, Part::Interpolation(expr), Part::Literal { .. }, Part::If(_)] =
        &template.parts[..]
    else {
        panic!("{template:?}")
    };
    assert_eq!((text.as_str(), span.start, span.end), ("x ", 10, 12));
    assert_eq!((expr.span.start, expr.span.end), (15, 23));
    let ExprKind::Traversal(traversal) = &expr.kind else { panic!("{expr:?}") };
    assert_eq!(traversal.steps[1].span.start, 20);
    assert_eq!(traversal.steps[1].kind, StepKind::Number("0".into()));

    let ExprKind::JsonString(string) = value("\"a${\"").kind else { panic!("a string") };
    assert!(string.template.is_err());
    let ExprKind::JsonString(string) = value("\"\"").kind else { panic!("a string") };
    assert!(string.template.expect("a template").parts.is_empty());
}

/// Each of them counts as three bytes, so a position after them would lie after the string.
#[test]
fn bytes_that_are_not_utf8_move_nothing_out_of_a_string() {
    let bytes = b"{\"a\": \"\xff\xff\xff${[for]}\", \"b\": \"\xff\xff\xff${c}\"}".to_vec();
    let source = Source::new("main.tf.json", bytes);
    let (file, _) = parse(FileId::new(0), &source, Notation::Json, &Limits::default());
    let attributes = file.body.just_attributes(&mut Vec::new());
    let [ExprKind::JsonString(wrong), ExprKind::JsonString(right)] =
        [&attributes[0].expr.kind, &attributes[1].expr.kind]
    else {
        panic!("strings")
    };
    let place = wrong.template.as_ref().expect_err("no expression")[0].primary.expect("a place");
    assert_eq!((place.start, place.end), (19, 19));
    let Part::Interpolation(expr) = &right.template.as_ref().expect("a template").parts[1] else {
        panic!("a reference")
    };
    assert_eq!((expr.span.start, expr.span.end), (35, 35));
}

#[test]
fn other_values_are_expressions() {
    // `true` and `null` are names in native syntax, but not here.
    let bare = |text| match value(text).kind {
        ExprKind::Parens(inside) => inside.kind,
        other => other,
    };
    assert_eq!((bare("null"), value("null").keyword()), (ExprKind::Null, None));
    assert_eq!((bare("false"), value("false").keyword()), (ExprKind::Bool(false), None));
    assert_eq!(value("-1.50e3").kind, ExprKind::Number("-1.50e3".into()));
    assert_eq!(value("[1, 2]").as_list().expect("a list").len(), 2);
    let map = value("{\"${a}\": {\"//\": 1}, \"b\": 2}");
    assert_eq!(map.as_map().expect("a map").len(), 2);
    assert_eq!(map.variables().len(), 1);
}

#[test]
fn hostile_files_are_read_in_part() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    for text in [deep("[", "]"), deep("{\"a\":", "}"), deep("[{\"a\":", ""), deep("[", ""), deep("{", "")] {
        let (body, findings) = read(&text);
        assert!(!findings.is_empty() && findings.len() < 300);
        body.for_each_expression(&mut |expr| expr.for_each_variable(|_| ()));
    }
    let (file, _) = parse(
        FileId::new(0),
        &Source::new("a", b"{\"\xff\": \"\0\xc3\"}".to_vec()),
        Notation::Json,
        &Limits::default(),
    );
    assert!(!file.complete);
    let (file, _) = parse(
        FileId::new(0),
        &Source::new("a", b"{\"\xff\": \"\xc3?\"}".to_vec()),
        Notation::Json,
        &Limits::default(),
    );
    let attributes = file.body.just_attributes(&mut Vec::new());
    assert_eq!(attributes[0].name, "\u{fffd}");
    assert_eq!(attributes[0].expr.keyword(), None);
}

/// Cuts the text at every byte and changes every byte, so that each branch of the reader meets an error.
#[test]
fn no_slip_breaks_the_reader() {
    let whole = r#"[{"resource": {"a": [{"b": {"x": "${a.b["c"]} %{ if d }\u00e9%{ endif }\n", "y": [-1.5e3, null]}}]},
        "locals": {"//": true, "${k}": {"a.b": "f(x)"}}, "variable": {"ü": null}}]"#;
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for at in 0..whole.len() {
        let (before, behind) = (&whole.as_bytes()[..at], &whole.as_bytes()[at + 1..]);
        texts.push(before.to_vec());
        for slip in ["", "\"", "{", "]", "\\", "0", "$", "\n", "\u{600}"] {
            texts.push([before, slip.as_bytes(), behind].concat());
        }
    }
    for bytes in texts {
        let source = Source::new("main.tf.json", bytes);
        let (file, mut findings) = parse(FileId::new(0), &source, Notation::Json, &Limits::default());
        let content = file.body.content(&TERRAFORM, &mut findings);
        for block in &content.blocks {
            for attribute in block.body.just_attributes(&mut findings) {
                attribute
                    .expr
                    .for_each_variable(|found| assert!(found.span().range().end <= source.text().len()));
                let _ = (attribute.expr.as_traversal(), attribute.expr.start_span());
            }
        }
        for finding in findings {
            // The engine reports an unknown character one byte later, and so the end of an unclosed string.
            assert!(finding.primary.expect("a place").range().start <= source.text().len() + 1);
        }
    }
}
