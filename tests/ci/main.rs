//! Checks that the documented commands are those that the project runs itself, and that the generated CI
//! configuration matches the documentation.

mod examples;
mod release;

use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::Value;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The commands of `.ci/run`, without the word that announces them.
fn steps() -> Vec<String> {
    read(".ci/run").lines().filter_map(|line| line.strip_prefix("step ")).map(str::to_owned).collect()
}

#[test]
fn the_readme_names_the_test_command_that_ci_runs() {
    let readme = read("README.md");
    let told: Vec<&str> =
        readme.lines().map(str::trim).filter(|line| line.starts_with("cargo test")).collect();
    assert_eq!(told, ["cargo test"], "the README names one command for the tests");
    assert!(steps().iter().any(|step| step == told[0]), ".ci/run runs `{}`: {:#?}", told[0], steps());
}

#[test]
fn every_other_step_of_ci_uses_the_lock_file() {
    for step in steps() {
        let free = ["cargo fmt --check", "cargo test"].contains(&step.as_str());
        assert!(free || step.contains("--locked"), "`{step}` could resolve dependencies anew");
    }
}

#[test]
fn the_workflow_runs_the_same_script() {
    assert!(read(".github/workflows/ci.yml").contains("run: .ci/run"));
}

#[test]
fn the_problem_matcher_takes_the_concise_report_apart() {
    let matcher: Value = serde_json::from_str(&read(".github/overrule-problem-matcher.json")).expect("JSON");
    let pattern = &matcher["problemMatcher"][0]["pattern"][0];
    let expression = Regex::new(pattern["regexp"].as_str().expect("a pattern")).expect("an expression");
    let part = |line: &str, name: &str| {
        let group = usize::try_from(pattern[name].as_u64().expect("a number")).expect("small");
        Some(expression.captures(line)?.get(group)?.as_str().to_owned())
    };
    let parts = |line: &str| {
        ["file", "line", "column", "severity", "message", "code"]
            .map(|name| part(line, name).unwrap_or_default())
    };
    let report = read("tests/report/concise.txt");
    let taken: Vec<[String; 6]> =
        report.lines().filter(|line| expression.is_match(line)).map(parts).collect();
    let placed = report.lines().filter(|line| !line.starts_with(' ') && !line.starts_with("modules/net: "));
    assert_eq!(taken.len(), placed.count(), "a line a finding that has a place: {taken:#?}");
    let first = [
        "live/a/main.tf",
        "14",
        "12",
        "error",
        "Module is incompatible with count, for_each, and depends_on",
    ];
    assert_eq!(taken[0][..5], first);
    let odd = "a:b/c d.tf:3:1: notice: Summary: with [brackets] [a-rule] (OpenTofu only) [*]";
    assert_eq!(parts(odd), ["a:b/c d.tf", "3", "1", "notice", "Summary: with [brackets]", "a-rule"]);
}

/// Parses a YAML document.
fn yaml(text: &str) -> Value {
    yaml_serde::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_hooks_for_pre_commit_are_given_all_that_a_check_may_depend_on() {
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let hooks = hooks.as_array().expect("a list");
    let text = |hook: &Value, name: &str| hook[name].as_str().expect("text").to_owned();
    let languages: Vec<_> = hooks.iter().map(|hook| (text(hook, "id"), text(hook, "language"))).collect();
    let expected = [("overrule", "python"), ("overrule-src", "rust"), ("overrule-system", "system")];
    assert_eq!(languages, expected.map(|(id, language)| (id.to_owned(), language.to_owned())));
    for hook in hooks {
        let settings = ["entry", "always_run", "require_serial"].map(|name| &hook[name]);
        assert_eq!(settings, [&"overrule check --hook".into(), &Value::from(true), &Value::from(true)]);
        let files = Regex::new(hook["files"].as_str().expect("a pattern")).expect("an expression");
        let named = [
            "main.tf",
            "live/main.tf.json",
            "a.tofu",
            "a.tofu.json",
            "x/prod.tfvars",
            "prod.auto.tfvars.json",
            "tests/a.tftest.hcl",
            "a.tofutest.hcl",
            "tests/a.tftest.json",
            "mocks/aws.tfmock.hcl",
            "live/terragrunt.hcl",
            ".terraform.lock.hcl",
            "live/.terraform.lock.hcl",
            "overrule.hcl",
            ".config/overrule.hcl",
        ];
        assert!(named.iter().all(|name| files.is_match(name)), "{named:?}");
        let others =
            ["main.tf.bak", "a.tfstate", "README.md", "a.hcl", "x/overrule.hcl", "x.terragrunt.hcl", "atf"];
        assert!(!others.iter().any(|name| files.is_match(name)), "{others:?}");
    }
}

/// Checks that the site has a chapter for every page, and that all links between pages are valid.
#[test]
fn the_site_has_a_chapter_for_every_page() {
    let summary = read("site/SUMMARY.md");
    let link = Regex::new(r"\]\(([^):#]+\.md)").expect("an expression");
    let listed = link.captures_iter(&summary).filter_map(|found| found.get(1)?.as_str().strip_prefix("../"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = |directory: &str| -> Vec<String> {
        let entries = fs::read_dir(root.join(directory)).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        names
            .filter(|name| name.strip_suffix(".md").is_some())
            .map(|name| format!("{directory}/{name}"))
            .collect()
    };
    assert!(summary.contains("\n<!-- a chapter for each rule -->\n"), "`.ci/site` lists the rules there");
    let chapters: Vec<String> = listed.map(str::to_owned).chain(pages("policies/rules")).collect();
    let missing: Vec<String> = pages("docs").into_iter().filter(|page| !chapters.contains(page)).collect();
    assert_eq!(missing, Vec::<String>::new(), "site/SUMMARY.md lists every page");
    for chapter in &chapters {
        let directory = Path::new(chapter).parent().expect("a directory");
        for found in link.captures_iter(&read(chapter)) {
            let page = root.join(directory).join(&found[1]).canonicalize().expect("a page");
            let page = page.strip_prefix(root.canonicalize().expect("a directory")).expect("inside");
            let is_chapter = chapters.iter().any(|chapter| Path::new(chapter) == page);
            assert!(is_chapter, "{chapter} links to {}, which site/SUMMARY.md does not list", page.display());
        }
    }
    assert!(read(".github/workflows/ci.yml").contains("run: .ci/site"));
}
