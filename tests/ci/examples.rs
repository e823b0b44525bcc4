//! Checks the examples of the documentation: they are documents of their systems, and their commands run.

use std::fs;
use std::path::Path;

use regex::Regex;

use super::{read, yaml};

/// The code blocks of the README in a language.
fn blocks(language: &str) -> Vec<String> {
    blocks_of("README.md", language)
}

/// The code blocks of a page in a language.
fn blocks_of(page: &str, language: &str) -> Vec<String> {
    let (page, opening) = (read(page), format!("```{language}\n"));
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap_or(rest).to_owned()).collect()
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
    let template = read("templates/check.yml");
    let (inputs, _) = template.split_once("\n---\n").expect("two documents");
    assert_eq!(yaml(inputs)["spec"]["inputs"]["image"]["default"], gitlab["overrule"]["image"]);
}

/// The code blocks in a language on the page about CI.
fn examples(language: &str) -> Vec<String> {
    blocks_of("docs/ci.md", language)
}

#[test]
fn the_examples_for_other_systems_are_documents_of_theirs() {
    let [gitlab, azure, atlantis] = &examples("yaml").iter().map(|text| yaml(text)).collect::<Vec<_>>()[..]
    else {
        panic!("three examples");
    };
    let (inputs, job) =
        read("templates/check.yml").split_once("\n---\n").map(|(a, b)| (yaml(a), yaml(b))).expect("two");
    for (name, value) in gitlab["include"][0]["inputs"].as_object().expect("inputs") {
        let options = inputs["spec"]["inputs"][name]["options"].as_array().expect("an input with options");
        assert!(options.contains(value), "{name}");
    }
    let job = &job["$[[ inputs.job-name ]]"];
    let report = job["artifacts"]["reports"]["codequality"].as_str().expect("a file");
    assert_eq!(inputs["spec"]["inputs"]["fail-on"]["default"], "", "`fail_on` of the policy counts");
    assert!(job["script"][0].as_str().is_some_and(|script| script.contains(&format!("gitlab={report} "))));
    let results = azure["steps"][3]["inputs"]["testResultsFiles"].as_str().expect("a file");
    let script = azure["steps"][2]["script"].as_str().expect("a script");
    assert!(script.ends_with(&format!("--output junit={results}")), "{script}");
    let workflow = atlantis["repos"][0]["workflow"].as_str().expect("a name");
    assert!(atlantis["workflows"][workflow]["plan"]["steps"].is_array());
}

#[cfg(unix)]
#[test]
fn every_command_that_a_ci_is_given_runs() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = Path::new(env!("CARGO_BIN_EXE_overrule")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("PATH"));
    let sh = |script: &str| {
        let mut sh = std::process::Command::new("sh");
        sh.args(["-euc", script]).current_dir(directory.path()).env("PATH", &path).env("TARGET", "main");
        sh.output().expect("sh runs")
    };
    let made = sh("git init -q -b main . && echo 'locals {}' >main.tf && git add . && \
         git -c user.name=a -c user.email=a@b commit -qm a && git update-ref refs/remotes/origin/main HEAD");
    assert!(made.status.success(), "{made:?}");
    let template = read("templates/check.yml");
    let (inputs, template) = template.split_once("\n---\n").expect("two documents");
    let mut template = template.to_owned();
    for (name, input) in yaml(inputs)["spec"]["inputs"].as_object().expect("inputs") {
        // GitLab writes a value that is not a string as JSON.
        let value = input["default"].as_str().map_or_else(|| input["default"].to_string(), str::to_owned);
        template = template.replace(&format!("$[[ inputs.{name} ]]"), &value);
    }
    let texts = [examples("yaml"), examples("groovy"), blocks("yaml"), vec![template]].concat();
    let command = Regex::new(r"overrule check[^'\n]*").expect("an expression");
    let commands: Vec<_> =
        texts.iter().flat_map(|text| command.find_iter(text)).map(|found| found.as_str()).collect();
    assert_eq!(commands.len(), 6, "{commands:#?}");
    for command in commands {
        let output = sh(command);
        assert!(output.status.success(), "{command}: {output:?}");
    }
}

/// Runs what the page about affected modules gives to GitLab and Atlantis, in a repository with one affected module.
#[cfg(unix)]
#[test]
fn pipelines_and_projects_are_written_from_what_a_change_affects() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = Path::new(env!("CARGO_BIN_EXE_overrule")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("PATH"));
    let sh = |script: &str| {
        let mut sh = std::process::Command::new("sh");
        sh.args(["-euc", script]).current_dir(directory.path()).env("PATH", &path);
        sh.env("BASE_BRANCH_NAME", "main").env("CI_MERGE_REQUEST_DIFF_BASE_SHA", "origin/main");
        let output = sh.output().expect("sh runs");
        assert!(output.status.success(), "{script}: {output:?}");
    };
    let written = |file: &str| yaml(&fs::read_to_string(directory.path().join(file)).expect("a file"));
    let [github, gitlab, atlantis] = &blocks_of("docs/affected.md", "yaml")[..] else {
        panic!("three examples")
    };
    assert!(yaml(github)["jobs"].is_object());
    let lines = yaml(gitlab)["affected"]["script"].as_array().expect("a script").clone();
    let script = lines.iter().map(|line| line.as_str().expect("a line")).collect::<Vec<_>>().join("\n");
    let hook =
        yaml(atlantis)["repos"][0]["pre_workflow_hooks"][0]["run"].as_str().expect("a hook").to_owned();
    sh(
        "git init -q -b main . && git config user.name a && git config user.email a@b && mkdir -p 'live/a b' && \
        printf 'terraform {\n  backend \"local\" {}\n}\n' >'live/a b/main.tf' && git add . && git commit -qm a && \
        git update-ref refs/remotes/origin/main HEAD",
    );
    sh(&script);
    assert_eq!(written("plans.yml")["nothing"]["script"], "true", "a child pipeline has a job");
    sh("echo 'resource \"terraform_data\" \"a\" {}' >>'live/a b/main.tf' && git commit -qam b");
    sh(&script);
    let plan = written("plans.yml")["plan live/a b"]["script"].as_str().expect("a script").to_owned();
    assert!(plan.starts_with("terraform -chdir=\"live/a b\" init && "), "{plan}");
    sh(&hook);
    let project = serde_json::json!({"dir": "live/a b", "autoplan": {"when_modified": ["../../**"]}});
    assert_eq!(written("atlantis.yaml")["projects"], serde_json::json!([project]));
}
