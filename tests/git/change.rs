//! The content of a change: the paths that differ as git lists them, the touched directories, and the base.

use std::collections::BTreeMap;

use overrule::vfs::{Change, Error};

use crate::dice::Dice;
use crate::place::{Output, Place};

fn staged(place: &Place) -> Change {
    Change::staged(&place.path()).expect("a repository")
}

fn paths(change: &Change) -> Vec<String> {
    change.paths().collect()
}

fn touched(change: &Change) -> Vec<String> {
    change.touched().expect("what the change touches").into_iter().collect()
}

/// The paths that git itself lists.
fn listed(place: &Place, arguments: &[&str]) -> Vec<String> {
    let names = place.git(&[&["diff", "--no-renames", "--name-only", "-z"], arguments].concat());
    names.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn what_is_staged_is_what_git_lists() {
    let place = Place::committed(&[
        ("a/main.tf", "# a"),
        ("a/b/main.tf", "# b"),
        ("a-b/main.tf", "# dash"),
        ("file", "x"),
        ("directory/x", "x"),
        ("gone/deep/main.tf", "# gone"),
        ("same/main.tf", "# same"),
        ("script.sh", "echo"),
    ]);
    assert!(paths(&staged(&place)).is_empty());
    place.stage("a/b/main.tf", "# changed");
    place.stage("a/new/main.tf", "# new");
    place.git(&["rm", "--quiet", "-r", "gone", "file", "directory"]);
    place.stage("file/main.tf", "# a directory now");
    place.stage("directory", "a file now");
    place.write("same/main.tf", "# not staged");
    place.write("same/later.tf", "");
    place.git(&["add", "--intent-to-add", "same/later.tf"]);
    let change = staged(&place);
    assert_eq!(paths(&change), listed(&place, &["--cached"]));
    let expected = ["a/b", "a/new", "directory", "file", "gone", "gone/deep"];
    assert_eq!(touched(&change), expected);
    place.git(&["update-index", "--chmod=+x", "script.sh"]);
    assert_eq!(paths(&staged(&place)), paths(&change), "that a file can be run changes no module");
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let place = Place::repository(&[("a/main.tf", ""), ("b.tf", "")]);
    assert!(paths(&staged(&place)).is_empty());
    place.git(&["add", "."]);
    assert_eq!(paths(&staged(&place)), ["a/main.tf", "b.tf"]);
    assert_eq!(touched(&staged(&place)), ["", "a"]);
}

#[test]
fn directories_of_a_sparse_index_are_compared_too() {
    let files = [("a/main.tf", "# a"), ("b/c/main.tf", "# b"), ("d/main.tf", "# d")];
    let place = Place::committed(&files);
    place.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "a"]);
    assert!(paths(&staged(&place)).is_empty());
    place.stage("a/main.tf", "# staged");
    assert_eq!(paths(&staged(&place)), ["a/main.tf"]);
    place.git(&["read-tree", "--reset", "HEAD"]);
    place.git(&["rm", "--quiet", "--cached", "--sparse", "-r", "b"]);
    assert_eq!(paths(&staged(&place)), ["b/c/main.tf"]);
}

#[test]
fn random_changes_are_those_that_git_lists() {
    let mut dice = Dice::new(7);
    for _ in 0..5 {
        let place = Place::repository(&[]);
        let names = ["a", "b", "a-b", "a.b", "ab", "c"];
        let path = |dice: &mut Dice| {
            let steps = 1 + dice.roll(4);
            let directories: Vec<&str> = (0..steps).map(|_| names[dice.roll(names.len())]).collect();
            format!("{}/f{}.tf", directories.join("/"), dice.roll(3))
        };
        for _ in 0..30 {
            let path = path(&mut dice);
            place.write(&path, format!("# {}", dice.roll(5)));
        }
        place.commit("first");
        let mut at = place.git(&["rev-parse", "HEAD"]);
        for round in 0..4 {
            for _ in 0..=dice.roll(12) {
                let path = path(&mut dice);
                if dice.roll(3) == 0 {
                    let directory = path.split('/').next().unwrap_or_default();
                    place.git(&["rm", "--quiet", "-r", "--force", "--ignore-unmatch", directory]);
                } else {
                    place.stage(&path, format!("# {}", dice.roll(5)));
                }
            }
            assert_eq!(paths(&staged(&place)), listed(&place, &["--cached"]));
            // Git knows the trees of all directories again once they are written.
            place.git(&["write-tree"]);
            assert_eq!(paths(&staged(&place)), listed(&place, &["--cached"]));
            if round % 2 == 1 {
                place.commit("next");
                let now = place.git(&["rev-parse", "HEAD"]);
                let change = Change::between(&place.path(), at.trim(), now.trim()).expect("two commits");
                assert_eq!(paths(&change), listed(&place, &[at.trim(), now.trim()]));
                at = now;
            }
        }
    }
}

#[test]
fn settings_for_subdirectories_touch_them() {
    let lock = "# This file is maintained automatically by \"terraform init\".\n";
    let place = Place::committed(&[
        ("live/a/main.tf", ""),
        ("live/b/c/main.tf", ""),
        ("live/b/c/.terraform.lock.hcl", lock),
        ("other/main.tf", ""),
    ]);
    place.stage("live/b/c/.terraform.lock.hcl", format!("{lock}\nprovider \"x\" {{}}\n"));
    assert_eq!(touched(&staged(&place)), ["live/b/c"], "what is selected may not fit any more");
    place.stage("live/.terraform-version", "1.9.8");
    assert_eq!(touched(&staged(&place)), ["live", "live/a", "live/b", "live/b/c"]);
    place.stage("other/x.tfvars", "");
    assert_eq!(touched(&staged(&place)), ["live", "live/a", "live/b", "live/b/c", "other"]);
    place.stage("other/readme.md", "");
    assert_eq!(touched(&staged(&place)), ["live", "live/a", "live/b", "live/b/c", "other"]);
}

#[test]
fn directories_that_moved_are_known_by_what_they_hold() {
    let place = Place::committed(&[
        ("a/main.tf", "# main"),
        ("a/more.tf", "# more"),
        ("a/versions.tf", "# versions"),
        ("b/main.tf", "# b"),
        ("b/versions.tf", "# versions"),
        ("c/main.tf", "# c"),
    ]);
    place.git(&["mv", "a", "moved"]);
    place.stage("moved/main.tf", "# edited on the way");
    place.git(&["mv", "b", "d"]);
    place.stage("copy/main.tf", "# c");
    let renamed = staged(&place).renamed().expect("what is called otherwise");
    let expected = [("d", "b"), ("moved", "a")].map(|(new, old)| (new.to_owned(), old.to_owned()));
    assert_eq!(renamed, BTreeMap::from(expected));
}

/// A repository with a branch that is one commit behind `main`, and has one of its own.
fn branched() -> Place {
    let place = Place::committed(&[("a/main.tf", "# 1"), ("b/main.tf", "# 1")]);
    place.git(&["checkout", "--quiet", "-b", "work"]);
    place.write("a/main.tf", "# 2");
    place.commit("work");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("b/main.tf", "# 2");
    place.commit("main goes on");
    place.git(&["checkout", "--quiet", "work"]);
    place
}

#[test]
fn a_base_is_where_the_histories_parted() {
    let place = branched();
    let since = |revision| Change::since(&place.path(), revision).expect("a base");
    assert_eq!(paths(&since("main")), ["a/main.tf"]);
    assert_eq!(paths(&since("HEAD~1")), ["a/main.tf"]);
    place.stage("c/main.tf", "");
    assert_eq!(paths(&since("main")), ["a/main.tf", "c/main.tf"], "what is staged counts as well");
    let range = Change::between(&place.path(), "work", "main").expect("two commits");
    assert_eq!(paths(&range), ["b/main.tf"], "and to another commit it does not");
}

#[test]
fn a_repository_without_a_working_tree_has_a_base_and_nothing_staged() {
    let place = branched();
    let bare = place.beside("bare");
    place.git(&["clone", "--quiet", "--bare", ".", &bare.to_string_lossy()]);
    let change = Change::since(&bare, "main").expect("a base");
    assert_eq!(paths(&change), ["a/main.tf"]);
    let error = Change::staged(&bare).expect_err("nothing staged");
    assert_eq!(error.to_string(), "a bare repository has no staged content");
    assert_eq!(error.order(), Some("use --base REV"));
}

fn refusal(place: &Place, directory: &str, revision: &str) -> (String, String) {
    let error: Error = Change::since(&place.beside(directory), revision).expect_err("no base");
    (error.to_string(), error.order().unwrap_or_default().to_owned())
}

/// A clone, made as CI does, next to the repository.
fn clone(place: &Place, name: &str, arguments: &[&str]) {
    let (from, to) = (format!("file://{}", place.path().display()), place.beside(name));
    place.git(&[&["clone", "--quiet"], arguments, &[&from, &to.to_string_lossy()]].concat());
}

#[test]
fn a_base_that_is_not_there_is_refused_with_what_brings_it() {
    let place = branched();
    clone(&place, "whole", &["--single-branch", "--branch", "work"]);
    assert_eq!(
        refusal(&place, "whole", "origin/main"),
        (
            "no revision `origin/main` exists here".to_owned(),
            "run `git fetch origin +refs/heads/main:refs/remotes/origin/main`".to_owned()
        )
    );
    assert_eq!(
        refusal(&place, "whole", "main").1,
        "run `git fetch origin +refs/heads/main:refs/remotes/origin/main`, then name `origin/main`; for a tag, run \
         `git fetch --tags origin`"
    );
    assert_eq!(refusal(&place, "whole", " ").0, "the revision is empty");
    assert_eq!(refusal(&place, "whole", "HEAD:a.tf").0, "no revision `HEAD:a.tf` exists here");
    assert_eq!(refusal(&place, "whole", "HEAD:a/main.tf").0, "`HEAD:a/main.tf` is not a commit");
    assert_eq!(refusal(&place, "whole", "wrok").1, "did you mean `work`?");
    clone(&place, "whole2", &["--branch", "work"]);
    assert_eq!(refusal(&place, "whole2", "main").1, "did you mean `origin/main`?");
    assert_eq!(
        refusal(&place, "whole2", "upstream/main").1,
        "add the remote and fetch it: `git remote add upstream URL`, then `git fetch upstream`"
    );

    let commit = "5d1f".repeat(10);
    assert_eq!(
        refusal(&place, "whole", &commit).1,
        format!("run `git fetch origin {commit}`; after a forced push, the commit may be gone")
    );
    assert_eq!(
        refusal(&place, "whole", &"0".repeat(40)).1,
        "`github.event.before` is all zeros for the first push of a branch; name the branch that it starts from"
    );

    clone(&place, "shallow", &["--depth", "1", "--branch", "work"]);
    let (told, order) = refusal(&place, "shallow", "origin/main");
    assert_eq!(told, "no revision `origin/main` exists here");
    assert_eq!(
        order,
        "run `git fetch --unshallow origin +refs/heads/main:refs/remotes/origin/main`. In GitHub Actions, set \
         `fetch-depth: 0` in the `actions/checkout` step"
    );
    let (_, order) = refusal(&place, "shallow", "main");
    assert!(
        order.starts_with(
            "run `git fetch --unshallow --tags origin '+refs/heads/*:refs/remotes/origin/*'`, and name a branch of the \
             remote as in `origin/main`. "
        ),
        "{order}"
    );
    let (told, order) = refusal(&place, "shallow", "HEAD^1");
    assert_eq!(told, "no revision `HEAD^1` exists here");
    assert!(
        order.starts_with("run `git fetch --unshallow`. In GitHub Actions, set `fetch-depth: 0`"),
        "{order}"
    );
    let in_clone = |arguments: &[&str]| {
        let output = Output::by(&mut place.git_in(&place.beside("shallow"), arguments));
        assert_eq!(output.code, Some(0), "{}", output.err);
    };
    in_clone(&["fetch", "--quiet", "--depth=1", "origin", "+refs/heads/main:refs/remotes/origin/main"]);
    let (told, order) = refusal(&place, "shallow", "origin/main");
    assert_eq!(told, "this clone is too shallow to contain the merge base of `origin/main` and `HEAD`");
    assert!(order.starts_with("run `git fetch --unshallow"), "{order}");
    in_clone(&["fetch", "--quiet", "--unshallow", "origin", "+refs/heads/main:refs/remotes/origin/main"]);
    let change = Change::since(&place.beside("shallow"), "origin/main").expect("the order was of use");
    assert_eq!(paths(&change), ["a/main.tf"]);
}

#[test]
fn two_commits_of_a_merge_are_enough() {
    let place = branched();
    place.git(&["merge", "--quiet", "--message", "merge", "main"]);
    place.git(&["checkout", "--quiet", "main"]);
    place.git(&["checkout", "--quiet", "-b", "pull", "main"]);
    place.git(&["merge", "--quiet", "--no-ff", "--message", "pull request", "work"]);
    clone(&place, "ci", &["--depth", "2", "--branch", "pull"]);
    let change = Change::since(&place.beside("ci"), "HEAD^1").expect("a base");
    assert_eq!(paths(&change), ["a/main.tf"]);
}

#[test]
fn histories_that_share_nothing_are_no_base() {
    let place = branched();
    place.git(&["checkout", "--quiet", "--orphan", "alone"]);
    place.commit("alone");
    let error = Change::since(&place.path(), "main").expect_err("no base");
    assert_eq!(error.to_string(), "`main` and `HEAD` have no merge base");
    assert_eq!(error.order(), Some("use a revision that the change is based on"));
}

#[test]
fn a_clone_without_its_files_is_compared_by_name() {
    let place = branched();
    place.git(&["config", "uploadpack.allowFilter", "true"]);
    clone(&place, "partial", &["--filter=blob:none", "--branch", "work"]);
    let change = Change::since(&place.beside("partial"), "origin/main").expect("a base");
    assert_eq!(paths(&change), ["a/main.tf"]);
}

#[cfg(unix)]
#[test]
fn what_links_lead_to_touches_the_directories_that_they_lie_in() {
    let place =
        Place::repository(&[("shared/versions.tf", "# 1"), ("live/main.tf", ""), ("other/main.tf", "")]);
    place.link("live/versions.tf", "../shared/versions.tf");
    place.link("modules", "shared");
    place.commit("first");
    place.stage("shared/versions.tf", "# 2");
    assert_eq!(touched(&staged(&place)), ["live", "shared"]);
    std::fs::remove_file(place.path().join("modules")).expect("a link");
    place.link("modules", "other");
    place.git(&["add", "modules"]);
    assert_eq!(touched(&staged(&place)), ["live", "modules", "shared"]);
}

#[test]
fn a_file_is_not_a_module_to_compare() {
    let place = Place::committed(&[("net/main.tf", "")]);
    place.stage("net/main.tf", "variable \"a\" {}\n");
    let output = place.overrule(&["changes", "--changed", "net/main.tf", "--fail-on", "breaking"]);
    let told = "error: `net/main.tf` is a file; a module is a directory\n";
    assert_eq!((output.code, output.err.as_str()), (Some(2), told));
    assert_eq!(place.overrule(&["changes", "--changed", "net", "--fail-on", "breaking"]).code, Some(1));
}
