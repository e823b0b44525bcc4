//! Partial clones: without the necessary files there is no comparison, and the error names the command that fetches
//! them.

use indoc::indoc;
use std::path::{Path, PathBuf};

use crate::place::{Output, Place};

/// Two branches: `work` adds an invalid module call, and changes a module with an existing finding.
fn branched() -> Place {
    let place = Place::committed(&[
        ("overrule.hcl", "policy {\n  extends = [\"language\"]\n}\n"),
        ("modules/net/main.tf", "variable \"a\" {}\nvariable \"a\" {}\n"),
        ("modules/dns/main.tf", "locals {}\n"),
        (
            "live/main.tf",
            indoc! {r#"
                module "net" {
                  source = "../modules/net"
                  a      = 1
                }
            "#},
        ),
        ("other/main.tf", "module \"net\" {\n  source = \"../modules/dns\"\n}\n"),
    ]);
    place.git(&["config", "uploadpack.allowFilter", "true"]);
    place.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    place.git(&["checkout", "--quiet", "-b", "work"]);
    place.write("modules/net/main.tf", "variable \"a\" {}\nvariable \"a\" {}\n\nvariable \"b\" {}\n");
    place.commit("work");
    place
}

fn clone(place: &Place, name: &str, arguments: &[&str]) -> PathBuf {
    let (from, to) = (format!("file://{}", place.path().display()), place.beside(name));
    let own = ["clone", "--quiet", "--branch", "work"];
    place.git(&[&own[..], arguments, &[&from, &to.to_string_lossy()]].concat());
    to
}

fn check(place: &Place, directory: &Path, arguments: &[&str]) -> Output {
    Output::by(&mut place.overrule_in(directory, &[&["check", "--format", "concise"], arguments].concat()))
}

/// Runs a check with missing files, which must fail, and then the command in its error.
#[track_caller]
fn remedied(place: &Place, directory: &Path, arguments: &[&str]) -> String {
    let output = check(place, directory, arguments);
    assert_eq!((output.code, output.out.as_str()), (Some(2), ""), "{}", output.err);
    let order =
        output.err.lines().find_map(|line| line.trim().strip_prefix("help: run `")).expect("an order");
    let order = order.strip_suffix('`').expect("a command in backticks");
    assert!(output.err.starts_with("error: this clone lacks files"), "{}", output.err);
    let done = Output::by(&mut place.shell_in(directory, order));
    assert_eq!(done.code, Some(0), "{order}: {}", done.err);
    order.to_owned()
}

#[test]
fn a_policy_that_a_partial_clone_lacks_is_fetched() {
    let place = branched();
    place.write("overrule.hcl", "policy {\n  extends = [\"strict\"]\n}\n");
    place.commit("policy");
    let partial = clone(&place, "policy", &["--filter=blob:none"]);
    let order = remedied(&place, &partial, &["--policy-from", "HEAD~1"]);
    assert_eq!(order, "git archive HEAD~1 > /dev/null");
    assert_eq!(check(&place, &partial, &["--policy-from", "HEAD~1"]).code, Some(1));
}

const NEW: &str = "live/main.tf:1:14: error: Missing required argument [missing-module-argument]\n";

#[test]
fn files_from_before_are_fetched_by_a_look_at_what_differs() {
    let place = branched();
    let base = ["--base", "origin/main"];
    let whole = check(&place, &clone(&place, "whole", &[]), &base);
    assert!(whole.out.starts_with(NEW), "{}", whole.out);
    let partial = clone(&place, "partial", &["--filter=blob:none"]);
    let order = remedied(&place, &partial, &base);
    let id = place.git(&["rev-parse", "main"]);
    assert_eq!(order, format!("git diff --cached --stat {}", id.trim()));
    assert_eq!(check(&place, &partial, &base), whole);
}

#[test]
fn files_outside_of_a_sparse_working_tree_are_fetched_with_their_directories() {
    let place = branched();
    let partial = clone(&place, "partial", &["--filter=blob:none", "--sparse"]);
    let add = |arguments: &[&str]| {
        let output = Output::by(&mut place.git_in(&partial, arguments));
        assert_eq!(output.code, Some(0), "git {arguments:?}: {}", output.err);
    };
    add(&["sparse-checkout", "add", "live"]);
    std::fs::write(
        partial.join("live/main.tf"),
        indoc! {r#"
            module "net" {
              source = "../modules/net"
              c = 1
            }
        "#},
    )
    .expect("a file");
    add(&["add", "live"]);
    assert_eq!(remedied(&place, &partial, &["--changed"]), "git sparse-checkout add modules/net");
    let output = check(&place, &partial, &["--changed"]);
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert!(output.out.contains("live/main.tf:3:3: error: Unsupported argument"), "{}", output.out);
    assert_eq!(
        output.err,
        "note: this clone lacks files of 2 modules, so the module calls there are unknown\n"
    );
}

#[test]
fn a_repository_without_a_working_tree_fetches_a_whole_state() {
    let place = branched();
    let base = ["--base", "main"];
    let partial = clone(&place, "partial", &["--filter=blob:none", "--bare"]);
    assert_eq!(remedied(&place, &partial, &base), "git archive HEAD > /dev/null");
    let order = remedied(&place, &partial, &base);
    assert!(order.starts_with("git diff --stat ") && order.ends_with(" HEAD"), "{order}");
    let output = check(&place, &partial, &base);
    assert!(output.out.starts_with(NEW), "{}", output.out);
}

#[test]
fn missing_objects_are_reported_with_git_fsck() {
    let place = branched();
    let id = place.git(&["rev-parse", "main:modules/net/main.tf"]);
    let object = place.path().join(".git/objects").join(&id[..2]).join(id[2..].trim());
    std::fs::remove_file(object).expect("an object of its own");
    let output = check(&place, &place.path(), &["--base", "main"]);
    assert_eq!(output.code, Some(2), "{}", output.out);
    assert_eq!(output.err, "error: files are missing from the repository\n  help: run `git fsck`\n");
}

#[test]
fn a_module_whose_files_are_missing_is_neither_merged_nor_shown() {
    let place = branched();
    let partial = clone(&place, "partial", &["--filter=blob:none"]);
    let run = |arguments: &[&str]| Output::by(&mut place.overrule_in(&partial, arguments));
    for arguments in [&["merge", "modules/net", "--rev", "HEAD~1"][..], &["modules", "--rev", "HEAD~1"]] {
        let output = run(arguments);
        assert_eq!((output.code, output.out.as_str()), (Some(2), ""), "{arguments:?}");
        let expected = "error: this clone lacks files that the check needs\n  help: run `git archive HEAD~1 > /dev/null`\n";
        assert_eq!(output.err, expected, "{arguments:?}");
    }
    Output::by(&mut place.shell_in(&partial, "git archive HEAD~1 > /dev/null"));
    assert_eq!(run(&["modules", "--rev", "HEAD~1"]).code, Some(0));
}
