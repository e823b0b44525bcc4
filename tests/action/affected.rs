//! The command `affected`: the root modules whose plan a change can affect, as the matrix of a later job.

use serde_json::{Value, json};

use super::{Runner, action, pull_request_of, top};

/// A module that two root modules call, and a root module without it.
const FILES: [(&str, &str); 4] = [
    ("modules/net/main.tf", "resource \"terraform_data\" \"net\" {}\n"),
    (
        "live/prod/main.tf",
        "terraform {\n  backend \"local\" {}\n}\n\nmodule \"net\" {\n  source = \"../../modules/net\"\n}\n",
    ),
    (
        "live/a b/main.tf",
        "terraform {\n  backend \"local\" {}\n}\n\nmodule \"net\" {\n  source = \"../../modules/net\"\n}\n",
    ),
    ("live/other/main.tf", "terraform {\n  backend \"local\" {}\n}\n"),
];

/// A pull request that changes the module.
fn pull_request(depth: &str) -> Runner {
    let change = ("modules/net/main.tf", "resource \"terraform_data\" \"net\" {\n  input = 1\n}\n");
    let mut runner = pull_request_of(&FILES, &[change], depth);
    runner.inputs.insert("command", "affected".to_owned());
    runner
}

#[test]
fn the_output_is_the_matrix_of_a_later_job() {
    let job = pull_request("2").run();
    assert!(job.succeeds, "{job:?}");
    let matrix: Value = serde_json::from_str(&job.outputs["matrix"]).expect("JSON");
    assert_eq!(
        matrix,
        json!({"include": [
            {"path": "live/a b", "tool": "terraform"},
            {"path": "live/prod", "tool": "terraform"},
        ]})
    );
    assert_eq!((job.outputs["exit-code"].as_str(), job.outputs["sarif"].as_str()), ("0", ""));
    let line = "live/prod ← modules/net ← modules/net/main.tf\n";
    assert!(job.log.contains(line) && job.log.contains("2 root modules affected\n"), "{}", job.log);
    assert!(
        job.summary.starts_with("### overrule: affected root modules\n\n    live/a b ← "),
        "{}",
        job.summary
    );
    assert!(job.summary.contains(&format!("\n    {line}")), "{}", job.summary);
}

#[test]
fn the_output_is_empty_where_nothing_is_affected() {
    let comment = ("live/other/main.tf", "terraform {\n  # Local.\n  backend \"local\" {}\n}\n");
    let mut runner = pull_request_of(&FILES, &[comment], "2");
    runner.inputs.insert("command", "affected".to_owned());
    let job = runner.run();
    assert!(job.succeeds && job.log.contains("nothing affected\n"), "{job:?}");
    assert_eq!((job.outputs["matrix"].as_str(), job.outputs["exit-code"].as_str()), ("", "0"));
}

#[test]
fn arguments_and_the_policy_of_the_base_apply() {
    let mut runner = pull_request("2");
    let role = "role \"example\" {\n  paths = [\"live/**\"]\n}\n";
    runner.write("workspace/overrule.hcl", role);
    runner.git(&["add", "overrule.hcl"], "workspace");
    assert!(runner.run().outputs["matrix"].contains("live/prod"), "a change does not choose what is planned");
    runner.inputs.insert("policy-from", "none".to_owned());
    assert_eq!(runner.run().outputs["matrix"], "", "unless the workflow takes the policy of the change");
    runner.inputs.insert("arguments", "--examples\n".to_owned());
    assert!(runner.run().outputs["matrix"].contains("live/prod"), "or lists examples too");
}

#[test]
fn without_a_base_the_step_fails_and_names_the_setting() {
    let failure = |runner: &Runner, message: &str| {
        let job = runner.run();
        assert!(!job.succeeds && job.log.contains(message), "{job:?}");
        assert_eq!((job.outputs["exit-code"].as_str(), job.outputs["matrix"].as_str()), ("2", ""));
    };
    let mut runner = pull_request("1");
    failure(&runner, "`affected` has no base to compare with: set `fetch-depth: 2` at actions/checkout\n");
    runner.inputs.insert("base", "HEAD^1".to_owned());
    failure(&runner, "error: ");
    let mut runner = pull_request("2");
    runner.event = vec![("GITHUB_EVENT_NAME", "push".to_owned())];
    failure(&runner, "`affected` has no base to compare with: set the input `base`\n");
    runner.inputs.insert("base", "HEAD^1".to_owned());
    assert!(runner.run().outputs["matrix"].contains("live/prod"));
    runner.inputs.insert("base", "none".to_owned());
    failure(&runner, "so `base` cannot be `none`\n");
    runner.inputs.insert("base", String::new());
    runner.inputs.insert("fail-on", "error".to_owned());
    failure(&runner, "the inputs `paths` and `fail-on` are for the command `check`\n");
}

#[test]
fn a_name_in_the_change_writes_no_command_of_the_runner_and_no_markup() {
    let hostile = "live/```\u{7f}\n::error::pwned/main.tf";
    let files = [FILES[0], (hostile, FILES[1].1), ("::error::pwned/main.tf", FILES[3].1)];
    let change = [("::error::pwned/a.tf", "resource \"terraform_data\" \"a\" {}\n"), (hostile, FILES[3].1)];
    let mut runner = pull_request_of(&files, &change, "2");
    runner.inputs.insert("command", "affected".to_owned());
    let job = runner.run();
    assert!(job.succeeds && job.log.contains("2 root modules affected\n"), "{job:?}");
    assert!(!job.log.lines().any(|line| line.trim_start().starts_with("::")), "{}", job.log);
    let list = job.summary.lines().skip(2).take(3);
    assert!(list.clone().all(|line| line.starts_with("    ")) && list.count() == 3, "{}", job.summary);
    let matrix: Value = serde_json::from_str(&job.outputs["matrix"]).expect("JSON");
    assert_eq!(matrix["include"].as_array().map(Vec::len), Some(2), "{matrix}");
}

#[test]
fn a_command_that_does_not_exist_is_refused_before_the_installation() {
    let mut runner = Runner::new();
    runner.has_program = false;
    runner.inputs.insert("command", "merge; touch pwned".to_owned());
    let job = runner.run();
    assert!(job.log.contains("which is neither `check` nor `affected`"), "{job:?}");
    assert!(!job.succeeds && !job.log.contains("is on PATH"), "{job:?}");
}

/// The workflow of the documentation names inputs and outputs of the action.
#[test]
fn the_documented_workflow_uses_the_action_as_it_is() {
    let page = std::fs::read_to_string(top().join("docs/affected.md")).expect("the page");
    let text = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let workflow: Value = yaml_serde::from_str(text).expect("YAML");
    let [affected, plan] = ["affected", "plan"].map(|job| &workflow["jobs"][job]);
    let step = affected["steps"].as_array().expect("steps").iter().find(|step| step["id"] == "overrule");
    let inputs = step.expect("the step of the action")["with"].as_object().expect("inputs");
    assert_eq!(inputs["command"], "affected");
    assert!(inputs.keys().all(|name| action()["inputs"][name].is_object()), "{inputs:?}");
    assert!(action()["outputs"]["matrix"].is_object());
    assert_eq!(affected["outputs"]["matrix"], "${{ steps.overrule.outputs.matrix }}");
    assert_eq!(plan["if"], "needs.affected.outputs.matrix");
    assert_eq!(plan["strategy"]["matrix"], "${{ fromJson(needs.affected.outputs.matrix) }}");
    assert!(text.contains("${{ matrix.path }}") && text.contains("${{ matrix.tool }}"), "{text}");
}
