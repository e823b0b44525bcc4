//! Findings that exist before a change and stay existing findings, whatever the change renames, moves or adds around
//! them.

use crate::place::Place;
use indoc::indoc;

const POLICY: &str = r#"policy {
  extends = ["strict"]
  fail_on = "warning"
}
"#;

const MAIN: &str = r#"resource "random_pet" "main" {
  length    = 2
  separator = var.cluster_name
  keepers = {
    name   = local.nme
    region = var.region
  }
}

resource "null_resource" "first" {
  triggers = {
    name = random_pet.man.id
  }
}

module "net" {
  source = "git::https://example.com/net.git"
  cidr   = "10.0.0.0/8"
  zones  = 3
}

module "vpc" {
  source  = "./vpc"
  size    = 4
  unknown = true
}
"#;

const VARIABLES: &str = r#"variable "region" {
  default   = "eu"
  sensitive = true
}

variable "unused" {
  description = ""
}

output "pet" {
  value = random_pet.main.id
}
"#;

const VPC: &str = r#"variable "size" {}

terraform {
  required_providers {
    aws = {
      version = ">= 5.0"
    }
  }
}

resource "aws_vpc" "this" {
  cidr_block = "10.0.0.0/8"
  tags = {
    Size = var.size
  }
  provider = aws.west
}
"#;

fn repository() -> Place {
    let place = Place::committed(&[
        ("overrule.hcl", POLICY),
        ("main.tf", MAIN),
        ("variables.tf", VARIABLES),
        ("vpc/main.tf", VPC),
    ]);
    let listed = place.overrule(&["check", "--write-baseline", "known.txt"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    place.git(&["add", "known.txt"]);
    place.commit("baseline");
    let all = place.findings(&[]);
    assert!(all.len() > 12, "there is something to be known:\n{}", all.join("\n"));
    place
}

/// The new findings by each of the three ways to declare existing ones.
fn new_by_each_way(change: impl Fn(&Place)) -> [Vec<String>; 3] {
    let place = repository();
    change(&place);
    place.git(&["add", "--all", "."]);
    let changed = place.findings(&["--changed"]);
    let listed = place.findings(&["--baseline", "known.txt"]);
    place.git(&["checkout", "--quiet", "-b", "topic"]);
    place.commit("change");
    [changed, place.findings(&["--base", "main"]), listed]
}

#[track_caller]
fn assert_nothing_new(change: impl Fn(&Place)) {
    for (way, new) in ["--changed", "--base", "--baseline"].into_iter().zip(new_by_each_way(change)) {
        assert!(new.is_empty(), "{way}:\n{}", new.join("\n"));
    }
}

/// A baseline does not contain blocks to compare with, so a finding in a renamed block is new.
#[track_caller]
fn assert_nothing_new_in_git(change: impl Fn(&Place)) {
    let [changed, base, _] = new_by_each_way(change);
    for (way, new) in [("--changed", changed), ("--base", base)] {
        assert!(new.is_empty(), "{way}:\n{}", new.join("\n"));
    }
}

fn replace(place: &Place, file: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(place.path().join(file)).expect("the file");
    assert!(text.contains(from), "{file} has {from:?}");
    place.write(file, text.replace(from, to));
}

#[test]
fn a_file_that_comes_first_changes_no_finding() {
    assert_nothing_new(|place| {
        place.write("aaa.tf", "resource \"random_id\" \"a\" {\n  byte_length = 4\n}\n");
    });
    assert_nothing_new(|place| place.write("aaa.tf", "locals {\n  # Nothing yet.\n}\n"));
    assert_nothing_new(|place| place.write("vpc/aaa.tf", "# Notes.\n"));
}

#[test]
fn a_renamed_block_keeps_its_findings_and_those_of_the_module() {
    let renamed = |place: &Place| {
        replace(place, "main.tf", "\"random_pet\" \"main\"", "\"random_pet\" \"other\"");
        replace(place, "variables.tf", "random_pet.main", "random_pet.other");
    };
    assert_nothing_new_in_git(|place| {
        renamed(place);
        place.write(
            "moved.tf",
            indoc! {"
                moved {
                  from = random_pet.main
                  to   = random_pet.other
                }
            "},
        );
    });
    let [changed, base, listed] = new_by_each_way(renamed);
    let only = ["main.tf:1:1: warning: Renamed without a `moved` block [moved-without-moved-block] [*]"];
    assert_eq!((changed, base), (only.map(str::to_owned).to_vec(), only.map(str::to_owned).to_vec()));
    let of_module = |line: &&String| line.contains("required-version") || line.contains("required-provider");
    assert_eq!(listed.iter().filter(of_module).count(), 0, "{listed:?}");
}

#[test]
fn blocks_of_three_to_ten_lines_are_known_by_half_of_their_lines() {
    let block = |name: &str, body: &[String]| {
        format!("resource \"random_pet\" \"{name}\" {{\n  {}\n}}\n", body.join("\n  "))
    };
    let fresh = |count: usize| (0..count).map(|number| format!("b{number} = {number}"));
    for kept in 1..=8_usize {
        let before: Vec<String> = (0..kept).map(|number| format!("a{number} = var.gone{number}")).collect();
        // One more line, twice as many lines, and half of the lines replaced.
        let half = kept.div_ceil(2);
        let versions: [Vec<String>; 4] = [
            before.clone(),
            before.iter().cloned().chain(fresh(1)).collect(),
            before.iter().cloned().chain(fresh(kept)).collect(),
            before[..half].iter().cloned().chain(fresh(kept - half)).collect(),
        ];
        for after in versions {
            let place = Place::committed(&[
                ("overrule.hcl", "policy {\n  extends = [\"language\"]\n}\n"),
                ("main.tf", &block("old", &before)),
            ]);
            place.stage("main.tf", block("new", &after));
            assert_eq!(place.findings(&["--changed"]), [""; 0], "{before:?} became {after:?}");
        }
        let place = Place::committed(&[
            ("overrule.hcl", "policy {\n  extends = [\"language\"]\n}\n"),
            ("main.tf", &block("old", &before)),
        ]);
        let mut other: Vec<String> = fresh(kept).collect();
        other.push("a0 = var.gone0".to_owned());
        other.push("c = 1".to_owned());
        if kept > 2 {
            place.stage("main.tf", block("new", &other));
            assert_eq!(place.findings(&["--changed"]).len(), 1, "{before:?} is not {other:?}");
        }
    }
}

#[test]
fn blocks_and_files_may_move() {
    // To the end, to the start, to another file.
    let (pet, rest) = MAIN.split_at(MAIN.find("resource \"null").expect("the second block"));
    assert_nothing_new(|place| place.write("main.tf", format!("{rest}\n{pet}")));
    assert_nothing_new(|place| {
        place.write("main.tf", rest);
        place.write("pet.tf", pet);
    });
    assert_nothing_new(|place| {
        place.write("main.tf", rest);
        place.write("variables.tf", format!("{pet}\n{VARIABLES}"));
    });
    assert_nothing_new(|place| {
        place.git(&["mv", "main.tf", "zoo.tf"]);
    });
    assert_nothing_new_in_git(|place| {
        place.git(&["mv", "vpc", "network"]);
        replace(place, "main.tf", "./vpc", "./network");
    });
}

#[test]
fn removed_findings_leave_the_others_alone() {
    assert_nothing_new(|place| replace(place, "main.tf", "  separator = var.cluster_name\n", ""));
    assert_nothing_new(|place| replace(place, "variables.tf", "  sensitive = true\n", ""));
    let null =
        &MAIN[MAIN.find("resource \"null").expect("a block")..MAIN.find("module \"net").expect("a call")];
    assert_nothing_new(|place| replace(place, "main.tf", null, ""));
}

#[test]
fn layout_changes_no_finding() {
    assert_nothing_new(|place| {
        for (file, text) in [("main.tf", MAIN), ("variables.tf", VARIABLES), ("vpc/main.tf", VPC)] {
            let text = text.replace("  ", "\t").replace(" = ", "=").replace("\" {", "\"  {");
            place.write(file, format!("# A note.\n\n{}", text.replace('\n', "\r\n")));
        }
    });
    assert_nothing_new(|place| {
        replace(place, "vpc/main.tf", "{\n      version = \">= 5.0\"\n    }", "{ version = \">= 5.1\" }");
    });
}

#[test]
fn a_new_finding_of_the_same_rule_is_new() {
    for (from, to, rule) in [
        ("length    = 2", "length    = var.length", "undeclared-reference"),
        ("cidr   = \"10.0.0.0/8\"", "cidr   = var.cluster_name", "undeclared-reference"),
        (
            "source = \"git::https://example.com/net.git\"",
            "source = \"git::https://example.com/other.git\"",
            "module-source-unpinned",
        ),
        ("unknown = true", "unknown = true\n  other   = 1", "unknown-module-argument"),
    ] {
        for new in new_by_each_way(|place| replace(place, "main.tf", from, to)) {
            assert!(new.len() == 1 && new[0].ends_with(&format!("[{rule}]")), "{to}:\n{}", new.join("\n"));
        }
    }
}

#[test]
fn a_file_renamed_to_an_override_file_is_reported_for_what_that_changes() {
    for new in new_by_each_way(|place| {
        place.git(&["mv", "variables.tf", "variables_override.tf"]);
    }) {
        let known = [
            "unused-declaration",
            "variable-type-missing",
            "required-version-missing",
            "required-provider-missing",
        ];
        let wrong: Vec<_> = new.iter().filter(|line| known.iter().any(|rule| line.contains(rule))).collect();
        assert!(!new.is_empty() && wrong.is_empty(), "{new:?}");
    }
}

#[test]
fn one_more_provider_without_an_entry_is_new_and_one_less_is_not() {
    for new in new_by_each_way(|place| place.write("zoo.tf", "resource \"time_static\" \"a\" {}\n")) {
        assert!(new.len() == 1 && new[0].contains("[required-provider-missing]"), "{new:?}");
    }
    assert_nothing_new(|place| place.write("zoo.tf", "resource \"null_resource\" \"more\" {}\n"));
}
