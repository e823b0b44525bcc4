//! Fixing files: the edits, and the files that stay unchanged.

use indoc::indoc;
use std::fs;

use crate::place::Place;

/// A module with a fixable finding.
const FOUND: &str = indoc! {r#"
    terraform {
      required_version = ">= 1.3"
      required_providers {
        aws = ">= 5.0"
      }
    }

    data "aws_region" "here" {}
"#};
/// The same module after fixing.
const FIXED: &str = indoc! {r#"
    terraform {
      required_version = ">= 1.3"
      required_providers {
        aws = {
          source  = "hashicorp/aws"
          version = ">= 5.0"
        }
      }
    }

    data "aws_region" "here" {}
"#};

/// The rule that finds something, at a level that matters.
const STRICT: &[&str] = &["--preset", "strict", "--select", "provider-source-missing", "--fail-on", "notice"];

const FIX: &[&str] = &[
    "check",
    "--preset",
    "strict",
    "--select",
    "provider-source-missing",
    "--fix",
    "--format",
    "concise",
    "--fail-on",
    "notice",
];

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(fs::read(place.path().join(name)).expect("the file")).expect("a text")
}

/// The names of all files in the directory, to detect leftovers.
fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path()).expect("the directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_found_is_fixed_in_the_working_tree() {
    let place = Place::committed(&[("main.tf", FOUND), ("a/main.tf", FOUND)]);
    let output = place.overrule(FIX);
    assert_eq!((output.code, output.out.as_str()), (Some(0), ""), "{output:?}");
    assert_eq!(output.err, "fixed 2 findings in 2 files\n");
    assert_eq!((text(&place, "main.tf"), text(&place, "a/main.tf")), (FIXED.to_owned(), FIXED.to_owned()));
    assert_eq!(names(&place), [".git", "a", "main.tf"]);
    let again = place.overrule(FIX);
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    assert_eq!(place.git(&["diff", "--cached", "--name-only"]), "", "nothing is staged");
}

#[test]
fn a_diff_changes_nothing_and_sets_the_exit_code() {
    let place = Place::committed(&[("main.tf", FOUND)]);
    let output =
        place.overrule(&["check", "--preset", "strict", "--select", "provider-source-missing", "--diff"]);
    assert_eq!((output.code, output.err.as_str()), (Some(1), "would fix 1 finding in 1 file\n"));
    assert_eq!(text(&place, "main.tf"), FOUND);
    // Git accepts it.
    fs::write(place.beside("patch"), output.out).expect("a patch");
    place.git(&["apply", "../patch"]);
    assert_eq!(text(&place, "main.tf"), FIXED);
    assert_eq!(
        place
            .overrule(&["check", "--preset", "strict", "--select", "provider-source-missing", "--diff"])
            .code,
        Some(0)
    );
}

#[test]
fn lines_of_windows_and_the_end_of_a_file_stay_and_git_can_apply_the_difference() {
    let found = format!("\u{feff}{}", FOUND.trim_end().replace('\n', "\r\n"));
    let place = Place::committed(&[("main.tf", &*found)]);
    let output =
        place.overrule(&["check", "--preset", "strict", "--select", "provider-source-missing", "--diff"]);
    fs::write(place.beside("patch"), output.out).expect("a patch");
    place.git(&["apply", "../patch"]);
    let fixed = format!("\u{feff}{}", FIXED.trim_end().replace('\n', "\r\n"));
    assert_eq!(text(&place, "main.tf"), fixed);
    place.git(&["checkout", "--quiet", "."]);
    assert_eq!(place.overrule(FIX).code, Some(0));
    assert_eq!(text(&place, "main.tf"), fixed);
}

#[test]
fn what_is_staged_is_fixed_in_the_working_tree_and_left_to_be_staged() {
    let place = Place::committed(&[("a/main.tf", FOUND), ("b/main.tf", "")]);
    place.stage("b/main.tf", FOUND);
    let output = place.overrule(&[FIX, &["--changed"]].concat());
    assert_eq!(text(&place, "b/main.tf"), FIXED);
    assert_eq!(text(&place, "a/main.tf"), FOUND, "what was there before is not looked at");
    assert_eq!(output.err, "fixed 1 finding in 1 file; stage the changes\n");
    assert_eq!(output.code, Some(1), "what would be committed is as it was");
    assert_eq!(place.git(&["show", ":b/main.tf"]), FOUND);
    place.git(&["add", "b/main.tf"]);
    assert_eq!(place.overrule(&[FIX, &["--changed"]].concat()).code, Some(0));
}

#[test]
fn a_hook_that_fixed_something_explains_why_there_is_no_commit() {
    let place = Place::committed(&[("main.tf", "")]);
    place.stage("main.tf", FOUND);
    let hook = [&["check", "--hook", "--fix"], STRICT].concat();
    let output = place.overrule(&hook);
    assert_eq!((output.code, text(&place, "main.tf").as_str()), (Some(1), FIXED));
    assert_eq!(output.err, "fixed 1 finding in 1 file; stage the changes and commit again\n");
    assert_eq!(
        output.out,
        "checked 1 module, 1 file: no other findings (1 fixed in the working tree and not staged)\n"
    );
    place.git(&["add", "main.tf"]);
    let again = place.overrule(&hook);
    assert_eq!((again.code, again.out.as_str()), (Some(0), "checked 1 module, 1 file: no findings\n"));
}

#[test]
fn a_file_with_changes_that_are_not_staged_is_left_alone() {
    let place = Place::committed(&[("main.tf", "")]);
    place.stage("main.tf", FOUND);
    let with_more = format!("{FOUND}# not staged\n");
    place.write("main.tf", &with_more);
    let output = place.overrule(&[FIX, &["--changed"]].concat());
    assert_eq!(
        output.err,
        "not fixed: main.tf:4 (provider-source-missing): it has changes that are not staged\n"
    );
    assert_eq!((output.code, text(&place, "main.tf")), (Some(1), with_more));
}

#[test]
fn lines_that_git_converts_are_written_as_they_lie_there() {
    let place = Place::committed(&[("main.tf", "")]);
    place.git(&["config", "core.autocrlf", "true"]);
    place.stage("main.tf", FOUND.replace('\n', "\r\n"));
    assert_eq!(place.git(&["show", ":main.tf"]), FOUND);
    place.overrule(&[FIX, &["--changed"]].concat());
    assert_eq!(text(&place, "main.tf"), FIXED.replace('\n', "\r\n"));
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_what_may_not_be_written_is_left_alone() {
    let place = Place::committed(&[("a/main.tf", FOUND), ("b/main.tf", FOUND)]);
    place.set_mode("a/main.tf", 0o640);
    place.set_mode("b/main.tf", 0o444);
    let output = place.overrule(FIX);
    assert_eq!((text(&place, "a/main.tf"), place.mode("a/main.tf")), (FIXED.to_owned(), 0o640));
    assert_eq!((text(&place, "b/main.tf"), place.mode("b/main.tf")), (FOUND.to_owned(), 0o444));
    assert!(
        output.err.contains("not fixed: b/main.tf:4 (provider-source-missing): it is read-only\n"),
        "{output:?}"
    );
}

#[cfg(unix)]
#[test]
fn hard_links_and_owners_are_kept() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let place = Place::committed(&[("a/main.tf", FOUND), ("b/main.tf", FOUND)]);
    let (one, other) = (place.path().join("a/main.tf"), place.beside("twin.tf"));
    fs::hard_link(&one, &other).expect("a hard link");
    let owned = place.path().join("b/main.tf");
    // Only root can change the owner; other users see that their own one is kept.
    let is_given = chown(&owned, Some(12_345), Some(54_321)).is_ok();
    let ids = |path: &std::path::Path| {
        let metadata = fs::metadata(path).expect("a file");
        (metadata.uid(), metadata.gid())
    };
    let before = ids(&owned);
    let output = place.overrule(FIX);
    assert!(output.err.contains("it has other hard links, which would not change\n"), "{output:?}");
    assert_eq!(fs::read_to_string(&other).expect("the twin"), FOUND);
    assert_eq!(fs::metadata(&one).expect("a file").nlink(), 2);
    assert_eq!((text(&place, "b/main.tf").as_str(), ids(&owned)), (FIXED, before));
    assert!(!is_given || before == (12_345, 54_321));
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_killed_while_it_writes_leaves_nothing_that_git_would_add() {
    let long = format!("{FOUND}{}", "# A long file.\n".repeat(1_000));
    let place = Place::committed(&[("main.tf", &*long)]);
    let binary = env!("CARGO_BIN_EXE_overrule");
    // The system terminates a process that writes more than the limit.
    let line = format!(
        "ulimit -f 4 && exec '{binary}' check --preset strict --select provider-source-missing --fix"
    );
    let status = place.shell_in(&place.path(), &line).output().expect("a shell").status;
    assert_eq!(status.code(), None, "it is killed");
    assert_eq!(text(&place, "main.tf"), long);
    assert_eq!(place.git(&["status", "--porcelain", "--untracked-files=all", "--ignored"]), "");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_one() {
    let place = Place::repository(&[("shared/versions.tf", FOUND)]);
    place.link("a/versions.tf", "../shared/versions.tf");
    place.link("b", "shared");
    let root = indoc! {r#"
        terraform {
          required_version = ">= 1.3"
        }
        module "b" {
          source = "./b"
        }
    "#};
    place.write("main.tf", root);
    place.commit("first");
    let output = place.overrule(FIX);
    assert!(!output.err.contains("not fixed"), "{output:?}");
    assert_eq!(text(&place, "shared/versions.tf"), FIXED);
    let is_link = |name: &str| fs::symlink_metadata(place.path().join(name)).expect("it").is_symlink();
    assert!(is_link("a/versions.tf") && is_link("b"));
    assert_eq!(place.overrule(FIX).code, Some(0), "what it leads to is fixed");
}

#[test]
fn nothing_is_changed_where_a_report_cannot_be_written() {
    let place = Place::committed(&[("main.tf", FOUND)]);
    for wrong in [&["--output", "json=none/r.json"][..], &["--output", "json=r", "--output", "sarif=./r"]] {
        let output = place.overrule(&[FIX, wrong].concat());
        assert_eq!((output.code, output.out.as_str()), (Some(2), ""), "{output:?}");
        assert_eq!(
            (text(&place, "main.tf").as_str(), names(&place)),
            (FOUND, vec![".git".to_owned(), "main.tf".to_owned()])
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn changed_files_are_listed_if_the_report_cannot_be_written() {
    let place = Place::committed(&[("main.tf", FOUND)]);
    let output = place.overrule(&[FIX, &["--output", "json=/dev/full"]].concat());
    assert_eq!((output.code, text(&place, "main.tf").as_str()), (Some(2), FIXED));
    assert_eq!(
        output.err,
        "fixed 1 finding in 1 file\nerror: cannot write `/dev/full`: no space left on device; 1 file was changed before\n"
    );
}

#[cfg(unix)]
#[test]
fn what_another_directory_reads_through_a_link_to_the_file_is_not_removed() {
    let variable = indoc! {r#"
        variable "size" {
          type    = number
          default = 1
        }
    "#};
    let versions = "terraform {\n  required_version = \">= 1.5\"\n}\n";
    let place =
        Place::repository(&[("a/variables.tf", variable), ("a/main.tf", versions), ("b/main.tf", "")]);
    let fix = ["check", "--isolated", "--select", "unused-declaration", "--fix=unsafe"];
    place.link("b/variables.tf", "../a/variables.tf");
    // Nothing in `a` reads the variable, but the module in `b` does.
    place.write("b/main.tf", format!("{versions}\noutput \"size\" {{\n  value = var.size\n}}\n"));
    place.commit("first");
    let output = place.overrule(&fix);
    assert_eq!((output.code, text(&place, "a/variables.tf").as_str()), (Some(0), variable), "{output:?}");
    assert!(output.out.ends_with("no findings\n"), "{output:?}");
    fs::remove_file(place.path().join("b/variables.tf")).expect("the link");
    place.write("b/main.tf", versions);
    place.commit("no link");
    let output = place.overrule(&fix);
    assert_eq!(text(&place, "a/variables.tf"), "", "{output:?}");
}

#[test]
fn a_variable_that_a_stack_may_set_is_not_removed() {
    let module = "variable \"region\" {}\n";
    let place = Place::repository(&[("web/main.tf", module)]);
    let check = || place.overrule(&["check", "--preset", "strict", "--select", "unused-declaration"]).out;
    assert!(check().contains("1 fixable with --fix=unsafe"), "{}", check());
    place.write("main.tfcomponent.hcl", "component \"web\" {\n  source = \"./web\"\n}\n");
    assert!(!check().contains("fixable"), "{}", check());
    assert!(check().contains("the input from every component of a stack"), "{}", check());
}

#[test]
fn what_a_query_may_refer_to_is_not_removed() {
    let module = "variable \"limit\" {}\nlocals {\n  b = 1\n}\n";
    let place = Place::repository(&[("main.tf", module)]);
    let check = || place.overrule(&["check", "--preset", "strict", "--select", "unused-declaration"]).out;
    assert!(check().contains("Variable is not used"), "{}", check());
    place.write("find.tfquery.hcl", "list \"a_b\" \"all\" {\n  limit = var.limit\n}\n");
    assert!(!check().contains("is not used"), "{}", check());
}
