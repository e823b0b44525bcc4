//! The findings of a change: the modules that it affects, those that are new, and changes that are not checked.

use crate::place::{Output, Place};
use indoc::{formatdoc, indoc};

const NET: &str = "resource \"x_y\" \"z\" {}\n";
const CONFIGURED: &str = indoc! {r#"
    resource "x_y" "z" {}

    provider "x" {
      a = 1
    }
"#};

fn call(source: &str, rest: &str) -> String {
    format!("module \"m\" {{\n  source = \"{source}\"\n{rest}}}\n")
}

/// The findings, one per line, with only engine rules enabled.
fn check(place: &Place, arguments: &[&str]) -> Output {
    place.overrule(&[&["check", "--format", "concise"], arguments].concat())
}

#[test]
fn a_provider_block_in_a_module_breaks_its_callers_up_every_chain() {
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", NET),
        ("modules/app/main.tf", &call("../net", "")),
        ("live/a/main.tf", &call("../../modules/app", "  count = 2\n")),
        ("live/b/main.tf", &call("../../modules/app", "")),
        ("other/main.tf", "variable \"a\" {}\nvariable \"a\" {}\n"),
    ]);
    place.stage("modules/net/main.tf", CONFIGURED);
    let output = place.check_changed();
    let told = "live/a/main.tf:3:11: error: Module is incompatible with count, for_each, and depends_on \
                [provider-block-in-repeated-module]";
    assert_eq!((output.code, output.findings()), (Some(1), vec![told]));
    let human = place.overrule(&["check", "--changed"]);
    assert!(human.out.contains("\nchecked 4 modules, 4 files: 1 error\n"), "{}", human.out);
}

#[test]
fn callers_are_checked_only_if_they_see_something_of_the_change() {
    let net = indoc! {r#"
        variable "a" {}

        resource "x_y" "z" {
          a = var.a
          b = 1
        }
    "#};
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", net),
        ("live/a/main.tf", &call("../../modules/net", "  a = 1\n")),
        ("live/b/main.tf", &call("../../modules/net", "  b = 1\n")),
    ]);
    let human = || place.overrule(&["check", "--changed"]).out;
    for unseen in [format!("# A comment.\n{net}"), net.replace("b = 1", "b = 2\n  c = \"x\"")] {
        place.stage("modules/net/main.tf", unseen);
        assert!(human().contains("checked 1 module, 1 file: "), "{}", human());
    }
    // Existing findings of callers count if a change concerns them.
    place.stage("modules/net/main.tf", net.replace("b = 1", "b = var.a"));
    let out = human();
    assert!(out.contains("checked 3 modules, 3 files: "), "{out}");
    place.stage("modules/net/main.tf", net.replace("\"a\" {}", "\"b\" {}"));
    let output = place.check_changed();
    let told = ["live/a/main.tf", "modules/net/main.tf"];
    assert!(
        told.iter().all(|path| output.findings().iter().any(|line| line.starts_with(path))),
        "{}",
        output.out
    );
}

#[test]
fn values_of_calls_are_evaluated_whichever_module_changes() {
    let net =
        |each: &str| format!("variable \"a\" {{}}\n\nresource \"x_y\" \"z\" {{\n  for_each = {each}\n}}\n");
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", &net("var.a")),
        ("live/a/main.tf", &call("../../modules/net", "  a = toset([\"x\"])\n")),
        ("live/b/main.tf", &call("../../modules/net", "  a = toset([\"x\"])\n")),
    ]);
    let told = "modules/net/main.tf:4:14: error: Invalid for_each argument [invalid-value]";
    place.stage("live/b/main.tf", call("../../modules/net", "  a = [\"x\"]\n"));
    let output = place.check_changed();
    assert_eq!((output.code, output.findings()), (Some(1), vec![told]));
    place.commit("a list");
    place.stage("modules/net/main.tf", net("toset(var.a)"));
    assert_eq!(place.check_changed().findings(), Vec::<&str>::new());
    place.commit("a set of it");
    place.stage("modules/net/main.tf", net("var.a"));
    let output = place.check_changed();
    assert_eq!((output.code, output.findings()), (Some(1), vec![told]));
}

#[test]
fn a_changed_local_value_of_a_validation_concerns_callers() {
    let net = |limit: usize| {
        formatdoc! {r#"
            variable "a" {{
              validation {{
                condition     = var.a < local.limit + var.b
                error_message = "Too large."
              }}
            }}
            variable "b" {{
              default = 0
            }}
            locals {{
              limit = {limit}
            }}
        "#}
    };
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", &net(8)),
        ("live/a/main.tf", &call("../../modules/net", "  a = 5\n")),
        ("live/b/main.tf", &call("../../modules/net", "  a = 5\n  b = 4\n")),
    ]);
    place.stage("modules/net/main.tf", net(4));
    let output = place.check_changed();
    let told = "live/a/main.tf:3:7: error: Invalid value for variable [module-argument-type]";
    assert_eq!((output.code, output.findings()), (Some(1), vec![told]));
    place.stage("modules/net/main.tf", net(6));
    assert_eq!(place.check_changed().findings(), Vec::<&str>::new());
}

#[test]
fn module_instances_that_are_not_compared_are_reported() {
    let twice = |next: usize| {
        call(&format!("../m{next}"), "") + &call(&format!("../m{next}"), "").replace("\"m\"", "\"n\"")
    };
    let mut files: Vec<(String, String)> = (0..15).map(|n| (format!("m{n}/main.tf"), twice(n + 1))).collect();
    let last = indoc! {r#"
        variable "a" {
          default = 1
        }

        resource "x_y" "z" {}
    "#};
    files.push(("m15/main.tf".to_owned(), last.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let place = Place::committed(&files);
    place.stage("m15/main.tf", last.replace('1', "2"));
    let output = place.check_changed();
    let told: Vec<&str> =
        output.findings().into_iter().filter(|line| line.contains("limit-reached")).collect();
    let [told] = &told[..] else { panic!("one finding: {}", output.out) };
    assert!(told.starts_with("m0: error: Too many resources to compare: "), "{told}");
}

#[test]
fn a_deleted_module_is_reported_where_it_is_still_called() {
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", NET),
        ("live/a/main.tf", &call("../../modules/net", "")),
        ("live/b/main.tf", &call("../../modules/net", "")),
    ]);
    place.git(&["rm", "--quiet", "-r", "modules/net"]);
    place.stage("live/b/main.tf", "");
    let told = ["live/a/main.tf:1:1: error: Module not installed [missing-module]"];
    assert_eq!(place.check_changed().findings(), told);
    // The file may still exist in the working tree, but it is not staged.
    place.write("modules/net/main.tf", NET);
    assert_eq!(place.check_changed().findings(), told);
    place.stage("modules/net/readme.md", "gone");
    assert!(place.check_changed().findings().is_empty(), "a directory without a module is there");
}

#[test]
fn a_renamed_module_is_reported_where_its_old_name_is_called() {
    let double = "variable \"a\" {}\nvariable \"a\" {}\n";
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", double),
        ("live/a/main.tf", &call("../../modules/net", "  a = 1\n")),
    ]);
    place.git(&["mv", "modules/net", "modules/network"]);
    let output = place.check_changed();
    assert_eq!(output.findings(), ["live/a/main.tf:1:1: error: Module not installed [missing-module]"]);
    place.stage("live/a/main.tf", call("../../modules/network", "  a = 1\n"));
    let human = place.overrule(&["check", "--changed"]);
    let told = "checked 2 modules, 2 files: no findings (1 existing finding not shown)\n";
    assert_eq!((human.code, human.out.as_str()), (Some(0), told), "what was wrong before has moved along");
}

#[test]
fn what_a_module_is_called_with_concerns_it() {
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", "terraform {\n  backend \"s3\" {}\n}\n"),
        ("live/a/main.tf", ""),
    ]);
    place.stage("live/a/main.tf", call("../../modules/net", ""));
    let told = "modules/net/main.tf:2:3: warning: Backend configuration ignored [ignored-backend-or-cloud]";
    assert_eq!(place.check_changed().findings(), [told], "it was not called before");
    place.commit("called");
    place.stage("live/b/main.tf", call("../../modules/net", ""));
    assert!(place.check_changed().findings().is_empty(), "it was called already");
}

#[test]
fn what_was_there_before_is_counted_and_can_be_told() {
    let double = "variable \"a\" {}\nvariable \"a\" {}\n";
    let place = Place::with_engine_rules(&[("main.tf", double)]);
    place.stage("main.tf", format!("{double}variable \"b\" {{}}\nvariable \"b\" {{}}\n"));
    let human = place.overrule(&["check", "--changed"]);
    assert!(
        human.out.contains("\nchecked 1 module, 1 file: 1 error (1 existing finding not shown)\n"),
        "{}",
        human.out
    );
    let json = place.overrule(&["check", "--changed", "--format", "json"]);
    assert!(json.out.contains("\"known\": 1"), "{}", json.out);
    let all = check(&place, &["--changed", "--all-findings"]);
    assert_eq!((all.code, all.findings().len()), (Some(1), 2));
    place.stage("main.tf", format!("# note\n{double}"));
    let human = place.overrule(&["check", "--changed", "--quiet"]);
    assert_eq!((human.code, human.out.as_str()), (Some(0), ""));
    let alone = place.overrule(&["check", "--all-findings"]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.err.starts_with("error: `--all-findings` needs `--changed`"), "{}", alone.err);
}

#[test]
fn a_mistake_that_keeps_a_file_from_being_read_was_there_before_too() {
    let place = Place::with_engine_rules(&[("main.tf", "variable \"a\" {\n")]);
    place.stage("more.tf", "locals {}\n");
    assert!(place.check_changed().findings().is_empty());
    place.stage("more.tf", "locals {\n");
    assert_eq!(place.check_changed().findings().len(), 1);
}

#[test]
fn the_policy_is_the_one_that_is_staged() {
    let place = Place::with_engine_rules(&[("main.tf", "variable \"a\" {}\n")]);
    place.stage("main.tf", "variable \"a\" {}\nvariable \"b\" {}\n");
    place.write("overrule.hcl", "rule \"variable-type-missing\" { level = \"error\" }\n");
    assert!(place.check_changed().findings().is_empty(), "this one is not staged");
    place.git(&["add", "overrule.hcl"]);
    let told = "main.tf:2:1: error: Variable without a type [variable-type-missing]";
    assert_eq!(place.check_changed().findings(), [told], "a rule that is new finds what is new");
    place.write("overrule.hcl", "rules {}\n");
    assert_eq!(place.check_changed().findings(), [told]);
    place.git(&["add", "overrule.hcl"]);
    let output = place.check_changed();
    assert_eq!(output.code, Some(2));
    assert!(output.err.ends_with("error: nothing was checked: the policy has an error\n"), "{}", output.err);
}

#[test]
fn exceptions_that_concern_other_modules_are_left_alone() {
    let policy = indoc! {r#"
        policy {
          extends = ["recommended"]
        }
        exception "invalid-name" {
          paths  = ["other"]
          reason = "later"
        }
    "#};
    let place = Place::committed(&[("overrule.hcl", policy), ("main.tf", ""), ("other/main.tf", "")]);
    place.stage("main.tf", "locals {}\n");
    assert!(place.check_changed().findings().is_empty());
    assert_eq!(check(&place, &[]).findings().len(), 1, "a look at everything finds that it is of no use");
    place.stage("main.tf", "# overrule: allow(invalid-name) of no use\nlocals {}\n");
    assert_eq!(
        place.check_changed().findings(),
        ["main.tf:1:1: warning: Exception suppresses nothing [unused-exception]"]
    );
}

#[test]
fn paths_say_what_is_reported() {
    let double = "variable \"a\" {}\nvariable \"a\" {}\n";
    let place = Place::with_engine_rules(&[("a/main.tf", ""), ("b/main.tf", ""), ("b/old.tf", "")]);
    place.stage("a/main.tf", double);
    place.stage("b/main.tf", double);
    place.git(&["rm", "--quiet", "b/old.tf"]);
    let of = |paths: &[&str]| check(&place, &[&["--changed"], paths].concat()).findings().len();
    assert_eq!(
        [of(&[]), of(&["a"]), of(&["b/main.tf"]), of(&["b/old.tf"]), of(&["a", "b"])],
        [2, 1, 1, 0, 2]
    );
    let below = Output::by(
        &mut place
            .overrule_in(&place.path().join("a"), &["check", "--changed", "--format", "concise", "../b"]),
    );
    assert_eq!(
        below.findings(),
        ["../b/main.tf:2:1: error: Duplicate variable declaration [duplicate-declaration]"]
    );
    let wrong = check(&place, &["--changed", "c"]);
    assert_eq!((wrong.code, wrong.err.as_str()), (Some(2), "error: no such file or directory: `c`\n"));
    let wrong = check(&place, &["--changed", ".."]);
    assert_eq!((wrong.code, wrong.err.as_str()), (Some(2), "error: `..` is outside the repository\n"));
}

#[test]
fn a_change_without_modules_is_nothing_to_check() {
    let place = Place::with_engine_rules(&[("main.tf", "variable \"a\" {}\nvariable \"a\" {}\n")]);
    for _ in 0..2 {
        let output = place.overrule(&["check", "--changed"]);
        let note = "note: the change affects no module; unstaged changes are not part of it\n";
        assert_eq!((output.code, output.err.as_str()), (Some(0), note));
        assert_eq!(output.out, "checked 0 modules, 0 files: no findings\n");
        assert_eq!(place.overrule(&["check", "--hook"]).err, "", "a commit of other files is usual");
        place.stage("readme.md", "text");
    }
}

#[test]
fn a_file_that_a_policy_wants_is_missed_where_it_vanishes() {
    let policy = indoc! {r#"
        policy {
          extends = ["language"]
        }
        rule "required-file" "read-me" {
          level = "error"
          file  = "docs/*.md"
        }
    "#};
    let place = Place::committed(&[
        ("overrule.hcl", policy),
        ("a/main.tf", "locals {}\n"),
        ("a/docs/x.md", "text"),
        ("b/main.tf", "locals {}\n"),
    ]);
    place.git(&["rm", "--quiet", "a/docs/x.md"]);
    assert_eq!(
        place.check_changed().findings(),
        ["a/main.tf:1:1: error: Required file is missing [read-me]"]
    );
}

#[test]
fn what_made_objects_is_missed_once_it_goes_with_them() {
    let own = indoc! {r#"
        provider "x" {
          a = 1
        }
        resource "x_y" "z" {}
    "#};
    let place = Place::committed(&[
        ("modules/net/main.tf", own),
        ("modules/site/main.tf", "module \"net\" {\n  source = \"../net\"\n}\n"),
        (
            "live/main.tf",
            indoc! {r#"
                locals {}
                module "site" {
                  source = "../modules/site"
                }
            "#},
        ),
    ]);
    let found = |place: &Place| {
        let output = place.check_changed();
        output
            .findings()
            .into_iter()
            .filter(|line| line.contains("provider-removed"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let nothing: [String; 0] = [];
    place.git(&["mv", "modules/net", "modules/network"]);
    place.stage("modules/site/main.tf", "module \"net\" {\n  source = \"../network\"\n}\n");
    assert_eq!(found(&place), nothing, "a module that moved takes its configuration along");
    place.git(&["reset", "--quiet", "--hard"]);
    place.stage("live/main.tf", "locals {}\n");
    let told = [
        "live/main.tf:1:1: warning: Module removed together with the provider configuration of its resources \
         [provider-removed-with-resources]",
    ];
    assert_eq!(found(&place), told);
    place.git(&["rm", "--quiet", "-r", "modules"]);
    assert_eq!(found(&place), told, "and no less where the module goes too");
    place.stage(
        "live/main.tf",
        indoc! {"
            locals {}
            moved {
              from = module.site
              to   = module.other
            }
        "},
    );
    assert_eq!(found(&place), nothing, "it was moved");
    let policy = indoc! {r#"
        exception "provider-removed-with-resources" {
          paths  = ["live"]
          reason = "it is empty"
        }
    "#};
    place.git(&["reset", "--quiet", "--hard"]);
    place.stage("overrule.hcl", policy);
    place.commit("with an exception");
    place.stage("live/main.tf", "locals {}\n");
    assert_eq!(found(&place), nothing);
    place.commit("gone");
    let output = place.overrule(&["check", "--format", "concise"]);
    assert!(!output.out.contains("unused-exception"), "it may be of use to another change: {}", output.out);
}

#[test]
fn of_what_is_told_alike_the_new_one_is_told_where_it_is() {
    let place = Place::with_engine_rules(&[("main.tf", "variable \"a\" {}\n# One.\nvariable \"a\" {}\n")]);
    place.stage(
        "main.tf",
        indoc! {r#"
            variable "a" {}
            variable "a" {}
            # One.
            variable "a" {}
        "#},
    );
    assert_eq!(
        place.check_changed().findings(),
        ["main.tf:2:1: error: Duplicate variable declaration [duplicate-declaration]"]
    );
    let with_exception = indoc! {r#"
        variable "a" {}
        # overrule: allow(duplicate-declaration) for a test
        variable "a" {}
        # One.
        variable "a" {}
    "#};
    place.stage("main.tf", with_exception);
    let output = place.check_changed();
    assert_eq!((output.code, output.out.as_str()), (Some(0), ""), "one is suppressed, and one is not new");
    place.stage(
        "main.tf",
        indoc! {r#"
            locals {}

            variable "a" {}
            # One.
            variable "a" {}
            variable "a" {}
        "#},
    );
    assert_eq!(
        place.check_changed().findings(),
        ["main.tf:6:1: error: Duplicate variable declaration [duplicate-declaration]"]
    );
}

#[test]
fn what_was_found_in_a_block_is_known_under_its_new_name() {
    let call = |name: &str, more: &str| {
        format!("module \"{name}\" {{\n  source = \"./net\"\n  wrong  = 1\n{more}}}\n")
    };
    let place = Place::with_engine_rules(&[("main.tf", &call("net", "")), ("net/main.tf", NET)]);
    place.stage("main.tf", call("network", ""));
    assert_eq!(place.check_changed().out, "");
    place.stage("main.tf", call("network", "  count  = 2\n"));
    assert_eq!(place.check_changed().out, "", "and where something in it is new");
    place.stage("main.tf", call("network", "  false  = 2\n"));
    assert_eq!(
        place.check_changed().findings(),
        ["main.tf:4:3: error: Unsupported argument [unknown-module-argument]"]
    );
    place.stage(
        "main.tf",
        indoc! {r#"
            module "other" {
              wrong  = 1
              false  = 1
              source = "./net/"
              no = 1
            }
        "#},
    );
    assert_eq!(place.check_changed().findings().len(), 3, "that is another one");
}

#[test]
fn where_a_module_went_is_said_where_it_is_still_called() {
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", NET),
        ("live/main.tf", &call("../modules/net", "")),
    ]);
    place.git(&["mv", "modules/net", "modules/network"]);
    let report = |place: &Place| place.overrule(&["check", "--changed"]).out;
    let renamed = report(&place);
    assert!(
        renamed.contains("The change renames the module in \"modules/net\" to \"modules/network\""),
        "{renamed}"
    );
    assert!(renamed.contains("help: write `source = \"../modules/network\"`"), "{renamed}");
    place.git(&["rm", "--quiet", "-r", "--cached", "modules"]);
    let removed = report(&place);
    assert!(removed.contains("The change removes the module in \"modules/net\""), "{removed}");
    assert!(removed.contains("help: remove the call too, or keep the directory"), "{removed}");
    place.git(&["reset", "--quiet", "--hard"]);
    place.stage("other/main.tf", call("../modules/dns", ""));
    let never = report(&place);
    assert!(never.contains("There is no directory \"../modules/dns\" relative to this module"), "{never}");
}

#[test]
fn outside_of_a_repository_nothing_can_have_changed() {
    let place = Place::with(&[("main.tf", "")]);
    for arguments in [&["--changed"][..], &["--base", "main"], &["--hook"]] {
        let output = check(&place, arguments);
        assert_eq!((output.code, output.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert_eq!(
            output.err,
            "error: this directory is not in a git repository\n  help: run overrule in a git repository, or create one with `git init`\n"
        );
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let place = Place::with_engine_rules(&[]);
    for arguments in [
        &["--changed", "--base", "main"][..],
        &["--changed", "--hook"],
        &["--base", "main", "--hook"],
        &["--changed", "--add-exceptions"],
        &["--base", "main", "--write-baseline", "x"],
    ] {
        assert_eq!(check(&place, arguments).code, Some(2), "{arguments:?}");
    }
}

/// A branch with its own error, created from a `main` that has moved on.
fn pull_request() -> Place {
    let double = "variable \"a\" {}\nvariable \"a\" {}\n";
    let place = Place::with_engine_rules(&[("a/main.tf", double), ("b/main.tf", "")]);
    place.git(&["checkout", "--quiet", "-b", "work"]);
    place.write("a/main.tf", format!("{double}variable \"b\" {{}}\nvariable \"b\" {{}}\n"));
    place.commit("work");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("b/main.tf", double);
    place.commit("main goes on");
    place.git(&["checkout", "--quiet", "work"]);
    place
}

const OF_BRANCH: &str = "a/main.tf:4:1: error: Duplicate variable declaration [duplicate-declaration]";

#[test]
fn a_branch_is_checked_against_where_it_left() {
    let place = pull_request();
    let output = check(&place, &["--base", "main"]);
    assert_eq!((output.code, output.findings()), (Some(1), vec![OF_BRANCH]));
    let bare = place.beside("bare");
    place.git(&["clone", "--quiet", "--bare", ".", &bare.to_string_lossy()]);
    let arguments = ["check", "--base", "main", "--format", "concise"];
    assert_eq!(Output::by(&mut place.overrule_in(&bare, &arguments)).findings(), [OF_BRANCH]);
    let refused = Output::by(&mut place.overrule_in(&bare, &["check", "--changed"]));
    assert_eq!(refused.code, Some(2));
}

#[test]
fn the_base_comes_from_a_ci_only_if_that_is_asked_for() {
    let place = pull_request();
    let clone = place.beside("clone");
    place.git(&["clone", "--quiet", "--branch", "work", ".", &clone.to_string_lossy()]);
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let all = [&["check", "--format", "concise"], arguments].concat();
        Output::by(place.overrule_in(&clone, &all).envs(variables.iter().copied()))
    };
    let variables = [("GITHUB_BASE_REF", "main")];
    assert_eq!(run(&["--base", "auto"], &variables).findings(), [OF_BRANCH]);
    assert!(run(&["--changed"], &variables).findings().is_empty());
    assert_eq!(run(&["--hook"], &variables).findings(), Vec::<&str>::new());
    let none = run(&["--base", "auto"], &[("GITHUB_BASE_REF", "")]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("`--base auto` found no base"), "{}", none.err);
    let missing = run(&["--base", "auto"], &[("GITHUB_BASE_REF", "release")]);
    assert_eq!(
        missing.err,
        "error: no revision `origin/release` exists here\n  \
         help: run `git fetch origin +refs/heads/release:refs/remotes/origin/release`\n"
    );
}

#[test]
fn a_hook_is_given_names_or_none() {
    let place = pull_request();
    let double = "variable \"c\" {}\nvariable \"c\" {}\n";
    assert!(check(&place, &["--hook"]).findings().is_empty(), "nothing is staged");
    let named = check(&place, &["--hook", "a/main.tf", "overrule.hcl"]);
    assert_eq!((named.code, named.findings().len()), (Some(1), 2), "all that is found there");
    place.write("a/main.tf", "");
    assert_eq!(check(&place, &["--hook", "a/main.tf"]).findings().len(), 2, "as it is in the index");
    place.stage("b/main.tf", double);
    let of_commit = "b/main.tf:2:1: error: Duplicate variable declaration [duplicate-declaration]";
    assert_eq!(check(&place, &["--hook"]).findings(), [of_commit]);
    assert_eq!(check(&place, &["--hook", "b/main.tf"]).findings(), [of_commit]);
    assert_eq!(check(&place, &["--hook", "b/main.tf", "a/main.tf"]).findings().len(), 3);
    place.write("later/main.tf", double);
    assert!(check(&place, &["--hook", "later/main.tf"]).findings().is_empty(), "git does not have it");
    assert_eq!(check(&place, &["--hook", "no/such.tf"]).code, Some(2), "nobody has it");
}

#[test]
fn a_file_whose_mode_is_staged_belongs_to_the_commit() {
    let place = Place::committed(&[("a/main.tf", "variable \"a\" {}\nvariable \"a\" {}\n")]);
    assert_eq!(check(&place, &["--hook", "a/main.tf"]).findings().len(), 1, "nothing is staged");
    place.git(&["update-index", "--chmod=+x", "a/main.tf"]);
    assert!(check(&place, &["--hook", "a/main.tf"]).findings().is_empty(), "an existing finding");
}

#[test]
fn a_conflict_that_is_resolved_as_in_head_belongs_to_the_merge() {
    let place = Place::committed(&[
        ("a/main.tf", "locals {\n  a = 0\n}\n"),
        ("a/b.tf", "variable \"b\" {}\nvariable \"b\" {}\n"),
    ]);
    place.git(&["checkout", "--quiet", "-b", "side"]);
    place.write("a/main.tf", "locals {\n  a = 1\n}\n");
    place.commit("side");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("a/main.tf", "locals {\n  a = 2\n}\n");
    place.commit("main");
    assert_eq!(place.ask_git(&["merge", "--quiet", "side"]).code, Some(1), "a conflict");
    place.git(&["checkout", "--quiet", "--ours", "a/main.tf"]);
    place.git(&["add", "a/main.tf"]);
    assert!(check(&place, &["--hook", "a/main.tf"]).findings().is_empty(), "only existing findings");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_hides_nothing_from_a_hook() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Place::with_engine_rules(&[("main.tf", "")]);
    let directory = place.path().join(OsStr::from_bytes(b"d\xff"));
    std::fs::create_dir(&directory).expect("a directory");
    std::fs::write(directory.join("a.tf"), "variable \"a\" {}\nvariable \"a\" {}\n").expect("a file");
    place.git(&["add", "--all"]);
    let mut command = place.overrule_in(&place.path(), &["check", "--format", "concise", "--hook"]);
    let output = Output::by(command.arg(OsStr::from_bytes(b"d\xff/a.tf")));
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains("Duplicate variable declaration"), "{}", output.out);
}

#[test]
fn names_that_are_staged_stand_for_the_commit_with_all_that_it_deletes() {
    let place = Place::with_engine_rules(&[
        ("modules/net/main.tf", NET),
        ("live/a/main.tf", &call("../../modules/net", "")),
        ("live/b/main.tf", "variable \"a\" {}\nvariable \"a\" {}\n"),
    ]);
    place.git(&["rm", "--quiet", "-r", "modules/net"]);
    place.stage("live/b/main.tf", "# note\nvariable \"a\" {}\nvariable \"a\" {}\n");
    let told = ["live/a/main.tf:1:1: error: Module not installed [missing-module]"];
    assert_eq!(check(&place, &["--hook", "live/b/main.tf"]).findings(), told);
}

#[test]
fn a_hook_checks_the_range_that_it_is_told() {
    let place = pull_request();
    let range = [("PRE_COMMIT_FROM_REF", "main"), ("PRE_COMMIT_TO_REF", "work")];
    place.git(&["checkout", "--quiet", "main"]);
    let mut command =
        place.overrule_in(&place.path(), &["check", "--hook", "--format", "concise", "a/main.tf"]);
    assert_eq!(Output::by(command.envs(range)).findings(), [OF_BRANCH]);
    let mut command = place.overrule_in(&place.path(), &["check", "--changed", "--format", "concise"]);
    assert!(Output::by(command.envs(range)).findings().is_empty(), "unasked, nothing is taken from there");
}

#[test]
fn a_module_that_moves_with_its_values_has_no_new_findings() {
    let main = "terraform {\n  backend \"local\" {}\n}\nvariable \"x\" {\n  type = number\n}\n";
    let place =
        Place::with_engine_rules(&[("a/main.tf", main), ("a/terraform.tfvars", "x = \"y\"\nz = 1\n")]);
    place.git(&["mv", "a", "b"]);
    let rule = ["--changed", "--select", "invalid-variable-value", "--select", "undeclared-variable-value"];
    assert!(check(&place, &rule).findings().is_empty());
    assert_eq!(check(&place, &rule[1..]).findings().len(), 2);
}

#[test]
fn what_a_commit_renames_is_compared_with_what_was_there() {
    let place = Place::with_engine_rules(&[("main.tf", "resource \"x_y\" \"a\" {\n  b = 1\n}\n")]);
    let renamed = "resource \"x_y\" \"z\" {\n  b = 1\n}\n";
    place.stage("main.tf", renamed);
    let rule = ["--changed", "--select", "moved-without-moved-block"];
    let told = "main.tf:1:1: warning: Renamed without a `moved` block [moved-without-moved-block] [*]";
    assert_eq!(check(&place, &rule).findings(), [told]);
    assert!(
        check(&place, &rule[1..]).findings().is_empty(),
        "without a change there is nothing to compare with"
    );
    place.stage("main.tf", format!("{renamed}\nmoved {{\n  from = x_y.a\n  to   = x_y.z\n}}\n"));
    assert!(check(&place, &rule).findings().is_empty());
}

#[test]
fn a_policy_that_is_not_staged_is_not_passed_over_in_silence() {
    for name in ["overrule.hcl", ".config/overrule.hcl"] {
        let place = Place::committed(&[("main.tf", "")]);
        place.stage("main.tf", "variable \"a\" {}\n");
        place.write(name, "rule \"variable-type-missing\" { level = \"error\" }\n");
        let note = format!("note: `{name}` is not staged, so this check does not use it\n");
        let output = place.overrule(&["check", "--changed"]);
        assert_eq!((output.code, output.err.as_str()), (Some(0), note.as_str()), "{output:?}");
        assert_eq!(place.overrule(&["check", "--changed", "--quiet"]).err, "");
        assert_eq!(place.overrule(&["check", "--changed", "--isolated"]).err, "");
        place.git(&["add", name]);
        let output = place.overrule(&["check", "--changed"]);
        assert_eq!((output.code, output.err.as_str()), (Some(1), ""), "{output:?}");
    }
}

#[test]
fn a_called_directory_that_git_ignores_is_unknown() {
    let place = Place::with_engine_rules(&[
        (".gitignore", "/vendor/\n/generated/**\n"),
        ("modules/net/main.tf", NET),
        ("main.tf", &call("./modules/net", "")),
    ]);
    place.write("vendor/net/main.tf", NET);
    for source in ["./vendor/net", "./vendor/absent", "./generated"] {
        place.stage("main.tf", call(source, ""));
        assert_eq!(place.check_changed().findings(), [""; 0], "{source}");
    }
    place.stage("main.tf", call("./modules/absent", ""));
    let told = ["main.tf:1:1: error: Module not installed [missing-module]"];
    assert_eq!(place.check_changed().findings(), told);
    assert_eq!(check(&place, &["--base", "HEAD"]).findings(), told);
    // A rule that the change adds counts, and so does one that it removes.
    place.stage(".gitignore", "modules/absent\n");
    assert_eq!(place.check_changed().findings(), [""; 0]);
    place.stage("main.tf", call("./vendor/net", ""));
    assert_eq!(
        place.check_changed().findings(),
        ["main.tf:1:1: error: Module not installed [missing-module]"]
    );
}

#[test]
fn in_the_working_tree_a_missing_directory_that_git_ignores_is_unknown_too() {
    let place =
        Place::with_engine_rules(&[(".gitignore", "/vendor/\n"), ("main.tf", &call("./vendor/net", ""))]);
    assert_eq!(check(&place, &[]).findings(), [""; 0], "a script may bring it");
    place.write("vendor/net/main.tf", "variable \"a\" {}\n");
    let told = ["main.tf:1:12: error: Missing required argument [missing-module-argument]"];
    assert_eq!(check(&place, &[]).findings(), told, "it is there");
    place.write("main.tf", call("./vendored/net", ""));
    let told = ["main.tf:1:1: error: Module not installed [missing-module]"];
    assert_eq!(check(&place, &[]).findings(), told, "git does not ignore it");
    place.write("vendored/.gitignore", "*\n!*.tf\n!*/\n");
    assert_eq!(check(&place, &[]).findings(), told, "nor the module files in it");
}

#[test]
fn a_json_file_that_was_meant_as_an_override_file_is_reported_with_the_change_that_adds_it() {
    let place = Place::with_engine_rules(&[("main.tf", NET)]);
    place.stage("override.json", r#"{"resource": {"x_y": {"z": {"a": 1}}}}"#);
    let select = ["--select", "override-near-miss-name"];
    let told = ["override.json:1:28: warning: File is not an override file [override-near-miss-name]"];
    assert_eq!(check(&place, &[&["--changed"], &select[..]].concat()).findings(), told);
    assert_eq!(check(&place, &select).findings(), told);
    place.commit("override");
    place.stage("main.tf", format!("{NET}# more\n"));
    assert_eq!(check(&place, &[&["--changed"], &select[..]].concat()).findings(), [""; 0]);
}

#[test]
fn a_role_does_not_depend_on_how_much_is_read() {
    let versions = indoc! {r#"
        terraform {
          required_providers {
            x = {
              source  = "y/x"
              version = ">= 1.0"
            }
          }
        }
    "#};
    let place = Place::with_engine_rules(&[
        ("vpc/main.tf", versions),
        ("examples/vpc/main.tf", &call("../../vpc", "")),
        ("examples/vpc/provider.tf", "provider \"x\" {\n  a = 1\n}\n"),
        ("dns/main.tf", versions),
    ]);
    let policy = indoc! {r#"
        policy {
          extends = ["language"]
        }
        rule "no-upper-bound-in-root" { level = "error" }
    "#};
    place.stage("overrule.hcl", policy);
    place.commit("policy");
    let both = |place: &Place| {
        let [part, whole] = [&["--changed", "--all-findings"][..], &[]]
            .map(|arguments| check(place, arguments).findings().iter().any(|line| line.starts_with("dns/")));
        assert_eq!(part, whole);
        whole
    };
    place.stage("dns/more.tf", NET);
    assert!(!both(&place), "a library of modules");
    place.stage("env/prod.tfvars", "");
    assert!(!both(&place), "values beside no module");
    for (path, text) in [("live/main.tf", CONFIGURED), ("live/.terraform.lock.hcl", "")] {
        place.stage("live/main.tf", NET);
        place.stage(path, text);
        assert!(both(&place), "{path}");
        place.git(&["rm", "--quiet", "-rf", "live"]);
    }
}

#[test]
fn a_change_below_a_chain_of_very_many_modules_is_followed() {
    let files = |last: &str| -> Vec<(String, String)> {
        let middle = "\nvariable \"v\" {}\n\noutput \"o\" {\n  value = module.m.o\n}\n";
        let root =
            "terraform {\n  backend \"local\" {}\n}\n\nmodule \"m\" {\n  source = \"../m1\"\n  v = 1\n}\n";
        let calls = (1..1500).map(|n| call(&format!("../m{}", n + 1), "  v = var.v\n") + middle);
        let modules = [root.to_owned()].into_iter().chain(calls).chain([last.to_owned()]);
        modules.enumerate().map(|(n, text)| (format!("m{n}/main.tf"), text)).collect()
    };
    let last = "variable \"v\" {}\n\nresource \"x_y\" \"z\" {}\n\noutput \"o\" {\n  value = 1\n}\n";
    let files = files(last);
    let place = Place::committed(&files.iter().map(|(path, text)| (&**path, &**text)).collect::<Vec<_>>());
    place.stage("m1500/main.tf", last.replace("= 1", "= 2").replace("\"z\" {}", "\"w\" {}"));
    let affected = place.overrule(&["affected", "--changed"]).out;
    assert!(affected.contains("m0 ← "), "{affected}");
    let output = place.check_changed();
    assert!(output.out.contains("moved-without-moved-block"), "{}", output.out);
}
