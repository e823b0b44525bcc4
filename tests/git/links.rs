//! Symbolic links to files and directories: each file is checked once and reported at its real path.

use crate::place::Place;
use indoc::indoc;

const POLICY: (&str, &str) = ("overrule.hcl", "policy {\n  extends = [\"language\"]\n}\n");
const BROKEN: &str = "locals {\n  a = var.gone\n}\n";
const FOUND: &str = ":2:7: error: Reference to undeclared input variable [undeclared-reference]";

/// Two root modules that share a file, whose real path is in neither directory.
fn repository(text: &str) -> Place {
    let place = Place::repository(&[
        POLICY,
        ("shared/common.hcl", text),
        ("live/a/main.tf", "locals {}\n"),
        ("live/b/main.tf", "locals {}\n"),
    ]);
    for root in ["live/a", "live/b"] {
        place.link(&format!("{root}/common.tf"), "../../shared/common.hcl");
    }
    place.commit("first");
    place
}

#[test]
fn a_file_behind_several_links_is_reported_once_at_its_real_path() {
    let place = repository(BROKEN);
    let found = format!("shared/common.hcl{FOUND}");
    let all: [&[&str]; 5] =
        [&[], &["live/a"], &["live/b/common.tf"], &["shared"], &["--exclude", "live/a", "--exclude", "x"]];
    for arguments in all {
        assert_eq!(place.findings(arguments), [found.as_str()], "{arguments:?}");
    }
    assert_eq!(place.findings(&["--exclude", "live"]), [""; 0]);
    assert_eq!(place.findings(&["--exclude", "shared"]), [""; 0]);
    place.write("live/a/declared.tf", "variable \"gone\" {}\n");
    assert_eq!(place.findings(&["live/a"]), [""; 0], "it is right in this module");
    assert_eq!(place.findings(&[]), [found.as_str()], "and wrong in the other one");
}

#[test]
fn files_that_modules_choose_from_are_checked_with_these() {
    let provider = "provider \"aws\" {\n  region = \"eu-west-1\"\n}\n";
    let place = Place::repository(&[
        POLICY,
        ("pool/a.tf", "locals {\n  a = 1\n}\n"),
        ("pool/one.tf", provider),
        ("pool/other.tf", provider),
        ("pool/unused.tf", "locals {\n  b = 1\n}\n"),
    ]);
    for (root, file) in [("live/a", "one.tf"), ("live/b", "other.tf")] {
        place.link(&format!("{root}/{file}"), &format!("../../pool/{file}"));
        place.link(&format!("{root}/a.tf"), "../../pool/a.tf");
    }
    place.commit("first");
    assert_eq!(place.findings(&[]), [""; 0], "no module has both `provider` blocks");
    // A module that has all the files shows that they are one.
    for file in ["a.tf", "one.tf", "other.tf"] {
        place.link(&format!("live/c/{file}"), &format!("../../pool/{file}"));
    }
    let found = place.findings(&["pool"]);
    assert!(found.iter().any(|line| line.contains("Duplicate provider configuration")), "{found:?}");
}

#[test]
fn the_file_itself_may_belong_to_a_module() {
    let place = Place::repository(&[POLICY, ("a/main.tf", BROKEN), ("b/own.tf", "locals {}\n")]);
    for link in ["b/main.tf", "c/main.tf", "0/main.tf"] {
        place.link(link, "../a/main.tf");
    }
    place.commit("first");
    let found = format!("a/main.tf{FOUND}");
    assert_eq!(place.findings(&[]), [found.as_str()]);
    assert_eq!(place.findings(&["--base", "HEAD"]), [""; 0]);
    place.git(&["rm", "--quiet", "0/main.tf"]);
    assert_eq!(place.findings(&["--changed"]), [""; 0], "one link less changes nothing");
    place.link("00/main.tf", "../a/main.tf");
    place.git(&["add", "00"]);
    assert_eq!(place.findings(&["--changed"]), [""; 0], "nor does one more");
}

#[test]
fn a_change_of_the_file_is_checked_in_every_module() {
    let place = repository("locals {}\n");
    place.stage("shared/common.hcl", BROKEN);
    assert_eq!(place.findings(&["--changed"]), [format!("shared/common.hcl{FOUND}")]);
    place.commit("broken");
    place.stage("live/a/main.tf", "locals {\n  b = var.lost\n}\n");
    let lost = "live/a/main.tf:2:7: error: Reference to undeclared input variable [undeclared-reference]";
    assert_eq!(place.findings(&["--changed"]), [lost]);
}

#[test]
fn a_comment_in_the_file_suppresses_for_every_module() {
    let place = repository(indoc! {"
        locals {
          # overrule: allow(undeclared-reference) generated
          a = var.gone
        }
    "});
    assert_eq!(place.findings(&[]), [""; 0]);
    place.stage("shared/common.hcl", "# overrule: allow(undeclared-reference) generated\nlocals {}\n");
    let strict = "policy {\n  extends = [\"recommended\"]\n}\n";
    place.write("overrule.hcl", strict);
    let unused = place.findings(&["--select", "unused-exception"]);
    assert!(unused.len() == 1 && unused[0].starts_with("shared/common.hcl:1:1"), "{unused:?}");
}

#[test]
fn a_module_behind_a_link_is_one_module() {
    let place = Place::repository(&[
        POLICY,
        ("modules/net/main.tf", BROKEN),
        ("live/main.tf", "module \"net\" {\n  source = \"./net\"\n}\n"),
    ]);
    place.link("live/net", "../modules/net");
    place.commit("first");
    let found = format!("modules/net/main.tf{FOUND}");
    assert_eq!(place.findings(&[]), [found.as_str()]);
    assert_eq!(place.findings(&["live"]), [found.as_str()]);
    place.stage(
        "live/main.tf",
        indoc! {r#"
            module "net" {
              source = "./net"
            }

            locals {}
        "#},
    );
    assert_eq!(place.findings(&["--changed"]), [""; 0]);
    place.stage("modules/net/main.tf", format!("{BROKEN}\nlocals {{\n  b = var.lost\n}}\n"));
    assert_eq!(place.findings(&["--changed"]).len(), 1);
}

const REQUIREMENTS: &str = indoc! {r#"
    terraform {
      required_providers {
        random = { source = "hashicorp/random" }
        auth0  = { source = "auth0/auth0", version = "1.41.0" }
        tls    = { source = "hashicorp/tls", version = "4.0.6" }
      }
    }
"#};

/// Two root modules that share their requirements. The first one uses a provider only through a module that it calls.
fn sharing_requirements() -> Place {
    let place = Place::repository(&[
        ("shared/versions.tf", REQUIREMENTS),
        ("a/main.tf", "module \"login\" {\n  source = \"../login\"\n}\n"),
        ("b/main.tf", "resource \"random_pet\" \"name\" {}\n"),
        (
            "login/main.tf",
            indoc! {r#"
                terraform {
                  required_providers {
                    auth0 = { source = "auth0/auth0" }
                  }
                }

                resource "auth0_client" "web" {}
            "#},
        ),
    ]);
    for root in ["a", "b"] {
        place.link(&format!("{root}/versions.tf"), "../shared/versions.tf");
    }
    place.commit("first");
    place
}

#[test]
fn an_entry_in_a_shared_file_is_unused_only_if_no_module_uses_it() {
    let place = sharing_requirements();
    let unused = ["--isolated", "--select", "unused-required-provider"];
    let found = "shared/versions.tf:5:5: warning: Unused required provider [unused-required-provider] [*]";
    assert_eq!(place.findings(&unused), [found]);
    let fixed =
        place.overrule(&["check", "--isolated", "--select", "unused-required-provider", "--fix=unsafe"]);
    assert_eq!(fixed.code, Some(0), "{}", fixed.err);
    let left: String = REQUIREMENTS.split_inclusive('\n').filter(|line| !line.contains("tls")).collect();
    let text = std::fs::read_to_string(place.path().join("shared/versions.tf")).expect("the file");
    assert_eq!(text, left, "the pin of a called module stays");
}

#[test]
fn a_directory_of_link_targets_is_checked_through_the_links() {
    let files = [POLICY, ("shared/main.tf", BROKEN), ("a/vars.tf", "variable \"gone\" {}\n")];
    let place = Place::repository(&files);
    place.link("a/main.tf", "../shared/main.tf");
    place.commit("first");
    assert_eq!(place.findings(&[]), [""; 0], "what is missing in the directory itself is in the module");
    place.write("shared/terraform.tfvars", "");
    let found = format!("shared/main.tf{FOUND}");
    assert_eq!(place.findings(&[]), [found.as_str()], "a variable definition file shows that it is a module");
}

#[test]
fn alternatives_at_the_top_are_checked_through_the_links() {
    let variable = "variable \"zone\" {}\n";
    let place = Place::repository(&[POLICY, ("test.tf", variable), ("live.tf", variable)]);
    assert_eq!(place.findings(&[]).len(), 1, "both files declare the variable");
    place.link("test/zone.tf", "../test.tf");
    place.link("live/zone.tf", "../live.tf");
    place.commit("links");
    assert_eq!(place.findings(&[]), [""; 0]);
    place.write("main.tf", "");
    assert_eq!(place.findings(&[]).len(), 1, "a file that nothing links to shows that it is a module");
}

#[test]
fn shared_files_are_checked_where_links_lead_to_them_also_with_values() {
    let place = Place::repository(&[
        POLICY,
        ("shared/names.tf", "variable \"name\" {}\nlocals {\n  full = \"${local.prefix}-${var.name}\"\n}\n"),
        ("shared/names.auto.tfvars", "name = \"web\"\n"),
        ("live/main.tf", "locals {\n  prefix = \"x\"\n}\noutput \"full\" {\n  value = local.full\n}\n"),
    ]);
    for file in ["names.tf", "names.auto.tfvars"] {
        place.link(&format!("live/{file}"), &format!("../shared/{file}"));
    }
    place.commit("first");
    assert_eq!(place.findings(&[]), [""; 0]);
    // Values that no other directory uses show that the directory is a root module.
    place.write("shared/own.auto.tfvars", "name = \"web\"\n");
    let found = place.findings(&[]);
    assert_eq!(
        found,
        ["shared/names.tf:3:13: error: Reference to undeclared local value [undeclared-reference]"]
    );
}

#[test]
fn links_to_directories_with_links_are_followed_to_a_limit() {
    let calls = "module \"a\" {\n  source = \"./next\"\n}\nmodule \"b\" {\n  source = \"./also\"\n}\n";
    let place = Place::repository(&[POLICY]);
    for level in 0..40 {
        place.write(&format!("d{level}/main.tf"), calls);
        for name in ["next", "also"] {
            place.link(&format!("d{level}/{name}"), &format!("../d{}", level + 1));
        }
    }
    place.write("d40/main.tf", "locals {}\n");
    place.commit("first");
    let found = place.findings(&["--limit", "file_size=512KiB"]);
    assert!(
        found.iter().any(|line| line.contains("Too much behind symbolic links")),
        "{} findings",
        found.len()
    );
}
