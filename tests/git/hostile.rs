//! A malicious repository in the working tree, in the index and in a commit: nothing outside it is read, and
//! nothing in it is executed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use overrule::report::Format;
use overrule::text::{commands, is_obeyed};
use serde_json::Value;

use crate::place::{Output, Place};

/// Content of files outside the repository. Reading it causes a finding with these words.
const SECRET: &str = "resource \"S3CRET\" {\n";

/// Commands on a repository; each also runs on staged and committed content.
const LOOKS: &[&[&str]] = &[
    &["check"],
    &["check", "--changed", "--all-findings"],
    &["check", "--base", "HEAD", "--policy-from", "HEAD"],
    &["check", "--hook", "main.tf"],
    &["merge"],
    &["merge", "--staged"],
    &["merge", "--rev", "HEAD", "--format", "json"],
    &["modules"],
    &["modules", "--staged", "--format", "json"],
    &["modules", "--rev", "HEAD", "--format", "mermaid"],
    &["modules", "--impact", "--format", "dot"],
    &["rules"],
];

/// The output of every command and every report.
fn outputs(place: &Place) -> Vec<(String, Output)> {
    let ask = |arguments: &[&str]| (arguments.join(" "), place.overrule(arguments));
    let reports = Format::ALL.iter().flat_map(|format| {
        let report = ["check", "--format", format.name];
        [ask(&report), ask(&[&report[..], &["--changed", "--all-findings"]].concat())]
    });
    LOOKS.iter().map(|look| ask(look)).chain(reports).collect()
}

fn call(name: &str, source: &str) -> String {
    format!("module \"{name}\" {{\n  source = \"{source}\"\n}}\n")
}

/// A repository next to a directory with secrets, and every way to refer to it with text or links.
fn with_ways_out() -> Place {
    let place = Place::committed(&[("main.tf", "locals {}\n")]);
    let secret = place.beside("secret");
    fs::create_dir_all(&secret).expect("a directory");
    for name in
        ["main.tf", "override.tf", "policy.hcl", ".terraform.lock.hcl", "terraform.tfvars", "x.tf.json"]
    {
        fs::write(secret.join(name), SECRET).expect("a file");
    }
    let absolute = secret.to_str().expect("UTF-8");
    let calls = [
        call("up", "../secret"),
        call("far", &format!("./{}etc", "../".repeat(60))),
        call("absolute", absolute),
        call("linked", "./linked"),
        call("within", "./within/../../secret"),
    ];
    place.write("main.tf", calls.concat());
    place.write("within/main.tf", "locals {}\n");
    place.link("linked", "../secret");
    place.link("linked_absolute", absolute);
    place.link("hop", "linked");
    place.link("file.tf", "../secret/main.tf");
    place.link("file_override.tf", absolute);
    place.link("device.tf", "/dev/zero");
    place.link("process.tf", "/proc/self/environ");
    place.link("linked.tf.json", "linked/x.tf.json");
    place.link(".terraform.lock.hcl", "../secret/.terraform.lock.hcl");
    place.link("terraform.tfvars", "../secret/terraform.tfvars");
    place.link("ring/a", "b");
    place.link("ring/b", "a");
    place.link("ring/main.tf", "main.tf");
    place
}

#[test]
fn nothing_outside_is_read_in_any_state() {
    let place = with_ways_out();
    place.git(&["add", "--all"]);
    let staged = outputs(&place);
    place.commit("hostile");
    for (look, output) in staged.into_iter().chain(outputs(&place)) {
        assert!(matches!(output.code, Some(0 | 1)), "{look}: {:?}: {}", output.code, output.err);
        for text in [&output.out, &output.err] {
            assert!(!text.contains("S3CRET") && !text.contains("PATH="), "{look}: {text}");
        }
    }
    let told = place.overrule(&["check", "--format", "concise"]).out;
    for way in ["main.tf:2:12: ", "file.tf", "device.tf", "linked.tf.json"] {
        assert!(told.contains(way), "{way} is told: {told}");
    }
}

#[test]
fn a_policy_starts_from_nothing_outside() {
    let place = with_ways_out();
    for from in ["../secret/policy.hcl", "./linked/policy.hcl"] {
        place.write("overrule.hcl", format!("policy {{\n  extends = [\"{from}\"]\n}}\n"));
        place.commit("a policy");
        for look in [&["check"][..], &["check", "--changed"], &["check", "--policy-from", "HEAD"]] {
            let output = place.overrule(look);
            assert_eq!(output.code, Some(2), "{look:?}: {}", output.err);
            assert!(!output.err.contains("S3CRET"), "{look:?}: {}", output.err);
        }
    }
    fs::remove_file(place.path().join("overrule.hcl")).expect("a file");
    place.link("overrule.hcl", "../secret/policy.hcl");
    place.commit("a link");
    for look in [&["check"][..], &["check", "--changed"], &["check", "--policy-from", "HEAD"]] {
        let output = place.overrule(look);
        assert_eq!(output.code, Some(2), "{look:?}: {}", output.err);
        assert!(!output.err.contains("S3CRET"), "{look:?}: {}", output.err);
    }
}

/// Hostile names, texts and reasons.
const HARM: &[&str] = &[
    "\u{1b}[31mred\u{1b}]0;title\u{7}",
    "a\n::error::pwned",
    "a\r::warning::pwned",
    "##[error]pwned",
    "##vso[task.setvariable variable=a]pwned",
    "##teamcity[pwned]",
    "<img src=x onerror=pwned>&amp;]]>",
    "[link](javascript:pwned) `code` | cell",
    "\"quoted\" 'single' $(touch pwned)",
    "\u{202e}\u{2066}back\u{200f}",
    "\u{9b}31m\u{85}\u{2028}",
    "%0A::error::pwned,file=x",
    "zero\u{200b}width\u{feff}\u{ad}tag\u{e0041}byte\u{10fffe}",
];

#[test]
fn names_and_texts_do_nothing_in_any_report() {
    let place = Place::repository(&[("main.tf", "locals {}\n")]);
    for (number, harm) in HARM.iter().enumerate() {
        let directory = harm.replace('/', "_");
        let text = harm.replace(['\n', '\r'], " ").replace('\\', "").replace('"', "'").replace("$(", "(");
        let block = format!("# {text}\nvariable \"{text}\" {{\n  default = \"{text}\"\n  {number} = 1\n}}\n");
        place.write(&format!("{directory}/main.tf"), block);
        place.write(
            &format!("{directory}/{directory}.tf"),
            format!("variable \"a\" {{}}\nvariable \"a\" {{}}\n# {harm}\n"),
        );
        place.write(
            &format!("json{number}/main.tf.json"),
            serde_json::json!({ *harm: harm, "variable": harm }).to_string(),
        );
        let call = call(&text, &format!("./{text}"));
        place.write(
            &format!("call{number}/main.tf"),
            format!("{call}module \"m\" {{\n  source = \"./{text}\"\n}}\n"),
        );
    }
    // A name that is not UTF-8.
    let bytes = place.path().join(OsStr::from_bytes(b"bytes\xff\x1b[31m"));
    fs::create_dir_all(&bytes).expect("a directory");
    fs::write(bytes.join(OsStr::from_bytes(b"\xfe\n.tf")), b"variable \"\xff\" {}\n# \xff\nx \xfe\n")
        .expect("a file");
    place.git(&["add", "--all"]);
    place.git(&["commit", "--quiet", "--no-verify", "--message", "hostile"]);
    let mut looks = outputs(&place);
    let policy = format!(
        "exception \"invalid-name\" {{\n  reason = \"{}\"\n}}\nrule \"{}\" {{}}\n",
        "\u{1b}[31m ::error::pwned", "\u{1b}[31m##[error]"
    );
    place.write("overrule.hcl", policy);
    looks.push(("a policy".to_owned(), place.overrule(&["check"])));
    looks.push(("a path".to_owned(), place.overrule(&["check", "\u{1b}[31m"])));
    looks.push(("a rule".to_owned(), place.overrule(&["explain", "\u{1b}[31m##[error]"])));
    for harm in HARM {
        let directory = harm.replace('/', "_");
        place.write(&format!("{directory}/override.tf"), "variable \"none\" {}\n");
        looks.push(("a module".to_owned(), place.overrule(&["merge", "--isolated", &directory])));
        looks.push((
            "a report".to_owned(),
            place.overrule(&["check", "--output", &format!("json={directory}")]),
        ));
        place.git(&["config", "core.hooksPath", &directory]);
        looks.push(("a hook".to_owned(), place.overrule(&["hook", "install"])));
        looks.push(("the hook".to_owned(), place.overrule(&["hook", "install"])));
    }
    for (look, output) in &looks {
        for text in [&output.out, &output.err] {
            assert!(!text.contains(is_obeyed), "{look} writes what a terminal obeys: {text:?}");
            assert_eq!(commands(text).count(), 0, "{look} writes a command: {text}");
            let is_command = |line: &&str| line.trim_start().starts_with("::");
            let is_ours = |line: &str| look.contains("github") && line.starts_with("::");
            let other: Vec<&str> = text.lines().filter(is_command).filter(|line| !is_ours(line)).collect();
            assert!(other.is_empty(), "{look} writes a command: {other:?}");
            let is_markup =
                ["markdown", "junit", "checkstyle", "mermaid"].iter().any(|format| look.ends_with(format));
            assert!(!is_markup || !text.contains("<img"), "{look} writes markup: {text}");
        }
        if ["json", "sarif", "gitlab"].iter().any(|format| look.ends_with(&format!("--format {format}"))) {
            let parsed: Result<Value, _> = serde_json::from_str(&output.out);
            assert!(parsed.is_ok(), "{look}: {}", output.out);
        }
    }
    let found = place.overrule(&["check", "--isolated", "--format", "concise"]);
    assert!(found.code == Some(1) && found.out.lines().count() > 2 * HARM.len(), "{}", found.out);
}
