//! Decisions that a change must not influence: the directories that the action checks, the base of the comparison,
//! and the policy.

use std::fs;

use crate::{Runner, pull_request};

/// A policy that turns off all findings of the test.
const OFF: &str = "rule \"duplicate-declaration\" {\n  level = \"off\"\n}\n";

/// A change whose own policy turns off its finding, checked out without its base, for an event other than
/// `pull_request`.
fn change(event: &str) -> Runner {
    let mut runner = pull_request("1");
    runner.write("workspace/overrule.hcl", OFF);
    let base = runner.git(&["rev-parse", "main"], "origin");
    runner.event = vec![("GITHUB_EVENT_NAME", event.to_owned()), ("GITHUB_SHA", base.clone())];
    if event == "merge_group" {
        let payload = format!(
            "{{\"merge_group\":{{\"base_sha\":\"{base}\",\"head_commit\":{{\"message\":\"\\\"base_sha\\\": \\\"{}\\\"\"}}}}}}",
            "0".repeat(40)
        );
        runner.write("event.json", &payload);
        runner.event.push(("GITHUB_EVENT_PATH", runner.path("event.json").display().to_string()));
        let head = runner.git(&["rev-parse", "HEAD"], "workspace");
        runner.event[1].1 = head;
    }
    runner
}

/// Fetches the base as the message of the action recommends.
fn fetch_base(runner: &Runner) {
    let base = runner.git(&["rev-parse", "main"], "origin");
    runner.git(&["config", "uploadpack.allowAnySHA1InWant", "true"], "origin");
    runner.git(&["fetch", "--quiet", "--depth", "1", "origin", &base], "workspace");
}

#[test]
fn a_change_with_the_rights_of_its_base_is_not_checked_under_its_own_policy() {
    let runner = change("pull_request_target");
    let job = runner.run();
    assert!(!job.succeeds, "{job:?}");
    assert_eq!(job.outputs["exit-code"], "2");
    assert!(
        job.log.contains("::error title=overrule::the change would choose its own policy"),
        "{}",
        job.log
    );
    fetch_base(&runner);
    let job = runner.run();
    assert_eq!(job.outputs["exit-code"], "1", "{job:?}");
    let mut runner = change("pull_request_target");
    runner.inputs.insert("policy-from", "none".to_owned());
    assert!(runner.run().succeeds, "unless the workflow says so");
}

#[test]
fn for_other_events_a_change_under_its_own_policy_is_pointed_out() {
    for event in ["merge_group", "workflow_run"] {
        let runner = change(event);
        let job = runner.run();
        assert!(job.succeeds, "{event}: {job:?}");
        let warning = "::warning title=overrule::the change chooses its own policy";
        assert!(job.log.contains(warning), "{event}: {}", job.log);
        assert!(job.summary.contains("> [!WARNING]\n> the change chooses its own policy"), "{job:?}");
        fetch_base(&runner);
        let job = runner.run();
        assert_eq!(job.outputs["exit-code"], "1", "{event}: {job:?}");
        assert!(!job.log.contains("::warning title"), "{event}: {}", job.log);
    }
    let job = {
        let runner = pull_request("1");
        runner.write("workspace/overrule.hcl", OFF);
        runner.run()
    };
    assert!(job.summary.contains("> the change chooses its own policy"), "{job:?}");
}

#[test]
fn what_a_branch_of_the_repository_holds_is_checked_under_its_own_policy() {
    for event in ["pull_request_target", "workflow_run"] {
        let mut runner = change(event);
        runner.event[1].1 = runner.git(&["rev-parse", "HEAD"], "workspace");
        let job = runner.run();
        assert!(job.succeeds && !job.log.contains("::warning"), "{event}: {job:?}");
    }
}

/// Adds a directory to the checkout that looks like a bare repository and hides everything.
fn embed(runner: &Runner) {
    for (path, text) in [
        ("HEAD", "ref: refs/heads/main\n"),
        ("config", "[core]\n\tbare = false\n\tworktree = ..\n"),
        ("objects/.keep", ""),
        ("refs/.keep", ""),
        ("info/exclude", "*\n"),
        ("overrule.hcl", OFF),
    ] {
        runner.write(&format!("workspace/live/{path}"), text);
    }
}

#[test]
fn a_directory_that_looks_like_a_bare_repository_is_part_of_the_checkout() {
    let mut runner = pull_request("2");
    embed(&runner);
    runner.git(&["add", "--all", "--force"], "workspace");
    runner.inputs.insert("working-directory", "live".to_owned());
    let job = runner.run();
    assert!(job.summary.starts_with("### overrule: 1 error\n"), "{job:?}");
    runner.inputs.insert("base", "none".to_owned());
    let job = runner.run();
    assert!(job.summary.starts_with("### overrule: 2 errors\n"), "{job:?}");
}

#[test]
fn a_working_directory_behind_a_link_or_in_a_submodule_is_refused() {
    let mut runner = pull_request("2");
    fs::create_dir(runner.path("elsewhere")).expect("a directory");
    for target in ["../elsewhere", "."] {
        std::os::unix::fs::symlink(target, runner.path("workspace/live")).expect("a link");
        runner.inputs.insert("working-directory", "live".to_owned());
        let job = runner.run();
        assert_eq!(job.outputs["exit-code"], "2", "{job:?}");
        assert!(job.log.contains("a symbolic link is part of the working directory live"), "{}", job.log);
        fs::remove_file(runner.path("workspace/live")).expect("the link");
    }
    fs::create_dir(runner.path("other")).expect("a directory");
    runner.git(&["init", "--quiet"], "other");
    runner.git(&["commit", "--quiet", "--allow-empty", "--message", "a"], "other");
    let other = format!("file://{}", runner.path("other").display());
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &other, "live"];
    runner.git(&add, "workspace");
    let job = runner.run();
    assert_eq!(job.outputs["exit-code"], "2", "{job:?}");
    assert!(job.log.contains("is a submodule of the checkout"), "{}", job.log);
}

#[test]
fn a_second_checkout_in_the_workspace_is_one_of_its_own() {
    let mut runner = pull_request("2");
    fs::rename(runner.path("workspace"), runner.path("second")).expect("moved");
    fs::create_dir(runner.path("workspace")).expect("a directory");
    runner.git(&["init", "--quiet"], "workspace");
    fs::rename(runner.path("second"), runner.path("workspace/second")).expect("moved");
    runner.inputs.insert("working-directory", "second".to_owned());
    let job = runner.run();
    assert!(job.summary.starts_with("### overrule: 1 error\n"), "{job:?}");
}
