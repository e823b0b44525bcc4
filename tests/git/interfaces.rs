//! `changes`: changes that break callers although the declared interface is the same.

use super::place::Place;
use indoc::indoc;

/// The changes of the module `m`, whose file is replaced.
fn changes(before: &str, after: &str) -> String {
    let place = Place::committed(&[
        ("m/main.tf", before),
        ("live/main.tf", "terraform {\n  backend \"local\" {}\n}\nmodule \"m\" {\n  source = \"../m\"\n}\n"),
    ]);
    place.stage("m/main.tf", after);
    place.overrule(&["changes", "--changed", "m"]).out
}

/// The change of an output whose value is replaced.
fn output(before: &str, after: &str) -> String {
    let with = |value: &str| {
        let variables = "variable \"list\" {\n  type = list(string)\n}\nvariable \"any\" {}\n";
        format!("{variables}output \"o\" {{\n  value = {value}\n}}\n")
    };
    let text = changes(&with(before), &with(after));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("output.o")).map(str::trim).collect();
    lines.join("\n")
}

#[test]
fn callers_depend_on_the_types_of_outputs() {
    for (before, after, what) in [
        ("{ a = 1, b = 2 }", "{ a = 1 }", "attribute b removed"),
        ("{ a = { b = 1, c = 1 } }", "{ a = { c = 1 } }", "attribute a.b removed"),
        ("[{ a = 1, b = 2 }]", "[{ a = 1 }]", "attribute [*].b removed"),
        ("\"x\"", "[\"x\"]", "type changed: string → tuple([string])"),
        ("{ a = \"x\" }", "{ a = var.list }", "type of a changed: string → list(string)"),
        ("var.list", "toset(var.list)", "type changed: list(string) → set"),
        ("{ a = 1 }", "tomap({ a = 1 })", "type changed: object({a = number}) → map(number)"),
        ("\"x\"", "null", "value is now null"),
    ] {
        assert_eq!(output(before, after), format!("breaking  output.o: {what}"), "{before} to {after}");
    }
    for (before, after) in [
        ("{ a = 1 }", "{ a = 1, b = 2 }"),
        ("\"x\"", "1"),
        ("[\"a\", \"b\"]", "[\"a\"]"),
        ("toset(var.list)", "var.list"),
        ("var.list", "[\"a\"]"),
        ("\"x\"", "var.any"),
        ("var.any", "{ a = 1 }"),
        ("null", "\"x\""),
        ("{ a = 1 }", "{ a = null }"),
    ] {
        assert_eq!(output(before, after), "fix       output.o: expression changed", "{before} to {after}");
    }
}

#[test]
fn a_sensitive_variable_makes_outputs_sensitive() {
    let module = indoc! {r#"
        variable "a" {
          type = string
        }
        locals {
          a = [var.a]
        }
        output "exposed" {
          value = local.a
        }
        output "declared" {
          value     = var.a
          sensitive = true
        }
        output "safe" {
          value = nonsensitive(sensitive("a"))
        }
    "#};
    let text = changes(module, &module.replace("type = string", "type      = string\n  sensitive = true"));
    let expected = indoc! {"
        m (shared)
          breaking  output.exposed: value is now sensitive
          fix       var.a: sensitive

        1 module changed: breaking
    "};
    assert_eq!(text, expected);
}

#[test]
fn a_provider_block_in_a_shared_module_breaks_callers_with_count() {
    let module = "resource \"aws_vpc\" \"a\" {}\n";
    let block = "provider \"aws\" {\n  region = \"x\"\n}\n";
    let text = changes(module, &format!("{module}{block}"));
    let breaking = "breaking  provider.aws: block added, so calls cannot use count, for_each or depends_on\n";
    assert!(text.contains(breaking), "{text}");
    let more = format!("{module}{block}{}", block.replace("provider \"aws\"", "provider \"random\""));
    let text = changes(&format!("{module}{block}"), &more);
    assert!(!text.contains("breaking"), "the calls could not use these before: {text}");
}

#[test]
fn an_alias_that_callers_cannot_pass_breaks_them() {
    let module = "resource \"aws_vpc\" \"a\" {\n}\n";
    let aliased = "resource \"aws_vpc\" \"a\" {\n  provider = aws.z\n}\n";
    let text = changes(module, aliased);
    let breaking = "breaking  aws.z: used, but not in configuration_aliases, so callers cannot pass it\n";
    assert!(text.contains(breaking), "{text}");
    let required = indoc! {r#"
        terraform {
          required_providers {
            aws = {
              source                = "hashicorp/aws"
              configuration_aliases = [aws.z]
            }
          }
        }
    "#};
    let text = changes(&format!("{required}{module}"), &format!("{required}{aliased}"));
    assert!(!text.contains("breaking"), "{text}");
}

#[test]
fn a_resource_without_instances_loses_its_objects() {
    let with = |repetition: &str| format!("resource \"terraform_data\" \"t\" {{\n{repetition}}}\n");
    let breaking = "breaking  terraform_data.t: no instance is left; existing objects are destroyed\n";
    for (before, after) in [
        ("", "  count = 0\n"),
        ("", "  for_each = {}\n"),
        ("  count = 2\n", "  count = 0\n"),
        ("  for_each = toset([\"a\"])\n", "  for_each = toset([])\n"),
    ] {
        let text = changes(&with(before), &with(after));
        assert!(text.contains(breaking), "{before} to {after}: {text}");
    }
    for (before, after) in [("  count = 0\n", "  for_each = {}\n"), ("", "  count = 1\n")] {
        let text = changes(&with(before), &with(after));
        assert!(!text.contains("breaking"), "{before} to {after}: {text}");
    }
    let removed = "removed {\n  from = terraform_data.t\n  lifecycle {\n    destroy = false\n  }\n}\n";
    let text = changes(&with(""), removed);
    assert!(!text.contains("breaking"), "{text}");
}
