//! Adding exceptions for all findings: the edits, and the files that stay unchanged.

use indoc::indoc;
use std::fs;

use crate::place::Place;

/// A module with a finding that does not concern `variables.tf`.
const FOUND: &str = "# One.\nvariable \"a\" {}\nvariable \"a\" {}\n";

fn text(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path().join(name)).expect("a text")
}

#[cfg(unix)]
#[test]
fn a_file_that_a_link_leads_to_as_well_gets_its_comment_once() {
    let place = Place::repository(&[
        (
            "a/main.tf",
            indoc! {r#"
                resource "x_y" "z" {
                  q = var.n
                  w = var.k
                }
                variable "n" {}
            "#},
        ),
        ("b/k.tf", "variable \"k\" {}\n"),
    ]);
    place.link("b/main.tf", "../a/main.tf");
    place.link("c", "a");
    place.write("d/main.tf", "module \"c\" {\n  source = \"../c\"\n}\n");
    let output = place.overrule(&["check", "--add-exceptions"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(text(&place, "a/main.tf").matches("allow(undeclared-reference").count(), 1);
    assert!(place.path().join("b/main.tf").is_symlink());
    let after = place.overrule(&["check", "--fail-on", "notice"]);
    assert_eq!(after.code, Some(0), "nothing is told any more, nor is an exception of no use: {after:?}");
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_what_may_not_be_written_gets_an_exception_in_the_policy() {
    let place = Place::repository(&[("a/main.tf", FOUND), ("b/main.tf", FOUND)]);
    place.set_mode("a/main.tf", 0o640);
    place.set_mode("b/main.tf", 0o444);
    let output = place.overrule(&["check", "--add-exceptions"]);
    assert!(output.err.ends_with("without a comment: b/main.tf: it is read-only\n"), "{output:?}");
    assert!(text(&place, "a/main.tf").contains("# overrule: allow("));
    assert_eq!((text(&place, "b/main.tf").as_str(), place.mode("a/main.tf")), (FOUND, 0o640));
    assert_eq!(place.overrule(&["check", "--fail-on", "notice"]).code, Some(0));
    let mut left: Vec<_> =
        fs::read_dir(place.path()).expect("it").flatten().map(|one| one.file_name()).collect();
    left.sort();
    assert_eq!(left, [".git", "a", "b", "overrule.hcl"], "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn where_the_policy_may_not_be_written_no_comment_is_either() {
    let json = "{\"variable\": {\"a b\": {}}}";
    let policy = "policy {\n  extends = [\"language\"]\n}\n";
    let place =
        Place::repository(&[("a/main.tf", FOUND), ("b/main.tf.json", json), ("overrule.hcl", policy)]);
    place.set_mode("overrule.hcl", 0o444);
    let output = place.overrule(&["check", "--add-exceptions"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(
        output.err.starts_with("error: nothing was changed: cannot write `")
            && output.err.ends_with("/overrule.hcl`: it is read-only\n"),
        "{output:?}"
    );
    assert_eq!((text(&place, "a/main.tf").as_str(), text(&place, "overrule.hcl").as_str()), (FOUND, policy));
}
