//! Tests of expressions, written as terms: each node with the text of its span where that adds information.

use indoc::indoc;
use std::fmt::Write as _;

use crate::finding::Finding;
use crate::limits::Limits;
use crate::syntax::{
    Expr, ExprKind, ForDirective, IfDirective, Notation, ObjectKey, Part, Step, StepKind, Template,
    TemplateKind, parse,
};
use crate::text::{FileId, Source};

/// The value of `a` in a file with no other argument, as a term.
fn term(value: &str) -> String {
    let (findings, term) = read(value);
    assert!(findings.is_empty(), "{value}: {findings:?}");
    term
}

/// The same, for a value with an error.
fn remnant(value: &str) -> String {
    let (findings, term) = read(value);
    assert!(!findings.is_empty(), "{value}");
    term
}

fn read(value: &str) -> (Vec<Finding>, String) {
    let source = Source::new("main.tf", format!("a = {value}\n").into_bytes());
    let (file, findings) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    let attributes = file.body.just_attributes(&mut Vec::new());
    let mut out = String::new();
    write(&mut out, &source, &attributes[0].expr);
    (findings, out)
}

fn write(out: &mut String, source: &Source, expr: &Expr) {
    let text = source.slice(expr.span);
    let list = |out: &mut String, name: &str, items: &[&Expr]| {
        let _ = write!(out, "{name}(");
        for (number, item) in items.iter().enumerate() {
            out.push_str(if number > 0 { ", " } else { "" });
            write(out, source, item);
        }
        let _ = write!(out, ")<{text}>");
    };
    match &expr.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => out.push_str(text),
        ExprKind::Template(template) => write_template(out, source, template),
        ExprKind::Tuple(items) => list(out, "tuple", &items.iter().collect::<Vec<_>>()),
        ExprKind::Object(items) => {
            out.push_str("object(");
            for item in items {
                match &item.key {
                    ObjectKey::Name(name, _) => out.push_str(name),
                    ObjectKey::Expr(key) => write(out, source, key),
                }
                out.push('=');
                write(out, source, &item.value);
                out.push(';');
            }
            out.push(')');
        }
        ExprKind::Traversal(traversal) => {
            out.push_str(&traversal.root);
            write_steps(out, source, &traversal.steps);
        }
        ExprKind::Relative(relative) => {
            list(out, "relative", &[&relative.from]);
            write_steps(out, source, &relative.steps);
        }
        ExprKind::Index { collection, key, .. } => list(out, "index", &[collection, key]),
        ExprKind::Splat { source: from, each, full, .. } => {
            list(out, if *full { "splat" } else { "attr-splat" }, &[from, each]);
        }
        ExprKind::Element => out.push('_'),
        ExprKind::Call(call) => {
            list(out, &call.name, &call.arguments.iter().collect::<Vec<_>>());
            out.push_str(if call.expands_last { "..." } else { "" });
        }
        ExprKind::Conditional(parts) => list(out, "if", &[&parts[0], &parts[1], &parts[2]]),
        ExprKind::Unary(operator, operand) => list(out, &format!("{operator:?}"), &[operand]),
        ExprKind::Binary(operator, operands) => {
            list(out, &format!("{operator:?}"), &[&operands[0], &operands[1]]);
        }
        ExprKind::For(for_expr) => {
            let _ = write!(out, "for {:?} {} ", for_expr.key_name.as_deref(), for_expr.value_name);
            let inner = [Some(&for_expr.collection), for_expr.key.as_ref(), Some(&for_expr.value)];
            let inner = inner.into_iter().chain([for_expr.condition.as_ref()]).flatten().collect::<Vec<_>>();
            list(out, if for_expr.grouped { "grouped" } else { "single" }, &inner);
        }
        ExprKind::Parens(inner) => list(out, "parens", &[inner]),
        ExprKind::JsonString(_) | ExprKind::JsonObject(_) => out.push_str("json"),
        ExprKind::Invalid => out.push_str("invalid"),
        ExprKind::Unread => out.push_str("unread"),
    }
}

fn write_steps(out: &mut String, source: &Source, steps: &[Step]) {
    for step in steps {
        let _ = match &step.kind {
            StepKind::Attribute(name) => write!(out, " .{name}"),
            StepKind::Key(key) => write!(out, " {key:?}"),
            StepKind::Number(digits) => write!(out, " #{digits}"),
            StepKind::Word(Some(word)) => write!(out, " {word}"),
            StepKind::Word(None) => write!(out, " null"),
        };
        let _ = write!(out, "<{}>", source.slice(step.span));
    }
}

fn write_template(out: &mut String, source: &Source, template: &Template) {
    let kind = match template.kind {
        TemplateKind::Quoted => "quoted",
        TemplateKind::Heredoc => "heredoc",
        TemplateKind::Bare => "bare",
    };
    let _ = write!(out, "{kind}[");
    for (number, part) in template.parts.iter().enumerate() {
        out.push_str(if number > 0 { " " } else { "" });
        match part {
            Part::Literal { text, span } => {
                let _ = write!(out, "{text:?}");
                let written = source.slice(*span);
                if written != text {
                    let _ = write!(out, "<{written:?}>");
                }
            }
            Part::Interpolation(expr) => {
                out.push('$');
                write(out, source, expr);
            }
            Part::If(directive) => {
                let IfDirective { condition, then, otherwise, .. } = &**directive;
                out.push_str("if ");
                write(out, source, condition);
                write_template(out, source, then);
                if let Some(otherwise) = otherwise {
                    write_template(out, source, otherwise);
                }
            }
            Part::For(directive) => {
                let ForDirective { key, value, collection, body, .. } = &**directive;
                let _ = write!(out, "for {:?} {value} ", key.as_deref());
                write(out, source, collection);
                write_template(out, source, body);
            }
        }
    }
    out.push(']');
}

#[test]
fn literal_keys_are_steps_and_calculated_ones_are_not() {
    assert_eq!(term("a[0].b"), "a #0<[0]> .b<.b>");
    assert_eq!(term("a[true][null].b"), "a true<[true]> null<[null]> .b<.b>");
    assert_eq!(term(r#"a["k"]"#), r#"a "k"<["k"]>"#);
    assert_eq!(term("a.0.b"), "a #0<.0> .b<.b>");
    assert_eq!(term("a[b]"), "index(a, b)<a[b]>");
    assert_eq!(term(r#"a["${b}"]"#), r#"index(a, quoted[$b])<a["${b}"]>"#);
    assert_eq!(term("a[-1]"), "index(a, Negate(1)<-1>)<a[-1]>");
    assert_eq!(term("f(x).a"), "relative(f(x)<f(x)>)<f(x).a> .a<.a>");
}

#[test]
fn a_full_splat_takes_all_steps_behind_it_and_an_attribute_splat_only_names() {
    assert_eq!(term("a[*].b[0]"), "splat(a, relative(_)<[*].b[0]> .b<.b> #0<[0]>)<a[*].b[0]>");
    assert_eq!(term("a[*][*].b"), "splat(a, splat(_, relative(_)<[*].b> .b<.b>)<[*][*].b>)<a[*][*].b>");
    assert_eq!(term("a.*.b[0]"), "relative(attr-splat(a, relative(_)<.b> .b<.b>)<a.*.b>)<a.*.b[0]> #0<[0]>");
    assert_eq!(term("a[*]"), "splat(a, _)<a[*]>");
}

#[test]
fn a_minus_is_an_operation_on_what_follows() {
    assert_eq!(term("-1"), "Negate(1)<-1>");
    assert_eq!(term("- 1 + 2"), "Add(Negate(1)<- 1>, 2)<- 1 + 2>");
    assert_eq!(term("-a.b"), "Negate(a .b<.b>)<-a.b>");
    assert_eq!(term("!a == b"), "Equal(Not(a)<!a>, b)<!a == b>");
}

#[test]
fn calls_and_fors() {
    assert_eq!(term("provider::x::f(a, b...)"), "provider::x::f(a, b)<provider::x::f(a, b...)>...");
    assert_eq!(
        term("{for k, v in a : k => v... if v}"),
        "for Some(\"k\") v grouped(a, k, v, v)<{for k, v in a : k => v... if v}>"
    );
    assert_eq!(term("{ null = 1, (a) = 2, \"b\" : 3 }"), "object(null=1;parens(a)<(a)>=2;quoted[\"b\"]=3;)");
}

#[test]
fn templates_keep_what_the_scanner_would() {
    assert_eq!(term(r#""""#), "quoted[]");
    assert_eq!(term(r#""a\n$${b} ${c}""#), r#"quoted["a\n${b} "<"a\\n$${b} "> $c]"#);
    assert_eq!(term(r#"" ${~ a ~} b""#), r#"quoted[""<" "> $a "b"<" b">]"#);
    assert_eq!(
        term(r#""%{ if a }x%{ else }y%{ endif }%{ for v in b }${v}%{ endfor }""#),
        r#"quoted[if abare["x"]bare["y"] for None v bbare[$v]]"#
    );
}

#[test]
fn heredocs_lose_the_indentation_that_all_lines_share() {
    assert_eq!(
        term(indoc! {"
            <<EOT
              a
                b
              EOT"}),
        "heredoc[\"  a\\n    b\\n\"]"
    );
    assert_eq!(
        term(indoc! {"
            <<-EOT
                a ${b}

                  c
              EOT"}),
        "heredoc[\"a \" $b \"\\n\\n  c\\n\"<\"\\n\\n      c\\n\">]"
    );
    assert_eq!(term("<<EOT\nEOT"), "heredoc[]");
}

#[test]
fn what_was_read_before_an_error_is_kept() {
    for (broken, kept) in [
        ("[b, c d]", "tuple(b, c)<[b, c d]>"),
        ("[b, )]", "tuple(b, invalid)<[b, )]>"),
        ("{ b = c, d = }", "object(b=c;)"),
        ("{ b = c, d }", "object(b=c;)"),
        ("{ b = c. }", "object(b=invalid;)"),
        ("f(b, c d)", "f(b, c)<f(b, c d)>"),
        ("p::f(b, ])", "p::f(b, invalid)<p::f(b, ])>"),
        ("p::(b)", "invalid"),
        ("(b +)", "b"),
        ("b +", "b"),
        ("b ? c", "b"),
        ("b.", "invalid"),
        ("b[c d]", "index(b, c)<b[c d]>"),
        ("\"b${c d}e\"", "quoted[\"b\" $c \"e\"]"),
        ("\"b\\q\"", "quoted[\"bq\"<\"b\\\\q\">]"),
        ("\"%{ b }c\"", "quoted[\"c\"]"),
        ("[for b : c]", "invalid"),
        ("1.2.3", "invalid"),
        (")", "invalid"),
    ] {
        assert_eq!(remnant(broken), kept, "{broken}");
    }
}
