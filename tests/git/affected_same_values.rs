//! `affected`: changes of expressions that leave their values as they were.

use super::place::Place;
use indoc::indoc;

/// Two root modules that call one module, with other arguments.
fn callers() -> Place {
    let live = |arguments: &str| {
        indoc! {r#"
            terraform {
              backend "local" {}
            }
            variable "mode" {
              default = "slow"
            }
            resource "terraform_data" "net" {}
            output "net" {
              value = terraform_data.net.id
            }
            output "users" {
              value = module.app.users
            }
            variable "wait" {
              type    = string
              default = "1s"
              validation {
                condition     = var.wait != ""
                error_message = "Set a time."
              }
            }
            resource "terraform_data" "wait" {
              input = var.wait
            }
            resource "terraform_data" "root" {
              input      = var.mode == "fast" ? "f" : "s"
              depends_on = [module.app]
            }
            module "app" {
              source = "../../modules/app"
              ARGUMENTS
              net    = terraform_data.net.id
            }
        "#}
        .replace("ARGUMENTS", arguments)
    };
    Place::committed(&[
        ("live/a/main.tf", &live("stage  = \"a\"")),
        (
            "live/b/main.tf",
            &format!("{}output \"o\" {{\n  value = module.app.stage\n}}\n", live("stage  = \"b\"")),
        ),
        ("modules/app/ports.json", "{ \"http\": 80, \"ssh\": 22 }\n"),
        ("modules/app/main.tf", MODULE),
    ])
}

/// The module that they call.
const MODULE: &str = indoc! {r#"
    variable "stage" {
      type = string
    }
    variable "net" {}
    variable "size" {
      type    = number
      default = 1
    }
    variable "note" {
      type    = string
      default = null
      validation {
        condition     = var.note == null || length(var.note) < 9
        error_message = "Too long."
      }
    }
    locals {
      free  = "f"
      spare = "s"
      code  = replace(format("%s-%s", var.net, "a"), "_", "")
      ports = jsondecode(file("${path.module}/ports.json"))
      users = { ann = "a", bob = "b" }
      mine  = [for name, stage in local.users : name if stage == var.stage]
      where = var.stage == "c" ? "there" : var.net
      name  = "${var.net}-app"
    }
    resource "terraform_data" "this" {
      input = { where = local.where, name = local.name, net = var.net, size = var.size }
    }
    resource "terraform_data" "note" {
      input = var.note
    }
    resource "terraform_data" "users" {
      input = { users = local.mine, port = local.ports.http }
    }
    resource "terraform_data" "each" {
      for_each = toset([for name, stage in local.users : name if stage == var.stage])
    }
    resource "terraform_data" "optional" {
      count = var.stage == "b" ? 1 : 0
      input = "none"
    }
    output "stage" {
      value = var.stage
    }
    output "unused" {
      value = { net = upper(var.net), free = upper(local.free) }
    }
    variable "tags" {
      type    = map(string)
      default = {}
    }
    resource "terraform_data" "lists" {
      input = {
        list = [var.net, "a"]
        tags = { net = var.net, name = local.name }
        made = [for user in local.mine : "${user}${var.net}"]
      }
    }
    output "spare" {
      value = [local.spare, local.code]
    }
    output "users" {
      value = terraform_data.users.id
    }
"#};

/// The root modules that a change of some files affects, each given with a text and its replacement. A text with
/// several occurrences is replaced everywhere.
fn affected(edits: &[(&str, &str, &str)]) -> String {
    let place = callers();
    for (path, from, to) in edits {
        let text = std::fs::read_to_string(place.path().join(path)).expect("a file");
        assert!(text.contains(from), "{from} in {path}");
        place.stage(path, text.replace(from, to));
    }
    let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
    output.split_whitespace().collect::<Vec<_>>().join(" ")
}

const APP: &str = "modules/app/main.tf";

const A: &str = "live/a/main.tf";

const B: &str = "live/b/main.tf";

#[test]
fn an_expression_with_the_same_value_affects_nothing() {
    for edits in [
        // The same values.
        &[(APP, "size = var.size", "size = (var.size)")][..],
        &[(APP, "input = \"none\"", "input = local.none"), (APP, "locals {", "locals {\n  none = \"none\"")],
        &[(APP, "== \"c\" ?", "== \"d\" ?")],
        &[(APP, "var.stage == \"b\" ? 1 : 0", "var.stage != \"b\" ? 0 : 1")],
        &[(A, "net    =", "size   = 1\n  net    =")],
        &[(A, "net    =", "size   = \"1\"\n  net    =")],
        &[(APP, "size = var.size", "size = \"${var.size}\"")],
        // The branch that a condition does not select.
        &[(APP, "\"there\"", "\"elsewhere\"")],
        &[(APP, "\"there\"", "local.there"), (APP, "locals {", "locals {\n  there = \"else\"")],
        // Other names.
        &[(APP, "var.note", "var.remark"), (APP, "variable \"note\"", "variable \"remark\"")],
        &[(APP, "local.where", "local.place"), (APP, "  where =", "  place =")],
        &[(APP, "var.size", "var.count_of"), (APP, "variable \"size\"", "variable \"count_of\"")],
        &[
            (APP, "var.net", "var.network"),
            (APP, "variable \"net\"", "variable \"network\""),
            (A, "net    =", "network ="),
            (B, "net    =", "network ="),
        ],
        &[(APP, "output \"stage\"", "output \"level\""), (B, "module.app.stage", "module.app.level")],
        // Values that are not used.
        &[(
            APP,
            "output \"stage\"",
            "output \"new\" {\n  value = 1\n  sensitive = true\n}\noutput \"stage\"",
        )],
        &[(APP, "{ ann = \"a\", bob = \"b\" }", "{ ann = \"a\", bob = \"b\", eve = \"e\" }")],
        &[(A, "\"slow\"", "\"slower\"")],
        &[(APP, "\"%s-%s\"", "\"%s-%s-b\"")],
        &[(APP, "\"_\", \"\"", "\"__\", \"-\"")],
        &[(APP, "spare = \"s\"", "spare = merge(var.tags, { net = var.net })")],
        &[(APP, "spare = \"s\"", "spare = \"${terraform_data.this.id}-s\"")],
        &[(
            APP,
            "spare = \"s\"",
            "spare = var.stage == \"b\" || !(var.net != null) ? \"a\" : \"${var.stage}-s\"",
        )],
        &[(APP, "value = { net =", "value = { none = null, name = \"none\", net =")],
        &[(APP, "value = { net = upper(var.net)", "value = { net = [jsonencode(var.net), upper(var.net)]")],
    ] {
        assert_eq!(affected(edits), "", "{edits:?}");
    }
}

#[test]
fn an_expression_with_another_value_affects_the_roots_that_use_it() {
    let both = "live/a live/b";
    for (edits, roots) in [
        (&[(APP, "size = var.size", "size = (var.size + 1)")][..], both),
        (
            &[
                (APP, "input = \"none\"", "input = local.none"),
                (APP, "locals {", "locals {\n  none = \"no\""),
            ],
            "live/b",
        ),
        (&[(APP, "== \"c\" ?", "== \"b\" ?")], "live/b"),
        (&[(A, "net    =", "size   = 2\n  net    =")], "live/a"),
        (&[(APP, "{ ann = \"a\", bob = \"b\" }", "{ ann = \"a\", bob = \"b\", eve = \"b\" }")], "live/b"),
        (&[("modules/app/ports.json", "80", "81")], both),
        (&[(A, "\"slow\"", "\"fast\"")], "live/a"),
        (&[(APP, "value = var.stage", "value = var.stage\n  sensitive = true")], "live/b"),
        // The type of the branch that a condition does not select.
        (&[(APP, "\"there\"", "5")], both),
        (&[(APP, "? \"there\" : var.net", "? var.net : \"there\"")], both),
        // A value that is not used and may fail.
        (&[(APP, "\"%s-%s\"", "\"%s-%d\"")], both),
        (&[(APP, "\"%s-%s\"", "\"%s-\"")], both),
        (&[(APP, "\"_\", \"\"", "\"/_(/\", \"\"")], both),
        (&[(APP, "format(\"%s-%s\", var.net", "format(\"%s-%s\", var.size")], both),
        (&[(APP, "spare = \"s\"", "spare = merge(var.tags, var.net)")], both),
        (&[(APP, "spare = \"s\"", "spare = \"${terraform_data.this.output}-s\"")], both),
        (&[(APP, "spare = \"s\"", "spare = var.net == \"b\" ? \"a\" : null")], both),
        (&[(APP, "spare = \"s\"", "spare = var.net ? \"a\" : \"b\"")], both),
        (&[(APP, "{ net = upper(var.net)", "{ net = lower(var.net)")], both),
        (
            &[
                (APP, "value = { net", "value = { none = null, net"),
                (APP, "free  = \"f\"", "free  = var.net"),
            ],
            both,
        ),
        // Another name and another value.
        (
            &[
                (APP, "var.note", "var.remark"),
                (APP, "variable \"note\"", "variable \"remark\""),
                (APP, "< 9", "< 1"),
            ],
            both,
        ),
        (
            &[
                (APP, "local.where", "local.place"),
                (APP, "  where =", "  place ="),
                (APP, "\"c\" ?", "\"a\" ?"),
            ],
            "live/a",
        ),
        (
            &[
                (APP, "local.name", "local.title"),
                (APP, "  name  = \"${var.net}-app", "  title = \"${var.net}-app2"),
            ],
            both,
        ),
        (
            &[
                (APP, "var.net", "var.network"),
                (APP, "variable \"net\"", "variable \"network\""),
                (A, "net    = terraform_data.net.id", "network = terraform_data.root.id"),
                (B, "net    =", "network ="),
            ],
            "live/a",
        ),
        (
            &[
                (APP, "var.size", "var.count_of"),
                (
                    APP,
                    "variable \"size\" {\n  type    = number",
                    "variable \"count_of\" {\n  type    = string",
                ),
            ],
            both,
        ),
        (
            &[
                (APP, "output \"stage\" {\n  value = var.stage", "output \"level\" {\n  value = \"b-\""),
                (B, "module.app.stage", "module.app.level"),
            ],
            "live/b",
        ),
        // A caller that sets a variable which no longer exists.
        (&[(APP, "var.net", "null"), (APP, "variable \"net\" {}\n", "")], both),
    ] {
        assert_eq!(affected(edits), roots, "{edits:?}");
    }
}

#[test]
fn a_value_that_is_written_in_another_way_affects_nothing() {
    for edits in [
        &[(APP, "[var.net, \"a\"]", "concat([var.net], [\"a\"], [])")][..],
        &[(APP, "{ net = var.net, name = local.name }", "merge({ name = local.name }, { net = var.net })")],
        &[(
            APP,
            "[for user in local.mine : \"${user}${var.net}\"]",
            "concat([for user in local.mine : \"${user}${var.net}\"], [])",
        )],
        // A fallback of a root module's output that is not needed.
        &[(A, "value = terraform_data.net.id", "value = try(terraform_data.net.id, \"none\")")],
        &[(APP, "value = terraform_data.users.id", "value = try(terraform_data.users.id, \"none\")")],
        // The same default of a variable with a validation.
        &[(A, "\"1s\"", "(\"1s\")")],
    ] {
        assert_eq!(affected(edits), "", "{edits:?}");
    }
}

#[test]
fn a_value_that_is_joined_or_has_a_fallback_affects_the_roots_that_use_it() {
    let both = "live/a live/b";
    for (edits, roots) in [
        // A fallback that is needed, or whose value the module's caller may use.
        (
            &[(A, "value = terraform_data.net.id", "value = try(terraform_data.net[0].id, \"none\")")][..],
            "live/a",
        ),
        (&[(A, "value = terraform_data.net.id", "value = try([terraform_data.net.id], [])")], "live/a"),
        (&[(APP, "value = var.stage", "value = try(terraform_data.this.id, \"none\")")], "live/b"),
        (
            &[
                (APP, "value = terraform_data.users.id", "value = try(terraform_data.users.id, \"none\")"),
                (A, "value = module.app.users", "value = [module.app.users == null]"),
            ],
            "live/a",
        ),
        // Other elements, or another order.
        (&[(APP, "[var.net, \"a\"]", "concat([\"a\"], [var.net])")], both),
        (&[(APP, "[var.net, \"a\"]", "concat([[var.net]], [\"a\"])")], both),
        (
            &[(
                APP,
                "{ net = var.net, name = local.name }",
                "merge({ net = var.net, name = local.name }, { net = \"\" })",
            )],
            both,
        ),
    ] {
        assert_eq!(affected(edits), roots, "{edits:?}");
    }
}

#[test]
fn a_new_name_affects_what_used_it_before() {
    let place = callers();
    let text = std::fs::read_to_string(place.path().join(APP)).expect("a file");
    place.stage(APP, text.replace("  name  = \"${var.net}-app\"\n", ""));
    place.commit("a missing local value");
    place.stage(APP, text);
    let output = place.overrule(&["affected", "--changed", "--format", "paths"]).out;
    assert_eq!(output, "live/a\nlive/b\n");
}

#[test]
fn a_renamed_value_that_uses_an_altered_one_affects_its_users() {
    let place = callers();
    let text = std::fs::read_to_string(place.path().join(A)).expect("a file");
    let with_local = text.replace("= terraform_data.net.id", "= local.net");
    let local = |value: &str| format!("locals {{\n  net = {value}\n}}\n");
    place.stage(A, format!("{with_local}{}", local("terraform_data.net.id")));
    place.commit("a local value");
    let app = std::fs::read_to_string(place.path().join(APP)).expect("a file");
    place.stage(APP, app.replace("var.net", "var.network").replace("\"net\"", "\"network\""));
    place.stage(
        B,
        std::fs::read_to_string(place.path().join(B)).expect("a file").replace("net    =", "network ="),
    );
    let renamed = with_local.replace("net    =", "network =");
    place.stage(A, format!("{renamed}{}", local("terraform_data.net.id")));
    assert_eq!(place.overrule(&["affected", "--changed", "--format", "paths"]).out, "");
    place.stage(A, format!("{renamed}{}", local("terraform_data.root.id")));
    assert_eq!(place.overrule(&["affected", "--changed", "--format", "paths"]).out, "live/a\n");
}

#[test]
fn a_renamed_output_of_several_instances_affects_nothing() {
    let live = indoc! {r#"
        terraform {
          backend "local" {}
        }
        module "app" {
          source   = "../modules/app"
          for_each = toset(["a", "b"])
          name     = each.key
        }
        module "one" {
          source = "../modules/app"
          count  = 2
          name   = count.index
        }
        resource "terraform_data" "this" {
          for_each = toset(["a", "b"])
          input    = [module.app[each.key].title, module.one[*].title, module.one[0].title]
        }
    "#};
    let app = "variable \"name\" {}\noutput \"title\" {\n  value = VALUE\n}\n";
    for (value, renamed, roots) in [
        ("var.name", "var.name", ""),
        ("var.name", "\"${var.name}-x\"", "live\n"),
        ("var.name", "[var.name]", "live\n"),
    ] {
        let place = Place::committed(&[
            ("live/main.tf", live),
            ("modules/app/main.tf", &app.replace("VALUE", value)),
        ]);
        place.stage("live/main.tf", live.replace(".title", ".label"));
        place.stage("modules/app/main.tf", app.replace("VALUE", renamed).replace("\"title\"", "\"label\""));
        assert_eq!(place.overrule(&["affected", "--changed", "--format", "paths"]).out, roots, "{renamed}");
    }
}
