//! `affected`: resources that exist only if a value is null, or a certain text.

use super::place::Place;
use indoc::indoc;

const LIVE: &str = indoc! {r#"
    terraform {
      backend "local" {}
    }
    variable "env" {
      type = string
    }
    variable "size" {
      type = number
    }
    variable "names" {
      type    = list(string)
      default = []
      validation {
        condition     = length(var.names) < 9
        error_message = "Too many names."
      }
    }
    variable "object" {
      type = object({ name = string })
    }
    variable "shown" {
      type = string
    }
    variable "region" {
      type     = string
      default  = "here"
      nullable = false
    }
    variable "free" {
      type    = string
      default = "free"
    }
    variable "branch" {
      type    = string
      default = null
    }
    variable "tried" {
      type    = string
      default = "tried"
    }
    variable "defaulted" {
      type    = string
      default = "defaulted"
    }
    variable "repeated" {
      type    = string
      default = "repeated"
    }
    locals {
      name   = "app-${var.env}"
      more   = var.size + 1
      object = { name = var.object.name }
      branch = var.branch == null ? "none" : "${var.branch}-app"
      tried  = try("${var.tried}-app", "none")
    }
    module "app" {
      source    = "../../modules/app"
      text      = local.name
      names     = concat(var.names, ["last"])
      shown     = var.shown
      free      = var.free
      defaulted = var.defaulted
    }
    module "one" {
      count  = var.size
      source = "../../modules/app"
      text   = "one"
      names  = []
      shown  = var.repeated
      free   = "one"
    }
"#};

const APP: &str = indoc! {r#"
    variable "text" {}
    variable "names" {}
    variable "shown" {}
    variable "free" {}
    variable "unset" {
      default = "unset"
    }
    variable "defaulted" {
      default  = "none"
      nullable = false
    }
    resource "terraform_data" "this" {
      input = ["${var.shown}-app", "${var.defaulted}-app", var.free]
    }
"#};

/// Whether a resource that exists only if a condition is true affects the root module.
fn is_affected(path: &str, condition: &str) -> bool {
    let files = [("live/a/main.tf", LIVE), ("modules/app/main.tf", APP)];
    let place = Place::committed(&files);
    let text = files.iter().find(|(other, _)| *other == path).expect("one of the files").1;
    let added =
        format!("{text}resource \"terraform_data\" \"added\" {{\n  count = {condition} ? 1 : 0\n}}\n");
    place.stage(path, added);
    !place.overrule(&["affected", "--changed", "--format", "paths"]).out.is_empty()
}

#[test]
fn a_variable_that_is_never_null_is_not_null_in_a_condition() {
    for name in ["env", "size", "names", "object", "shown", "region"] {
        assert!(!is_affected("live/a/main.tf", &format!("var.{name} == null")), "{name}");
    }
    for name in ["text", "names", "unset", "defaulted"] {
        assert!(!is_affected("modules/app/main.tf", &format!("var.{name} == null")), "{name}");
        assert!(!is_affected("modules/app/main.tf", &format!("!(null != var.{name})")), "{name}");
    }
}

#[test]
fn a_variable_that_may_be_null_may_satisfy_a_condition() {
    for name in ["free", "branch", "tried", "defaulted", "repeated"] {
        assert!(is_affected("live/a/main.tf", &format!("var.{name} == null")), "{name}");
    }
    assert!(is_affected("live/a/main.tf", "local.name == \"app-\""));
    assert!(is_affected(
        "live/a/main.tf",
        "length([for var in [var.object] : var if var.name == null]) == 1"
    ));
    for name in ["free", "shown"] {
        assert!(is_affected("modules/app/main.tf", &format!("var.{name} == null")), "{name}");
    }
    assert!(is_affected("modules/app/main.tf", "var.text != null"));
}

#[test]
fn text_with_known_parts_is_no_other_text() {
    let app = "modules/app/main.tf";
    for (path, condition) in [
        (app, "var.text == \"\""),
        (app, "!(var.text != \"db-x\")"),
        ("live/a/main.tf", "local.name == \"\""),
        ("live/a/main.tf", "\"${local.name}-app\" == \"app-one-db\""),
    ] {
        assert!(!is_affected(path, condition), "{condition}");
    }
    for (path, condition) in [
        (app, "var.text == \"app-x\""),
        (app, "var.text != \"\""),
        (app, "var.free == \"\""),
        ("live/a/main.tf", "\"${var.env}${var.free}\" == \"\""),
    ] {
        assert!(is_affected(path, condition), "{condition}");
    }
}
