//! Root modules that share a state: the whole repository is compared, for any change.

use crate::place::Place;

/// A root module with this state key.
fn root(key: &str) -> String {
    format!(
        r#"
terraform {{
  backend "s3" {{
    bucket = "acme-states"
    key    = "{key}"
  }}
}}
"#
    )
}

fn with_roots(roots: &[(&str, &str)]) -> Place {
    let place = Place::repository(&[]);
    for (directory, key) in roots {
        place.write(&format!("{directory}/main.tf"), root(key));
    }
    place.commit("first");
    place
}

/// The findings of the rule with their related locations.
fn findings(place: &Place, arguments: &[&str]) -> Vec<String> {
    let select = ["check", "--format", "concise", "--select", "shared-state-address"];
    let output = place.overrule(&[&select, arguments].concat());
    assert_ne!(output.code, Some(2), "{}", output.err);
    let lines = output.out.lines().filter(|line| !line.starts_with(' '));
    lines
        .map(|line| line.replace(" warning: Root modules share a state [shared-state-address]", ""))
        .collect()
}

#[test]
fn a_root_module_that_a_change_adds_is_compared_with_those_that_it_does_not_touch() {
    let place = with_roots(&[("live/dns", "dns"), ("live/net", "net"), ("other", "other")]);
    assert_eq!(findings(&place, &[]), [""; 0]);
    place.stage("live/new/main.tf", root("dns"));
    let shared = ["live/dns/main.tf:3:3:"];
    for arguments in [&["--changed"][..], &["--base", "HEAD"], &["live/new"], &[]] {
        assert_eq!(findings(&place, arguments), shared, "{arguments:?}");
    }
    // The cache of an earlier run gives the same result.
    assert_eq!(findings(&place, &["--changed"]), shared);
    place.commit("second");
    assert_eq!(findings(&place, &["--base", "HEAD~1"]), shared);
    assert_eq!(findings(&place, &["--base", "HEAD"]), [""; 0]);
}

#[test]
fn a_state_that_was_shared_before_is_not_new_until_one_more_root_module_shares_it() {
    let place = with_roots(&[("live/dns", "net"), ("live/net", "net"), ("live/vpn", "net")]);
    for directory in ["live/dns", "live/net"] {
        place.stage(&format!("{directory}/main.tf"), root("net") + "\nlocals {}\n");
        assert_eq!(findings(&place, &["--changed"]), [""; 0], "{directory}");
        assert_eq!(findings(&place, &["--changed", "--all-findings"]), ["live/dns/main.tf:3:3:"]);
    }
    // The first root module is removed, so that another one is first.
    place.stage("live/dns/main.tf", root("dns"));
    place.stage("live/vpn/main.tf", root("net") + "\nlocals {}\n");
    assert_eq!(findings(&place, &["--changed"]), [""; 0]);
    assert_eq!(findings(&place, &["--changed", "--all-findings"]), ["live/net/main.tf:3:3:"]);
    place.commit("second");
    place.git(&["mv", "live/vpn", "live/tunnel"]);
    assert_eq!(findings(&place, &["--changed"]), [""; 0], "one of them has another name");
    place.stage("live/app/main.tf", root("net"));
    assert_eq!(findings(&place, &["--changed"]), ["live/app/main.tf:3:3:"]);
}

#[test]
fn a_module_that_another_one_calls_has_no_state_of_its_own() {
    let place = with_roots(&[("live/dns", "dns"), ("live/net", "net")]);
    place.write("live/main.tf", "module \"net\" {\n  source = \"./net\"\n}\n");
    place.commit("call");
    place.stage("live/dns/main.tf", root("net"));
    for arguments in [&["--changed"][..], &[]] {
        assert_eq!(findings(&place, arguments), [""; 0], "{arguments:?}");
    }
    place.git(&["rm", "--quiet", "live/main.tf"]);
    for arguments in [&["--changed"][..], &[]] {
        assert_eq!(findings(&place, arguments), ["live/dns/main.tf:3:3:"], "{arguments:?}");
    }
}

#[test]
fn a_path_to_a_file_is_compared_from_the_top() {
    let local =
        |path: &str| format!("terraform {{\n  backend \"local\" {{\n    path = \"{path}\"\n  }}\n}}\n");
    let place = Place::committed(&[("live/dns/main.tf", &local("../net.tfstate"))]);
    place.stage("net/main.tf", local("../net.tfstate"));
    assert_eq!(findings(&place, &["--changed"]), [""; 0]);
    place.stage("net/main.tf", local("../live/net.tfstate"));
    for arguments in [&["--changed"][..], &[]] {
        assert_eq!(findings(&place, arguments), ["live/dns/main.tf:2:3:"], "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn one_file_that_several_root_modules_link_to_is_not_reported() {
    let place = Place::repository(&[
        ("shared/state.tf", root("net").as_str()),
        ("live/a/main.tf", ""),
        ("live/b/main.tf", ""),
    ]);
    place.link("live/a/state.tf", "../../shared/state.tf");
    place.link("live/b/state.tf", "../../shared/state.tf");
    place.commit("first");
    assert_eq!(findings(&place, &[]), [""; 0]);
}

#[test]
fn batches_do_not_hide_that_a_state_is_shared() {
    let padding = "# padding\n".repeat(30_000);
    let place = Place::repository(&[]);
    for number in 0..6 {
        place.write(&format!("live/{number}/main.tf"), root(&format!("{}", number % 5)));
        place.write(&format!("live/{number}/padding.tf"), &padding);
    }
    place.commit("first");
    assert_eq!(findings(&place, &[]), ["live/0/main.tf:3:3:"]);
}

#[test]
fn a_baseline_holds_each_root_module_that_shares_a_state() {
    let place = with_roots(&[("live/dns", "net"), ("live/net", "net"), ("live/vpn", "vpn")]);
    findings(&place, &["--write-baseline", "known.txt"]);
    assert_eq!(findings(&place, &["--baseline", "known.txt"]), [""; 0]);
    place.write("live/vpn/main.tf", root("net"));
    assert_eq!(findings(&place, &["--baseline", "known.txt"]), ["live/dns/main.tf:3:3:"]);
    place.write("live/vpn/main.tf", root("vpn"));
    place.write("live/net/main.tf", root("net") + "\nlocals {}\n");
    assert_eq!(findings(&place, &["--baseline", "known.txt"]), [""; 0]);
}
