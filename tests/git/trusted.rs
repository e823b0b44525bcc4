//! A change that weakens its own policy: `--policy-from` uses the policy of the base.

use crate::place::{Output, Place};
use indoc::indoc;

const POLICY: &str = r#"policy {
  extends = ["language", "./team.hcl"]
}
"#;

const TEAM: &str = r#"policy {
  extends = []
}

rule "forbidden-block" "no-null" {
  blocks = ["resource.null_resource"]
}
"#;

const ALLOWED: &str = "exceptions \"comments\" {\n  allowed = true\n}\n";
const NULL: &str = "resource \"null_resource\" \"a\" {}\n";
const FOUND: &str = "live/main.tf:1:1: error: Forbidden block [no-null]";

/// A repository with a policy, and a violation of it on another branch.
fn change(policy: &[(&str, &str)]) -> Place {
    let place = Place::committed(&[&[("live/main.tf", "")], policy].concat());
    place.git(&["checkout", "--quiet", "-b", "change"]);
    place.write("live/main.tf", NULL);
    place
}

fn held() -> Place {
    change(&[("overrule.hcl", POLICY), ("team.hcl", TEAM)])
}

/// All findings, and those of the change, one per line.
fn told(place: &Place, arguments: &[&str]) -> [(Option<i32>, Vec<String>); 2] {
    let lines = |output: Output| {
        let lines = output.out.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect();
        assert_ne!(output.code, Some(2), "{}", output.err);
        (output.code, lines)
    };
    let check =
        |more: &[&str]| lines(place.overrule(&[&["check", "--format", "concise"], more, arguments].concat()));
    [check(&[]), check(&["--base", "main"])]
}

fn nothing() -> [(Option<i32>, Vec<String>); 2] {
    [(Some(0), Vec::new()), (Some(0), Vec::new())]
}

/// Asserts that the change passes with its own policy, but not with that of its target branch.
#[track_caller]
fn is_held_to_the_base(place: &Place, finding: &str) {
    place.commit("a change");
    assert_eq!(told(place, &[]), nothing(), "by its own policy");
    let found = (Some(1), vec![finding.to_owned()]);
    assert_eq!(told(place, &["--policy-from", "main"]), [found.clone(), found]);
}

#[test]
fn a_rule_that_a_change_turns_off_is_on() {
    let place = held();
    place.write("overrule.hcl", format!("{POLICY}\nrule \"no-null\" {{\n  level = \"off\"\n}}\n"));
    is_held_to_the_base(&place, FOUND);
}

#[test]
fn what_a_change_hides_behind_a_limit_is_found() {
    let place = held();
    place.write("live/main.tf", format!("{NULL}{}", "# more than a kilobyte\n".repeat(100)));
    place.write("overrule.hcl", format!("{POLICY}\nlimits {{\n  file_size = \"1KiB\"\n}}\n"));
    place.commit("a change");
    for (code, lines) in told(&place, &[]) {
        assert_eq!(code, Some(1), "by its own policy");
        assert!(
            lines.len() == 1 && lines[0].starts_with("live/main.tf: error: File too large to check: "),
            "{lines:?}"
        );
    }
    let found = (Some(1), vec![FOUND.to_owned()]);
    assert_eq!(told(&place, &["--policy-from", "main"]), [found.clone(), found]);
}

#[test]
fn a_rule_that_a_change_turns_off_for_a_part_is_on() {
    let place = held();
    let off = "paths \"live\" {\n  rule \"no-null\" { level = \"off\" }\n}\n";
    place.write("overrule.hcl", format!("{POLICY}{off}"));
    is_held_to_the_base(&place, FOUND);
}

#[test]
fn an_exception_that_a_change_brings_suppresses_nothing() {
    let place = held();
    let exception = "exception \"no-null\" {\n  reason = \"I want it\"\n}\n";
    place.write("overrule.hcl", format!("{POLICY}{exception}"));
    is_held_to_the_base(&place, FOUND);
}

#[test]
fn files_that_a_change_excludes_are_reported() {
    let place = held();
    place.write("overrule.hcl", POLICY.replace("]\n", "]\n  exclude = [\"live\"]\n"));
    is_held_to_the_base(&place, FOUND);
    let place = held();
    place.write("overrule.hcl", POLICY.replace("]\n", "]\n  fail_on = \"never\"\n"));
    place.commit("a change");
    assert_eq!(told(&place, &["--policy-from", "main"])[0].0, Some(1));
}

#[test]
fn a_policy_that_a_change_deletes_holds() {
    let place = held();
    place.git(&["rm", "--quiet", "overrule.hcl", "team.hcl"]);
    place.commit("a change");
    let own = told(&place, &[]);
    assert!(own.iter().all(|(_, lines)| !lines.contains(&FOUND.to_owned())), "{own:?}");
    let found = (Some(1), vec![FOUND.to_owned()]);
    assert_eq!(told(&place, &["--policy-from", "main"]), [found.clone(), found]);
}

#[test]
fn what_a_policy_starts_from_is_that_of_the_base() {
    let place = held();
    place.write("team.hcl", TEAM.replace("null_resource", "other"));
    is_held_to_the_base(&place, FOUND);
}

#[test]
fn policies_in_other_places_mean_nothing() {
    let place = held();
    place.git(&["mv", "overrule.hcl", "live/overrule.hcl"]);
    place.write(".config/overrule.hcl", "policy {\n  extends = []\n}\n");
    is_held_to_the_base(&place, FOUND);
}

#[test]
fn a_comment_suppresses_only_if_the_base_allows_it() {
    let commented = format!("# overrule: allow(no-null) I want it\n{NULL}");
    let place = held();
    place.write("live/main.tf", &commented);
    place.write("overrule.hcl", format!("{POLICY}{ALLOWED}"));
    is_held_to_the_base(&place, &FOUND.replace(":1:1", ":2:1"));
    let human = place.overrule(&["check", "--policy-from", "main"]);
    assert!(human.out.contains("has no effect: the policy does not allow"), "{}", human.out);

    let place = change(&[("overrule.hcl", &format!("{POLICY}{ALLOWED}")), ("team.hcl", TEAM)]);
    place.write("live/main.tf", &commented);
    place.commit("a change");
    assert_eq!(told(&place, &["--policy-from", "main"]), nothing());
}

#[test]
fn what_a_comment_suppressed_before_the_change_is_known() {
    let commented = format!("# overrule: allow(no-null) I want it\n{NULL}");
    let files = [("live/main.tf", commented.as_str()), ("overrule.hcl", POLICY), ("team.hcl", TEAM)];
    let place = Place::committed(&files);
    place.git(&["checkout", "--quiet", "-b", "change"]);
    place.write("live/main.tf", format!("{commented}\nlocals {{}}\n"));
    place.commit("a change");
    let [all, new] = told(&place, &["--policy-from", "main"]);
    assert_eq!((all.0, new), (Some(1), (Some(0), Vec::new())));
}

#[test]
fn a_policy_can_refuse_comments_by_itself() {
    let place = held();
    place.write("live/main.tf", format!("# overrule: allow(no-null) I want it\n{NULL}"));
    place.write("overrule.hcl", format!("{POLICY}{}", ALLOWED.replace("true", "false")));
    place.commit("a change");
    assert_eq!(told(&place, &[])[0].0, Some(1));
}

#[test]
fn without_a_policy_in_the_revision_the_recommended_one_holds() {
    let place = change(&[]);
    place.write(
        "overrule.hcl",
        indoc! {r#"
            policy {
              extends = []
            }
            rule "duplicate-declaration" { level = "off" }
        "#},
    );
    place.write("live/main.tf", "variable \"a\" {}\nvariable \"a\" {}\n");
    place.commit("a change");
    let output = place.overrule(&["check", "--policy-from", "main", "--format", "concise"]);
    assert!(output.out.contains("Duplicate variable declaration"), "{}", output.out);
}

#[test]
fn what_is_staged_is_held_to_a_revision_too() {
    let place = held();
    place.stage("overrule.hcl", format!("{POLICY}\nrule \"no-null\" {{\n  level = \"off\"\n}}\n"));
    place.stage("live/main.tf", NULL);
    let changed = |more: &[&str]| place.overrule(&[&["check", "--changed"], more].concat()).code;
    assert_eq!((changed(&[]), changed(&["--policy-from", "HEAD"])), (Some(0), Some(1)));
}

#[test]
fn a_revision_that_is_not_there_is_no_reason_to_trust_another() {
    let place = held();
    place.git(&["remote", "add", "origin", "."]);
    let output = place.overrule(&["check", "--policy-from", "origin/main"]);
    let told = "error: no revision `origin/main` exists here\n  \
                help: run `git fetch origin +refs/heads/main:refs/remotes/origin/main`\n";
    assert_eq!((output.code, output.err.as_str()), (Some(2), told));
    for other in [["--policy", "team.hcl"], ["--baseline", "known.txt"]] {
        let output = place.overrule(&[&["check", "--policy-from", "main"][..], &other].concat());
        assert!(output.code == Some(2) && output.err.contains("cannot be used with"), "{}", output.err);
    }
    let outside = Place::with(&[("main.tf", "")]);
    let output = outside.overrule(&["check", "--policy-from", "main"]);
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.starts_with("error: this directory is not in a git repository\n"), "{}", output.err);
}

#[test]
fn a_change_does_not_choose_a_less_strict_role() {
    let policy = indoc! {r#"
        policy {
          extends = ["recommended"]
        }

        rule "required-argument" "owner" {
          level    = "error"
          roles    = ["root"]
          blocks   = ["resource.terraform_data"]
          argument = "input"
          message  = "No owner"
        }
    "#};
    let root = indoc! {r#"
        terraform {
          required_version = ">= 1.5"

          backend "local" {}
        }

        resource "terraform_data" "a" {
          input = 1
        }
    "#};
    let shared = "terraform {\n  required_version = \">= 1.5\"\n}\n";
    let files = [("overrule.hcl", policy), ("live/main.tf", root), ("live/b.tf", shared)];
    let place = Place::committed(&files);
    place.git(&["checkout", "--quiet", "-b", "change"]);
    // The same module elsewhere, without the argument.
    place.git(&["mv", "live", "tests"]);
    place.write("tests/main.tf", root.replace("  input = 1\n", ""));
    place.commit("moved");
    let check = ["check", "--base", "main", "--format", "concise"];
    let output = place.overrule(&check);
    assert_eq!(output.code, Some(0), "tests may do without: {}", output.out);
    let output = place.overrule(&[&check[..], &["--policy-from", "main"]].concat());
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.out.starts_with("tests/main.tf:7:1: error: No owner [owner]\n"), "{}", output.out);
}

#[cfg(unix)]
#[test]
fn a_policy_behind_a_broken_link_is_not_ignored() {
    for (link, target) in
        [("overrule.hcl", "../shared/policy.hcl"), ("overrule.hcl", "none.hcl"), (".config", "none")]
    {
        let place = Place::repository(&[("main.tf", "locals {}\n")]);
        place.link(link, target);
        place.commit("a link");
        for arguments in [&["check"][..], &["merge", "--rev", "HEAD"], &["check", "--policy-from", "HEAD"]] {
            let output = place.overrule(arguments);
            assert_eq!(output.code, Some(2), "{link}: {arguments:?}: {}", output.err);
            assert!(output.err.starts_with("error: cannot read `"), "{}", output.err);
        }
    }
    let place = Place::repository(&[("main.tf", "locals {}\n"), ("shared/other.hcl", "")]);
    place.link(".config", "shared");
    assert_eq!(place.overrule(&["check"]).code, Some(0), "the directory exists, without a policy");
}
