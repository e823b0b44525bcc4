//! A directory in the working tree that looks like a bare repository. Anyone who can commit files can create one, so
//! it must not influence what is checked or compared.

use std::fs;

use crate::place::{Output, Place};

/// A file with a finding.
const BROKEN: &str = "resource \"terraform_data\" {\n}\n";

/// A repository with a clean commit on `main`, and a change after it: in `live`, a file with an error next to the
/// files of a bare repository.
fn with_embedded(config: &str) -> Place {
    let place = Place::committed(&[("live/README.md", "live\n"), ("main.tf", "locals {}\n")]);
    place.git(&["branch", "base"]);
    place.write("live/main.tf", BROKEN);
    place.write("live/HEAD", "ref: refs/heads/main\n");
    place.write("live/config", config);
    place.write("live/refs/heads/.keep", "");
    place.write("live/objects/.keep", "");
    place.write("live/info/exclude", "*\n");
    fs::copy(place.path().join(".git/index"), place.path().join("live/index")).expect("an index");
    place.git(&["add", "--all", "--force"]);
    place
}

/// Every way to check the change from the directory `live`.
const CHECKS: &[&[&str]] = &[
    &["check"],
    &["check", "."],
    &["check", "--changed"],
    &["check", "--hook"],
    &["check", "--hook", "main.tf"],
    &["check", "--base", "base"],
    &["check", "--base", "base", "--policy-from", "base"],
];

fn in_live(place: &Place, arguments: &[&str]) -> Output {
    Output::by(&mut place.overrule_in(&place.path().join("live"), arguments))
}

#[test]
fn a_bare_repository_inside_a_working_tree_is_a_directory() {
    let configs = [
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n",
        "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
        "[core]\n\tbare = false\n",
        "[core]\n\tworktree = /nowhere\n",
        "[core]\n\tworktree = .\n",
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunknown = true\n",
        "[include]\n\tpath = pipe\n",
        "no configuration at all",
        "",
    ];
    for config in configs {
        let place = with_embedded(config);
        for check in CHECKS {
            let output = in_live(&place, check);
            assert_eq!(output.code, Some(1), "{config:?}, {check:?}: {}{}", output.out, output.err);
            assert!(
                output.out.contains("Missing name for resource"),
                "{config:?}, {check:?}: {}",
                output.out
            );
        }
        let staged = in_live(&place, &["modules", "--staged", "--format", "json"]);
        assert!(staged.out.contains("\"module\": \"..\""), "{config:?}: {}{}", staged.out, staged.err);
    }
}

#[test]
fn its_refs_are_neither_the_base_nor_the_source_of_the_policy() {
    let place = with_embedded("[core]\n\tbare = true\n");
    place.write("live/overrule.hcl", "policy {\n  extends = [\"language\"]\n}\n");
    let theirs = place.git(&["rev-parse", "HEAD"]);
    place.write("live/refs/heads/theirs", theirs);
    for option in ["--base", "--policy-from"] {
        let output = in_live(&place, &["check", option, "theirs"]);
        assert_eq!(output.code, Some(2), "{option}: {}", output.out);
    }
}

#[test]
fn what_its_configuration_includes_is_not_opened() {
    let place = with_embedded("[include]\n\tpath = pipe\n");
    // Opening a pipe blocks until another process writes to it.
    let made = place.shell_in(&place.path().join("live"), "mkfifo pipe").status().expect("a shell");
    assert!(made.success());
    let output = in_live(&place, &["check", "--changed"]);
    assert_eq!(output.code, Some(1), "{}", output.err);
}

#[test]
fn one_in_a_linked_working_tree_is_a_directory_too() {
    let place = with_embedded("[core]\n\tbare = false\n\tworktree = ..\n");
    place.commit("hostile");
    let linked = place.beside("linked");
    place.git(&["worktree", "add", "--quiet", linked.to_str().expect("UTF-8"), "-b", "linked"]);
    let output = Output::by(&mut place.overrule_in(&linked.join("live"), &["check", "--base", "base"]));
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
}

#[test]
fn without_a_working_tree_around_it_one_that_names_its_own_is_no_repository() {
    let place = with_embedded("[core]\n\tbare = false\n\tworktree = ..\n");
    fs::remove_dir_all(place.path().join(".git")).expect("the repository");
    let output = in_live(&place, &["check"]);
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    let output = in_live(&place, &["check", "--changed"]);
    assert_eq!(output.code, Some(2), "{}", output.out);
}

#[test]
fn replaced_objects_change_nothing() {
    let place = Place::committed(&[("main.tf", "locals {}\n")]);
    place.git(&["branch", "base"]);
    place.write("main.tf", BROKEN);
    place.commit("broken");
    let check = ["check", "--base", "base"];
    let before = place.overrule(&check);
    assert_eq!(before.code, Some(1), "{}", before.err);
    // As if the base had the error, and as if its file had it.
    place.git(&["replace", "base", "HEAD"]);
    assert_eq!(place.overrule(&check), before);
    place.git(&["replace", "-d", "base"]);
    place.git(&["replace", "base:main.tf", "HEAD:main.tf"]);
    assert_eq!(place.overrule(&check), before);
}
