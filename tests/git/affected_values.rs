//! `affected`: changes that alter nothing but values.

use super::place::Place;
use indoc::indoc;

fn affected(place: &Place) -> String {
    place.overrule(&["affected", "--changed"]).out
}

/// Two root modules that use different outputs of one module, which calls another.
fn flow() -> Place {
    let live = |output: &str| {
        indoc! {r#"
            terraform {
              backend "local" {}
            }
            variable "unused" {
              default = "a"
            }
            variable "region" {
              default = "a"
            }
            locals {
              unused = "a"
              region = var.region
            }
            provider "aws" {
              region = local.region
            }
            module "names" {
              source = "../../modules/names"
              prefix = "live"
              spare  = "a"
            }
            resource "terraform_data" "this" {
              input = module.names.OUTPUT
            }
        "#}
        .replace("OUTPUT", output)
    };
    Place::committed(&[
        ("live/a/main.tf", &live("bucket")),
        ("live/a/terraform.tfvars", "unused = \"b\"\n"),
        ("live/b/main.tf", &live("topic")),
        (
            "modules/names/main.tf",
            indoc! {r#"
                variable "prefix" {
                  default = "none"
                }
                variable "tags" {
                  default = {}
                }
                variable "spare" {
                  type    = string
                  default = ""
                }
                locals {
                  bucket = "${local.stem}-bucket"
                  stem   = "names"
                  topic  = "topic"
                }
                module "inner" {
                  source = "../inner"
                  name   = local.topic
                  idle   = "a"
                }
                output "bucket" {
                  value = local.bucket
                }
                output "topic" {
                  value = module.inner.name
                }
                output "prefix" {
                  value = var.prefix
                }
                output "spare" {
                  value = "a"
                }
            "#},
        ),
        (
            "modules/inner/main.tf",
            indoc! {r#"
                variable "name" {}
                variable "idle" {}
                output "name" {
                  value = var.name
                }
            "#},
        ),
    ])
}

#[test]
fn a_value_affects_the_roots_that_use_it() {
    let place = flow();
    let both = "live/a live/b";
    for (path, from, to, roots) in [
        ("modules/names/main.tf", "\"names\"", "\"other\"", "live/a"),
        ("modules/names/main.tf", "\"topic\"\n", "\"other\"\n", "live/b"),
        ("modules/names/main.tf", "value = local.bucket", "value = \"other\"", "live/a"),
        ("modules/names/main.tf", "value = \"a\"", "value = \"b\"", ""),
        ("modules/names/main.tf", "default = \"none\"", "default = \"other\"", ""),
        ("modules/names/main.tf", "default = {}", "default = { a = 1 }", ""),
        ("modules/names/main.tf", "idle   = \"a\"", "idle   = \"b\"", ""),
        ("modules/names/main.tf", "locals {", "output \"new\" {\n  value = local.stem\n}\nlocals {", ""),
        ("modules/names/main.tf", "locals {", "variable \"new\" {\n  default = 1\n}\nlocals {", ""),
        ("modules/names/main.tf", "locals {", "variable \"new\" {}\nlocals {", both),
        ("modules/names/main.tf", "locals {", "resource \"terraform_data\" \"new\" {}\nlocals {", both),
        ("modules/inner/main.tf", "value = var.name", "value = \"inner\"", "live/b"),
        ("live/a/main.tf", "unused = \"a\"", "unused = \"b\"", ""),
        ("live/a/main.tf", "spare  = \"a\"", "spare  = \"b\"", ""),
        ("live/a/main.tf", "prefix = \"live\"", "prefix = \"other\"", ""),
        ("live/a/main.tf", "locals {", "output \"new\" {\n  value = 1\n}\nlocals {", "live/a"),
        ("live/a/terraform.tfvars", "\"b\"", "\"c\"", ""),
        ("live/a/terraform.tfvars", "unused", "region", "live/a"),
    ] {
        let text = std::fs::read_to_string(place.path().join(path)).expect("a file");
        assert_ne!(text.replacen(from, to, 1), text, "{from}");
        place.stage(path, text.replacen(from, to, 1));
        let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
        assert_eq!(
            output.split_whitespace().collect::<Vec<_>>().join(" "),
            roots,
            "{from} to {to} in {path}"
        );
        place.stage(path, text);
    }
}

#[test]
fn a_value_that_may_fail_affects_every_root() {
    let place = flow();
    let path = "modules/names/main.tf";
    let text = std::fs::read_to_string(place.path().join(path)).expect("a file");
    for (to, roots) in [
        ("spare = upper(\"b\")", ""),
        ("spare = upper(var.prefix)", "live/a live/b"),
        ("spare = \"${var.tags}\"", "live/a live/b"),
        ("spare = var.tags.a", "live/a live/b"),
        ("spare = [var.tags, { a = var.prefix }]", ""),
    ] {
        place.stage(path, text.replacen("locals {", &format!("locals {{\n  {to}"), 1));
        let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
        assert_eq!(output.split_whitespace().collect::<Vec<_>>().join(" "), roots, "{to}");
    }
    let null = text.replacen("  default = \"none\"", "  type    = string\n  default = null", 1);
    place.stage(path, null.replacen("value = var.prefix", "value = \"${var.prefix}\"", 1));
    let output = place.overrule(&["affected", "--changed"]).out;
    assert!(output.contains("live/a ←"), "null in a template fails: {output}");
}

#[test]
fn a_value_that_a_test_names_counts_as_used() {
    let place = flow();
    let spare = indoc! {r#"
        run "spare" {
          command = plan
          assert {
            condition     = output.spare == "a"
            error_message = "spare"
          }
        }
    "#};
    place.stage("modules/names/tests/main.tftest.hcl", spare);
    place.commit("a test");
    let text = std::fs::read_to_string(place.path().join("modules/names/main.tf")).expect("a file");
    place.stage("modules/names/main.tf", text.replacen("value = \"a\"", "value = \"b\"", 1));
    let output = place.overrule(&["affected", "--changed", "--tests", "--format", "paths"]);
    assert_eq!(output.out, "modules/names/tests/main.tftest.hcl\n");
    assert_eq!(affected(&place), "nothing affected\n");
}

#[test]
fn an_override_of_a_default_affects_callers_that_do_not_set_the_variable() {
    let place = flow();
    place.stage("modules/names/override.tf", "variable \"prefix\" {\n  default = \"other\"\n}\n");
    assert_eq!(affected(&place), "nothing affected\n");
    place.stage("modules/names/override.tf", "variable \"prefix\" {\n  nullable = false\n}\n");
    assert!(affected(&place).contains("live/a ←"), "{}", affected(&place));
}

/// A module in which a variable decides what has instances.
fn optional() -> Place {
    let live = |arguments: &str| {
        format!(
            "terraform {{\n  backend \"local\" {{}}\n}}\nvariable \"wants\" {{\n  default = false\n}}\nmodule \"app\" {{\n  \
             source = \"../../modules/app\"\n  {arguments}\n}}\n"
        )
    };
    Place::committed(&[
        ("live/none/main.tf", &live("")),
        ("live/all/main.tf", &live("mount = \"/data\"")),
        ("live/some/main.tf", &live("mount = var.wants ? \"/data\" : null")),
        (
            "modules/app/main.tf",
            indoc! {r#"
                variable "mount" {
                  type    = string
                  default = null
                }
                variable "mode" {
                  default = "slow"
                }
                module "disk" {
                  source   = "../disk"
                  for_each = var.mount == null ? toset([]) : toset(["disk"])
                  mode     = var.mode
                }
                resource "terraform_data" "mount" {
                  count = var.mount == null ? 0 : 1
                  input = var.mode
                }
                resource "terraform_data" "this" {
                  input = local.kind
                }
                locals {
                  kind = var.mount == null ? "none" : "a disk"
                }
            "#},
        ),
        (
            "modules/disk/main.tf",
            indoc! {r#"
                variable "mode" {}
                resource "terraform_data" "disk" {
                  input = [var.mode, "a"]
                }
            "#},
        ),
    ])
}

#[test]
fn a_module_without_instances_affects_no_root() {
    let place = optional();
    for (path, from, to, roots) in [
        ("modules/disk/main.tf", "\"a\"", "\"b\"", "live/all live/some"),
        ("modules/app/main.tf", "\"slow\"", "\"fast\"", "live/all live/some"),
        ("modules/app/main.tf", "default = null", "default = \"/data\"", "live/none"),
        ("modules/app/main.tf", "\"none\"", "\"nothing\"", "live/none live/some"),
        ("modules/app/main.tf", "\"a disk\"", "\"one disk\"", "live/all live/some"),
        ("modules/app/main.tf", "== null ? \"none\"", "!= null ? \"none\"", "live/all live/none live/some"),
        ("modules/app/main.tf", "= var.mode\n}", "= [var.mode]\n}", "live/all live/some"),
        ("modules/app/main.tf", "? 0 : 1", "? 1 : 0", "live/all live/none live/some"),
        ("modules/app/main.tf", "toset([])", "toset([\"a\"])", "live/none live/some"),
        ("modules/app/main.tf", "toset([\"disk\"])", "toset([\"disks\"])", "live/all live/some"),
        ("live/some/main.tf", "var.wants ?", "!var.wants ?", "live/some"),
    ] {
        let text = std::fs::read_to_string(place.path().join(path)).expect("a file");
        assert_ne!(text.replacen(from, to, 1), text, "{from}");
        place.stage(path, text.replacen(from, to, 1));
        let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
        assert_eq!(
            output.split_whitespace().collect::<Vec<_>>().join(" "),
            roots,
            "{from} to {to} in {path}"
        );
        place.stage(path, text);
    }
}

#[test]
fn a_file_affects_the_roots_whose_plan_reads_it() {
    let live = |arguments: &str| {
        format!(
            "terraform {{\n  backend \"local\" {{}}\n}}\nmodule \"app\" {{\n  source = \"../../modules/app\"\n  \
             {arguments}\n}}\n"
        )
    };
    let place = Place::committed(&[
        ("live/all/main.tf", &live("gateway = true")),
        ("live/script/main.tf", &live("script = \"files/b.sh\"")),
        ("live/script/files/b.sh", "b\n"),
        ("live/none/main.tf", &live("")),
        ("modules/app/files/a.sh", "a\n"),
        ("modules/app/files/spare.txt", "a\n"),
        (
            "modules/app/main.tf",
            indoc! {r#"
                variable "gateway" {
                  default = false
                }
                variable "script" {
                  type    = string
                  default = null
                }
                locals {
                  spare = file("${path.module}/files/spare.txt")
                }
                resource "terraform_data" "gateway" {
                  count = var.gateway ? 1 : 0
                  input = filesha1("${path.module}/files/a.sh")
                }
                resource "terraform_data" "script" {
                  count = var.script == null ? 0 : 1
                  input = filesha1(var.script)
                }
            "#},
        ),
    ]);
    let after = |path: &str, text: &str| {
        let before = std::fs::read_to_string(place.path().join(path)).expect("a file");
        place.stage(path, text);
        let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
        place.stage(path, before);
        output.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // The script may be any file of the module.
    assert_eq!(after("modules/app/files/a.sh", "b\n"), "live/all live/script");
    assert_eq!(after("modules/app/files/spare.txt", "b\n"), "live/script");
    assert_eq!(after("live/script/files/b.sh", "c\n"), "live/script");
    let main = std::fs::read_to_string(place.path().join("modules/app/main.tf")).expect("a file");
    assert_eq!(after("modules/app/main.tf", &format!("# comment\n{main}")), "");
    assert_eq!(
        after("modules/app/main.tf", &main.replace("default = false", "default = true")),
        "live/none live/script"
    );
}

#[test]
fn a_default_that_null_selects_affects_calls_that_may_set_null() {
    let live = |argument: &str| {
        format!(
            "terraform {{\n  backend \"local\" {{}}\n}}\nvariable \"mode\" {{\n  default = null\n}}\nmodule \"app\" {{\n  \
             source = \"../../modules/app\"\n  {argument}\n}}\n"
        )
    };
    let app = |default: &str| {
        format!(
            "variable \"mode\" {{\n  default  = {default:?}\n  nullable = false\n}}\nresource \"terraform_data\" \"this\" \
             {{\n  input = var.mode\n}}\n"
        )
    };
    let place = Place::committed(&[
        ("live/fixed/main.tf", &live("mode = \"fast\"")),
        ("live/open/main.tf", &live("mode = var.mode")),
        ("live/unset/main.tf", &live("")),
        ("modules/app/main.tf", &app("slow")),
    ]);
    place.stage("modules/app/main.tf", app("slower"));
    let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
    assert_eq!(output, "live/open\nlive/unset\n");
}

#[test]
fn a_default_that_may_fail_a_validation_affects_callers() {
    let place = flow();
    let validated = |default: &str, condition: &str| {
        format!(
            "variable \"size\" {{\n  default = {default}\n  validation {{\n    condition = {condition}\n    error_message = \
             \"No.\"\n  }}\n}}\n"
        )
    };
    for (condition, is_affected) in
        [("var.size > 0", false), ("var.size < 2", true), ("var.size > local.least", true)]
    {
        place.stage("modules/names/size.tf", validated("1", condition));
        place.stage("modules/names/least.tf", "locals {\n  least = timestamp()\n}\n");
        place.commit("size");
        place.stage("modules/names/size.tf", validated("2", condition));
        assert_eq!(affected(&place) != "nothing affected\n", is_affected, "{condition}");
    }
}

#[test]
fn a_file_in_a_directory_that_a_caller_names_affects_the_caller() {
    let module = indoc! {r#"
        variable "directory" {
          type = string
        }
        resource "terraform_data" "this" {
          for_each = fileset(var.directory, "*")
        }
    "#};
    let live = indoc! {r#"
        terraform {
          backend "local" {}
        }
        module "app" {
          source    = "../modules/app"
          directory = DIRECTORY
        }
    "#};
    for (directory, is_affected) in [
        ("\"./files\"", true),
        ("\"files\"", true),
        ("join(\"\", [\"fi\", \"les\"])", true),
        ("terraform_data.none.id", true),
        ("\"other\"", false),
        ("\"files/b\"", false),
        ("format(\"./%s\", \"files\")", true),
        ("format(\"./%s/more\", \"files\")", false),
    ] {
        let place = Place::committed(&[
            ("live/main.tf", &live.replace("DIRECTORY", directory)),
            ("live/files/a.txt", "a"),
            ("modules/app/main.tf", module),
        ]);
        place.stage("live/files/b.txt", "b");
        let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
        assert_eq!(output, if is_affected { "live\n" } else { "" }, "{directory}");
    }
}

#[test]
fn a_file_whose_name_a_caller_passes_affects_the_caller() {
    let read = "variable \"name\" {}\noutput \"text\" {\n  value = file(var.name)\n}\n";
    let live = indoc! {r#"
        terraform {
          backend "local" {}
        }
        variable "name" {}
        module "app" {
          source = "../modules/app"
          name   = NAME
        }
        output "text" {
          value = module.app.text
        }
    "#};
    for (name, changed, is_affected) in [
        ("\"notes\"", "live/notes", true),
        ("\"notes\"", "live/README.md", false),
        ("\"notes\"", "notes", false),
        ("\"../notes\"", "notes", true),
        ("\"no${\"tes\"}\"", "live/notes", true),
        ("var.name", "live/README.md", true),
        ("var.name", "README.md", false),
    ] {
        let place = Place::committed(&[
            ("live/main.tf", &live.replace("NAME", name)),
            ("live/notes", "a"),
            ("notes", "a"),
            ("modules/app/main.tf", read),
        ]);
        place.stage(changed, "b");
        let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
        assert_eq!(output, if is_affected { "live\n" } else { "" }, "{changed} with {name}");
    }
}

#[test]
fn a_for_expression_over_the_instances_of_a_module_uses_the_outputs_that_it_names() {
    let live = indoc! {r#"
        terraform {
          backend "local" {}
        }
        module "app" {
          source = "../modules/app"
          REPEATED
        }
        resource "terraform_data" "this" {
          input = VALUE
        }
    "#};
    let app = "output \"name\" {\n  value = \"app\"\n}\noutput \"other\" {\n  value = \"a\"\n}\n";
    let repeated = "for_each = toset([\"x\"])";
    for (repeated, value, is_affected) in [
        (repeated, "[for it in module.app : it.name]", false),
        ("count = 2", "[for it in module.app : it.name]", false),
        (repeated, "{ for key, it in module.app : key => \"${it.name}-x\" if it.name != \"\" }", false),
        (repeated, "[for it in module.app : it.other]", true),
        (repeated, "[for it in module.app : it.name if it.other == \"a\"]", true),
        // The condition is true before and after the change.
        (repeated, "[for it in module.app : it.name if it.other != \"\"]", false),
        (repeated, "[for it in module.app : it[\"oth${\"er\"}\"]]", true),
        (repeated, "[for it in module.app : [it.name, it]]", true),
        (repeated, "[for it in module.app : [it.name, [for key, value in it : value]]]", true),
        ("", "[for it in module.app : it]", true),
    ] {
        let place = Place::committed(&[
            ("live/main.tf", &live.replace("REPEATED", repeated).replace("VALUE", value)),
            ("modules/app/main.tf", app),
        ]);
        place.stage("modules/app/main.tf", app.replace("\"a\"", "\"b\""));
        let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
        assert_eq!(output, if is_affected { "live\n" } else { "" }, "{value} {repeated}");
    }
}

#[test]
fn a_values_file_in_a_called_module_affects_a_caller_around_it() {
    let live = indoc! {r#"
        terraform {
          backend "local" {}
        }
        variable "size" {
          default = 1
        }
        variable "unused" {
          default = 1
        }
        module "app" {
          source = "./app"
        }
        resource "terraform_data" "this" {
          input = var.size
        }
    "#};
    let other = live.replace("./app", "../live/app");
    let place = Place::committed(&[
        ("live/main.tf", live),
        ("other/main.tf", &other),
        ("live/app/main.tf", "variable \"size\" {\n  default = 1\n}\n"),
        ("live/app/small.tfvars", "size = 1\nunused = 1\n"),
    ]);
    for (values, roots) in [("size = 2\nunused = 1\n", "live\n"), ("size = 1\nunused = 2\n", "")] {
        place.stage("live/app/small.tfvars", values);
        assert_eq!(place.overrule(&["affected", "--changed", "--format", "paths"]).out, roots, "{values}");
    }
}
