//! Files that functions read, in the working tree, the index and commits, and the modules that a change to one
//! affects.

use crate::place::Place;

const POLICY: &str = r#"
policy {
  extends = ["language"]
}
"#;

const LIVE: &str = r#"
locals {
  names = yamldecode(file("${path.module}/names.yaml"))
  motd  = templatefile("../shared/motd.tpl", { name = "x" })
}
output "first" {
  value = local.names.first
}
"#;

const NET: &str = r#"
locals {
  path = "${path.module}/../shared/net.json"
}
output "size" {
  value = jsondecode(file(local.path)).size
}
"#;

fn repository() -> Place {
    Place::committed(&[
        ("overrule.hcl", POLICY),
        (".gitignore", "*.zip\nbuild/\n"),
        ("live/main.tf", LIVE),
        // A path without `path.module` is relative to the root module, so a shared module cannot check it.
        ("live/backend.tf", "terraform {\n  backend \"local\" {}\n}\n"),
        ("live/names.yaml", "first: a\n"),
        ("net/main.tf", NET),
        ("shared/motd.tpl", "hello ${name}\n"),
        ("shared/net.json", "{\"size\": 1}\n"),
        ("other/main.tf", "output \"name\" {\n  value = var.nothing\n}\n"),
    ])
}

#[test]
fn a_change_to_a_file_concerns_the_modules_that_read_it() {
    let place = repository();
    place.stage("live/names.yaml", "second: a\n");
    assert_eq!(
        place.check_changed().findings(),
        ["live/main.tf:7:22: error: Unsupported attribute [invalid-reference]"]
    );
    place.stage("live/names.yaml", "first: a\n");
    place.stage("shared/motd.tpl", "hello ${nobody}\n");
    assert_eq!(
        place.check_changed().findings(),
        ["live/main.tf:4:46: error: Invalid function argument [invalid-function-call]"]
    );
    place.stage("shared/motd.tpl", "hello ${name}\n");
    place.git(&["rm", "--quiet", "--cached", "shared/net.json"]);
    assert_eq!(
        place.check_changed().findings(),
        ["net/main.tf:6:27: error: Invalid function argument [invalid-function-call]"]
    );
}

#[test]
fn the_content_is_that_of_the_state_that_is_checked() {
    let place = repository();
    place.write("live/names.yaml", "second: a\n");
    assert_eq!(place.check_changed().findings(), [""; 0]);
    let output = place.overrule(&["check", "live", "--format", "concise"]);
    assert_eq!(output.findings().len(), 1);
}

#[test]
fn what_git_ignores_is_unknown() {
    let place = repository();
    let text = r#"
output "a" {
  value = filebase64sha256("${path.module}/a.zip")
}
output "b" {
  value = file("build/x/nope.txt")
}
output "c" {
  value = jsondecode(file("build/x.json")).nope
}
output "d" {
  value = file("nope.txt")
}
"#;
    place.stage("live/more.tf", text);
    place.write("live/build/x.json", "{}");
    let nope = "live/more.tf:12:17: error: Invalid function argument [invalid-function-call]";
    assert_eq!(place.check_changed().findings(), [nope]);
    let output = place.overrule(&["check", "live", "--format", "concise"]);
    assert_eq!(output.findings(), [nope]);
}

#[test]
fn large_files_of_one_of_many_modules_are_evaluated() {
    let lines: Vec<String> = (0..4_000).map(|number| format!("key{number}: {{ a: {number} }}\n")).collect();
    let document = lines.concat();
    let read = "resource \"kubernetes_manifest\" \"a\" {\n  manifest = yamldecode(file(\"${path.module}/a.yaml\"))\n}\n";
    let place = Place::repository(&[("large/main.tf", read), ("large/a.yaml", &document)]);
    for number in 0..300 {
        place.write(&format!("m{number}/main.tf"), "locals {\n  a = 1\n}\n");
    }
    place.git(&["add", "."]);
    let all = ["check", "--select", "limit-reached", "--format", "concise"];
    assert_eq!(place.overrule(&all).findings(), [""; 0]);
}

#[test]
fn a_file_that_git_tracks_is_known_although_a_pattern_excludes_it() {
    let place = Place::repository(&[
        ("overrule.hcl", POLICY),
        (".gitignore", "*.tpl\n"),
        ("live/main.tf", "output \"a\" {\n  value = templatefile(\"${path.module}/a.tpl\", {})\n}\n"),
        ("live/a.tpl", "${name}\n"),
    ]);
    let findings = || place.overrule(&["check", "--format", "concise"]).findings().len();
    assert_eq!(findings(), 0, "the file may differ elsewhere");
    place.git(&["add", "--all"]);
    place.git(&["add", "--force", "live/a.tpl"]);
    assert_eq!(findings(), 1);
}
