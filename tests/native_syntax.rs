//! Compares findings in broken native files with terraform: the record below is checked against our parser and, if
//! there is a terraform on `PATH`, against that as well, so that the record cannot be outdated or wrong.

use indoc::indoc;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use overrule::limits::Limits;
use overrule::syntax::{Notation, parse};
use overrule::text::{FileId, Source};

/// A file and its errors: `line,column-line,column summary`, in source order.
const RECORD: &[(&str, &str)] = &[
    ("a = 1\nb = 2\n", ""),
    // Items of bodies.
    ("a = 1\na = 2\n", "2,1-2,2 Attribute redefined"),
    ("a = 1 b\n", "1,7-1,8 Missing newline after argument"),
    ("a = 1, b = 2\n", "1,6-1,7 Unexpected comma after argument"),
    ("a\n", "1,1-1,2 Argument or block definition required"),
    ("\"a\" = 1\n", "1,1-1,2 Invalid argument name"),
    ("b {\n  1\n}\n", "2,3-2,4 Argument or block definition required"),
    ("b {\n  a = 1\n", "1,3-1,4 Unclosed configuration block"),
    ("b \"x\" = 1\n", "1,7-1,8 Invalid block definition"),
    ("b \"x\"\n{\n}\n", "1,6-2,1 Invalid block definition"),
    ("b c 1 {\n}\n", "1,5-1,6 Invalid block definition"),
    ("b { a = 1, c = 2 }\n", "1,10-1,11 Invalid single-argument block definition"),
    ("b { a = 1\n}\n", "1,10-2,1 Invalid single-argument block definition"),
    ("b { c { } }\n", "1,5-1,8 Argument definition required"),
    ("b {} c {}\n", "1,6-1,7 Missing newline after block definition"),
    ("b \"${x}\" {\n}\n", "1,4-1,6 Invalid string literal"),
    (
        "b \"x {\n}\n",
        indoc! {"
            1,7-2,1 Invalid multi-line string
            1,7-2,1 Invalid string literal
            2,2-3,1 Invalid multi-line string"},
    ),
    // Expressions.
    ("a =\n", "1,4-2,1 Invalid expression"),
    ("a = 1 +\n", "1,8-2,1 Invalid expression"),
    ("a = (1\nb = 2\n", "2,1-2,2 Unbalanced parentheses"),
    ("a = b ? 1\n", "1,10-2,1 Missing false expression in conditional"),
    ("a = 10.0.0.1\n", "1,5-1,13 Invalid number literal"),
    ("a = b.0.1\n", "1,7-1,10 Invalid legacy index syntax"),
    ("a = b.\nc = 1\n", "1,7-2,1 Invalid attribute name"),
    ("a = b.*.*\n", "1,9-1,10 Nested splat expression not allowed"),
    ("a = b[0\nc = 1\n", "3,1-3,1 Missing close bracket on index"),
    ("a = b[*\n]\n", "2,1-2,2 Missing close bracket on splat index"),
    ("a = x::1()\n", "1,8-1,9 Missing function name"),
    ("a = x::f\n", "1,9-2,1 Missing open parenthesis"),
    ("a = f(1 2)\n", "1,9-1,10 Missing argument separator"),
    ("a = f(b..., 1)\n", "1,8-1,11 Missing closing parenthesis"),
    ("a = f(1,\n", "2,1-2,1 Missing expression"),
    ("a = f(1\n", "1,5-1,7 Unterminated function call"),
    // Collections.
    ("a = [1 2]\n", "1,8-1,9 Missing item separator"),
    ("a = [1\n", "1,5-1,6 Unterminated tuple constructor expression"),
    ("a = { b }\n", "1,9-1,10 Missing key/value separator"),
    ("a = {\n  b\n}\n", "2,4-3,1 Missing attribute value"),
    ("a = { b = 1 c = 2 }\n", "1,13-1,14 Missing attribute separator"),
    ("a = { b = 1\n", "2,1-2,1 Missing expression"),
    ("a = { b = 1", "1,5-1,6 Unterminated object constructor expression"),
    ("a = { for = 1 }\n", "1,11-1,12 Invalid 'for' expression"),
    ("a = [for x y : z]\n", "1,12-1,13 Invalid 'for' expression"),
    ("a = [for x in y : x => y]\n", "1,19-1,20 Invalid 'for' expression"),
    ("a = {for x in y : x}\n", "1,19-1,20 Invalid 'for' expression"),
    ("a = [for x in y : x...]\n", "1,20-1,23 Invalid 'for' expression"),
    // Strings.
    ("a = \"x\ny\"\n", "1,7-2,1 Invalid multi-line string\n1,7-2,1 Unterminated template string"),
    ("a = \"x\\q\"\n", "1,7-1,9 Invalid escape sequence"),
    ("a = \"\\u12\"\n", "1,6-1,10 Invalid escape sequence"),
    (
        "a = \"${b\"\nc = 1\n",
        indoc! {"
            1,6-1,8 Unclosed template interpolation sequence
            1,10-2,1 Invalid multi-line string
            2,6-3,1 Invalid multi-line string"},
    ),
    ("a = \"${b:c}\"\n", "1,9-1,10 Extra characters after interpolation expression"),
    ("a = \"${b c}\"\n", "1,10-1,11 Extra characters after interpolation expression"),
    ("a = \"%{ 1 }\"\n", "1,9-1,10 Invalid template directive"),
    ("a = \"%{ iff b }\"\n", "1,9-1,12 Invalid template control keyword"),
    ("a = \"%{ if b }\"\n", "1,15-1,16 Unexpected end of template"),
    ("a = \"%{ endif }\"\n", "1,6-1,16 Unexpected endif directive"),
    (
        "a = \"%{ if b }%{ else }%{ else }%{ endif }\"\n",
        "1,24-1,33 Unexpected else directive\n1,33-1,43 Unexpected endif directive",
    ),
    (
        "a = \"%{ for b c }%{ endfor }\"\n",
        "1,15-1,16 Invalid 'for' directive\n1,18-1,29 Unexpected endfor directive",
    ),
    ("a = \"%{ if b c }%{ endif }\"\n", "1,14-1,15 Extra characters in if marker"),
    ("a = <<EOT\nx\n", "3,1-3,1 Unterminated template string"),
    ("a = <<EOT\nx\nEOT", "3,4-3,4 Unterminated template string"),
    // Characters.
    ("a = 'x'\n", "1,5-1,6 Invalid character\n1,5-1,6 Invalid expression"),
    ("a = b & c\n", "1,7-1,8 Missing newline after argument\n1,7-1,8 Unsupported operator"),
    ("a = 1;\n", "1,6-1,7 Invalid character\n1,6-1,7 Missing newline after argument"),
    ("a = “x”\n", "1,5-1,6 Invalid character\n1,5-1,6 Invalid expression\n1,7-1,8 Invalid character"),
    ("a = 1\r b = 2\n", "1,6-1,7 Invalid character\n1,6-1,7 Missing newline after argument"),
    // After an error, most further errors are silenced, but not all.
    ("a = ]\nb = [\nc = 1.2.3\n", "1,5-1,6 Invalid expression"),
    ("a = ]\nb = 1 2\nc = 1.2.3\n", "1,5-1,6 Invalid expression\n3,5-3,10 Invalid number literal"),
    // Constructs that hcl-edit alone would handle differently.
    ("a = { b = 1, b = 2 }\n", ""),
    ("a = { for k, v in y : k => v ?\n1 :\n2 }\n", ""),
    ("a = [for v in c ?\nd : e : v\n]\n", ""),
    ("a = { for\r\nk, v in y : k => v }\r\n", ""),
    ("a = \"%{ if b &&\nc }x%{ endif }\"\n", ""),
    (
        indoc! {r#"
            a = <<EOF
            EOF"
            EOF x
            EOF
        "#},
        "",
    ),
    ("\u{feff}a = 1\n", ""),
    ("a = 1e999\n", ""),
    (
        indoc! {"
            a = f(<<EOT
            x
            EOT
            , 1)
        "},
        "",
    ),
];

#[test]
fn our_findings_are_the_recorded_ones() {
    let mut said = Readings::new();
    for (number, (text, _)) in RECORD.iter().enumerate() {
        let source = Source::new("main.tf", text.as_bytes().to_vec());
        let (_, findings) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
        let lines = findings.iter().map(|finding| {
            let span = finding.primary.expect("a place");
            let (start, end) = (source.position(span.start), source.position(span.end));
            let place = (start.byte, end.byte);
            let line = format!("{},{}-{},{}", start.line, start.column, end.line, end.column);
            (place, format!("{line} {}", finding.summary))
        });
        said.insert(number, lines.collect());
    }
    compare(said);
}

#[test]
fn terraform_reports_the_recorded_errors() {
    let directory = tempfile::tempdir().expect("a directory");
    for (number, (text, _)) in RECORD.iter().enumerate() {
        fs::write(directory.path().join(format!("{number}.tf")), text).expect("a file");
    }
    let run = Command::new("terraform")
        .args(["validate", "-json"])
        .env("CHECKPOINT_DISABLE", "1")
        .current_dir(directory.path())
        .output();
    // Without a terraform there is nothing to compare with.
    let Ok(output) = run else { return };
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON from terraform");
    let mut said = Readings::new();
    for diagnostic in answer["diagnostics"].as_array().expect("diagnostics") {
        let range = &diagnostic["range"];
        let Some(name) = range["filename"].as_str() else { continue };
        let number: usize = name.trim_end_matches(".tf").parse().expect("a file of ours");
        let summary = diagnostic["summary"].as_str().expect("a summary");
        // Terraform does not know the items, but it reports that after parsing.
        if summary.starts_with("Unsupported argument") || summary.starts_with("Unsupported block type") {
            continue;
        }
        let at = |end: &str, what: &str| {
            let number = range[end][what].as_u64().expect("a number");
            usize::try_from(number).expect("a small number")
        };
        let mut end = (at("end", "line"), at("end", "column"), at("end", "byte"));
        // Terraform makes an empty range one byte long.
        if at("start", "byte") == RECORD[number].0.len() {
            end = (at("start", "line"), at("start", "column"), at("start", "byte"));
        }
        let line = format!("{},{}-{},{}", at("start", "line"), at("start", "column"), end.0, end.1);
        said.entry(number).or_default().push(((at("start", "byte"), end.2), format!("{line} {summary}")));
    }
    compare(said);
}

type Readings = BTreeMap<usize, Vec<((usize, usize), String)>>;

/// Asserts that the findings in each file, by its number in the record, are the recorded ones.
fn compare(mut said: Readings) {
    let mut wrong = String::new();
    for (number, (text, expected)) in RECORD.iter().enumerate() {
        let lines = sorted(said.remove(&number).unwrap_or_default());
        if lines != *expected {
            let _ = writeln!(wrong, "{text:?}\nis said to be:\n{lines:?}\nrecorded is:\n{expected:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn sorted(mut lines: Vec<((usize, usize), String)>) -> String {
    lines.sort();
    let mut text = String::new();
    for (number, (_, line)) in lines.iter().enumerate() {
        let _ = write!(text, "{}{line}", if number > 0 { "\n" } else { "" });
    }
    text
}
