//! `affected` and `changes`: the modules that a change affects, and changes to interfaces.

use super::place::Place;
use indoc::indoc;

const NET: &str = r#"
variable "name" {
  description = "A name."
  type        = string
}

variable "size" {
  type    = number
  default = 1
}

resource "terraform_data" "this" {
  input = var.name
}

output "id" {
  value = terraform_data.this.id
}
"#;

const LIVE: &str = r#"
terraform {
  backend "local" {}
}

module "net" {
  source = "../../modules/net"
  name   = "a"
}
"#;

/// Two root modules, one of which calls a module, and an example of that module.
fn repository() -> Place {
    Place::committed(&[
        ("modules/net/main.tf", NET),
        ("live/a/main.tf", LIVE),
        ("live/b/main.tf", "terraform {\n  backend \"local\" {}\n}\n"),
        (
            "examples/net/main.tf",
            indoc! {r#"
                module "net" {
                  source = "../../modules/net"
                  name = "a"
                }
            "#},
        ),
    ])
}

fn affected(place: &Place) -> String {
    place.overrule(&["affected", "--changed"]).out
}

fn changes(place: &Place) -> String {
    place.overrule(&["changes", "--changed"]).out
}

#[test]
fn comments_layout_and_descriptions_affect_nothing() {
    let place = repository();
    let text =
        NET.replace("  description = \"A name.\"\n  type        = string", "  # A name.\n  type = string");
    assert_ne!(text, NET);
    place.stage("modules/net/main.tf", &text);
    assert_eq!(affected(&place), "nothing affected\n");
    assert_eq!(changes(&place), "no module changed\n");
    let (variables, rest) = text.split_once("resource").expect("a resource");
    place.stage("modules/net/main.tf", variables);
    place.stage("modules/net/more.tf", format!("resource{rest}"));
    assert_eq!(affected(&place), "nothing affected\n", "in another file");
}

#[test]
fn a_change_affects_callers_by_a_chain() {
    let place = repository();
    place.stage("modules/net/main.tf", NET.replace("input = var.name", "input = var.size"));
    let chain = "modules/net ← modules/net/main.tf";
    assert_eq!(affected(&place), format!("live/a ← {chain}\n1 root module affected\n"));
    let with_examples = place.overrule(&["affected", "--changed", "--examples", "--format", "paths"]);
    assert_eq!(with_examples.out, "examples/net\nlive/a\n");
    let matrix = place.overrule(&["affected", "--changed", "--format", "github-matrix"]);
    assert_eq!(matrix.out, "{\"include\": [{\"path\": \"live/a\", \"tool\": \"terraform\"}]}\n");
    let matrix =
        place.overrule(&["affected", "--changed", "--format", "github-matrix", "--engine", "opentofu"]);
    assert_eq!(matrix.out, "{\"include\": [{\"path\": \"live/a\", \"tool\": \"tofu\"}]}\n");
    place.stage("live/b/terraform.tfvars", "a = 1\n");
    let lines = format!("live/a ← {chain}\nlive/b ← live/b/terraform.tfvars\n2 root modules affected\n");
    assert_eq!(affected(&place), lines);
}

#[test]
fn a_default_affects_callers_that_do_not_set_the_variable() {
    let place = repository();
    let with_default = |default: &str| {
        NET.replace(
            "  type        = string",
            &format!("  type        = string\n  default     = \"{default}\""),
        )
    };
    place.stage("modules/net/main.tf", with_default("a"));
    place.stage("live/b/main.tf", LIVE.replace("  name   = \"a\"\n", ""));
    place.commit("defaults");
    place.stage("modules/net/main.tf", with_default("b"));
    assert_eq!(affected(&place), "live/b ← modules/net ← modules/net/main.tf\n1 root module affected\n");
    place.stage("modules/net/main.tf", with_default("b").replace("number", "string"));
    assert!(affected(&place).starts_with("live/a ←"), "more than a default");
}

#[test]
fn a_root_module_that_is_deleted_is_marked() {
    let place = repository();
    place.git(&["rm", "--quiet", "-r", "live/a"]);
    assert_eq!(affected(&place), "live/a (deleted) ← live/a/main.tf\n1 root module affected\n");
    let matrix = place.overrule(&["affected", "--changed", "--format", "github-matrix"]);
    assert_eq!(matrix.out, "{\"include\": []}\n", "nothing is there to plan");
}

#[test]
fn a_unit_is_affected_by_its_module_and_by_its_own_file() {
    let unit = "terraform {\n  source = \"../../modules/net\"\n}\n";
    let place = repository();
    place.stage("units/a/terragrunt.hcl", unit);
    place.stage("units/b/terragrunt.hcl", unit);
    place.commit("units");
    place.stage("units/a/terragrunt.hcl", format!("{unit}inputs = {{\n  name = \"b\"\n}}\n"));
    assert_eq!(
        affected(&place),
        "units/a/terragrunt.hcl (Terragrunt) ← units/a/terragrunt.hcl\n1 Terragrunt unit affected\n"
    );
    let matrix = place.overrule(&["affected", "--changed", "--format", "github-matrix"]);
    assert_eq!(matrix.out, "{\"include\": [{\"path\": \"units/a\", \"tool\": \"terragrunt\"}]}\n");
    place.commit("inputs");
    place.stage("modules/net/main.tf", NET.replace("input = var.name", "input = var.size"));
    let output = affected(&place);
    let unit = |name: &str| {
        format!("units/{name}/terragrunt.hcl (Terragrunt) ← modules/net ← modules/net/main.tf\n")
    };
    assert!(output.contains(&unit("a")) && output.contains(&unit("b")), "{output}");
}

#[test]
fn every_change_of_an_interface_has_an_impact() {
    let place = repository();
    let text = NET
        .replace("  type        = string", "  type        = number")
        .replace("default = 1", "default = 2")
        .replace("terraform_data\" \"this", "terraform_data\" \"main")
        .replace("terraform_data.this", "terraform_data.main");
    place.stage("modules/net/main.tf", &text);
    assert_eq!(
        changes(&place),
        indoc! {"
            modules/net (shared)
              breaking  var.name: type narrowed: string → number
              breaking  terraform_data.this: renamed to terraform_data.main without a `moved` block; existing objects are destroyed
              feature   var.size: default changed: 1 → 2
              fix       output.id: expression changed

            1 module changed: breaking
        "}
    );
    let moved = indoc! {"
        moved {
          from = terraform_data.this
          to   = terraform_data.main
        }
    "};
    place.stage("modules/net/moved.tf", moved);
    let handled = "fix       terraform_data.this: removed; a `moved` or `removed` block handles it";
    assert!(changes(&place).contains(handled), "{}", changes(&place));
}

#[test]
fn changes_of_addresses_name_what_happens_to_existing_objects() {
    let place = Place::committed(&[
        (
            "modules/net/main.tf",
            indoc! {r#"
                resource "terraform_data" "dropped" {}
                resource "terraform_data" "unused" {
                  count = 0
                }
                resource "terraform_data" "counted" {}
                resource "terraform_data" "each" {}
                resource "terraform_data" "into" {
                  input = "moves into the other module"
                }
                data "terraform_remote_state" "x" {
                  backend = "local"
                }
            "#},
        ),
        ("modules/other/main.tf", "locals {}\n"),
        (
            "live/main.tf",
            indoc! {r#"
                terraform {
                  backend "local" {}
                }
                module "net" {
                  source = "../modules/net"
                }
                module "other" {
                  source = "../modules/other"
                }
            "#},
        ),
        ("modules/empty/main.tf", "module \"none\" {\n  source = \"../none\"\n}\n"),
        ("modules/none/main.tf", "locals {}\n"),
    ]);
    place.stage("modules/empty/main.tf", "locals {}\n");
    place.stage(
        "modules/net/main.tf",
        indoc! {r#"
            resource "terraform_data" "counted" {
              count = 1
            }
            resource "terraform_data" "each" {
              for_each = toset(["a", "b"])
            }
        "#},
    );
    place.stage(
        "modules/other/main.tf",
        indoc! {r#"
            resource "terraform_data" "into" {
              input = "moves into the other module"
            }
        "#},
    );
    assert_eq!(
        changes(&place),
        indoc! {"
            live (root)
              breaking  module.net.terraform_data.into: moved to module.other.terraform_data.into without a `moved` block; existing objects are destroyed

            modules/empty (shared)
              fix       module.none: removed; it has no objects

            modules/net (shared)
              breaking  terraform_data.dropped: removed without a `moved` or `removed` block; existing objects are destroyed
              breaking  terraform_data.each: `for_each` added; existing objects are destroyed
              breaking  terraform_data.into: removed without a `moved` or `removed` block; existing objects are destroyed
              fix       terraform_data.counted: `count` added
              fix       terraform_data.unused: removed; it has no objects

            modules/other (shared)
              feature   terraform_data.into: added

            4 modules changed: breaking
        "}
    );
}

#[test]
fn a_module_with_errors_is_not_compared() {
    let place = repository();
    place.stage("modules/net/main.tf", NET.replace("output \"id\" {", "output {"));
    place.commit("sound");
    place.stage("modules/net/main.tf", "resource {");
    assert!(
        changes(&place).contains("breaking  module: has errors, so nothing in it is compared"),
        "{}",
        changes(&place)
    );
    place.commit("broken");
    for now in ["resource {}", NET] {
        place.stage("modules/net/main.tf", now);
        let output = changes(&place);
        assert!(
            output.contains("fix       module: had errors before the change, so nothing in it is compared"),
            "{output}"
        );
    }
}

#[test]
fn a_module_for_an_unknown_version_is_not_compared() {
    let place = repository();
    place.stage("modules/net/main.tf", format!("terraform {{\n  required_version = \">= 99.0\"\n}}\n{NET}"));
    let output = changes(&place);
    let why = "module: has a required version that overrule does not know, so nothing in it is compared";
    assert!(output.contains(why), "{output}");
}

#[test]
fn changes_of_provider_configurations_list_the_resources() {
    let live = indoc! {r#"
        provider "aws" {
          region = "eu-west-1"
        }
        provider "aws" {
          alias  = "east"
          region = "us-east-1"
        }
        module "net" {
          source = "../modules/net"
        }
        resource "aws_eip" "this" {}
    "#};
    let net = "resource \"aws_vpc\" \"this\" {}\n";
    let place = Place::committed(&[("live/main.tf", live), ("modules/net/main.tf", net)]);
    place.stage("live/main.tf", live.replace("eu-west-1", "eu-west-2"));
    let region = indoc! {"
        live (root)
          breaking  provider.aws: `region` changes from \"eu-west-1\" to \"eu-west-2\" for 2 resources: `aws_eip.this`, `module.net.aws_vpc.this`

        1 module changed: breaking
    "};
    assert_eq!(changes(&place), region);
    place.stage(
        "live/main.tf",
        live.replace("  source", "  providers = {\n    aws = aws.east\n  }\n  source"),
    );
    let block = indoc! {"
        live (root)
          breaking  provider.aws.east: 1 resource moved from `aws` (`region` = \"eu-west-1\") to `aws.east` (`region` = \"us-east-1\"): `module.net.aws_vpc.this`

        1 module changed: breaking
    "};
    assert_eq!(changes(&place), block);
    let file = place.overrule(&["changes", "--changed", "--format", "json"]).out;
    assert!(file.contains(r#""part": "provider_configuration""#), "{file}");
}

#[test]
fn a_required_version_that_excludes_versions_breaks_callers() {
    let place = repository();
    let with = |constraint: &str| format!("terraform {{\n  required_version = \"{constraint}\"\n}}\n");
    let mut before = "none";
    for (after, change) in [
        (">= 1.3", "feature   required_version: added: any → >= 1.3"),
        (">= 1.5", "breaking  required_version: narrowed: >= 1.3 → >= 1.5"),
        (">= 1.2, < 1.9", "breaking  required_version: constraint changed: >= 1.5 → >= 1.2, < 1.9"),
        (">= 1.2", "feature   required_version: widened: >= 1.2, < 1.9 → >= 1.2"),
    ] {
        place.stage("modules/net/versions.tf", with(after));
        let output = changes(&place);
        assert!(output.contains(change), "{before} to {after}: {output}");
        place.commit("version");
        before = after;
    }
}

#[test]
fn a_provider_constraint_that_allows_only_older_versions_breaks_callers() {
    let place = repository();
    let with = |constraint: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    azapi = {{\n      source  = \"azure/azapi\"\n      version = \"{constraint}\"\n    }}\n  }}\n}}\n"
        )
    };
    let mut before = ">= 2.0, < 3.0";
    place.stage("modules/net/versions.tf", with(before));
    place.commit("versions");
    for (after, impact) in
        [(">= 1.4, < 2.0", "breaking"), (">= 1.3, < 1.9", "feature "), (">= 1.2", "feature ")]
    {
        place.stage("modules/net/versions.tf", with(after));
        let output = changes(&place);
        assert!(output.contains(&format!("{impact}  azapi: version")), "{before} to {after}: {output}");
        place.commit("versions");
        before = after;
    }
}

#[test]
#[cfg(unix)]
fn a_file_behind_links_affects_modules_only_by_its_content() {
    let place = repository();
    let text = "variable \"region\" {\n  description = \"A region.\"\n  default     = \"a\"\n}\n";
    place.stage("live/common/variables.tf", text);
    for root in ["a", "b"] {
        place.link(&format!("live/{root}/common.tf"), "../common/variables.tf");
    }
    place.git(&["add", "-A"]);
    place.commit("links");
    place.stage("live/common/variables.tf", text.replace("A region.", "The region."));
    assert_eq!(affected(&place), "nothing affected\n");
    place.stage("live/common/variables.tf", text.replace("\"a\"", "\"b\""));
    assert_eq!(affected(&place), "nothing affected\n", "nothing uses the variable");
    place
        .stage("live/common/variables.tf", format!("{text}output \"region\" {{\n  value = var.region\n}}\n"));
    let output = affected(&place);
    assert!(output.contains("live/a ←") && output.contains("live/b ←"), "{output}");
}

#[test]
#[cfg(unix)]
fn a_directory_that_calls_reach_only_through_a_link_is_no_root_module() {
    let place = repository();
    place.write("live/c/main.tf", LIVE.replace("../../modules/net", "../linked"));
    place.write("lib/main.tf", NET);
    place.link("live/linked", "../lib");
    place.commit("links");
    place.stage("lib/main.tf", NET.replace("= var.name", "= \"${var.name}!\""));
    assert_eq!(affected(&place), "live/c ← live/linked ← lib/main.tf\n1 root module affected\n");
}

#[test]
#[cfg(unix)]
fn a_module_behind_a_link_to_a_directory_affects_its_callers() {
    let place = repository();
    let live = format!("{LIVE}output \"id\" {{\n  value = module.net.id\n}}\n");
    for (root, source) in [("a", "../../modules/net"), ("c", "../linked/net"), ("d", "./net")] {
        place.write(&format!("live/{root}/main.tf"), live.replace("../../modules/net", source));
    }
    let motd = "output \"motd\" {\n  value = file(\"${path.module}/motd.txt\")\n}\n";
    place.write("modules/motd/main.tf", motd);
    place.write("modules/motd/motd.txt", "one");
    let net = format!("{NET}module \"motd\" {{\n  source = \"../motd\"\n}}\n");
    let with_motd = net.replace("= var.name", "= module.motd.motd");
    place.write("modules/net/main.tf", &with_motd);
    place.link("live/linked", "../modules");
    place.link("live/d/net", "../../modules/net");
    place.link("live/d/motd", "../../modules/motd");
    place.commit("links");
    let text = with_motd.replace(
        "value = terraform_data",
        "value = terraform_data.this.output == \"\" ? \"\" : terraform_data",
    );
    place.stage("modules/net/main.tf", &text);
    let file = "modules/net/main.tf\n";
    let all = format!(
        "live/a ← modules/net ← {file}live/c ← live/linked/net ← {file}live/d ← live/d/net ← {file}3 root modules affected\n"
    );
    assert_eq!(affected(&place), all);
    place.stage("modules/net/main.tf", format!("# A comment.\n{with_motd}"));
    assert_eq!(affected(&place), "nothing affected\n");
    place.stage("modules/motd/motd.txt", "two");
    let file = "modules/motd/motd.txt\n";
    let all = format!(
        "live/a ← modules/net ← modules/motd ← {file}live/c ← live/linked/net ← live/linked/motd ← {file}\
         live/d ← live/d/net ← live/d/motd ← {file}3 root modules affected\n"
    );
    assert_eq!(affected(&place), all, "the calls of a linked module start from the link");
    place.commit("two");
    place.git(&["rm", "--quiet", "live/linked"]);
    assert_eq!(affected(&place), "live/c ← live/linked/net ← live/linked\n1 root module affected\n");
}

#[test]
fn a_shared_module_that_moves_breaks_callers_elsewhere() {
    let place = repository();
    place.git(&["mv", "modules/net", "modules/network"]);
    place.stage("live/a/main.tf", LIVE.replace("modules/net", "modules/network"));
    place.stage("live/b/main.tf", LIVE.replace("modules/net", "modules/network"));
    let output = place.overrule(&["changes", "--changed", "modules"]);
    assert!(
        output.out.contains(
            "breaking  module: moved from modules/net; callers that use the old path no longer find it"
        ),
        "{}",
        output.out
    );
}

#[test]
fn a_file_that_functions_read_changes_the_module_and_starts_the_chain() {
    let place = repository();
    let read = "output \"motd\" {\n  value = file(\"${path.module}/motd.txt\")\n}\n";
    place.stage("modules/net/motd.tf", read);
    place.stage("modules/net/motd.txt", "one");
    place.commit("motd");
    place.stage("modules/net/motd.txt", "two");
    assert_eq!(affected(&place), "nothing affected\n");
    place.stage("live/a/motd.tf", "output \"motd\" {\n  value = module.net.motd\n}\n");
    place.commit("motd");
    place.stage("modules/net/motd.txt", "three");
    assert!(
        affected(&place).contains("live/a ← modules/net ← modules/net/motd.txt\n"),
        "{}",
        affected(&place)
    );
    assert!(
        changes(&place).contains("fix       module: a file that it may read changed"),
        "{}",
        changes(&place)
    );
}

#[test]
fn a_path_with_an_unknown_start_is_in_the_module_or_its_callers() {
    let place = repository();
    let read = "variable \"texts\" {\n  default = []\n}\n\noutput \"texts\" {\n  value = [for it in var.texts : file(\"${it}.txt\")]\n}\n";
    place.stage("modules/net/texts.tf", read);
    for path in ["live/a/texts/x.txt", "live/b/x.txt", "x.txt"] {
        place.stage(path, "one");
    }
    place.commit("texts");
    place.stage("x.txt", "two");
    place.stage("live/b/x.txt", "two");
    assert_eq!(affected(&place), "nothing affected\n");
    place.stage("live/a/texts/x.txt", "two");
    assert!(affected(&place).contains("live/a ← modules/net ← live/a/texts/x.txt\n"), "{}", affected(&place));
}

#[test]
fn a_module_file_that_functions_read_affects_callers_by_its_comments() {
    let place = repository();
    let read = "output \"hash\" {\n  value = filesha1(\"${path.module}/hash.tf\")\n}\n";
    place.stage("modules/net/hash.tf", read);
    place.commit("hash");
    place.stage("modules/net/hash.tf", format!("# A hash.\n{read}"));
    assert!(
        affected(&place).contains("live/a ← modules/net ← modules/net/hash.tf\n"),
        "{}",
        affected(&place)
    );
}

#[test]
fn a_path_reaches_a_function_through_local_values_and_variables() {
    let place = repository();
    place.stage(
        "modules/net/text.tf",
        "variable \"text\" {\n  default = null\n}\n\noutput \"text\" {\n  value = file(var.text)\n}\n",
    );
    place.stage(
        "live/a/main.tf",
        LIVE.replace("= \"a\"", "= \"a\"\n  text   = \"${path.module}/../../texts/a.txt\""),
    );
    place.stage("live/b/paths.tf", "locals {\n  text = \"../../texts/b.txt\"\n}\n");
    place.stage("live/b/text.tf", "output \"text\" {\n  value = file(local.text)\n}\n");
    place.stage("texts/a.txt", "one");
    place.stage("texts/b.txt", "one");
    place.commit("texts");
    place.stage("texts/a.txt", "two");
    assert_eq!(affected(&place), "live/a ← texts/a.txt\n1 root module affected\n");
    place.stage("texts/b.txt", "two");
    assert_eq!(affected(&place), "live/a ← texts/a.txt\nlive/b ← texts/b.txt\n2 root modules affected\n");
}

#[test]
fn a_plain_path_from_a_caller_reaches_a_function() {
    let place = repository();
    let read = "variable \"text\" {\n  default = null\n}\n\noutput \"text\" {\n  value = file(var.text)\n}\n";
    place.stage("modules/net/text.tf", read);
    for root in ["a", "b"] {
        place.stage(
            &format!("live/{root}/main.tf"),
            LIVE.replace("= \"a\"", "= \"a\"\n  text   = \"texts/a.txt\""),
        );
        place.stage(&format!("live/{root}/texts/a.txt"), "one");
    }
    place.commit("texts");
    place.stage("live/a/texts/a.txt", "two");
    assert_eq!(affected(&place), "live/a ← live/a/texts/a.txt\n1 root module affected\n");
}

#[test]
fn a_validation_that_accepts_more_values_is_a_feature() {
    let place = repository();
    let validated = |condition: &str| {
        let validation =
            format!("  validation {{\n    condition     = {condition}\n    error_message = \"No.\"\n  }}\n");
        NET.replace("  type        = string\n", &format!("  type        = string\n{validation}"))
    };
    place.stage("modules/net/main.tf", validated("contains([\"a\", \"b\"], var.name)"));
    place.commit("a validation");
    for (condition, change) in [
        ("contains([\"b\", \"c\", \"a\"], var.name)", "feature   var.name: validation accepts more values"),
        ("contains([\"a\"], var.name)", "breaking  var.name: validation changed"),
        ("contains([\"a\", \"b\", local.c], var.name)", "breaking  var.name: validation changed"),
        ("var.name != \"c\"", "breaking  var.name: validation changed"),
    ] {
        place.stage("modules/net/main.tf", validated(condition));
        assert!(changes(&place).contains(change), "{condition}: {}", changes(&place));
    }
}

#[test]
fn a_file_that_functions_read_changes_the_module_beside_a_changed_lock_file() {
    let place = repository();
    place.stage("modules/net/motd.tf", "output \"motd\" {\n  value = file(\"${path.module}/motd.txt\")\n}\n");
    place.stage("modules/net/motd.txt", "one");
    place.stage("modules/net/.terraform.lock.hcl", "# one\n");
    place.commit("motd");
    place.stage("modules/net/motd.txt", "two");
    place.stage("modules/net/.terraform.lock.hcl", "# two\n");
    assert!(
        changes(&place).contains("fix       module: a file that it may read changed"),
        "{}",
        changes(&place)
    );
}

#[test]
fn a_renamed_variable_and_a_required_alias_break_callers() {
    let place = repository();
    let text = NET.replace("variable \"size\"", "variable \"amount\"");
    place.stage("modules/net/main.tf", &text);
    place.stage(
        "modules/net/versions.tf",
        r#"
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = ">= 5.0"
      configuration_aliases = [aws.east]
    }
  }
}
"#,
    );
    let output = place.overrule(&["changes", "--changed", "--fail-on", "breaking", "modules/net"]);
    assert_eq!(output.code, Some(1));
    assert_eq!(
        output.out,
        indoc! {"
            modules/net (shared)
              breaking  var.size: renamed to var.amount
              breaking  aws.east: added to configuration_aliases, and callers must pass it
              feature   aws: required (hashicorp/aws)

            1 module changed: breaking
        "}
    );
    let output = place.overrule(&["changes", "--changed", "--fail-on", "breaking", "live"]);
    assert_eq!((output.code, output.out.as_str()), (Some(0), "no module changed\n"));
}

#[test]
fn test_files_of_what_a_change_reaches_are_listed() {
    let place = repository();
    place.stage("modules/net/tests/main.tftest.hcl", "run \"a\" {}\n");
    place.commit("a test");
    place.stage("modules/net/main.tf", NET.replace("input = var.name", "input = var.size"));
    let output = place.overrule(&["affected", "--changed", "--tests", "--format", "paths"]);
    assert_eq!(output.out, "modules/net/tests/main.tftest.hcl\n");
}

#[test]
fn a_matrix_without_modules_of_a_library_has_a_note() {
    let place = Place::committed(&[("a/main.tf", "locals {}\n")]);
    place.stage("a/main.tf", "resource \"terraform_data\" \"a\" {}\n");
    let left_out = "1 affected module left out: no directory looks like a root module";
    let output = place.overrule(&["affected", "--changed", "--format", "github-matrix"]);
    assert_eq!((output.code, output.out.as_str()), (Some(0), "{\"include\": []}\n"));
    assert!(output.err.starts_with(&format!("note: {left_out}")), "{}", output.err);
    let output = place.overrule(&["affected", "--changed"]);
    assert!(output.out.contains(left_out) && output.err.is_empty(), "{output:?}");
}
