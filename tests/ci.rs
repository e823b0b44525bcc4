//! Holds what people are told to run to what the project runs itself, and what it gives them for their CI to what it
//! prints.

use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::Value;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The commands that `.ci/run` runs, without the word that announces them.
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
    let odd = "a:b/c d.tf:3:1: notice: Summary: with [brackets] [a-rule] (OpenTofu only)";
    assert_eq!(parts(odd), ["a:b/c d.tf", "3", "1", "notice", "Summary: with [brackets]", "a-rule"]);
}

/// A document in YAML.
fn yaml(text: &str) -> Value {
    yaml_serde::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_hooks_for_pre_commit_are_given_all_that_a_check_may_depend_on() {
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let hooks = hooks.as_array().expect("a list");
    let languages: Vec<_> = hooks.iter().map(|hook| (&hook["id"], &hook["language"])).collect();
    assert_eq!(
        languages,
        [(&"overrule".into(), &"rust".into()), (&"overrule-system".into(), &"system".into())]
    );
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
            ".terraform.lock.hcl",
            "live/.terraform.lock.hcl",
            "overrule.hcl",
            ".config/overrule.hcl",
        ];
        assert!(named.iter().all(|name| files.is_match(name)), "{named:?}");
        let others =
            ["main.tf.bak", "a.tfstate", "README.md", "a.hcl", "x/overrule.hcl", "terragrunt.hcl", "atf"];
        assert!(!others.iter().any(|name| files.is_match(name)), "{others:?}");
    }
}

#[test]
fn a_wheel_is_built_with_the_lock_file_and_without_python() {
    let project = read("pyproject.toml");
    for line in ["build-backend = \"maturin\"", "bindings = \"bin\"", "locked = true", "strip = true"] {
        assert!(project.lines().any(|other| other == line), "{line}");
    }
}

/// The blocks of the README in a language.
fn blocks(language: &str) -> Vec<String> {
    let readme = read("README.md");
    let opening = format!("```{language}\n");
    readme.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap_or(rest).to_owned()).collect()
}

#[test]
fn what_the_readme_configures_is_there() {
    let [pre_commit, lefthook, workflow, gitlab] =
        &blocks("yaml").iter().map(|text| yaml(text)).collect::<Vec<_>>()[..]
    else {
        panic!("the README has four examples in YAML");
    };
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let ids: Vec<_> = hooks.as_array().expect("a list").iter().map(|hook| &hook["id"]).collect();
    assert!(ids.contains(&&pre_commit["repos"][0]["hooks"][0]["id"]), "{pre_commit}");
    assert_eq!(lefthook["pre-commit"]["jobs"][0]["run"], hooks[0]["entry"], "both run the same");

    let action = yaml(&read("action.yml"));
    let steps = workflow["jobs"]["overrule"]["steps"].as_array().expect("steps");
    let own = steps.iter().find(|step| step["id"] == "overrule").expect("the step of the action");
    for input in own["with"].as_object().into_iter().flat_map(|inputs| inputs.keys()) {
        assert!(action["inputs"][input].is_object(), "{input}");
    }
    let text = workflow.to_string();
    let outputs: Vec<_> = text.split("steps.overrule.outputs.").skip(1).collect();
    assert_eq!(outputs.len(), 2);
    assert!(outputs.iter().all(|rest| rest.starts_with("sarif")), "{text}");
    assert!(action["outputs"]["sarif"].is_object());

    let script = gitlab["overrule"]["script"][0].as_str().expect("a command");
    let report = gitlab["overrule"]["artifacts"]["reports"]["codequality"].as_str().expect("a file");
    assert_eq!(script, format!("overrule check --output gitlab={report}"));
}

#[test]
fn the_readme_names_the_version_that_this_is() {
    let version = env!("CARGO_PKG_VERSION");
    for line in
        read("README.md").lines().filter(|line| line.contains("/overrule@") || line.contains("rev: v"))
    {
        assert!(line.ends_with(&format!("v{version}")), "{line}");
    }
    assert!(read("README.md").contains(&format!("{}/overrule --tag v{version}\n", owner())));
}

/// The account in the address of the repository, the one place that names it.
fn owner() -> &'static str {
    let owner = env!("CARGO_PKG_REPOSITORY")
        .strip_prefix("https://github.com/")
        .and_then(|path| path.strip_suffix("/overrule"));
    owner.expect("a repository on GitHub with the name of the program")
}

#[test]
fn every_address_of_the_repository_names_its_owner() {
    let address = Regex::new(
        r"(github\.com/|githubusercontent\.com/|gitlab\.com/|ghcr\.io/|uses: )([\w.-]+)/overrule\b",
    );
    let address = address.expect("an expression");
    let mut found = 0;
    for path in ["README.md", "Cargo.toml", "tests/report/report.json"] {
        for part in address.captures_iter(&read(path)) {
            let expected = if &part[1] == "ghcr.io/" { owner().to_lowercase() } else { owner().to_owned() };
            assert_eq!(part[2], expected, "{path}: {}; `.ci/owner NAME` sets all of them", &part[0]);
            found += 1;
        }
    }
    assert!(found >= 5, "{found} addresses");
}
