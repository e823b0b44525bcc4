//! Tests of the tree: items that survive an error, recovery, and limits.

use indoc::indoc;
use std::fmt::Write as _;

use crate::finding::{Finding, Severity};
use crate::limits::Limits;
use crate::syntax::{BlockSchema, Body, Expr, ExprKind, File, Notation, ObjectKey, Part, Schema, parse};
use crate::text::{FileId, Source};

use super::scan::{Kind, scan};

fn read(text: &str) -> (Source, File, Vec<Finding>) {
    let source = Source::new("main.tf", text.as_bytes().to_vec());
    let (file, findings) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    (source, file, findings)
}

/// The items of a file: `a` is an argument, `a?` one with an error, `b[…]` a block. A block `c` has a label.
fn items(text: &str) -> String {
    let schema =
        Schema { attributes: &[], blocks: &[BlockSchema::new("b", &[]), BlockSchema::new("c", &["name"])] };
    let mut out = String::new();
    write_items(&mut out, &read(text).1.body, &schema);
    out
}

fn write_items(out: &mut String, body: &Body, schema: &Schema<'_>) {
    for attribute in body.just_attributes(&mut Vec::new()) {
        let mark = if matches!(attribute.expr.kind, ExprKind::Invalid | ExprKind::Unread) { "?" } else { "" };
        let _ = write!(out, " {}{mark}", attribute.name);
    }
    for block in body.partial_content(schema, &mut Vec::new()).0.blocks {
        let _ = write!(out, " {}", block.kind);
        for label in &block.labels {
            let _ = write!(out, ":{}", label.text);
        }
        out.push('[');
        write_items(out, &block.body, schema);
        out.push(']');
    }
}

/// The value of the only argument of a valid file.
fn value(text: &str) -> (Source, Expr) {
    let (source, file, findings) = read(text);
    assert_eq!(findings, [], "{text:.100}");
    assert!(file.complete, "{text:.100}");
    let expr = file.body.just_attributes(&mut Vec::new())[0].expr.clone();
    (source, expr)
}

#[test]
fn the_item_at_an_offset_is_the_one_around_it() {
    let text = indoc! {"
        a = 1
        b {
          d = 2
        }
        e = [
          3,
        ]
        c \"x\" {}
        b {}
    "};
    let (_, file, _) = read(text);
    let items = file.body.items();
    assert_eq!(items.len(), 5);
    for offset in 0..u32::try_from(text.len()).expect("a short text") {
        let around = items.iter().find(|item| item.span.start <= offset && offset < item.span.end);
        let found = file.body.item_at(offset);
        assert_eq!(found.map(|item| item.span), around.map(|item| item.span), "{offset}");
    }
}

#[test]
fn items_survive_errors_as_they_do_in_the_engines() {
    assert_eq!(items("a = 1 2\nd = 3\n"), " a d", "the value was read before the error");
    assert_eq!(
        items(indoc! {"
            a = (1
            + 2)
            d = ]
            e = 1
        "}),
        " a d? e"
    );
    assert_eq!(items("a = 1\na = 2\n"), " a");
    assert_eq!(items("b = {\n"), " b", "an object without items");
    assert_eq!(items("b {\n  a = 1\n"), " b[ a]", "an unclosed block");
    assert_eq!(items("c \"x\" = 1\na = 1\n"), " a c:x[]", "a broken header");
    assert_eq!(items("c \"${x}\" {\n  a = 1\n}\n"), " c:${ ... }[ a]");
    assert_eq!(items("b { a = 1, d = 2 }\ne = 1\n"), " e b[ a]");
    assert_eq!(
        items(indoc! {"
            b {
              1
              a = 1
            }
            d = 1
        "}),
        " d b[]",
        "a body ends at what is no item"
    );
}

#[test]
fn a_file_with_an_error_is_not_complete() {
    assert!(!read("a = 1 2\n").1.complete);
    assert!(!read("a = 1;\n").1.complete);
    assert!(read("a = 1\na = 2\n").1.complete, "all of it was read");
}

#[test]
fn comments_are_kept_wherever_they_stand() {
    let text = "# a\nb = [ // c\n  1, /* d\n */ 2] # e\r\n";
    let (source, file, _) = read(text);
    let comments: Vec<&str> = file.comments.iter().map(|comment| source.slice(comment.span)).collect();
    assert_eq!(comments, ["# a", "// c", "/* d\n */", "# e"]);
}

#[test]
fn spans_reach_from_brace_to_brace_and_from_name_to_value() {
    let (source, file, _) = read("c \"x\" {\n  a = <<EOT\ny\n  EOT  \n}\n");
    let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("c", &["name"])] };
    let content = file.body.content(&schema, &mut Vec::new());
    let block = &content.blocks[0];
    assert_eq!(source.slice(block.header), "c \"x\"");
    assert_eq!(source.slice(block.labels[0].span), "\"x\"");
    assert_eq!(source.slice(block.body.span()), "{\n  a = <<EOT\ny\n  EOT  \n}");
    let attribute = &block.body.just_attributes(&mut Vec::new())[0];
    assert_eq!(source.slice(attribute.span), "a = <<EOT\ny\n  EOT  ");
    assert_eq!(source.slice(attribute.expr.span), "<<EOT\ny\n  EOT  ");
}

/// Keys and values of an object, as written.
fn object(source: &Source, expr: &Expr) -> String {
    let ExprKind::Object(items) = &expr.kind else { panic!("an object: {expr:?}") };
    let items = items.iter().map(|item| {
        let key = match &item.key {
            ObjectKey::Name(_, span) => *span,
            ObjectKey::Expr(key) => key.span,
        };
        format!("{}={}", source.slice(key), source.slice(item.value.span))
    });
    items.collect::<Vec<_>>().join(" ")
}

#[test]
fn an_object_may_hold_a_key_twice() {
    let (source, expr) = value("a = {b=1,b=2, \"c\" = 3\n\"c\"=4\n(d)=5,(d) = 6}\n");
    assert_eq!(object(&source, &expr), "b=1 b=2 \"c\"=3 \"c\"=4 (d)=5 (d)=6");
    let (source, expr) = value("a = [{b={c=1,c=2}, b={c=3}}]\n");
    let ExprKind::Tuple(inner) = &expr.kind else { panic!("a tuple") };
    assert_eq!(object(&source, &inner[0]), "b={c=1,c=2} b={c=3}");
    let ExprKind::Object(items) = &inner[0].kind else { panic!("an object") };
    assert_eq!(object(&source, &items[0].value), "c=1 c=2");
}

#[test]
fn heredocs_may_hold_lines_that_start_with_their_marker() {
    let (_, expr) = value(indoc! {r#"
        a = <<EOF
        EOF"
         EOF x
        EOF
    "#});
    let ExprKind::Template(template) = &expr.kind else { panic!("a template") };
    let text = format!("{:?}", template.parts);
    assert!(text.contains(r#"EOF\"\n EOF x\n"#), "{text}");
}

#[test]
fn an_empty_heredoc_ends_where_it_does() {
    let (source, expr) = value(indoc! {"
        a = [<<EOT
          EOT
        , <<EOT
        x
        EOT
        ]
    "});
    let ExprKind::Tuple(items) = &expr.kind else { panic!("a tuple") };
    let written: Vec<&str> = items.iter().map(|item| source.slice(item.span)).collect();
    assert_eq!(written, ["<<EOT\n  EOT", "<<EOT\nx\nEOT"]);
    value("a = f(<<EOT\nEOT\n)\n");
    value("a = <<EOT\n EOT  \n");
}

#[test]
fn numbers_keep_their_digits_however_large_they_are() {
    for digits in ["1e999", "123456789012345678901234567890", "1.e5", "0.1"] {
        let (_, expr) = value(&format!("a = {digits}\n"));
        assert_eq!(expr.kind, ExprKind::Number(digits.into()));
    }
}

#[test]
fn line_breaks_mean_nothing_in_brackets() {
    for text in [
        "a = { for k, v in y : k => v ?\n1 :\n2 }\n",
        indoc! {"
            a = [
            for v in c ?
            d : e : v
            ]
        "},
        "a = { for k, v in y\n.z : k => v }\n",
        "a = {\r\nfor\r\nk, v in y : k => v }\r\n",
        "a = \"%{ if b # c\n&& d }x%{ endif }\"\n",
        indoc! {"
            a = f(<<EOT
            x
            EOT
            , 1)
        "},
        "a = [ # b\n1 # c\n, 2 ]\n",
        "a = (b\n.c\n[0])\n",
    ] {
        value(text);
    }
}

#[test]
fn a_byte_order_mark_and_bytes_in_comments_that_are_not_utf8_are_let_pass() {
    let (source, expr) = value("\u{feff}a = b\n");
    assert_eq!(source.slice(expr.span), "b");
    let source = Source::new("main.tf", b"a = 1 # \xff\n".to_vec());
    assert_eq!(parse(FileId::new(0), &source, Notation::Native, &Limits::default()).1, []);
    let source = Source::new("main.tf", b"a = \"\xff\xff\"\n".to_vec());
    let (_, findings) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    let summaries: Vec<&str> = findings.iter().map(|finding| finding.summary.as_str()).collect();
    assert_eq!(summaries, ["Invalid character encoding", "Unterminated template string"]);
}

#[test]
fn bytes_in_the_form_of_utf8_are_one_character() {
    let parse = |bytes: &[u8]| {
        let source = Source::new("main.tf", bytes.to_vec());
        parse(FileId::new(0), &source, Notation::Native, &Limits::default())
    };
    let text =
        |file: &File, number: usize| match &file.body.just_attributes(&mut Vec::new())[number].expr.kind {
            ExprKind::Template(template) => match &template.parts[..] {
                [Part::Literal { text, .. }] => text.to_string(),
                parts => panic!("{parts:?}"),
            },
            kind => panic!("{kind:?}"),
        };
    // A surrogate, an overlong form and a number above U+10FFFF.
    let (file, findings) = parse(b"a = \"x\xed\xa0\x80\"\nb = <<E\n\xc0\x80\nE\nc = \"\xf4\x90\x80\x80\"\n");
    assert!(findings.is_empty(), "{findings:?}");
    let stand_ins = |bytes: &[u8]| crate::text::file_name::decode(bytes).into_owned();
    assert_eq!(text(&file, 0), stand_ins(b"x\xed\xa0\x80"));
    assert_eq!(text(&file, 1), stand_ins(b"\xc0\x80\n"));
    assert_eq!(text(&file, 2), stand_ins(b"\xf4\x90\x80\x80"));
    let summaries =
        |bytes: &[u8]| -> Vec<String> { parse(bytes).1.into_iter().map(|finding| finding.summary).collect() };
    assert_eq!(
        summaries(b"a\xed\xa0\x80b = 1\n"),
        ["Invalid character", "Argument or block definition required"]
    );
    assert_eq!(summaries(b"a = \"\xc3\"\n")[0], "Invalid character encoding");
}

#[test]
fn what_is_nested_too_deep_costs_one_argument() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(110), close.repeat(110));
    for value in [deep("(", ")"), deep("[", "]"), deep("{a=", "}"), deep("!", ""), deep("a ? b : ", "")] {
        let text = format!("a = {value}\nd = 1\nb {{\n}}\n");
        assert_eq!(items(&text), " a? d b[]", "{value}");
        let (_, file, findings) = read(&text);
        assert!(!file.complete);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!((findings[0].rule.as_str(), findings[0].severity), ("limit-reached", Severity::Notice));
    }
}

#[test]
fn no_input_overflows_the_stack() {
    const MANY: usize = 20_000;
    for piece in [
        "(",
        "[",
        "{",
        "a{\n",
        "a = {",
        "a = [",
        "a = (",
        "f(",
        "a[",
        "!",
        "-",
        "\"${",
        "\"%{ if ",
        "a ? ",
        "a ? b : ",
        "[for a in ",
        "{for a in ",
        "<<A\n${",
        "x::",
        "%{",
        "$",
        "/*",
        "\"",
        "\\",
        "~}",
        "}",
        "]",
        ")",
    ] {
        for text in [
            piece.repeat(MANY),
            format!("a = {}", piece.repeat(MANY)),
            format!("a = {}1", piece.repeat(MANY)),
        ] {
            let (_, _, findings) = read(&text);
            assert!(!findings.is_empty() && findings.len() <= 1001, "{piece}: {} findings", findings.len());
        }
    }
    for (open, close) in [("(", ")"), ("[", "]"), ("{a=", "}"), ("f(", ")"), ("\"${", "}\""), ("a[", "]")] {
        let (_, _, findings) = read(&format!("a = {}1{}", open.repeat(MANY), close.repeat(MANY)));
        assert_eq!(findings[0].rule.as_str(), "limit-reached", "{open}");
    }
    for step in ["[*]", "[a]", ".*[0]", " + 1"] {
        let (_, _, findings) = read(&format!("a = b{}\n", step.repeat(MANY)));
        assert_eq!(findings[0].rule.as_str(), "limit-reached", "{step}");
    }
    for wide in [".a", "[0]"] {
        value(&format!("a = b{}\n", wide.repeat(MANY)));
    }
    let (source, expr) = value(&format!("a = {{{}}}\n", "b=1,".repeat(MANY)));
    assert_eq!(object(&source, &expr).len(), "b=1 ".len() * MANY - 1);
}

#[test]
fn tokens_cover_the_text_in_order() {
    let text = indoc! {r#"
        a = "x${b}%{ if c }" # d
        e = <<-E
          f $${g} ${h}
          E
        /* i */ j {
        }
    "#};
    let mut end = 0;
    for token in scan(text.as_bytes()).tokens {
        assert!(token.start >= end && token.end >= token.start, "{token:?}");
        assert!(text[end as usize..token.start as usize].trim_matches([' ', '\t']).is_empty(), "{token:?}");
        assert!(!matches!(token.kind, Kind::Unknown | Kind::NotUtf8), "{token:?}");
        end = token.end;
    }
    assert_eq!(end as usize, text.len());
}
