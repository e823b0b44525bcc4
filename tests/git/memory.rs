//! The cache between runs: it makes them faster and changes nothing else, even if it is damaged.

use indoc::indoc;
use std::fs;
use std::path::PathBuf;

use crate::place::{Output, Place};

/// A repository with a finding two calls away from the staged change.
fn place() -> Place {
    let call = |source: &str, rest: &str| format!("module \"m\" {{\n  source = \"{source}\"\n{rest}}}\n");
    let place = Place::committed(&[
        ("modules/net/main.tf", "resource \"x_y\" \"z\" {}\n"),
        ("modules/app/main.tf", &call("../net", "")),
        ("live/main.tf", &call("../modules/app", "  count = 2\n")),
        ("other/main.tf", "locals {}\n"),
    ]);
    place.stage(
        "modules/net/main.tf",
        indoc! {r#"
            resource "x_y" "z" {}
            provider "x" {
              a = 1
            }
        "#},
    );
    place
}

fn check(place: &Place) -> Output {
    place.overrule(&["check", "--changed", "--format", "concise"])
}

fn kept(place: &Place) -> PathBuf {
    place.path().join(".git/overrule/calls")
}

#[test]
fn it_lies_beside_what_git_keeps_and_never_in_the_working_tree() {
    let place = place();
    let output = check(&place);
    assert!(output.out.contains("live/main.tf:3:11: error: Module is incompatible"), "{}", output.out);
    assert!(kept(&place).is_file());
    assert_eq!(place.git(&["status", "--porcelain", "--ignored"]), "M  modules/net/main.tf\n");
    let written = fs::metadata(kept(&place)).and_then(|file| file.modified()).expect("a file");
    assert_eq!(check(&place).out, output.out);
    let still = fs::metadata(kept(&place)).and_then(|file| file.modified()).expect("a file");
    assert_eq!(written, still, "what is kept already is not written again");
    assert_eq!(fs::read_dir(place.path().join(".git/overrule")).expect("a directory").count(), 1);
}

#[test]
fn broken_or_foreign_it_costs_time_alone() {
    let place = place();
    let output = check(&place);
    let good = fs::read(kept(&place)).expect("what is kept");
    let mut foreign = good.clone();
    foreign[16] ^= 1;
    let mut lying = good.clone();
    let last = lying.len() - 20;
    lying[last] ^= 1;
    for bytes in [&b""[..], b"no\n", &good[..good.len() / 2], &foreign, &lying, &vec![0xff; 100_000]] {
        fs::write(kept(&place), bytes).expect("a file");
        assert_eq!(check(&place).out, output.out);
        assert_eq!(fs::read(kept(&place)).expect("what is kept"), good, "and it is made good");
    }
    fs::write(kept(&place).with_extension("new"), "of a run that was stopped").expect("a file");
    fs::remove_file(kept(&place)).expect("a file");
    assert_eq!(check(&place), output);
}

#[test]
fn a_cache_that_cannot_be_written_is_not_reported() {
    let place = place();
    let output = check(&place);
    fs::remove_dir_all(place.path().join(".git/overrule")).expect("a directory");
    fs::write(place.path().join(".git/overrule"), "a file").expect("a file");
    assert_eq!(check(&place), output);
    fs::remove_file(place.path().join(".git/overrule")).expect("a file");
    fs::create_dir_all(kept(&place)).expect("a directory in its place");
    assert_eq!(check(&place), output);
}

#[test]
fn with_it_nothing_is_read_but_what_the_change_affects() {
    let place = place();
    let output = check(&place);
    let id = place.git(&["rev-parse", "HEAD:other/main.tf"]);
    let object = place.path().join(".git/objects").join(&id[..2]).join(id[2..].trim());
    fs::remove_file(object).expect("an object of its own");
    assert_eq!(check(&place), output);
    fs::remove_file(kept(&place)).expect("a file");
    let without = check(&place);
    assert_eq!(
        (without.out, without.code),
        (output.out, output.code),
        "what is not here is not known to call anything"
    );
    assert_eq!(
        without.err,
        "note: this clone lacks files of 1 module, so the module calls there are unknown\n"
    );
}

#[test]
fn what_is_staged_next_is_seen() {
    let place = place();
    check(&place);
    place.commit("next");
    place.stage(
        "other/main.tf",
        indoc! {r#"
            module "m" {
              source   = "../modules/net"
              for_each = {}
            }
        "#},
    );
    let output = check(&place);
    assert!(output.out.contains("other/main.tf:3:14: error: Module is incompatible"), "{}", output.out);
    place.stage("other/main.tf", "locals {}\n");
    assert_eq!(check(&place).out, "");
}
