//! `affected`: values that nothing uses, whose evaluation can or cannot fail.

use super::place::Place;
use indoc::indoc;

const APP: &str = indoc! {r#"
    variable "text" {
      type = string
    }
    variable "optional" {
      type    = string
      default = null
    }
    variable "secret" {
      type      = string
      sensitive = true
      default   = ""
    }
    variable "on" {
      type    = bool
      default = true
    }
    variable "maybe" {
      type    = bool
      default = null
    }
    variable "size" {
      type    = number
      default = 1
    }
    variable "names" {
      type    = list(string)
      default = ["a"]
    }
    variable "tags" {
      type    = map(string)
      default = {}
    }
    variable "object" {
      type    = object({ name = string, note = optional(string) })
      default = { name = "n" }
    }
    resource "terraform_data" "this" {
      input = { name = var.text, tags = var.tags }
    }
    resource "terraform_data" "many" {
      count = 2
    }
    resource "terraform_data" "one" {
      count = var.on ? 1 : 0
    }
    resource "terraform_data" "named" {
      for_each = toset(["x"])
    }
    variable "settings" {
      type = object({ size = number, id = string, names = list(string) })
    }
    variable "checked" {
      type = object({ size = number, id = string })
      validation {
        condition     = var.checked.size < 9
        error_message = "Too big."
      }
    }
    locals {
      spare = "s"
      first = var.on ? element(var.names, 0) : "none"
      both  = { net = lower(var.text), note = var.on ? one(var.names) : "" }
      chain = local.optional
      optional = var.optional
      compared = var.optional == null ? "none" : "some"
    }
    output "shown" {
      value = "app-${var.text}"
    }
    output "note" {
      value = var.on ? var.text : null
    }
"#};

const LIVE: &str = indoc! {r#"
    terraform {
      backend "local" {}
    }
    resource "terraform_data" "name" {}
    module "app" {
      source = "../../modules/app"
      text   = terraform_data.name.id
      settings = { size = 8, id = terraform_data.name.id, names = [terraform_data.name.id] }
      checked  = { size = 7, id = terraform_data.name.id }
    }
    resource "terraform_data" "any" {
      count = length(terraform_data.name.triggers_replace)
    }
    output "any" {
      value = try(terraform_data.any[0].id, "")
    }
    output "shown" {
      value = module.app.shown
    }
    locals {
      spare = "s"
    }
"#};

/// Whether the root module is affected if a text of a file is replaced.
fn is_affected(path: &str, from: &str, to: &str) -> bool {
    let place = Place::committed(&[("live/a/main.tf", LIVE), ("modules/app/main.tf", APP)]);
    let text = std::fs::read_to_string(place.path().join(path)).expect("a file");
    assert!(text.contains(from), "{from} in {path}");
    place.stage(path, text.replacen(from, to, 1));
    let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
    !output.is_empty()
}

fn is_affected_by_spare(value: &str) -> bool {
    is_affected("modules/app/main.tf", "spare = \"s\"", &format!("spare = {value}"))
}

#[test]
fn an_unused_value_that_cannot_fail_affects_nothing() {
    for value in [
        r#"lower(replace(var.text, "_", "-"))"#,
        r#"join("-", concat(var.names, [var.text]))"#,
        r#"var.on ? ["a"] : []"#,
        "length(var.names) > 1 ? var.names : [var.text]",
        r#"contains(var.names, "a") && var.on ? 1 : 2"#,
        r#"var.secret != "" ? nonsensitive(var.secret) : "none""#,
        r#"try(var.names[3], "none")"#,
        "try(one(var.names), var.tags.a, null)",
        r#""${terraform_data.this.input.name}-x""#,
        r#""${terraform_data.many[1].id}-x""#,
        r#""${terraform_data.named["x"].id}-x""#,
        r#""${local.compared}-x""#,
        r#""${var.object.name}-x""#,
        "toset(distinct(compact(var.names)))",
        r#"lookup(var.tags, var.text, "none")"#,
        r#"[keys(var.tags), values(var.tags), flatten([var.names, "b"])]"#,
        "var.size * 2 + 1",
        r#"lower(coalesce(var.optional, "none"))"#,
        "var.on ? null : { a = var.text }",
        r#"element(split(",", var.text), length(split(",", var.text)) - 1)"#,
        r#"[element(split(",", var.text), 2), element([var.text], 0)]"#,
        r#"{ "key/${var.text}" = "a" }"#,
        r#"var.on ? { "key/${var.text}" = "a" } : {}"#,
        r#"var.on ? { a = "1" } : {}"#,
        r#"var.on ? terraform_data.one[0].id : """#,
        r#""${var.on ? terraform_data.one[0].id : "none"}-x""#,
    ] {
        assert!(!is_affected_by_spare(value), "{value}");
    }
}

#[test]
fn an_unused_value_that_may_fail_affects_the_root_module() {
    for value in [
        "lower(var.optional)",
        r#""${var.optional}-x""#,
        r#""${local.chain}-x""#,
        r#""${var.object.note}-x""#,
        r#"var.maybe ? ["a"] : []"#,
        r#"var.on ? ["a"] : [{}]"#,
        "var.on ? { a = 1 } : { b = var.text }",
        "var.on ? { a = [] } : { b = 1 }",
        r#"var.on ? "" : terraform_data.one[0].id"#,
        r#"var.on ? terraform_data.one[1].id : """#,
        r#"!var.on ? terraform_data.one[0].id : """#,
        "terraform_data.one[0].id",
        r#"element(split(",", var.text), length(var.names) - 1)"#,
        r#"element(split(",", var.text), length(split(",", var.text)) - 2)"#,
        r#"{ "key/${var.optional}" = "a" }"#,
        r#"var.on ? { "key/${var.text}" = "a" } : { b = [] }"#,
        r#"replace(var.text, var.text, "-")"#,
        r#"replace(var.text, "/(/", "-")"#,
        "terraform_data.many[2].id",
        r#"terraform_data.named["y"].id"#,
        r#""${terraform_data.this.input.tags}-x""#,
        "try(var.names[3])",
        r#"try(local.nothing, "none")"#,
        "one(var.names)",
        "lookup(var.tags, var.text)",
        "lookup(var.tags, var.text, [])",
        "element(var.names, 0)",
        "tonumber(var.text)",
        "concat(var.names, var.tags)",
        "toset([var.on, var.size])",
        r#"coalesce(var.optional, "")"#,
        "var.size / var.size",
        "var.nothing",
        "local.nothing",
        "local.spare",
        "path.nothing",
    ] {
        assert!(is_affected_by_spare(value), "{value}");
    }
    assert!(is_affected("live/a/main.tf", "spare = \"s\"", "spare = \"${module.app.note}-x\""));
}

#[test]
fn a_changed_branch_fails_as_before_if_its_condition_is_the_same() {
    let app = "modules/app/main.tf";
    assert!(!is_affected(app, "0) : \"none\"", "0) : \"nobody\""));
    assert!(!is_affected(app, ": \"\" }", ": \"-\" }"));
    assert!(is_affected(app, "var.on ? element", "!var.on ? element"));
    assert!(is_affected(app, "0) : \"none\"", "0) : [\"none\"]"));
    assert!(is_affected(app, "element(var.names, 0)", "tonumber(var.text)"));
}

#[test]
fn text_that_is_joined_with_nothing_affects_nothing() {
    let app = "modules/app/main.tf";
    assert!(!is_affected(app, "\"app-${var.text}\"", "join(\"-\", [\"app-${var.text}\"])"));
    assert!(is_affected(app, "\"app-${var.text}\"", "join(\"-\", [\"app-${var.text}\", \"\"])"));
    assert!(is_affected(app, "\"app-${var.text}\"", "join(\"-\", [\"app\", \"${var.text}\"])"));
}

#[test]
fn an_argument_of_the_same_type_is_accepted_as_before() {
    let live = "live/a/main.tf";
    assert!(!is_affected(live, "size = 8", "size = 9"));
    assert!(!is_affected(live, "names = [terraform_data.name.id]", "names = [\"a\"]"));
    assert!(is_affected(live, "size = 8", "size = \"many\""));
    assert!(is_affected(live, "size = 8", "size = null"));
    assert!(is_affected(live, "size = 7", "size = 8"));
    assert!(is_affected(live, "{ size = 8,", "{"));
}

#[test]
fn a_second_fallback_affects_nothing() {
    let live = "live/a/main.tf";
    assert!(!is_affected(
        live,
        "try(terraform_data.any[0].id, \"\")",
        "try(try(terraform_data.any[0].id, \"\"), 1)"
    ));
    assert!(is_affected(
        live,
        "try(terraform_data.any[0].id, \"\")",
        "try(try(terraform_data.any[0].id), \"\", 1)"
    ));
    assert!(is_affected(live, "try(terraform_data.any[0].id, \"\")", "try(terraform_data.any[0].id, \"a\")"));
}
