//! Terragrunt units in the index and in commits: the modules that they run, and those that a change affects.

use crate::place::Place;
use indoc::indoc;

const UNIT: &str = r#"
include "root" {
  path = find_in_parent_folders("root.hcl")
}

terraform {
  source = "../../modules//net"
}
"#;

const ROOT: &str = r#"
generate "common" {
  path     = "common.tf"
  contents = file("common/variables.txt")
}
"#;

const NET: &str = r#"
output "name" {
  value = "${var.env}-${var.region}"
}
"#;

const POLICY: &str = r#"
policy {
  extends = ["language"]
}
"#;

fn repository() -> Place {
    Place::committed(&[
        ("overrule.hcl", POLICY),
        ("live/root.hcl", ROOT),
        ("live/common/variables.txt", "variable \"env\" {}\nvariable \"region\" {}\n"),
        ("live/net/terragrunt.hcl", UNIT),
        ("modules/net/main.tf", NET),
        ("modules/db/main.tf", "output \"name\" {\n  value = var.nothing\n}\n"),
    ])
}

const NO_REGION: &str =
    "modules/net/main.tf:3:25: error: Reference to undeclared input variable [undeclared-reference]";
const NO_ENV: &str =
    "modules/net/main.tf:3:14: error: Reference to undeclared input variable [undeclared-reference]";

#[test]
fn what_a_unit_generates_is_declared_in_the_working_tree_the_index_and_commits() {
    let place = repository();
    let db = "modules/db/main.tf:2:11: error: Reference to undeclared input variable [undeclared-reference]";
    let check = |arguments: &[&str]| place.overrule(&[&["check", "--format", "concise"], arguments].concat());
    assert_eq!(check(&[]).findings(), [db]);
    place.stage(
        "modules/net/more.tf",
        indoc! {"
            locals {
              a = var.env
              b = var.other
            }
        "},
    );
    let new = "modules/net/more.tf:3:7: error: Reference to undeclared input variable [undeclared-reference]";
    assert_eq!(place.check_changed().findings(), [new]);
    place.commit("second");
    assert_eq!(check(&["--base", "HEAD~1"]).findings(), [new]);
}

#[test]
fn a_change_to_what_a_unit_reads_concerns_the_module_that_it_runs() {
    let place = repository();
    place.stage("live/common/variables.txt", "variable \"env\" {}\n");
    assert_eq!(place.check_changed().findings(), [NO_REGION]);
    place.stage("live/root.hcl", "");
    assert_eq!(place.check_changed().findings(), [NO_ENV, NO_REGION]);
    let shown = place.overrule(&["modules", "--impact"]);
    assert_eq!(shown.out, "modules/net  root: Terragrunt runs it  (changed)\n\n1 module, 0 calls\n");
}

#[test]
fn a_change_to_a_value_in_the_source_concerns_the_module() {
    let unit = indoc! {r#"
        locals {
          settings = yamldecode(file("settings.yaml"))
        }
        terraform {
          source = "../../modules//${local.settings.module}"
        }
        generate "common" {
          path     = "common.tf"
          contents = join("\n", [for name in local.settings.names : "variable \"${name}\" {}"])
        }
    "#};
    let place = repository();
    place.write("live/net/terragrunt.hcl", unit);
    place.write("live/net/settings.yaml", "module: net\nnames: [env, region]\n");
    place.git(&["add", "--all"]);
    place.commit("second");
    assert_eq!(place.overrule(&["check", "--format", "concise"]).findings().len(), 1);
    place.stage("live/net/settings.yaml", "module: net\nnames: [env]\n");
    assert_eq!(place.check_changed().findings(), [NO_REGION]);
    place.git(&["rm", "--quiet", "--force", "live/net/settings.yaml"]);
    assert_eq!(place.check_changed().findings(), [""; 0], "the source is unknown");
}

#[test]
fn a_unit_that_goes_takes_with_it_what_it_generates() {
    let place = repository();
    place.git(&["rm", "--quiet", "live/net/terragrunt.hcl"]);
    assert_eq!(place.check_changed().findings(), [NO_ENV, NO_REGION]);
}

#[test]
fn a_new_unit_adds_its_generated_files() {
    let place = repository();
    place.git(&["rm", "--quiet", "live/net/terragrunt.hcl"]);
    place.commit("second");
    place.stage("live/other/terragrunt.hcl", UNIT);
    place.stage("modules/net/more.tf", "locals {\n  a = var.env\n}\n");
    let output = place.check_changed();
    assert_eq!((output.findings(), output.code), (vec![], Some(0)), "{}", output.err);
    let shown = place.overrule(&["modules", "--callers", "modules/net", "--staged"]);
    assert_eq!(shown.out, "modules/net\n└─ live/other/terragrunt.hcl (Terragrunt)\n", "{}", shown.err);
}

#[test]
fn a_change_beside_the_units_concerns_none_of_their_modules() {
    let place = repository();
    place.stage("live/README.md", "Read me.\n");
    let output = place.overrule(&["modules", "--impact"]);
    assert_eq!(output.err, "note: no staged file belongs to a module\n");
}

#[test]
fn a_file_that_a_unit_names_affects_it() {
    let place = Place::committed(&[
        ("modules/net/main.tf", "variable \"env\" {}\noutput \"env\" {\n  value = var.env\n}\n"),
        (
            "live/root.hcl",
            indoc! {r#"
                locals {
                  env  = read_terragrunt_config(find_in_parent_folders("env.hcl"))
                  tags = yamldecode(file("${get_repo_root()}/config/${local.env.locals.name}.yaml"))
                }
                inputs = merge(local.env.inputs, local.tags)
            "#},
        ),
        ("live/dev/env.hcl", "locals {\n  name = \"dev\"\n}\ninputs = {\n  env = \"dev\"\n}\n"),
        ("live/prod/env.hcl", "locals {\n  name = \"prod\"\n}\ninputs = jsondecode(file(\"env.json\"))\n"),
        ("live/prod/env.json", "{}"),
        ("config/dev.yaml", "a: b\n"),
        ("config/prod.yaml", "a: b\n"),
        ("live/dev/common.tfvars", ""),
        ("live/dev/README.md", ""),
        ("live/dev/net/README.md", ""),
        ("live/dev/net/notes.txt", ""),
        ("live/dev/net/terraform.tfvars", ""),
        (
            "live/dev/net/terragrunt.hcl",
            indoc! {r#"
                include "root" {
                  path = find_in_parent_folders("root.hcl")
                }
                terraform {
                  source = "../../../modules//net"
                  extra_arguments "vars" {
                    commands           = ["plan"]
                    required_var_files = [find_in_parent_folders("common.tfvars")]
                    arguments          = ["-var-file=${get_terragrunt_dir()}/../more.tfvars"]
                  }
                }
                inputs = {
                  text  = templatefile("${get_env("TEXTS")}/texts/a.tpl", {})
                  names = fileset("${get_terragrunt_dir()}/names", "*.txt")
                  key   = jsondecode(sops_decrypt_file("${dirname(find_in_parent_folders("root.hcl"))}/key.json"))
                }
            "#},
        ),
        ("live/dev/more.tfvars", ""),
        ("live/dev/net/names/a.txt", ""),
        ("other/texts/a.tpl", ""),
        ("live/key.json", "{}"),
        ("live/other.json", "{}"),
        (
            "live/prod/net/terragrunt.hcl",
            indoc! {r#"
                include "root" {
                  path = find_in_parent_folders("root.hcl")
                }
                terraform {
                  source = "../../../modules//net"
                }
            "#},
        ),
    ]);
    let affected = || place.overrule(&["affected", "--changed", "--format", "paths"]).out;
    let (dev, prod) = ("live/dev/net\n", "live/prod/net\n");
    for (path, expected) in [
        ("live/dev/env.hcl", dev),
        ("live/prod/env.json", prod),
        ("config/dev.yaml", dev),
        ("config/prod.yaml", prod),
        ("config/other.yaml", ""),
        ("live/dev/common.tfvars", dev),
        ("live/dev/more.tfvars", dev),
        ("live/dev/README.md", ""),
        ("live/dev/net/README.md", ""),
        ("live/dev/net/notes.txt", dev),
        ("live/dev/net/terraform.tfvars", dev),
        ("live/dev/net/names/a.txt", dev),
        ("other/texts/a.tpl", dev),
        ("live/key.json", dev),
        ("live/other.json", ""),
    ] {
        place.stage(path, "locals {\n  changed = 1\n}\n");
        assert_eq!(affected(), expected, "{path}");
        place.git(&["reset", "--quiet", "--hard"]);
        place.git(&["rm", "--quiet", "--ignore-unmatch", path]);
        assert_eq!(affected(), expected, "{path} is removed");
        place.git(&["reset", "--quiet", "--hard"]);
    }
    // A file that is nearer takes the place of the other one.
    place.stage("live/dev/net/env.hcl", "inputs = {}\n");
    let human = place.overrule(&["affected", "--changed"]).out;
    let line =
        "live/dev/net/terragrunt.hcl (Terragrunt) ← live/dev/net/env.hcl\n1 Terragrunt unit affected\n";
    assert_eq!(human, line);
}

#[test]
#[cfg(unix)]
fn a_unit_runs_the_module_that_a_link_in_its_source_leads_to() {
    let place = Place::committed(&[
        ("modules/net/main.tf", "output \"a\" {\n  value = 1\n}\n"),
        ("live/net/terragrunt.hcl", "terraform {\n  source = \"../linked/net\"\n}\n"),
    ]);
    place.link("live/linked", "../modules");
    place.commit("link");
    let affected = || place.overrule(&["affected", "--changed"]).out;
    let unit = "live/net/terragrunt.hcl (Terragrunt) ←";
    place.stage("modules/net/main.tf", "output \"a\" {\n  value = 2\n}\n");
    let by_module = format!("{unit} modules/net ← modules/net/main.tf\n1 Terragrunt unit affected\n");
    assert_eq!(affected(), by_module);
    place.commit("two");
    place.git(&["rm", "--quiet", "live/linked"]);
    assert_eq!(affected(), format!("{unit} live/linked\n1 Terragrunt unit affected\n"));
}

#[test]
#[cfg(unix)]
fn a_unit_in_a_directory_that_a_link_leads_to_is_listed_for_the_link() {
    let place = Place::committed(&[
        ("modules/net/main.tf", "output \"a\" {\n  value = 1\n}\n"),
        (
            "common/net/terragrunt.hcl",
            indoc! {r#"
                terraform {
                  source = "${get_repo_root()}/modules//net"
                }
                inputs = jsondecode(file(find_in_parent_folders("env.json")))
            "#},
        ),
        ("live/a/env.json", "{}"),
        ("live/b/env.json", "{}"),
    ]);
    place.link("live/a/net", "../../common/net");
    place.link("live/b/units", "../../common");
    place.commit("links");
    let affected = || place.overrule(&["affected", "--changed", "--format", "paths"]).out;
    place.stage("live/a/env.json", "{\"a\": 1}");
    assert_eq!(affected(), "live/a/net\n");
    place.commit("env");
    let all = "common/net\nlive/a/net\nlive/b/units/net\n";
    place.stage("modules/net/main.tf", "output \"a\" {\n  value = 2\n}\n");
    assert_eq!(affected(), all);
    place.commit("module");
    place.stage("common/net/notes.json", "{}");
    assert_eq!(affected(), all);
}
