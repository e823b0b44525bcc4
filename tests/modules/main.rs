//! `overrule modules`: the output for module trees, and how provider configurations reach each module.

mod lines;

use indoc::indoc;
use overrule::check::Analysis;
use overrule::engine::{Choice, Engine};
use overrule::graph::Node;
use overrule::policy::Policy;
use overrule::report::Drawing;
use overrule::report::Style;
use overrule::report::modules::Picture;
use overrule::vfs::Snapshot;

/// All modules of some files, in every format.
struct Shown {
    outline: String,
    document: String,
    dot: String,
    mermaid: String,
}

fn show(files: &[(&str, &str)], style: &Style) -> Shown {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let mut snapshot = Snapshot::of_files(files);
    let engine = Choice::parse("terraform@1.11").expect("an engine");
    let analysis = Analysis::of(&mut snapshot, Some(&engine), &Policy::default());
    let view = analysis.views().next().expect("one engine");
    let mut tops: Vec<(Engine, Node<'_>)> =
        view.roots.iter().map(|root| (view.engine, view.graph.node(*root))).collect();
    tops.sort_by(|(_, a), (_, b)| a.module().directory.cmp(&b.module().directory));
    let (kept, changed, resources, sources) = (None, [].into(), false, snapshot.sources());
    let picture = Picture { tops, kept, changed, resources, sources, style };
    Shown {
        outline: picture.outline(),
        document: picture.document(),
        dot: picture.drawing(Drawing::Dot),
        mermaid: picture.drawing(Drawing::Mermaid),
    }
}

fn outline(files: &[(&str, &str)]) -> String {
    show(files, &Style::default()).outline
}

const BUCKET: (&str, &str) = ("live/child/main.tf", "resource \"aws_s3_bucket\" \"example\" {}\n");

#[test]
fn a_default_configuration_is_inherited() {
    let root = indoc! {r#"
        provider "aws" {
          region = "us-west-1"
        }

        module "child" {
          source = "./child"
        }
    "#};
    assert_eq!(
        outline(&[("live/main.tf", root), BUCKET]),
        indoc! {"
            live  root: it configures a provider
            │  configured here: aws (live/main.tf:1)
            └─ child → live/child
                  inherited: aws, from live: aws (live/main.tf:1)

            2 modules, 1 call
        "}
    );
}

#[test]
fn a_configuration_is_passed_under_another_name() {
    let root = indoc! {r#"
        provider "aws" {
          region = "us-west-1"
        }
        provider "aws" {
          alias  = "usw2"
          region = "us-west-2"
        }
        module "child" {
          source = "./child"
          providers = {
            aws = aws.usw2
          }
        }
    "#};
    let text = outline(&[("live/main.tf", root), BUCKET]);
    assert!(text.contains("│  configured here: aws.usw2 (live/main.tf:4)\n"), "{text}");
    assert!(text.contains("      passed: aws = aws.usw2, from live (live/main.tf:4)\n"), "{text}");
}

#[test]
fn an_alias_is_never_inherited() {
    let tunnel = indoc! {r#"
        terraform {
          required_providers {
            aws = {
              source                = "hashicorp/aws"
              configuration_aliases = [aws.src, aws.dst]
            }
          }
        }
    "#};
    let root = indoc! {r#"
        provider "aws" {
          alias  = "usw1"
          region = "us-west-1"
        }
        module "tunnel" {
          source = "./tunnel"
          providers = {
            aws.src = aws.usw1
          }
        }
        module "other" {
          source = "./tunnel"
          providers = {
            aws.src = aws.usw1
            aws.dst = aws.usw3
          }
        }
    "#};
    assert_eq!(
        outline(&[("live/main.tf", root), ("live/tunnel/main.tf", tunnel)]),
        indoc! {"
            live  root: it configures a provider
            │  configured here: aws.usw1 (live/main.tf:1)
            │  missing: aws.usw3, needed by module.other (live/main.tf:15)
            ├─ other → live/tunnel
            │     empty configuration: aws (hashicorp/aws; the root module has no `provider` block for it)
            │     missing: aws.dst = aws.usw3, needed by configuration_aliases (live/tunnel/main.tf:5)
            │     passed: aws.src = aws.usw1, from live (live/main.tf:1)
            └─ tunnel → live/tunnel
                  empty configuration: aws (hashicorp/aws; the root module has no `provider` block for it)
                  missing: aws.dst, needed by configuration_aliases (live/tunnel/main.tf:5)
                  passed: aws.src = aws.usw1, from live (live/main.tf:1)

            2 modules, 2 calls
        "}
    );
}

#[test]
fn a_module_may_configure_a_provider_itself() {
    let child = indoc! {r#"
        provider "aws" {
          region = "x"
        }
        module "inner" {
          source = "../inner"
        }
    "#};
    let inner = "resource \"aws_vpc\" \"a\" {}\n";
    let root = "module \"child\" {\n  source = \"./child\"\n}\n";
    assert_eq!(
        outline(&[("live/main.tf", root), ("live/child/main.tf", child), ("live/inner/main.tf", inner)]),
        indoc! {"
            live  root: no module calls it
            └─ child → live/child
               │  configured here: aws (live/child/main.tf:1)
               └─ inner → live/inner
                     inherited: aws, from live/child: aws (live/child/main.tf:1)

            3 modules, 2 calls
        "}
    );
}

#[test]
fn local_names_may_differ_from_module_to_module() {
    let requires = |name: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    {name} = {{ source = \"acme/cloud\" }}\n  }}\n}}\n"
        )
    };
    let root = format!(
        "{}provider \"one\" {{\n  a = 1\n}}\nmodule \"child\" {{\n  source = \"./child\"\n}}\n",
        requires("one")
    );
    let text = outline(&[("live/main.tf", &root), ("live/child/main.tf", &requires("two"))]);
    assert!(text.contains("      inherited: two [acme/cloud], from live: one (live/main.tf:6)\n"), "{text}");
}

#[test]
fn what_is_for_callers_comes_from_them() {
    let text = outline(&[("modules/a/main.tf", "resource \"aws_vpc\" \"a\" {\n  provider = aws.b\n}\n")]);
    assert_eq!(
        text,
        "modules/a  shared: it is under `modules`\n   from the caller: aws.b\n\n1 module, 0 calls\n"
    );
}

#[test]
fn a_large_graph_stays_readable() {
    let mut files: Vec<(String, String)> = Vec::new();
    for number in 0..500 {
        let calls = (1..=3).map(|step| number + step).filter(|callee| *callee < 500);
        let calls = calls.map(|callee| format!("module \"m{callee}\" {{\n  source = \"../m{callee}\"\n}}\n"));
        let text = calls.collect::<Vec<_>>().concat() + "resource \"aws_vpc\" \"a\" {}\n";
        files.push((format!("m{number}/main.tf"), text));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let text = outline(&files);
    assert!(text.lines().count() < 2500, "each module is shown once: {}", text.lines().count());
    assert!(text.lines().all(|line| line.chars().count() <= 100));
    assert!(text.ends_with("500 modules, 1,494 calls\n"), "{text}");
}

#[test]
fn many_calls_that_are_alike_are_one_line() {
    let call = |name: &str, more: &str| format!("module \"{name}\" {{\n  source = \"./m\"\n{more}}}\n");
    let mut root = "provider \"aws\" {\n  region = \"x\"\n}\n".to_owned();
    for name in ["a", "b", "c", "d", "e"] {
        root.push_str(&call(name, ""));
    }
    root.push_str(&call("f", "  count = 2\n"));
    let child = "resource \"aws_vpc\" \"a\" {}\n";
    let text = outline(&[("live/main.tf", &root), ("live/m/main.tf", child)]);
    assert_eq!(
        text,
        indoc! {"
            live  root: it configures a provider
            │  configured here: aws (live/main.tf:1)
            ├─ a → live/m
            │     inherited: aws, from live: aws (live/main.tf:1)
            ├─ b and 3 more → live/m  (seen above)
            └─ f → live/m  count = 2  (seen above)

            2 modules, 6 calls
        "}
    );
}

#[test]
fn ways_that_multiply_are_not_all_followed() {
    // Each module swaps two configurations in one of its calls, and passes them unchanged in another one.
    let module = |number: usize| {
        let call = |name: &str, a: &str, b: &str| {
            let next = number + 1;
            format!(
                "module \"{name}\" {{\n  source = \"../m{next}\"\n  providers = {{\n    aws.a = aws.{a}\n    aws.b = aws.{b}\n  }}\n}}\n"
            )
        };
        let requires = indoc! {r#"
            terraform {
              required_providers {
                aws = {
                  source                = "hashicorp/aws"
                  configuration_aliases = [aws.a, aws.b]
                }
              }
            }
        "#};
        format!("{requires}{}{}", call("same", "a", "b"), call("swap", "b", "a"))
    };
    let files: Vec<(String, String)> =
        (0..40).map(|number| (format!("m{number}/main.tf"), module(number))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let shown = show(&files, &Style::default());
    assert!(shown.outline.lines().count() < 1000);
    assert!(shown.document.contains("\"complete\": false"));
}

#[test]
fn names_are_nothing_but_text() {
    let root = "module \"a\\\"]b\" {\n  source = \"./x\\\"--><b>\\u001b[31m\"\n}\n";
    let files = [("main.tf", root)];
    let Shown { outline, document, dot, mermaid } = show(&files, &Style::default());
    assert!(dot.contains(r#""." -> "./x\"--><b>?[31m" [label="a\"]b"];"#), "{dot}");
    assert!(mermaid.contains("n0 -->|\"a#34;#93;b\"| n1\n"), "{mermaid}");
    assert!(mermaid.contains("n1([\"./x#34;--#62;#60;b#62;#63;#91;31m\"])\n"), "{mermaid}");
    for text in [dot, mermaid, outline, document] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn lines_are_drawn_without_unicode_too() {
    let root = indoc! {r#"
        module "a" {
          source = "./a"
        }
        module "b" {
          source   = "./a"
          for_each = toset(["a very long element", "and another one"])
        }
    "#};
    let style = Style { unicode: false, width: 40, ..Style::default() };
    let files = [("live/main.tf", root), ("live/a/main.tf", "locals {}\n"), ("live/terraform.tfvars", "")];
    let text = show(&files, &style).outline;
    assert_eq!(
        text,
        indoc! {r#"
            live  root: it has variable definitio...
            |- a -> live/a
            `- b -> live/a  for_each = toset(["a ...

            2 modules, 2 calls
        "#}
    );
}
