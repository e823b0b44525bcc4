//! Test files in the index and in commits: the modules that their runs load, and those that a change affects.

use crate::place::{Output, Place};

const POLICY: &str = r#"
policy {
  extends = ["language"]
}
"#;

const TEST: &str = r#"
run "setup" {
  module {
    source = "./tests/setup"
  }
}

run "main" {
  command = plan

  assert {
    condition     = output.name == "x"
    error_message = "wrong name"
  }
}
"#;

fn repository() -> Place {
    Place::committed(&[
        ("overrule.hcl", POLICY),
        ("net/main.tf", "output \"name\" {\n  value = \"x\"\n}\n"),
        ("net/tests/main.tftest.hcl", TEST),
        ("net/tests/setup/main.tf", "output \"id\" {\n  value = 1\n}\n"),
        ("other/main.tf", "output \"a\" {\n  value = 1\n}\n"),
    ])
}

fn changed(place: &Place) -> Vec<String> {
    let output: Output =
        place.overrule(&["check", "--changed", "--engine", "terraform@1.11", "--format", "concise"]);
    output.findings().into_iter().map(str::to_owned).collect()
}

#[test]
fn a_module_that_a_run_loads_is_missed_where_the_run_is() {
    let place = repository();
    place.stage("other/main.tf", "output \"a\" {\n  value = 2\n}\n");
    assert!(changed(&place).is_empty());
    place.git(&["rm", "-q", "net/tests/setup/main.tf"]);
    let missing = "net/tests/main.tftest.hcl:3:3: error: Module not installed [missing-module]";
    assert_eq!(changed(&place), [missing]);
}

#[test]
fn a_test_is_read_from_the_index() {
    let place = repository();
    place.stage("net/tests/main.tftest.hcl", TEST.replace("command = plan", "command = \"plan\""));
    place.write("net/tests/main.tftest.hcl", TEST);
    let quoted = "net/tests/main.tftest.hcl:9:13: error: Invalid \"command\" keyword [invalid-value]";
    assert_eq!(changed(&place), [quoted]);
}

#[test]
fn a_change_to_a_module_concerns_its_tests() {
    let place = repository();
    place.stage("net/main.tf", "output \"title\" {\n  value = \"x\"\n}\n");
    let undeclared =
        "net/tests/main.tftest.hcl:12:21: error: Reference to undeclared output value [undeclared-reference]";
    assert_eq!(changed(&place), [undeclared]);
}
