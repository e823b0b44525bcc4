//! Repositories that cannot be opened, or whose index cannot be read.

use crate::place::{Output, Place};

const MODULE: (&str, &str) = ("ign/a.tf", "variable \"k\" {\n  default = var.q\n}\n");

#[test]
fn a_git_file_that_points_nowhere_is_named() {
    let place = Place::with(&[("a/main.tf", ""), (".git", "gitdir: /no/such/worktrees/x\n")]);
    let dot_git = place.path().canonicalize().expect("the directory").join(".git");
    let why = format!("`{}` points to `/no/such/worktrees/x`, which does not exist", dot_git.display());
    let changed = Output::by(&mut place.overrule_in(&place.path().join("a"), &["check", "--changed"]));
    assert_eq!(changed.code, Some(2));
    assert!(changed.err.starts_with(&format!("error: {why}\n  help: ")), "{}", changed.err);
    let whole = Output::by(&mut place.overrule_in(&place.path().join("a"), &["check"]));
    let note = format!("note: {why}, so overrule checked this directory without git\n");
    assert_eq!((whole.code, whole.err), (Some(0), note));
}

#[test]
fn a_git_directory_without_a_head_is_named() {
    let place = Place::with(&[("main.tf", ""), (".git/config", "")]);
    let changed = place.overrule(&["check", "--changed"]);
    assert!(changed.err.contains("is not a git directory, because it has no `HEAD`"), "{}", changed.err);
}

#[test]
fn a_broken_configuration_is_quoted() {
    let place = Place::committed(&[MODULE]);
    place.write(".git/config", "[core\n");
    let changed = place.overrule(&["check", "--changed"]);
    let start = "error: the git repository cannot be opened: Repository configuration could not be loaded: ";
    assert!(changed.err.starts_with(start) && changed.err.contains("line 1"), "{}", changed.err);
}

#[test]
fn without_its_index_no_repository_is_checked() {
    let place = Place::committed(&[(".gitignore", "ign/\n"), MODULE]);
    assert_eq!(place.overrule(&["check"]).code, Some(1));
    place.write(".git/index", "garbage");
    for arguments in [&["check"][..], &["check", "--changed"]] {
        let output = place.overrule(arguments);
        assert_eq!(output.code, Some(2));
        assert!(output.err.starts_with("error: the index `"), "{}", output.err);
    }
}

#[test]
fn the_namespace_of_a_server_does_not_count() {
    let place = Place::committed(&[MODULE]);
    let mut command = place.overrule_in(&place.path(), &["check", "--changed"]);
    let output = Output::by(command.env("GIT_NAMESPACE", "x"));
    assert_eq!(output.code, Some(0), "{}", output.err);
}
