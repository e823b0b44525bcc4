//! Reading the index and commits: the content is that of git, independent of the working tree.

use std::process::Command;

use overrule::engine::Product;
use overrule::vfs::{Error, Reached, Snapshot};

use crate::place::{Output, Place, names, of_index, of_revision};

/// Every file that was read, with its text.
fn read(snapshot: &Snapshot) -> Vec<String> {
    snapshot.sources().iter().map(|(_, source)| format!("{}: {}", source.name(), source.text())).collect()
}

fn index(place: &Place) -> Snapshot {
    of_index(&place.path()).expect("an index")
}

fn refusal(place: &Place) -> Error {
    of_index(&place.path()).expect_err("nothing to check")
}

#[test]
fn the_index_counts_and_not_the_working_tree() {
    let place = Place::committed(&[("a/main.tf", "# first"), ("b/main.tf", "# b"), ("c/main.tf", "# c")]);
    place.stage("a/main.tf", "# staged");
    place.write("a/main.tf", "# not staged");
    place.write("a/untracked.tf", "");
    place.git(&["rm", "--quiet", "--cached", "b/main.tf"]);
    std::fs::remove_file(place.path().join("c/main.tf")).expect("a file");
    assert_eq!(read(&index(&place)), ["a/main.tf: # staged", "c/main.tf: # c"]);
    let head = of_revision(&place.path(), "HEAD").expect("a commit");
    assert_eq!(read(&head), ["a/main.tf: # first", "b/main.tf: # b", "c/main.tf: # c"]);
}

#[test]
fn before_the_first_commit_there_may_be_no_index() {
    let place = Place::repository(&[("main.tf", "")]);
    assert!(names(&index(&place)).is_empty());
    place.git(&["add", "."]);
    assert_eq!(names(&index(&place)), ["main.tf"]);
}

#[test]
fn directories_around_say_what_engine_is_meant() {
    let lock = "# This file is maintained automatically by \"tofu init\".\n";
    let place = Place::committed(&[
        ("live/.terraform-version", "1.9.8"),
        ("live/a/main.tf", ""),
        ("live/b/main.tf", ""),
        ("live/b/.terraform.lock.hcl", lock),
        ("live/b/terraform.tfvars", ""),
    ]);
    let revision = of_revision(&place.path(), "main").expect("a commit");
    for snapshot in [index(&place), revision] {
        assert_eq!(snapshot.evidence("live/a").engines[0].to_string(), "Terraform 1.9.8");
        assert_eq!(snapshot.evidence("live/b").engines[0].product, Product::OpenTofu);
        let directory = snapshot.directory("live/b").expect("a module");
        assert!(directory.has_lock_file && directory.has_values);
    }
}

#[test]
fn what_is_only_intended_is_not_there() {
    let place = Place::committed(&[("main.tf", "")]);
    place.write("later.tf", "");
    place.write("new/main.tf", "");
    place.git(&["add", "--intent-to-add", "later.tf", "new/main.tf"]);
    let mut snapshot = index(&place);
    assert_eq!(names(&snapshot), ["main.tf"]);
    assert_eq!(snapshot.reach("new"), Reached::Missing);
}

#[test]
fn a_conflict_is_refused() {
    let place = Place::committed(&[("main.tf", "# 1")]);
    place.git(&["checkout", "--quiet", "-b", "other"]);
    place.write("main.tf", "# 2");
    place.commit("second");
    place.git(&["checkout", "--quiet", "main"]);
    place.write("main.tf", "# 3");
    place.commit("third");
    assert_eq!(place.ask_git(&["merge", "other"]).code, Some(1));
    let error = refusal(&place);
    assert_eq!(error.to_string(), "`main.tf` has merge conflicts");
    assert_eq!(error.order(), Some("resolve the conflict, and `git add` the file"));
}

#[test]
fn submodules_are_not_read() {
    let other = Place::committed(&[("main.tf", "")]);
    let place = Place::committed(&[("main.tf", "")]);
    place.git(&["submodule", "--quiet", "add", &other.path().to_string_lossy(), "modules/sub"]);
    let mut snapshot = index(&place);
    assert_eq!(names(&snapshot), ["main.tf"]);
    assert_eq!(snapshot.reach("modules/sub"), Reached::Foreign);
    assert_eq!(snapshot.reach("modules/sub/inner"), Reached::Foreign);
    let inside = of_index(&place.path().join("modules/sub")).expect("the index of the submodule");
    assert_eq!(names(&inside), ["main.tf"]);
}

#[test]
fn what_git_tracks_is_read_whatever_its_directory_is_called() {
    let place = Place::committed(&[
        (".terragrunt-cache/main.tf", ""),
        ("a/.terraform/modules/net/main.tf", ""),
        ("a/main.tf", ""),
        ("node_modules/x/main.tf", ""),
    ]);
    place.write("node_modules/y/main.tf", "");
    let all = [
        ".terragrunt-cache/main.tf",
        "a/main.tf",
        "a/.terraform/modules/net/main.tf",
        "node_modules/x/main.tf",
    ];
    let mut snapshot = index(&place);
    assert_eq!(names(&snapshot), all);
    assert!(matches!(snapshot.reach("a/.terraform/modules/net"), Reached::Directory(_)));
    assert_eq!(snapshot.reach("node_modules/y"), Reached::Missing);
    assert_eq!(names(&of_revision(&place.path(), "HEAD").expect("a commit")), all);
    let on_disk = Snapshot::open(&place.path(), &["."]).expect("a repository");
    assert_eq!(names(&on_disk), [&all[..], &["node_modules/y/main.tf"]].concat(), "beside what is tracked");
}

/// Two directory names that would be equal after a lossy conversion to text.
#[cfg(unix)]
#[test]
fn directories_whose_names_are_not_utf8_are_distinguished() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::committed(&[("main.tf", "locals {}\n")]);
    let write = |name: &[u8], text: &str| {
        let directory = place.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(&directory).expect("a directory");
        std::fs::write(directory.join("main.tf"), text).expect("a file");
    };
    let names: [&[u8]; 4] = [b"d\xfe", b"d\xff", "d\u{fffd}".as_bytes(), "d\u{10fffe}".as_bytes()];
    for broken in names {
        for name in names {
            let text = if name == broken { "variable \"a\" {\n  x = 1\n}\n" } else { "locals {}\n" };
            write(name, text);
        }
        for check in [&["check"][..], &["check", "--changed"], &["check", "--base", "HEAD"]] {
            place.git(&["add", "--all"]);
            let output = place.overrule(&[check, &["--format", "json"]].concat());
            assert_eq!(output.code, Some(1), "{broken:?} {check:?}: {}{}", output.out, output.err);
            let report: serde_json::Value = serde_json::from_str(&output.out).expect("JSON");
            assert_eq!(report["error_count"], 1, "{broken:?} {check:?}: {}", output.out);
            let module = &report["diagnostics"][0]["module"];
            assert!(!module.is_null(), "{report}");
        }
        let human = place.overrule(&["check"]).out;
        let shown = match broken {
            b"d\xfe" => "d\\xfe/main.tf",
            b"d\xff" => "d\\xff/main.tf",
            b"d\xef\xbf\xbd" => "d\u{fffd}/main.tf",
            _ => "d\\xf4\\x8f\\xbf\\xbe/main.tf",
        };
        assert!(human.contains(shown), "{human}");
        place.git(&["reset", "--quiet", "--hard"]);
    }
}

#[test]
fn a_call_reaches_directories_of_the_snapshot_alone() {
    let place = Place::committed(&[("main.tf", ""), ("empty/readme.md", ""), ("gone/readme.md", "")]);
    place.git(&["rm", "--quiet", "--cached", "gone/readme.md"]);
    place.write("new/main.tf", "");
    let mut snapshot = index(&place);
    assert_eq!(snapshot.reach("empty"), Reached::Directory(1));
    for path in ["main.tf", "gone", "new", "none/at/all"] {
        assert_eq!(snapshot.reach(path), Reached::Missing, "{path}");
    }
    let mut head = of_revision(&place.path(), "HEAD").expect("a commit");
    assert_eq!(head.reach("gone"), Reached::Directory(1));
    assert_eq!(head.reach("none/at/all"), Reached::Missing);
}

#[test]
fn a_sparse_checkout_is_whole_in_the_index() {
    let files = [("a/main.tf", "# a"), ("b/main.tf", "# b"), ("b/c/main.tf", "# c"), ("main.tf", "# top")];
    let place = Place::committed(&files);
    let whole = ["a/main.tf: # a", "b/c/main.tf: # c", "b/main.tf: # b", "main.tf: # top"];
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        place.git(&["sparse-checkout", "set", "--cone", sparse_index, "a"]);
        assert!(!place.path().join("b").exists());
        assert_eq!(sorted(read(&index(&place))), whole, "{sparse_index}");
    }
    place.stage("a/main.tf", "# staged");
    assert_eq!(sorted(read(&index(&place)))[0], "a/main.tf: # staged");
}

#[test]
fn a_linked_working_tree_has_an_index_of_its_own() {
    let place = Place::committed(&[("sub/main.tf", "# first")]);
    let linked = place.beside("linked");
    place.git(&["worktree", "add", "--quiet", &linked.to_string_lossy()]);
    std::fs::write(linked.join("sub/main.tf"), "# linked").expect("a file");
    assert_eq!(Output::by(&mut place.git_in(&linked, &["add", "."])).code, Some(0));
    let snapshot = of_index(&linked.join("sub")).expect("an index");
    assert_eq!(read(&snapshot), ["sub/main.tf: # linked"]);
    assert_eq!(snapshot.top(), linked.canonicalize().ok().as_deref());
    assert_eq!(read(&index(&place)), ["sub/main.tf: # first"]);
}

#[test]
fn versions_and_kinds_of_index_are_read_alike() {
    let place = Place::committed(&[("a/main.tf", "# a"), ("b/main.tf", "# b")]);
    for arguments in [
        &["update-index", "--index-version", "4"][..],
        &["update-index", "--split-index"],
        &["update-index", "--untracked-cache"],
        &["-c", "index.skipHash=true", "update-index", "--refresh", "--force-write-index"],
    ] {
        place.git(arguments);
        assert_eq!(read(&index(&place)), ["a/main.tf: # a", "b/main.tf: # b"], "{arguments:?}");
    }
}

#[test]
fn a_repository_of_the_newer_hash_is_read() {
    let place = Place::with(&[("main.tf", "# a")]);
    place.git(&["init", "--quiet", "--object-format=sha256"]);
    place.commit("first");
    assert_eq!(read(&index(&place)), ["main.tf: # a"]);
}

#[test]
fn what_git_refuses_is_refused() {
    let place = Place::with(&[("main.tf", "")]);
    assert_eq!(refusal(&place).to_string(), "this directory is not in a git repository");
    place.git(&["init", "--quiet"]);
    place.git(&["config", "core.repositoryFormatVersion", "1"]);
    place.git(&["config", "extensions.fromTheFuture", "true"]);
    assert_eq!(
        refusal(&place).to_string(),
        "the repository uses `extensions.fromthefuture`, which overrule does not support"
    );
    let place = Place::with(&[("main.tf", "")]);
    place.git(&["init", "--quiet", "--ref-format=reftable"]);
    assert_eq!(refusal(&place).order(), Some("git refs migrate --ref-format=files"));
    let place = Place::committed(&[("main.tf", "")]);
    std::fs::write(place.path().join(".git/index"), "DIRC").expect("a file");
    let told = refusal(&place).to_string();
    assert!(told.starts_with("the index `") && !told.contains('\n'), "{told}");
    let error = of_revision(&place.path(), "no-such").expect_err("no commit");
    assert_eq!(error.to_string(), "no revision `no-such` exists here");
}

#[cfg(unix)]
mod on_unix {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn links_are_followed_within_what_git_has() {
        let place = Place::repository(&[
            ("shared/versions.tf", "# shared"),
            ("modules/net/main.tf", "# net"),
            ("live/main.tf", ""),
        ]);
        place.link("live/versions.tf", "../shared/versions.tf");
        place.link("live/net", "../modules/net");
        place.link("modules/current", "./net/");
        place.link("live/twice.tf", "versions.tf");
        place.commit("first");
        place.write("shared/versions.tf", "# not staged");
        let mut snapshot = index(&place);
        let texts = read(&snapshot);
        let shared: Vec<_> = texts.iter().filter(|text| text.ends_with(": # shared")).collect();
        assert_eq!(shared, ["shared/versions.tf: # shared"]);
        let links = snapshot.sources().iter().flat_map(|(id, _)| snapshot.sources().links(id));
        assert_eq!(links.collect::<Vec<_>>(), ["live/twice.tf", "live/versions.tf"]);
        for path in ["live/net", "modules/current"] {
            let Reached::Directory(number) = snapshot.reach(path) else { panic!("{path} is a directory") };
            let directory = snapshot.directory_at(number);
            assert_eq!((directory.path.as_str(), directory.real.as_str()), (path, "modules/net"));
        }
    }

    #[test]
    fn links_that_leave_or_lead_nowhere_are_not_followed() {
        let secret = Place::with(&[("x.tf", "secret"), ("directory/y.tf", "secret")]);
        let place = Place::repository(&[("main.tf", ""), ("a/b/main.tf", "")]);
        place.link("x.tf", &secret.path().join("x.tf").to_string_lossy());
        place.link("y.tf", "../x.tf");
        place.link("z.tf", "nothing");
        place.link("loop.tf", "loop.tf");
        place.link("directory.tf", "a");
        place.link("out", "../../..");
        place.link("a/b/up", "../..");
        place.link("self", &place.path().join("a").to_string_lossy());
        place.commit("first");
        let mut snapshot = index(&place);
        let rules: Vec<_> = snapshot
            .findings()
            .iter()
            .map(|finding| {
                let name = finding.detail.split('"').nth(1).unwrap_or_default();
                format!("{name}: {}", finding.rule.as_str())
            })
            .collect();
        assert_eq!(
            rules,
            [
                "directory.tf: unreadable-file",
                "loop.tf: unreadable-file",
                "x.tf: link-leaves-repository",
                "y.tf: link-leaves-repository",
                "z.tf: unreadable-file",
            ]
        );
        assert_eq!(snapshot.reach("out"), Reached::Outside);
        assert_eq!(snapshot.reach("self"), Reached::Outside, "an absolute path is true of one machine only");
        assert_eq!(snapshot.reach("a/b/up"), snapshot.reach(""), "what leads back up is where it leads to");
    }

    #[test]
    fn names_that_are_no_text_are_read() {
        let place = Place::repository(&[]);
        let name = |bytes: &[u8]| place.path().join(OsStr::from_bytes(bytes));
        fs::create_dir(name(b"a\xff")).expect("a directory");
        fs::write(name(b"a\xff/m\xfe.tf"), "# odd").expect("a file");
        fs::write(name(b"line\nbreak.tf"), "# broken").expect("a file");
        place.commit("first");
        let revision = of_revision(&place.path(), "HEAD").expect("a commit");
        for mut snapshot in [index(&place), revision] {
            let mut texts = read(&snapshot);
            texts.sort();
            assert_eq!(texts, ["a\u{10ffff}/m\u{10fffe}.tf: # odd", "line\nbreak.tf: # broken"]);
            assert!(matches!(snapshot.reach("a\u{10ffff}"), Reached::Directory(_)));
        }
    }

    #[test]
    fn a_repository_of_another_user_is_not_worked_with() {
        let place = Place::committed(&[("main.tf", "")]);
        // Only root can change the owner of files.
        let given =
            Command::new("chown").args(["-R", "12345"]).arg(place.path()).output().expect("chown runs");
        if given.status.success() {
            let top = place.path().canonicalize().expect("the top");
            let error = refusal(&place);
            let told = format!("`{}` belongs to another user, so git refuses to read it", top.display());
            assert_eq!(error.to_string(), told);
            let order = format!("git config --global --add safe.directory '{}'", top.display());
            assert_eq!(error.order(), Some(order.as_str()));
            assert_eq!(place.ask_git(&["status"]).code, Some(128), "git says the same");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_directory_has_names_of_more_than_modules() {
    let place = Place::committed(&[
        ("a/main.tf", ""),
        ("a/README.md", ""),
        ("a/tests/x/y.txt", ""),
        ("a/tests.md", ""),
        ("b/z.txt", ""),
    ]);
    std::os::unix::fs::symlink("../b", place.path().join("a/link")).expect("a link");
    std::os::unix::fs::symlink("/etc", place.path().join("a/out")).expect("a link");
    place.git(&["add", "."]);
    place.commit("second");
    place.write("a/untracked.md", "");
    let revision = of_revision(&place.path(), "HEAD").expect("a commit");
    for snapshot in [index(&place), revision] {
        let names = snapshot.names("a");
        assert_eq!(names.files.into_iter().collect::<Vec<_>>(), ["README.md", "main.tf", "tests.md"]);
        assert_eq!(names.directories.into_iter().collect::<Vec<_>>(), ["link", "tests"]);
        assert_eq!(snapshot.names("a/link").files.len(), 1);
        assert_eq!(snapshot.names("").directories.len(), 2);
        assert!(snapshot.names("c").files.is_empty());
    }
}

#[test]
fn a_run_without_modules_names_the_directories_that_it_skipped() {
    let other = Place::committed(&[("main.tf", "")]);
    let place = Place::repository(&[
        (".gitignore", "build\n"),
        ("build/main.tf", ""),
        ("live/build/main.tf", ""),
        ("README.md", ""),
    ]);
    place.git(&["submodule", "--quiet", "add", &other.path().to_string_lossy(), "sub"]);
    place.write("vendor/lib/main.tf", "");
    place.git(&["init", "--quiet", "vendor/lib"]);
    let output = place.overrule(&["check"]);
    let start = "note: no Terraform or OpenTofu module was found; skipped ";
    assert_eq!(
        (output.code, output.err.as_str()),
        (
            Some(0),
            &*format!(
                "{start}`build` (ignored by git), `live/build` (ignored by git), `sub` (submodule) and 1 more\n"
            )
        )
    );
    let output = place.overrule(&["check", "vendor"]);
    assert_eq!(output.err, format!("{start}`vendor/lib` (another repository)\n"));
    let named = place.overrule(&["check", "build"]);
    assert_eq!((named.code, named.err.as_str()), (Some(0), ""), "a directory that is named is checked");
}
