//! `overrule merge` for staged and committed modules.

use crate::place::Place;

const BASE: &str = "locals {\n  a = 1\n}\n";

fn merged(place: &Place, arguments: &[&str]) -> String {
    let output = place.overrule(&[&["merge", "--no-comments"], arguments].concat());
    assert_eq!(output.code, Some(0), "{}", output.err);
    output.out
}

#[test]
fn each_state_is_merged_for_itself() {
    let place = Place::committed(&[("net/main.tf", BASE)]);
    place.stage("net/a_override.tf", "locals { a = 2 }\n");
    place.write("net/a_override.tf", "locals { a = 3 }\n");
    assert_eq!(merged(&place, &["net"]), BASE.replace('1', "3"));
    assert_eq!(merged(&place, &["--staged", "net"]), BASE.replace('1', "2"));
    assert_eq!(merged(&place, &["--rev", "HEAD", "net"]), BASE);
}

#[test]
fn a_deleted_directory_is_still_in_the_commit() {
    let place = Place::committed(&[("net/main.tf", BASE), ("live/main.tf", BASE)]);
    place.git(&["rm", "-r", "--quiet", "net"]);
    let output = place.overrule(&["merge", "--staged", "net"]);
    let told = "error: no such file or directory: `net`\n";
    assert_eq!((output.code, output.err.as_str()), (Some(2), told));
    let output = place.overrule(&["modules", "--rev", "HEAD", "lve"]);
    let told = "error: no such file or directory: `lve`; did you mean `live`?\n";
    assert_eq!((output.code, output.err.as_str()), (Some(2), told));
    assert_eq!(merged(&place, &["--rev", "HEAD", "net"]), BASE);
    let from_inside =
        place.overrule_in(&place.path().join("live"), &["merge", "--rev", "HEAD", "--no-comments", "../net"]);
    let output = { from_inside }.output().expect("the program runs");
    assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), BASE);
}

#[test]
fn a_path_outside_and_a_revision_that_is_not_there_are_refused() {
    let place = Place::committed(&[("net/main.tf", BASE)]);
    let output = place.overrule(&["merge", "--staged", "../net"]);
    assert_eq!((output.code, output.err.as_str()), (Some(2), "error: `../net` is outside the repository\n"));
    let output = place.overrule(&["merge", "--rev", "nowhere", "net"]);
    assert_eq!(
        (output.code, output.err.as_str()),
        (
            Some(2),
            "error: no revision `nowhere` exists here\n  help: name a branch, tag or commit; `git branch --all` lists the branches\n"
        )
    );
}

#[test]
fn the_command_for_details_can_be_copied() {
    let place = Place::repository(&[
        ("it's live/main.tf", "locals {}\n"),
        ("it's live/override.tf", "variable \"none\" {}\n"),
    ]);
    let output = place.overrule(&["merge", "it's live"]);
    let (_, order) = output.err.split_once('`').expect("an order");
    let (order, _) = order.split_once('`').expect("its end");
    assert_eq!(order, r"overrule check 'it'\''s live'", "{output:?}");
}
