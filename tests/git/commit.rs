//! Commits with real git and a hook that runs the program, which checks the content that git is about to commit.

#![cfg(unix)]

use indoc::indoc;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::place::{Output, Place};

const GOOD: &str = "variable \"a\" {\n  type = string\n}\n";
const BAD: &str = "variable \"a\" {}\nvariable \"a\" {}\n";
/// The finding in the bad file.
const TOLD: &str = "main.tf:2:1: error: Duplicate variable declaration [duplicate-declaration]";

/// Installs a pre-commit hook that runs the program.
fn hook(git_directory: &Path, arguments: &str) {
    let program = env!("CARGO_BIN_EXE_overrule");
    let hook = git_directory.join("hooks/pre-commit");
    fs::create_dir_all(git_directory.join("hooks")).expect("a directory");
    fs::write(&hook, format!("#!/bin/sh\nexec '{program}' check {arguments} --format concise\n"))
        .expect("a hook");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("a hook that can be run");
}

/// A repository with one commit of these files and the hook.
fn hooked(files: &[(&str, &str)]) -> Place {
    let place = Place::committed(files);
    hook(&place.path().join(".git"), "--changed");
    place
}

fn commit_in(place: &Place, directory: &Path, arguments: &[&str]) -> Output {
    Output::by(&mut place.git_in(directory, &[&["commit", "--message", "next"], arguments].concat()))
}

fn commit(place: &Place, arguments: &[&str]) -> Output {
    commit_in(place, &place.path(), arguments)
}

#[track_caller]
fn stops(output: &Output, told: &str) {
    // Git passes standard error of a hook through.
    assert!(output.code == Some(1) && output.err.contains(told), "{output:#?}");
}

#[track_caller]
fn passes(output: &Output) {
    assert_eq!(output.code, Some(0), "{output:#?}");
}

#[test]
fn what_is_staged_stops_a_commit_and_what_is_not_does_not() {
    let place = hooked(&[("main.tf", GOOD)]);
    place.stage("main.tf", BAD);
    place.write("main.tf", GOOD);
    stops(&commit(&place, &[]), TOLD);
    place.git(&["add", "main.tf"]);
    place.write("main.tf", BAD);
    place.write("untracked.tf", BAD);
    place.stage("new/main.tf", GOOD);
    passes(&commit(&place, &[]));
}

#[test]
fn the_index_that_git_makes_for_one_commit_counts() {
    let place = hooked(&[("a/main.tf", GOOD), ("b/main.tf", GOOD)]);
    place.write("a/main.tf", BAD);
    stops(&commit(&place, &["--all"]), &format!("a/{TOLD}"));
    place.git(&["add", "a/main.tf"]);
    place.write("b/main.tf", format!("{GOOD}locals {{}}\n"));
    passes(&commit(&place, &["b/main.tf"]));
    stops(&commit(&place, &[]), &format!("a/{TOLD}"));
    place.write("b/main.tf", GOOD);
    stops(&commit(&place, &["--include", "b/main.tf"]), &format!("a/{TOLD}"));
    stops(&commit(&place, &["a/main.tf"]), &format!("a/{TOLD}"));
}

#[test]
fn the_first_commit_is_checked() {
    let place = Place::repository(&[("main.tf", BAD)]);
    hook(&place.path().join(".git"), "--changed");
    place.git(&["add", "."]);
    stops(&commit(&place, &[]), TOLD);
    place.stage("main.tf", GOOD);
    passes(&commit(&place, &[]));
}

#[test]
fn what_was_there_before_stops_no_commit() {
    let place = hooked(&[("main.tf", BAD)]);
    place.stage("main.tf", format!("# a note\n{BAD}"));
    let output = commit(&place, &[]);
    passes(&output);
    place.stage("main.tf", format!("# a note\n{BAD}variable \"b\" {{}}\nvariable \"b\" {{}}\n"));
    stops(&commit(&place, &[]), "main.tf:5:1: error: Duplicate variable declaration");
    place.git(&["checkout", "--quiet", "HEAD", "main.tf"]);
    passes(&commit(&place, &["--amend"]));
}

#[test]
fn a_commit_from_a_subdirectory_is_a_commit_of_the_repository() {
    let place = hooked(&[("a/main.tf", GOOD), ("b/main.tf", GOOD)]);
    place.stage("a/main.tf", BAD);
    stops(&commit_in(&place, &place.path().join("b"), &[]), &format!("a/{TOLD}"));
    place.write("a/main.tf", GOOD);
    place.write("b/main.tf", BAD);
    stops(&commit_in(&place, &place.path().join("b"), &["--all"]), &format!("b/{TOLD}"));
}

/// Git sets `GIT_INDEX_FILE` to a path relative to the top directory.
#[test]
fn a_hook_may_go_into_another_directory() {
    let place = hooked(&[("a/main.tf", GOOD), ("b/main.tf", GOOD)]);
    let hook = place.path().join(".git/hooks/pre-commit");
    let text = fs::read_to_string(&hook).expect("a hook");
    fs::write(&hook, text.replace("exec ", "cd b\nexec ")).expect("a hook");
    place.stage("a/main.tf", BAD);
    stops(&commit(&place, &[]), &format!("a/{TOLD}"));
    let from_a_directory = |index: &str, arguments: &[&str]| {
        let mut command = place
            .overrule_in(&place.path().join("b"), &[&["check", "--format", "concise"], arguments].concat());
        Output::by(command.env("GIT_INDEX_FILE", index))
    };
    for arguments in [&["--changed"][..], &["--hook"], &["--hook", "../a/main.tf"], &["--base", "HEAD"]] {
        let output = from_a_directory(".git/index", arguments);
        assert!(output.code == Some(1) && output.out.contains(TOLD), "{arguments:?}: {output:#?}");
    }
    let output = from_a_directory("gone", &["--changed"]);
    assert_eq!(output.code, Some(2), "{output:#?}");
    assert!(output.err.contains("gone`, which GIT_INDEX_FILE names"), "{output:#?}");
}

#[test]
fn a_bare_repository_has_no_working_tree_to_check() {
    let place = Place::committed(&[("main.tf", BAD)]);
    let bare = place.beside("bare");
    place.git(&["clone", "--quiet", "--bare", ".", &bare.to_string_lossy()]);
    let output = Output::by(&mut place.overrule_in(&bare, &["check"]));
    assert_eq!(output.code, Some(2), "{output:#?}");
    assert!(output.err.contains("bare repository") && output.err.contains("--base REV"), "{output:#?}");
    let output = Output::by(&mut place.overrule_in(&bare, &["check", "--base", "HEAD"]));
    assert_eq!(output.code, Some(0), "{output:#?}");
}

#[test]
fn what_is_named_by_way_of_a_link_to_the_repository_is_found() {
    let place = Place::committed(&[("a/main.tf", GOOD), ("b/main.tf", GOOD)]);
    place.stage("a/main.tf", BAD);
    let link = place.beside("link");
    std::os::unix::fs::symlink(place.path(), &link).expect("a link");
    let file = link.join("a/main.tf");
    for option in ["--hook", "--changed", "--base=HEAD"] {
        let output = place.overrule(&["check", "--format", "concise", option, &file.to_string_lossy()]);
        assert!(output.code == Some(1) && output.out.contains(TOLD), "{option}: {output:#?}");
        let output =
            Output::by(&mut place.overrule_in(&link, &["check", "--format", "concise", option, "a/main.tf"]));
        assert!(output.code == Some(1) && output.out.contains(TOLD), "{option}: {output:#?}");
    }
    let other = Place::committed(&[("main.tf", GOOD)]);
    let elsewhere = other.path().join("main.tf");
    let output = place.overrule(&["check", "--hook", &elsewhere.to_string_lossy()]);
    assert_eq!(output.code, Some(2), "{output:#?}");
    assert!(output.err.contains("is outside the repository"), "{output:#?}");
}

#[test]
fn a_linked_working_tree_commits_its_own() {
    let place = hooked(&[("main.tf", GOOD)]);
    let linked = place.beside("linked");
    place.git(&["worktree", "add", "--quiet", &linked.to_string_lossy()]);
    place.stage("main.tf", BAD);
    fs::write(linked.join("main.tf"), format!("{GOOD}locals {{}}\n")).expect("a file");
    // The path of hooks is that of the main working tree.
    let hooks = format!("core.hooksPath={}", place.path().join(".git/hooks").display());
    let commit = |arguments: &[&str]| {
        let all = [&["-c", &hooks, "commit", "--message", "next"], arguments].concat();
        Output::by(&mut place.git_in(&linked, &all))
    };
    passes(&commit(&["--all"]));
    fs::write(linked.join("main.tf"), BAD).expect("a file");
    stops(&commit(&["--all"]), TOLD);
    assert!(place.path().join(".git/overrule/calls").is_file(), "what is remembered is shared");
    assert!(!place.path().join(".git/worktrees/linked/overrule").exists());
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let other = Place::committed(&[("main.tf", GOOD)]);
    let place = hooked(&[("live/main.tf", "module \"sub\" {\n  source = \"../sub\"\n}\n")]);
    place.git(&["submodule", "--quiet", "add", &other.path().to_string_lossy(), "sub"]);
    passes(&commit(&place, &[]));
    let inside = place.path().join("sub");
    hook(&place.path().join(".git/modules/sub"), "--changed");
    let hooks = format!("core.hooksPath={}", place.path().join(".git/modules/sub/hooks").display());
    fs::write(inside.join("main.tf"), BAD).expect("a file");
    let arguments = ["-c", &hooks, "commit", "--all", "--message", "next"];
    stops(&Output::by(&mut place.git_in(&inside, &arguments)), TOLD);
    fs::write(inside.join("main.tf"), format!("{GOOD}locals {{}}\n")).expect("a file");
    passes(&Output::by(&mut place.git_in(&inside, &arguments)));
    place.git(&["add", "sub"]);
    passes(&commit(&place, &[]));
}

#[test]
fn a_git_directory_elsewhere_is_found_by_what_git_sets() {
    let place = hooked(&[("main.tf", GOOD)]);
    fs::rename(place.path().join(".git"), place.beside("git")).expect("a directory");
    let git = |arguments: &[&str]| {
        let places = [
            format!("--git-dir={}", place.beside("git").display()),
            format!("--work-tree={}", place.path().display()),
            "-c".to_owned(),
            format!("core.hooksPath={}", place.beside("git/hooks").display()),
        ];
        let all: Vec<&str> = places.iter().map(String::as_str).chain(arguments.iter().copied()).collect();
        Output::by(&mut place.git_in(&place.path(), &all))
    };
    place.write("main.tf", BAD);
    stops(&git(&["commit", "--all", "--message", "next"]), TOLD);
    place.write("main.tf", format!("{GOOD}locals {{}}\n"));
    passes(&git(&["commit", "--all", "--message", "next"]));
}

#[test]
fn what_an_encrypted_file_declares_is_not_missing() {
    let place = Place::committed(&[
        ("secret.tf", "\0GITCRYPT\0\u{1}"),
        ("main.tf", "terraform {\n  required_version = \">= 1.5\"\n}\n"),
    ]);
    place.stage("outputs.tf", "output \"id\" {\n  value = local.id\n}\n");
    let output = place.overrule(&["check", "--changed"]);
    assert_eq!(output.code, Some(0), "{}", output.out);
}

#[test]
fn a_path_that_a_sparse_checkout_leaves_out_is_named() {
    let place = Place::committed(&[("a/main.tf", ""), ("b/main.tf", "")]);
    for index in ["--no-sparse-index", "--sparse-index"] {
        place.git(&["sparse-checkout", "set", "--cone", index, "a"]);
        for path in ["b", "b/main.tf"] {
            let output = place.overrule(&["check", path]);
            let told = format!(
                "error: the sparse checkout does not contain `{path}`\n  help: run `git sparse-checkout add b`\n"
            );
            assert_eq!((output.code, output.err), (Some(2), told));
        }
        assert_eq!(place.overrule(&["check", "c"]).err, "error: no such file or directory: `c`\n");
    }
}

#[test]
fn a_sparse_checkout_is_checked_with_what_it_does_not_show() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let call = indoc! {r#"
            module "net" {
              source = "../modules/net"
              count  = 2
            }
        "#};
        let place = hooked(&[("live/main.tf", call), ("modules/net/main.tf", "resource \"x_y\" \"z\" {}\n")]);
        place.git(&["sparse-checkout", "set", "--cone", index, "modules"]);
        assert!(!place.path().join("live").exists());
        place.git(&["sparse-checkout", "set", "--cone", index, "live"]);
        assert!(!place.path().join("modules").exists());
        assert_eq!(place.overrule(&["check"]).code, Some(0), "what is hidden is not missing");
        place.git(&["sparse-checkout", "set", "--cone", index, "modules"]);
        place.stage(
            "modules/net/main.tf",
            indoc! {r#"
                resource "x_y" "z" {}
                provider "x" {
                  a = 1
                }
            "#},
        );
        stops(&commit(&place, &[]), "live/main.tf:3:12: error: Module is incompatible with count");
    }
}

#[test]
fn a_merge_is_refused_until_it_is_resolved_and_then_checked() {
    let place = hooked(&[("main.tf", GOOD)]);
    place.git(&["checkout", "--quiet", "-b", "other"]);
    place.stage("main.tf", "variable \"b\" {}\n");
    passes(&commit(&place, &[]));
    place.git(&["checkout", "--quiet", "main"]);
    place.stage("main.tf", "variable \"c\" {}\n");
    passes(&commit(&place, &[]));
    assert_eq!(place.ask_git(&["merge", "other"]).code, Some(1));
    let output = place.overrule(&["check", "--changed"]);
    assert_eq!(output.code, Some(2));
    let told = "error: `main.tf` has merge conflicts\n  help: resolve the conflict, and `git add` the file\n";
    assert_eq!(output.err, told);
    place.stage("main.tf", BAD);
    stops(&commit(&place, &[]), TOLD);
    place.stage("main.tf", GOOD);
    passes(&commit(&place, &[]));
}

#[test]
fn names_that_are_no_text_stop_a_commit_like_any_others() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let place = hooked(&[("main.tf", GOOD)]);
    let directory = place.path().join(OsStr::from_bytes(b"a\xff"));
    fs::create_dir(&directory).expect("a directory");
    fs::write(directory.join(OsStr::from_bytes(b"m\xfe.tf")), BAD).expect("a file");
    place.git(&["add", "."]);
    stops(&commit(&place, &[]), r"a\xff/m\xfe.tf:2:1: error: Duplicate variable declaration");
}

#[test]
fn links_are_checked_as_they_are_committed() {
    let place = hooked(&[("modules/net/main.tf", BAD), ("modules/dns/main.tf", GOOD), ("live/main.tf", "")]);
    place.link("live/net", "../modules/dns");
    place.stage("live/main.tf", "module \"net\" {\n  source = \"./net\"\n}\n");
    place.git(&["add", "live/net"]);
    stops(&commit(&place, &[]), "live/main.tf:1:14: error: Missing required argument");
    place.stage(
        "live/main.tf",
        indoc! {r#"
            module "net" {
              source = "./net"
              a      = "x"
            }
        "#},
    );
    passes(&commit(&place, &[]));
    fs::remove_file(place.path().join("live/net")).expect("a link");
    place.link("live/net", "../modules/none");
    place.git(&["add", "live/net"]);
    stops(&commit(&place, &[]), "live/main.tf:1:1: error: Module not installed");
}
