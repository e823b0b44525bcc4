//! `overrule check --installed`: which installed modules are used, and what is reported about them. Terraform's
//! findings in the same modules are in `tests/agreement/companions/installed.txt`.

use std::fs;
use std::path::Path;
use std::process::Command;

use indoc::indoc;
use tempfile::TempDir;

const CALL: &str = r#"module "v" {
  source  = "a/b/c"
  version = "~> 1.0"
}
"#;

const MUST: &str = "variable \"must\" {\n  type = number\n}\n";

const MANIFEST: &str = "modules/modules.json";

fn manifest(key: &str, version: &str, directory: &str) -> String {
    format!(
        r#"{{"Modules": [
  {{"Key": "", "Source": "", "Dir": "."}},
  {{"Key": "net", "Source": "./net", "Dir": "net"}},
  {{"Key": "{key}", "Source": "registry.terraform.io/a/b/c", "Version": "{version}", "Dir": "{directory}"}}
]}}"#
    )
}

/// A git repository with these files.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().expect("a directory");
    fs::create_dir(place.path().join("repository")).expect("a directory");
    let init = Command::new("git").args(["init", "-q", "repository"]).current_dir(place.path()).status();
    assert!(init.expect("git runs").success());
    write(&place.path().join("repository"), &[(".gitignore", ".terraform/\n")]);
    write(&place.path().join("repository"), files);
    place
}

fn write(top: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = top.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
}

/// The findings, one a line, and standard error.
fn check(place: &TempDir, arguments: &[&str], data: Option<&Path>) -> (Vec<String>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overrule"));
    command.current_dir(place.path().join("repository")).env_remove("TF_DATA_DIR");
    command.args(["check", "--installed", "--format", "concise"]).args(arguments);
    command.envs(data.map(|data| ("TF_DATA_DIR", data)));
    let output = command.output().expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let findings = text(&output.stdout)
        .lines()
        .filter(|line| line.contains(": ") && !line.starts_with(' '))
        .map(str::to_owned)
        .collect();
    (findings, text(&output.stderr))
}

fn errors(place: &TempDir, arguments: &[&str], data: Option<&Path>) -> usize {
    let (findings, _) = check(place, arguments, data);
    findings.iter().filter(|line| line.contains("missing-module-argument")).count()
}

#[test]
fn only_errors_inside_installed_modules_are_reported() {
    let place = repository(&[
        ("main.tf", CALL),
        (".terraform/modules/modules.json", &manifest("v", "1.0.0", ".terraform/modules/v")),
        // The package is a clone of a repository.
        (".terraform/modules/v/.git/HEAD", "ref: refs/heads/main\n"),
        (".terraform/modules/v/override.tf.json", "{}"),
        (
            ".terraform/modules/v/main.tf",
            indoc! {r#"
                # overrule: allow(undeclared-reference) not mine
                locals {
                  a = var.nope
                  unused = 1
                }
                # overrule: allow(syntax-error) nothing
                variable "x" {}
            "#},
        ),
    ]);
    let (findings, notes) = check(&place, &["--preset", "strict"], None);
    let inside: Vec<&String> = findings.iter().filter(|line| line.contains(".terraform")).collect();
    assert!(matches!(inside[..], [one] if one.contains("main.tf:3:7: error: ")), "{inside:#?}");
    assert!(findings.iter().any(|line| line.starts_with("main.tf:1:") && line.contains("error: ")));
    assert_eq!(
        notes.lines().next(),
        Some("note: checked 1 call to registry and remote modules against installed modules")
    );
    let (without, _) = check(&place, &["--preset", "strict", "--exclude", ".terraform/**"], None);
    assert_eq!(without.len() + 1, findings.len(), "{without:#?}");
    let (_, notes) = check(&place, &["--fix=unsafe"], None);
    assert!(!notes.contains(".terraform"), "{notes}");
}

#[test]
fn the_help_for_a_missing_output_names_outputs_of_the_installed_module() {
    let reference = "output \"x\" {\n  value = module.v.nope\n}\n";
    let place = repository(&[
        ("main.tf", &format!("{CALL}\n{reference}")),
        (".terraform/modules/modules.json", &manifest("v", "1.0.0", ".terraform/modules/v")),
        (
            ".terraform/modules/v/main.tf",
            "output \"id\" {\n  value = 1\n}\noutput \"arn\" {\n  value = 2\n}\n",
        ),
    ]);
    check(&place, &["--output", "markdown=report.md"], None);
    let report = fs::read_to_string(place.path().join("repository/report.md")).expect("a report");
    assert!(report.contains("use one of its outputs: <code>arn</code>, <code>id</code>"), "{report}");
}

#[test]
fn calls_that_do_not_match_are_counted() {
    let other = "module \"w\" {\n  source = \"github.com/x/y\"\n}\n";
    let place = repository(&[
        ("main.tf", &format!("{CALL}\n{other}")),
        (".terraform/modules/modules.json", &manifest("v", "1.0.0", ".terraform/modules/v")),
        (".terraform/modules/v/main.tf", MUST),
        ("elsewhere/main.tf", other),
    ]);
    let note =
        |arguments: &[&str]| check(&place, arguments, None).1.lines().next().unwrap_or_default().to_owned();
    let rest = "to registry and remote modules against installed modules; run `init` to install the rest";
    assert_eq!(note(&[]), format!("note: checked 1 of 3 calls {rest}"));
    assert_eq!(note(&["main.tf"]), format!("note: checked 1 of 2 calls {rest}"));
    assert_eq!(note(&["elsewhere"]), format!("note: checked 0 of 1 call {rest}"));
    assert_eq!(note(&["--quiet"]), "");
    assert_eq!(errors(&place, &[], None), 1);
    assert_eq!(
        errors(&place, &["--engine", "opentofu"], None),
        1,
        "the registry of OpenTofu has the same modules"
    );
    write(&place.path().join("repository"), &[(".terraform/modules/modules.json", "{")]);
    assert_eq!(errors(&place, &[], None), 0);
    assert_eq!(note(&[]), format!("note: checked 0 of 3 calls {rest}"));
}

#[test]
fn the_environment_names_the_data_directory() {
    let place = repository(&[("main.tf", CALL)]);
    let outside = place.path().join("data");
    let inside = place.path().join("repository/.data");
    for (data, directory) in [(&outside, outside.join("modules/v")), (&inside, ".data/modules/v".into())] {
        let directory = directory.to_string_lossy().replace('\\', "/");
        write(data, &[(MANIFEST, &manifest("v", "1.0.0", &directory)), ("modules/v/main.tf", MUST)]);
    }
    assert_eq!(errors(&place, &[], None), 0);
    assert_eq!(errors(&place, &[], Some(&outside)), 1);
    assert_eq!(errors(&place, &[], Some(Path::new(".data"))), 1);
    assert_eq!(errors(&place, &[], Some(Path::new("nowhere"))), 0);
}

#[test]
fn a_directory_outside_of_the_repository_is_not_read() {
    let place = repository(&[
        ("main.tf", CALL),
        (".terraform/modules/modules.json", &manifest("v", "1.0.0", "../secret")),
    ]);
    write(place.path(), &[("secret/main.tf", MUST)]);
    assert_eq!(errors(&place, &[], None), 0);
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_outside_of_the_repository() {
    let place = repository(&[("main.tf", CALL)]);
    write(
        place.path(),
        &[
            ("data/modules/modules.json", &manifest("v", "1.0.0", ".terraform/modules/v")),
            ("data/modules/v/main.tf", MUST),
        ],
    );
    std::os::unix::fs::symlink("../data", place.path().join("repository/.terraform")).expect("a link");
    assert_eq!(errors(&place, &[], None), 0);
}

#[test]
fn root_modules_that_installed_different_versions_leave_a_call_unknown() {
    let net = "module \"net\" {\n  source = \"../net\"\n}\n";
    let rows = |version: &str| {
        manifest("net.v", version, ".terraform/modules/net.v")
            .replace("./net", "../net")
            .replace("\"net\"}", "\"../net\"}")
    };
    let with = |second: &str| {
        repository(&[
            ("net/main.tf", CALL),
            ("a/main.tf", net),
            ("a/.terraform/modules/modules.json", &rows("1.0.0")),
            ("a/.terraform/modules/net.v/main.tf", MUST),
            ("b/main.tf", net),
            ("b/.terraform/modules/modules.json", &rows(second)),
            ("b/.terraform/modules/net.v/main.tf", MUST),
        ])
    };
    assert_eq!(errors(&with("1.0.0"), &[], None), 1);
    assert_eq!(errors(&with("1.1.0"), &[], None), 0);
    assert_eq!(errors(&with("0.9.0"), &[], None), 1, "a stale module does not count");
}

#[test]
fn a_state_without_installed_modules_refuses_the_option() {
    let place = repository(&[("main.tf", CALL)]);
    for other in [
        &["--changed"][..],
        &["--base", "HEAD"],
        &["--hook"],
        &["--write-baseline", "list.json"],
        &["--add-exceptions"],
    ] {
        let (findings, error) = check(&place, other, None);
        assert!(
            findings.is_empty() && error.contains("'--installed' cannot be used with"),
            "{other:?}: {error}"
        );
    }
}
