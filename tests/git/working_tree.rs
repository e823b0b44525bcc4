//! Working trees on disk, some of them with real git: the directories and files that are read, and the findings about
//! others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::{Place, names};
use overrule::engine::Product;
use overrule::finding::Severity;
use overrule::limits::{Limit, Limits};
use overrule::vfs::{Error, Reached, Snapshot};

fn open(place: &Place) -> Snapshot {
    open_at(place, &[])
}

fn open_at(place: &Place, paths: &[&str]) -> Snapshot {
    Snapshot::open(&place.path(), paths).expect("the paths exist")
}

/// Rule and detail of every finding.
fn said(snapshot: &Snapshot) -> Vec<String> {
    let line = |finding: &overrule::finding::Finding| {
        format!("{}: {}: {}", finding.rule.as_str(), finding.summary, finding.detail)
    };
    snapshot.findings().iter().map(line).collect()
}

#[test]
fn override_files_that_git_does_not_have_are_known() {
    let place = Place::repository(&[
        (".gitignore", "ignored_override.tf\n"),
        ("a/main.tf", ""),
        ("a/override.tf", ""),
        ("a/forced/ignored_override.tf", ""),
        ("new/main.tf", ""),
    ]);
    place.git(&["add", "--force", "a"]);
    for path in
        ["a/x_override.tf", "a/ignored_override.tf", "a/b.tf", "new/x_override.tf", "new/ignored_override.tf"]
    {
        place.write(path, "");
    }
    let files = |snapshot: &Snapshot| {
        let directories = snapshot.directories().iter();
        let paths = directories.flat_map(|directory| {
            directory.files.iter().map(|file| format!("{}/{}", directory.path, file.name)).collect::<Vec<_>>()
        });
        paths.filter(|path| snapshot.is_uncommitted(path)).collect::<Vec<_>>()
    };
    let snapshot = Snapshot::open(&place.path(), &[] as &[&Path]).expect("a repository");
    assert_eq!(files(&snapshot), ["a/ignored_override.tf", "a/x_override.tf", "new/ignored_override.tf"]);
    let mut index = Snapshot::listed_in_index(&place.path()).expect("a repository");
    index.read(&Limits::default());
    assert!(files(&index).is_empty(), "what an index holds is committed");
    let text = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let given = Snapshot::of_files(vec![
        text(".gitignore", "*_override.tf\n# all of them\n/a/b/*\n"),
        text("a/.gitignore", "!/x_override.tf\n"),
        text("a/main.tf", ""),
        text("a/x_override.tf", ""),
        text("a/y_override.tf", ""),
        text("a/b/override.tf", ""),
        text("a/c/x_override.tf", ""),
        text("a/c/override.tf", ""),
    ]);
    assert_eq!(files(&given), ["a/y_override.tf", "a/b/override.tf", "a/c/x_override.tf"]);
}

#[test]
fn only_what_an_engine_would_read_is_read() {
    let place = Place::with(&[
        ("main.tf", ""),
        ("x_override.tf.json", ""),
        ("main.tofu", ""),
        (".hidden.tf", ""),
        ("main.tf~", ""),
        ("#main.tf#", ""),
        ("terraform.tfvars", ""),
        ("directory.tf/inside.tf", ""),
        ("readme.md", ""),
    ]);
    let snapshot = open(&place);
    let expected =
        ["main.tf", "main.tofu", "x_override.tf.json", "terraform.tfvars", "directory.tf/inside.tf"];
    assert_eq!(names(&snapshot), expected);
    assert!(snapshot.directory("").is_some_and(|top| top.has_values && !top.has_lock_file));
}

#[test]
fn what_tools_put_there_is_left_alone_until_a_call_names_it() {
    let place = Place::with(&[
        ("a/main.tf", ""),
        ("a/.terraform/modules/net/main.tf", ""),
        (".terragrunt-cache/x/main.tf", ""),
        ("node_modules/x/main.tf", ""),
    ]);
    assert_eq!(names(&open(&place)), ["a/main.tf"]);
    let mut snapshot = open(&place);
    assert!(matches!(snapshot.reach("a/.terraform/modules/net"), Reached::Directory(_)));
    assert!(matches!(snapshot.reach("node_modules/x"), Reached::Directory(_)));
    assert_eq!(snapshot.reach("a/.terraform/modules/later"), Reached::Foreign, "a tool may still bring it");
}

#[cfg(unix)]
#[test]
fn rules_about_ignored_files_are_read_from_regular_files_alone() {
    for target in ["pipe", "/dev/zero", "rules"] {
        let place = Place::repository(&[("a/main.tf", ""), ("b/c/main.tf", ""), ("b/rules", "*\n")]);
        let made = Command::new("mkfifo").arg(place.path().join("b/pipe")).status().expect("mkfifo");
        assert!(made.success());
        std::os::unix::fs::symlink(target, place.path().join("b/.gitignore")).expect("a link");
        assert_eq!(names(&open(&place)), ["a/main.tf", "b/c/main.tf"], "{target}");
        std::fs::remove_file(place.path().join("b/.gitignore")).expect("the link");
        std::fs::rename(place.path().join("b/pipe"), place.path().join("b/.gitignore")).expect("the pipe");
        assert_eq!(names(&open(&place)), ["a/main.tf", "b/c/main.tf"], "a pipe");
    }
}

#[test]
fn a_path_in_a_repository_means_the_whole_repository() {
    let place = Place::repository(&[("a/main.tf", ""), ("b/main.tf", "")]);
    let snapshot = open_at(&place, &["a"]);
    assert_eq!(names(&snapshot), ["a/main.tf", "b/main.tf"]);
    assert_eq!(snapshot.scope(), ["a"]);
    let from_below = Snapshot::open(&place.path().join("a"), &["main.tf"]).expect("the path exists");
    assert_eq!(from_below.scope(), ["a/main.tf"]);
    assert_eq!(names(&from_below), ["a/main.tf", "b/main.tf"]);
}

#[test]
fn outside_a_repository_only_the_paths_are_read() {
    let place = Place::with(&[("a/main.tf", ""), ("b/main.tf", ""), ("b/c/main.tf", ""), ("d/main.tf", "")]);
    assert_eq!(names(&open_at(&place, &["b"])), ["main.tf", "c/main.tf"]);
    assert_eq!(names(&open_at(&place, &["b/main.tf"])), ["main.tf"]);
    let mut two = open_at(&place, &["a", "b"]);
    assert_eq!(names(&two), ["a/main.tf", "b/main.tf", "b/c/main.tf"]);
    assert_eq!(two.reach("d"), Reached::Outside);
}

#[test]
fn directories_that_git_ignores_are_left_out_until_they_are_named() {
    let place = Place::repository(&[
        (".gitignore", "build/\n*_override.tf\n/generated/*.tf\n"),
        ("main.tf", ""),
        ("dev_override.tf", ""),
        ("build/main.tf", ""),
        ("generated/main.tf", ""),
    ]);
    assert_eq!(
        names(&open(&place)),
        ["dev_override.tf", "main.tf"],
        "an ignored file of a module is part of it"
    );
    assert_eq!(names(&open_at(&place, &["build"])), ["dev_override.tf", "main.tf", "build/main.tf"]);
    let mut snapshot = open(&place);
    assert_eq!(snapshot.reach("build"), Reached::Directory(1));
    assert_eq!(names(&snapshot), ["dev_override.tf", "main.tf", "build/main.tf"]);
}

#[test]
fn what_git_tracks_counts_though_it_is_ignored() {
    let place = Place::repository(&[(".gitignore", "build/\n"), ("build/sub/main.tf", "")]);
    assert!(names(&open(&place)).is_empty());
    place.git(&["add", "--force", "build/sub/main.tf"]);
    assert_eq!(names(&open(&place)), ["build/sub/main.tf"]);
}

#[test]
fn nested_repositories_and_submodules_are_not_part_of_it() {
    let other = Place::repository(&[("main.tf", "")]);
    other.git(&["add", "."]);
    other.git(&["commit", "--quiet", "-m", "a"]);
    let place = Place::repository(&[("main.tf", ""), ("nested/main.tf", "")]);
    Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(place.path().join("nested"))
        .status()
        .expect("git");
    let url = other.path().to_string_lossy().into_owned();
    place.git(&["submodule", "--quiet", "add", &url, "sub"]);
    let mut snapshot = open(&place);
    assert_eq!(names(&snapshot), ["main.tf"]);
    assert_eq!(snapshot.reach("nested"), Reached::Foreign);
    assert_eq!(snapshot.reach("sub"), Reached::Foreign);

    // As after a clone without submodules: their content is unknown.
    fs::remove_dir_all(place.path().join("sub")).expect("the submodule goes");
    fs::create_dir(place.path().join("sub")).expect("an empty directory");
    let mut snapshot = open(&place);
    assert_eq!(snapshot.reach("sub/inner"), Reached::Foreign);
    assert_eq!(snapshot.reach("inner"), Reached::Missing);
}

#[test]
fn a_call_reaches_directories_but_nothing_above_the_top() {
    let place = Place::with(&[("main.tf", ""), ("empty/readme.md", "")]);
    let mut snapshot = open(&place);
    assert_eq!(snapshot.reach("empty"), Reached::Directory(1));
    assert_eq!(snapshot.reach("empty"), Reached::Directory(1), "the second time it is known");
    assert_eq!(snapshot.reach("main.tf"), Reached::Missing);
    assert_eq!(snapshot.reach("none"), Reached::Missing);
}

#[test]
fn a_path_that_does_not_exist_is_an_error_with_the_nearest_name() {
    let place = Place::with(&[("modules/main.tf", "")]);
    let error = Snapshot::open(&place.path(), &["module"]).expect_err("there is none");
    assert_eq!(error.to_string(), "no such file or directory: `module`; did you mean `modules`?");
}

#[test]
fn paths_of_two_repositories_are_an_error() {
    let (one, two) = (Place::repository(&[("main.tf", "")]), Place::with(&[("main.tf", "")]));
    let paths: [PathBuf; 2] = [one.path(), two.path()];
    let error = Snapshot::open(&one.path(), &paths).expect_err("they have no common top");
    assert!(matches!(error, Error::Apart { .. }), "{error}");
}

#[test]
fn evidence_of_the_nearest_directory_counts() {
    let tofu = "# This file is maintained automatically by \"tofu init\".\n";
    let place = Place::with(&[
        (".terraform-version", "1.9.8"),
        ("a/main.tf", ""),
        ("b/main.tf", ""),
        ("b/.terraform.lock.hcl", tofu),
    ]);
    let snapshot = open(&place);
    let engines = |path| snapshot.evidence(path).engines.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(engines("a"), ["Terraform 1.9.8"]);
    assert_eq!(snapshot.evidence("b").engines[0].product, Product::OpenTofu);
    assert!(snapshot.directory("b").is_some_and(|directory| directory.has_lock_file));
}

#[cfg(unix)]
mod links {
    use std::os::unix::net::UnixListener;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_link_to_a_file_is_that_file() {
        let place = Place::with(&[("shared/versions.tf", "x"), ("a/main.tf", "")]);
        place.link("a/versions.tf", "../shared/versions.tf");
        let snapshot = open(&place);
        assert_eq!(names(&snapshot), ["a/main.tf", "shared/versions.tf"]);
        let links = snapshot.sources().iter().flat_map(|(id, _)| snapshot.sources().links(id));
        assert_eq!(links.collect::<Vec<_>>(), ["a/versions.tf"]);
        assert!(said(&snapshot).is_empty());
    }

    #[test]
    fn a_link_to_a_directory_or_to_nothing_is_a_file_that_cannot_be_read() {
        let place = Place::with(&[("main.tf", ""), ("directory/x.txt", "")]);
        place.link("b.tf", "directory");
        place.link("c.tf", "nothing");
        place.link("d.tf", "d.tf");
        let snapshot = open(&place);
        let said = said(&snapshot);
        assert!(
            said.iter().all(|line| line.starts_with("unreadable-file: Failed to read file: ")),
            "{said:#?}"
        );
        assert!(said[0].ends_with("The file \"b.tf\" could not be read: it is not a regular file."));
        assert!(said[1].ends_with("The file \"c.tf\" could not be read: there is no such file."));
        assert_eq!(said.len(), 3);
        let unread = |file: &&overrule::vfs::File| file.id.is_none();
        assert_eq!(snapshot.directory("").expect("the top").files.iter().filter(unread).count(), 3);
    }

    #[test]
    fn a_file_whose_content_is_elsewhere_is_unknown() {
        let place = Place::with(&[
            ("encrypted.tf", "\0GITCRYPT\0\u{1}"),
            ("main.tf", ""),
            ("pointer.tf", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
        ]);
        let snapshot = open(&place);
        let found: Vec<_> =
            snapshot.findings().iter().map(|finding| (finding.rule.as_str(), finding.severity)).collect();
        assert_eq!(found, [("unreadable-file", Severity::Notice); 2]);
        let unread = |file: &&overrule::vfs::File| file.id.is_none();
        assert_eq!(snapshot.directory("").expect("the top").files.iter().filter(unread).count(), 2);
    }

    #[test]
    fn a_link_that_leaves_the_repository_is_reported_and_not_followed() {
        let secret = Place::with(&[("x.tf", "secret"), ("directory/y.tf", "secret")]);
        let place = Place::with(&[("main.tf", "")]);
        place.link("x.tf", &secret.path().join("x.tf").to_string_lossy());
        place.link("modules", &secret.path().join("directory").to_string_lossy());
        let mut snapshot = open(&place);
        assert_eq!(snapshot.reach("modules"), Reached::Outside);
        assert_eq!(names(&snapshot), ["main.tf"]);
        let rules: Vec<_> = snapshot.findings().iter().map(|finding| finding.rule.as_str()).collect();
        assert_eq!(rules, ["link-leaves-repository", "link-leaves-repository"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_called_so() {
        let place = Place::with(&[("main.tf", "")]);
        place.link("gone.tf", "nothing");
        let error = Snapshot::listed(&place.path(), &["gone.tf"]).expect_err("there is nothing");
        assert_eq!(error.to_string(), "cannot read `gone.tf`: it is a broken symbolic link");
    }

    #[test]
    fn a_link_that_leaves_the_repository_is_not_followed_though_it_is_named() {
        let secret = Place::with(&[("x.tf", "secret"), ("directory/y.tf", "secret")]);
        let place = Place::repository(&[("live/main.tf", "")]);
        place.link("live/x.tf", &secret.path().join("x.tf").to_string_lossy());
        place.link("live/out", &secret.path().join("directory").to_string_lossy());
        for path in ["live/x.tf", "live/out", "live/out/y.tf", "live/../live/out"] {
            let error = Snapshot::listed(&place.path(), &[path]).expect_err("no way out");
            let error = error.to_string();
            assert!(error.ends_with("points outside the repository; use the path of its target"), "{error}");
        }
    }

    #[test]
    fn a_linked_directory_is_another_path_to_one_place() {
        let place = Place::with(&[("modules/net/main.tf", ""), ("live/main.tf", "")]);
        place.link("live/net", "../modules/net");
        let mut snapshot = open(&place);
        assert_eq!(names(&snapshot), ["live/main.tf", "modules/net/main.tf"]);
        let Reached::Directory(number) = snapshot.reach("live/net") else { panic!("a directory") };
        let directory = snapshot.directory_at(number);
        assert_eq!((directory.path.as_str(), directory.real.as_str()), ("live/net", "modules/net"));
    }

    #[test]
    fn a_link_that_leads_back_up_is_the_directory_it_leads_to() {
        let place = Place::with(&[("live/main.tf", ""), ("live/net/main.tf", "")]);
        place.link("live/loop", ".");
        place.link("live/net/up", "..");
        let mut snapshot = open(&place);
        assert_eq!(snapshot.reach("live/loop"), snapshot.reach("live"));
        assert_eq!(snapshot.reach("live/net/up"), snapshot.reach("live"));
        assert_eq!(snapshot.directories().len(), 2);
    }

    #[test]
    fn a_pipe_does_not_block() {
        let place = Place::with(&[("main.tf", "")]);
        let made = Command::new("mkfifo").arg(place.path().join("pipe.tf")).status().expect("mkfifo runs");
        assert!(made.success());
        place.link("linked.tf", "pipe.tf");
        assert_eq!(said(&open(&place)).len(), 2);
    }

    #[test]
    fn a_socket_is_no_file() {
        let place = Place::with(&[("main.tf", "")]);
        let _socket = UnixListener::bind(place.path().join("socket.tf")).expect("a socket");
        assert_eq!(said(&open(&place)).len(), 1);
    }

    #[test]
    fn files_that_vanish_or_change_meanwhile_are_findings_at_most() {
        let place = Place::with(&[("main.tf", ""), ("net/main.tf", "")]);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (file, directory) = (place.path().join("x.tf"), place.path().join("net"));
                let mut round = 0;
                while !is_over.load(Ordering::Relaxed) {
                    round += 1;
                    // The concurrent write may fail as well.
                    drop(fs::write(&file, "locals {}\n".repeat(round % 100)));
                    drop(fs::rename(&directory, place.path().join("gone")));
                    drop(fs::remove_file(&file));
                    drop(fs::create_dir(&file));
                    drop(fs::rename(place.path().join("gone"), &directory));
                    drop(fs::remove_dir(&file));
                }
            });
            for _ in 0..200 {
                let mut snapshot = open(&place);
                snapshot.reach("net");
                let is_known = |line: &String| line.starts_with("unreadable-file: ");
                assert!(said(&snapshot).iter().all(is_known), "{:?}", said(&snapshot));
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_read() {
        let place = Place::with(&[("main.tf", "")]);
        let huge = fs::File::create(place.path().join("huge.tf")).expect("a file");
        huge.set_len(1 << 40).expect("a sparse file");
        let snapshot = open(&place);
        assert_eq!(names(&snapshot), ["main.tf"]);
        assert_eq!(snapshot.findings()[0].rule.as_str(), "limit-reached");
    }

    #[test]
    fn a_limit_holds_for_every_file_that_is_read() {
        let large = "# large\n".repeat(1_000);
        let files = [("main.tf", "module \"a\" {\n  source = \"./sub\"\n}\n"), ("sub/large.tf", &large)];
        let place = Place::with(&[&files[..], &[(".terraform.lock.hcl", large.as_str())]].concat());
        let mut snapshot = Snapshot::listed(&place.path(), &[] as &[&str]).expect("a directory");
        assert!(names(&snapshot).is_empty(), "nothing is read yet");
        snapshot.read(&Limits::default().with(Limit::FileSize, 1 << 10));
        assert_eq!(names(&snapshot), ["main.tf"]);
        let told: Vec<&str> = snapshot.findings().iter().map(|finding| finding.detail.as_str()).collect();
        assert_eq!(
            told,
            [".terraform.lock.hcl", "sub/large.tf"].map(|name| format!(
                "The file \"{name}\" is too large, so overrule checks this module without it. The limit \
                 `file_size` is 1 KiB."
            ))
        );
    }

    #[test]
    fn a_repository_under_a_linked_path_is_found() {
        let place = Place::repository(&[("a/main.tf", ""), ("b/main.tf", "")]);
        let elsewhere = Place::with(&[]);
        elsewhere.link("checkout", &place.path().to_string_lossy());
        let snapshot = open_at(&elsewhere, &["checkout/a"]);
        assert_eq!(names(&snapshot), ["a/main.tf", "b/main.tf"]);
        assert_eq!(snapshot.scope(), ["a"]);
    }
}

#[test]
fn a_module_file_that_a_tool_makes_of_a_template_is_missing_until_it_is_there() {
    let lacks = |files: &[&str]| {
        let files: Vec<(&str, &str)> = files.iter().map(|name| (*name, "")).collect();
        let on_disk = open(&Place::with(&files));
        let in_memory = Snapshot::of_files(
            files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect(),
        );
        let lacks = |snapshot: &Snapshot| snapshot.directory("").is_some_and(|top| top.lacks_rendered_files);
        assert_eq!(lacks(&on_disk), lacks(&in_memory));
        lacks(&on_disk)
    };
    assert!(lacks(&["main.tf", "terraform.tf.j2"]));
    assert!(lacks(&["outputs.tf", "main.tf.tftpl"]));
    assert!(lacks(&["main.tf", "aft-providers.jinja"]));
    assert!(!lacks(&["main.tf", "terraform.tf", "terraform.tf.j2"]));
    assert!(!lacks(&["main.tf", "user-data.sh.tpl", "policy.json.tmpl"]));
}
