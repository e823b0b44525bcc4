//! `overrule modules` for staged modules and for the modules that a staged change touches.

use crate::place::Place;
use indoc::indoc;

fn call(source: &str) -> String {
    format!("module \"m\" {{\n  source = \"{source}\"\n}}\n")
}

fn repository() -> Place {
    Place::committed(&[
        ("modules/net/main.tf", "locals {}\n"),
        ("modules/db/main.tf", "locals {}\n"),
        ("modules/app/main.tf", &call("../net")),
        ("live/a/main.tf", &call("../../modules/app")),
        ("live/b/main.tf", &call("../../modules/db")),
        ("live/c/main.tf", "terraform {\n  backend \"local\" {}\n}\n"),
    ])
}

fn shown(place: &Place, arguments: &[&str]) -> String {
    let output = place.overrule(&[&["modules"], arguments].concat());
    assert_eq!(output.code, Some(0), "{}", output.err);
    output.out
}

#[test]
fn what_a_change_touches_is_shown_with_all_that_leads_there() {
    let place = repository();
    place.stage("modules/net/main.tf", "locals { a = 1 }\n");
    assert_eq!(
        shown(&place, &["--impact"]),
        indoc! {"
            live/a  root: no module calls it
            └─ m → modules/app
               └─ m → modules/net  (changed)

            3 modules, 2 calls
        "}
    );
}

#[test]
fn a_module_that_goes_is_shown_where_it_is_called() {
    let place = repository();
    place.git(&["rm", "-r", "--quiet", "modules/db"]);
    assert_eq!(
        shown(&place, &["--impact"]),
        "live/b  root: no module calls it\n└─ m → ../../modules/db  (gone)\n\n1 module, 1 call\n"
    );
    assert!(shown(&place, &["live/b"]).contains("(no such directory)"));
    assert!(!shown(&place, &["--rev", "HEAD", "live/b"]).contains("(no such directory)"));
}

#[test]
fn a_change_beside_all_modules_touches_none() {
    let place = repository();
    place.stage("README.md", "Read me.\n");
    let output = place.overrule(&["modules", "--impact"]);
    assert_eq!(output.err, "note: no staged file belongs to a module\n");
    assert_eq!((output.code, output.out.as_str()), (Some(0), "0 modules, 0 calls\n"));
}

#[test]
fn callers_are_found_in_the_whole_repository() {
    let place = repository();
    assert_eq!(
        shown(&place, &["--callers", "modules/net"]),
        "modules/net\n└─ modules/app (module.m)\n   └─ live/a (module.m)  root: no module calls it\n"
    );
    let drawn = shown(&place, &["--callers", "modules/net", "--format", "mermaid"]);
    assert!(!drawn.contains("modules/db"), "{drawn}");
}

#[test]
fn an_override_file_a_lock_file_and_another_name_are_changes_too() {
    let place = repository();
    place.stage("modules/net/x_override.tf", "locals {}\n");
    assert!(shown(&place, &["--impact"]).contains("modules/net  (changed)"));
    place.git(&["reset", "--quiet", "--hard"]);
    place.stage("live/b/.terraform.lock.hcl", "");
    assert_eq!(
        shown(&place, &["--impact"]),
        "live/b  root: it has a lock file  (changed)\n\n1 module, 0 calls\n"
    );
    place.git(&["reset", "--quiet", "--hard"]);
    place.git(&["mv", "modules/db", "modules/database"]);
    place.stage("live/b/main.tf", call("../../modules/database"));
    assert_eq!(
        shown(&place, &["--impact"]),
        indoc! {"
            live/b  root: no module calls it  (changed)
            └─ m → modules/database  (changed)

            2 modules, 1 call
        "}
    );
    place.write("live/a/main.tf", "# not staged\n");
    assert!(!shown(&place, &["--impact"]).contains("live/a"));
}
