//! Dependency lock files that a `.gitignore` excludes.

use crate::place::Place;

const ROOT: &str = r#"
terraform {
  backend "s3" {}
}

resource "random_pet" "main" {}
"#;

const LOCK: &str = r#"
provider "registry.terraform.io/hashicorp/random" {
  version = "3.6.3"
}
"#;

/// The findings of the rule, without explanatory lines.
fn lines(place: &Place, arguments: &[&str]) -> Vec<String> {
    let select = ["check", "--format", "concise", "--select", "lock-file-drift"];
    let output = place.overrule(&[&select, arguments].concat());
    output.findings().into_iter().map(str::to_owned).collect()
}

const IGNORED: &str = ".gitignore:2:1: warning: Git ignores the dependency lock file [lock-file-drift]";

#[test]
fn a_line_of_a_gitignore_is_reported_once_in_the_working_tree_the_index_and_a_commit() {
    let place = Place::committed(&[
        (".gitignore", ".terraform/\n.terraform.lock.hcl\n"),
        ("live/a/main.tf", ROOT),
        ("live/b/main.tf", ROOT),
    ]);
    // A lock file that exists only locally does not count.
    place.write("live/b/.terraform.lock.hcl", LOCK);
    assert_eq!(lines(&place, &[]), [IGNORED]);
    assert_eq!(lines(&place, &["--base", "HEAD", "--all-findings", "live"]), [""; 0], "nothing changed");
    place.git(&["rm", "--quiet", "-r", "--cached", "."]);
    place.git(&["commit", "--quiet", "--no-verify", "--message", "empty"]);
    for (file, text) in [(".gitignore", None), ("live/a/main.tf", Some(ROOT)), ("live/b/main.tf", Some(ROOT))]
    {
        match text {
            Some(text) => place.stage(file, text),
            None => drop(place.git(&["add", file])),
        }
    }
    assert_eq!(lines(&place, &["--changed"]), [IGNORED]);
    place.git(&["commit", "--quiet", "--no-verify", "--message", "all"]);
    assert_eq!(lines(&place, &["--base", "HEAD~1"]), [IGNORED]);
}

#[test]
fn a_lock_file_that_git_tracks_is_not_excluded() {
    let place = Place::repository(&[
        (".gitignore", "*.hcl\n"),
        ("live/a/main.tf", ROOT),
        ("live/a/.terraform.lock.hcl", LOCK),
    ]);
    place.commit("first");
    assert!(lines(&place, &[]).is_empty());
    place.git(&["rm", "--quiet", "--cached", "live/a/.terraform.lock.hcl"]);
    let ignored = ".gitignore:1:1: warning: Git ignores the dependency lock file [lock-file-drift]";
    assert_eq!(lines(&place, &[]), [ignored]);
    assert_eq!(lines(&place, &["--changed"]), [ignored], "a change removes it from git");
}

#[test]
fn a_line_that_is_not_new_is_not_reported_for_a_root_module_that_is() {
    let place = Place::committed(&[(".gitignore", "\n.terraform.lock.hcl\n"), ("live/a/main.tf", ROOT)]);
    place.stage("live/b/main.tf", ROOT);
    assert!(lines(&place, &["--changed"]).is_empty());
    place.stage(".gitignore", "");
    place.stage("live/c/main.tf", ROOT);
    let missing =
        |name| format!("live/{name}/main.tf:3:3: warning: Root module without a lock file [lock-file-drift]");
    assert_eq!(lines(&place, &["--changed"]), [missing("b"), missing("c")]);
}

#[test]
fn the_nearest_gitignore_decides_unless_its_directory_is_excluded() {
    let place = Place::repository(&[
        (".gitignore", "\n.terraform.lock.hcl\n/vendored/\n"),
        ("live/a/main.tf", ROOT),
        ("live/b/.gitignore", "!.terraform.lock.hcl\n"),
        ("live/b/main.tf", ROOT),
        ("vendored/main.tf", ROOT),
    ]);
    place.commit("first");
    let missing =
        |path| format!("{path}/main.tf:3:3: warning: Root module without a lock file [lock-file-drift]");
    assert_eq!(lines(&place, &[]), [IGNORED.to_owned(), missing("live/b"), missing("vendored")]);
}

#[cfg(unix)]
#[test]
fn a_gitignore_behind_a_symbolic_link_does_not_count() {
    let place = Place::repository(&[("rules", "\n.terraform.lock.hcl\n"), ("main.tf", ROOT)]);
    place.link(".gitignore", "rules");
    place.commit("first");
    let missing = "main.tf:3:3: warning: Root module without a lock file [lock-file-drift]";
    assert_eq!(lines(&place, &[]), [missing]);
}
