//! Variable definitions and lock files: the staged content counts, and a change to one affects its module.

use crate::place::Place;
use indoc::indoc;

const MODULE: &str = indoc! {r#"
    variable "size" {
      type = number
    }

    variable "zone" {
      type = string
    }
"#};
const LOCK: &str = "provider \"registry.terraform.io/hashicorp/aws\" {\n  version = \"5.1.0\"\n}\n";

#[test]
fn a_staged_value_is_compared_with_the_module_above() {
    let place = Place::with_engine_rules(&[
        ("live/main.tf", MODULE),
        ("live/envs/prod.tfvars", "size = 1\nzone = \"a\"\n"),
        ("live/envs/dev.tfvars", "size = \"old\"\nzone = \"a\"\n"),
    ]);
    place.stage("live/envs/prod.tfvars", "size = \"large\"\nzone = \"a\"\n");
    place.write("live/envs/prod.tfvars", "size = [\n");
    let told =
        ["live/envs/prod.tfvars:1:8: error: Invalid value for input variable [invalid-variable-value]"];
    assert_eq!(place.check_changed().findings(), told);
}

#[test]
fn a_changed_type_is_compared_with_the_values_beside() {
    let place = Place::with_engine_rules(&[
        ("live/main.tf", MODULE),
        ("live/terraform.tfvars", "size = 1\nzone = \"a\"\n"),
        ("other/terraform.tfvars", "size = \n"),
    ]);
    place.stage("live/main.tf", MODULE.replace("number", "list(string)"));
    let told =
        ["live/terraform.tfvars:1:8: error: Invalid value for input variable [invalid-variable-value]"];
    assert_eq!(place.check_changed().findings(), told);
}

#[test]
fn a_file_without_a_module_is_checked_by_itself() {
    let place = Place::with_engine_rules(&[("live/main.tf", MODULE), ("units/a/x.tfvars", "size = 1\n")]);
    place.stage("units/a/x.tfvars", "size = 1\nsize = 2\n");
    place.stage("units/b/y.auto.tfvars", "a {\n}\n");
    let told = [
        "units/a/x.tfvars:2:1: error: Attribute redefined [syntax-error]",
        "units/b/y.auto.tfvars:1:1: error: Unexpected \"a\" block [unsupported-block-or-argument]",
    ];
    assert_eq!(place.check_changed().findings(), told);
}

#[test]
fn a_staged_lock_file_is_checked() {
    let place = Place::with_engine_rules(&[("live/main.tf", MODULE), ("live/.terraform.lock.hcl", LOCK)]);
    place.stage("live/.terraform.lock.hcl", LOCK.replace("5.1.0", "5.1"));
    let told = ["live/.terraform.lock.hcl:2:13: error: Invalid provider version number [invalid-lock-file]"];
    assert_eq!(place.check_changed().findings(), told);
}

#[test]
fn exceptions_and_excluded_paths_hold_for_files_beside_modules() {
    let comment =
        "# overrule: allow(invalid-variable-value) set by the pipeline\nsize = \"large\"\nzone = \"a\"\n";
    let place = Place::with_engine_rules(&[("live/main.tf", MODULE), ("live/terraform.tfvars", comment)]);
    let check = |more: &[&str]| place.overrule(&[&["check", "--format", "concise"], more].concat());
    assert_eq!(check(&[]).findings(), [""; 0]);
    place.write("live/terraform.tfvars", "size = \"large\"\nzone = \"a\"\n");
    assert_eq!(check(&[]).findings().len(), 1);
    assert_eq!(check(&["--exclude", "**/*.tfvars"]).findings(), [""; 0]);
    let json = place.overrule(&["check", "--format", "json", "live/terraform.tfvars"]);
    assert!(
        json.out.contains("\"stage\": \"plan\"") || json.out.contains("\"stage\":\"plan\""),
        "{}",
        json.out
    );
}

#[test]
fn what_is_not_read_is_noted() {
    let place = Place::with_engine_rules(&[
        ("live/main.tf", MODULE),
        ("s/a.tfcomponent.hcl", ""),
        ("s/b.tfdeploy.hcl", ""),
    ]);
    let output = place.overrule(&["check"]);
    assert!(output.err.contains("note: 2 stack files were not read"), "{}", output.err);
}
