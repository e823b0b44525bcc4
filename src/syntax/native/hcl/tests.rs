//! Compares hcl-edit with the grammar: the trees are equal except for [`DIFFERENCES`].

use indoc::indoc;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::limits::Limits;
use crate::syntax::native::hcl::test_expressions;
use crate::syntax::native::lexed::{Extent, Lexed};
use crate::syntax::native::scan::{Kind, scan};
use crate::syntax::native::{grammar, hcl};
use crate::syntax::{Body, Expr, ExprKind, Notation, ObjectKey, parse};
use crate::text::{FileId, Source};

/// How hcl-edit handles a construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// It reports an error, so [`hcl::expression`] returns nothing.
    Refuse,
    /// It builds another tree, so [`hcl::expression`] does not convert it.
    ReadDifferently,
    /// It takes quadratic time, so the grammar does not use it.
    TakeLong,
}

/// A construct that the grammar parses, because hcl-edit 0.10 parses it differently from HashiCorp's HCL.
struct Difference {
    construct: &'static str,
    does: Does,
    why: &'static str,
    /// The cause in hcl-edit: a file of the crate, and the commit that introduced it where there is one.
    upstream: &'static str,
    examples: &'static [&'static str],
    /// Whether an expression contains the construct.
    has: fn(&Reading<'_>) -> bool,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        construct: "a key twice in one object",
        does: Does::Refuse,
        why: "In HCL the last one wins.",
        upstream: "parser/expr.rs `object_items`, https://github.com/martinohmann/hcl-rs/pull/562",
        examples: &["{ b = 1, b = 2 }", "a ? { b = 1, b = 2 } : {}"],
        has: |reading| reading.any(has_key_twice),
    },
    Difference {
        construct: "a line break in a `for` of braces, in the collection of a `for`, or in a directive",
        does: Does::Refuse,
        why: "In HCL line breaks mean nothing there, but hcl-edit reads those parts without them.",
        upstream: "parser/expr.rs `for_intro` and `for_object_expr`, parser/template.rs; \
                   https://github.com/martinohmann/hcl-rs/pull/429 allowed them elsewhere",
        examples: &[
            "{ for k, v in y : k => v ?\n1 :\n2 }",
            indoc! {"
                [
                for v in c ?
                d : e : v
                ]"},
            "{ for k, v in y\n.z : k => v }",
            "\"%{ if b # c\n&& d }x%{ endif }\"",
        ],
        has: |reading| {
            reading.has_line_break() && (reading.has_word("for") || reading.has(Kind::OpenDirective))
        },
    },
    Difference {
        construct: "`for` with a carriage return after it",
        does: Does::Refuse,
        why: "hcl-edit knows the keyword by the blank or line feed after it.",
        upstream: "parser/expr.rs `for_expr_or_items`",
        examples: &["{\r\nfor\r\nk, v in y : k => v }"],
        has: |reading| reading.has_word("for") && reading.text().contains("for\r"),
    },
    Difference {
        construct: "a key in parentheses on the line after a value with a call or a list in it",
        does: Does::Refuse,
        why: "hcl-edit skips line breaks in the rest of a value after a call or a list, and takes the key for arguments.",
        upstream: "parser/expr.rs `func_args` and `array`, which never undo `allow_newlines`",
        examples: &[indoc! {"
            {
             b = f(c) || d
             (e) = 1
            }"}],
        has: |reading| reading.has(Kind::OpenBrace) && reading.has_word_before_parenthesis(),
    },
    Difference {
        construct: "a heredoc",
        does: Does::ReadDifferently,
        why: "hcl-edit ends it at a line that starts with the marker, whatever follows there, and looks for the end of \
              an empty one in the lines after it.",
        upstream: "parser/expr.rs `heredoc`, parser/template.rs `heredoc_template`; \
                   https://github.com/martinohmann/hcl-rs/pull/512 ended it at prefixes of longer names no more",
        examples: &[
            indoc! {"
                [<<EOF
                x
                EOF,
                EOF
                ]"},
            indoc! {"
                [<<EOT
                  EOT
                , <<EOT
                x
                EOT
                ]"},
        ],
        has: |reading| reading.has(Kind::OpenHeredoc),
    },
    Difference {
        construct: "a number beyond a 64-bit float",
        does: Does::Refuse,
        why: "In HCL numbers have an exponent of 32 bits.",
        upstream: "parser/number.rs",
        examples: &["a + 1e999"],
        has: |reading| reading.has_number(|digits| !digits.parse::<f64>().is_ok_and(f64::is_finite)),
    },
    Difference {
        construct: "a number with a dot and no digits after it",
        does: Does::ReadDifferently,
        why: "HCL reads the exponent after the dot; hcl-edit reads it as the name of an attribute.",
        upstream: "parser/number.rs `float`, parser/expr.rs `traversal_operator`",
        examples: &["a + 1.e5"],
        has: |reading| reading.has_number(|digits| digits.contains(".e") || digits.contains(".E")),
    },
    Difference {
        construct: "more than 64 levels of brackets and operands, or more than 128 binary operators in a row",
        does: Does::Refuse,
        why: "hcl-edit protects its stack; HashiCorp's parser has no limit. The limit of the grammar can be set.",
        upstream: "parser/nesting.rs, https://github.com/martinohmann/hcl-rs/pull/571",
        examples: &[DEEP, CHAIN],
        has: |reading| reading.depth() > 60 || reading.text().len() > 250,
    },
    Difference {
        construct: "an object with more than 64 keys",
        does: Does::TakeLong,
        why: "hcl-edit compares each key with all before it: 9.5 seconds for 32,000 keys.",
        upstream: "parser/expr.rs `object_items`, https://github.com/martinohmann/hcl-rs/pull/562",
        examples: &[],
        has: |_| false,
    },
];

const DEEP: &str = "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!a";
const CHAIN: &str = "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1\
                     +1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1\
                     +1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1";

/// An expression of a text as the grammar parses it.
struct Reading<'a> {
    lexed: Lexed<'a>,
    extent: Extent,
    expr: Expr,
}

impl<'a> Reading<'a> {
    fn text(&self) -> &'a str {
        &self.lexed.text[self.extent.start as usize..self.extent.end as usize]
    }

    fn tokens(&self) -> impl Iterator<Item = (Kind, &'a str)> {
        let tokens = self.lexed.tokens[self.lexed.token_at(self.extent.start)..].iter();
        let own = tokens.take_while(|token| token.start < self.extent.end);
        own.map(|token| (token.kind, self.lexed.written(*token)))
    }

    fn has(&self, kind: Kind) -> bool {
        self.tokens().any(|token| token.0 == kind)
    }

    fn has_word(&self, word: &str) -> bool {
        self.tokens().any(|token| token == (Kind::Name, word))
    }

    fn has_number(&self, holds: fn(&str) -> bool) -> bool {
        self.tokens().any(|(kind, digits)| kind == Kind::Number && holds(digits))
    }

    fn has_line_break(&self) -> bool {
        self.text().contains('\n')
    }

    fn has_word_before_parenthesis(&self) -> bool {
        let tokens: Vec<Kind> = self.tokens().map(|(kind, _)| kind).collect();
        let mut tokens = tokens.split(|kind| *kind == Kind::OpenParen);
        tokens.any(|before| {
            let breaks =
                before.iter().rev().take_while(|kind| matches!(kind, Kind::Newline | Kind::Comment)).count();
            breaks > 0 && before.iter().rev().nth(breaks) == Some(&Kind::Name)
        })
    }

    fn depth(&self) -> usize {
        let opens = |kind| matches!(kind, Kind::OpenBrace | Kind::OpenBracket | Kind::OpenParen | Kind::Bang);
        self.tokens().filter(|(kind, _)| opens(*kind)).count()
    }

    /// Whether `holds` is true for the expression or one of its subexpressions.
    fn any(&self, holds: fn(&Expr, &str) -> bool) -> bool {
        let mut any = false;
        self.expr.walk(&mut |expr, _| any |= holds(expr, self.lexed.text));
        any
    }
}

fn has_key_twice(expr: &Expr, text: &str) -> bool {
    let ExprKind::Object(items) = &expr.kind else { return false };
    let keys = items.iter().map(|item| match &item.key {
        ObjectKey::Name(name, _) => name.to_string(),
        ObjectKey::Expr(key) => text[key.span.range()].split_whitespace().collect(),
    });
    let mut keys: Vec<String> = keys.collect();
    keys.sort();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// Calls `visit` with the value of each argument in a valid text.
fn expressions(text: &str, visit: &mut dyn FnMut(&Reading<'_>)) {
    let source = Source::new("main.tf", text.as_bytes().to_vec());
    let tokens = scan(source.text().as_bytes()).tokens;
    let lexed = Lexed { file: FileId::new(0), text: source.text(), tokens: &tokens, raw: None, within: None };
    let (file, _) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    let mut bodies = vec![file.body];
    while let Some(body) = bodies.pop() {
        for attribute in body.just_attributes(&mut Vec::new()) {
            let span = attribute.expr.span;
            let extent = Extent { start: span.start, end: span.end };
            let (expr, is_right) = grammar::reading(lexed, extent);
            if is_right {
                visit(&Reading { lexed, extent, expr });
            }
        }
        bodies.extend(body.any_blocks().iter().map(|block| Body::clone(&block.body)));
    }
}

/// How often both trees were equal, and how often each difference was the reason for hcl-edit to return nothing.
#[derive(Debug, Default)]
struct Compared {
    equal: usize,
    differences: BTreeMap<&'static str, usize>,
}

impl Compared {
    fn add(&mut self, reading: &Reading<'_>) {
        if let Some(read) = hcl::expression(reading.lexed, reading.extent) {
            assert_eq!(read, reading.expr, "{}", reading.text());
            self.equal += 1;
            return;
        }
        let difference = DIFFERENCES.iter().find(|difference| (difference.has)(reading));
        let difference = difference.unwrap_or_else(|| panic!("hcl-edit refuses {}", reading.text()));
        *self.differences.entry(difference.construct).or_default() += 1;
    }
}

#[test]
fn hcl_edit_behaves_as_the_table_describes() {
    for difference in DIFFERENCES {
        assert!(!difference.why.is_empty() && difference.upstream.contains("parser/"));
        for example in difference.examples {
            let mut seen = 0;
            expressions(&format!("a = {example}\n"), &mut |reading| {
                seen += 1;
                assert!((difference.has)(reading), "{example}");
                assert_eq!(hcl::expression(reading.lexed, reading.extent), None, "{example}");
                let read = hcl_edit::parser::parse_expr(reading.text());
                assert_eq!(read.is_err(), difference.does == Does::Refuse, "{example}");
                if let (Ok(hcl_edit::expr::Expression::Array(items)), ExprKind::Tuple(ours)) =
                    (read, &reading.expr.kind)
                {
                    assert_ne!(items.len(), ours.len(), "{example}");
                }
            });
            assert_eq!(seen, 1, "{example}");
        }
    }
}

#[test]
fn hcl_edit_does_not_parse_long_objects() {
    let mut text = String::from("a = b + {\n");
    for key in 0..40_000 {
        let _ = writeln!(text, "k{key} = 1");
    }
    text.push_str("}\n");
    let source = Source::new("main.tf", text.into_bytes());
    let start = std::time::Instant::now();
    let (file, _) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    let attribute = &file.body.just_attributes(&mut Vec::new())[0];
    assert!(matches!(attribute.expr.kind, ExprKind::Binary(..)), "it was read");
    assert!(
        start.elapsed().as_secs() < 20,
        "hcl-edit takes minutes for so many keys in a build without optimization"
    );
}

/// Compares the examples of all pages and tests, and the files in the directory `OVERRULE_CORPUS` if it is set.
#[test]
fn both_readings_of_every_expression_in_the_project_are_equal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut directories: Vec<PathBuf> =
        ["policies", "tests", "fuzz/src", "examples"].iter().map(|name| root.join(name)).collect();
    directories.extend(std::env::var_os("OVERRULE_CORPUS").map(PathBuf::from));
    let mut compared = Compared::default();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            let path = entry.path();
            let kind = entry.file_type().expect("a type of file");
            if kind.is_dir() && entry.file_name() != ".git" {
                directories.push(path);
            } else if kind.is_file()
                && path
                    .extension()
                    .is_some_and(|name| ["md", "txt", "tf", "tofu", "hcl"].iter().any(|known| name == *known))
                && let Ok(text) = fs::read_to_string(&path)
            {
                // Pages and cases hold several files, each after a marker line.
                let starts = |line: &str| line.starts_with("```") || line.starts_with("--- ");
                let mut file = String::new();
                for line in text.split_inclusive('\n').chain(["```"]) {
                    if starts(line) {
                        expressions(&file, &mut |reading| compared.add(reading));
                        file.clear();
                    } else {
                        file.push_str(line);
                    }
                }
            }
        }
    }
    println!("{compared:?}");
    assert!(compared.equal > 5_000, "{compared:?}");
}

#[test]
fn both_readings_of_generated_expressions_are_equal() {
    let mut compared = Compared::default();
    for seed in 0..6_000 {
        let text = format!("a = {}\n", test_expressions::random(seed));
        let mut seen = 0;
        expressions(&text, &mut |reading| {
            seen += 1;
            compared.add(reading);
        });
        assert_eq!(seen, 1, "{text}");
    }
    assert!(compared.equal > 3_000, "{compared:?}");
}
