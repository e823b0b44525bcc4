//! Runs the GitHub action as GitHub does: its steps in order, each with its own environment and with files for
//! outputs, PATH and the summary.
#![cfg(unix)]

mod affected;
mod release;
mod trust;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A runner with a workspace.
struct Runner {
    directory: tempfile::TempDir,
    /// The inputs in the workflow.
    inputs: BTreeMap<&'static str, String>,
    /// The event of the run.
    event: Vec<(&'static str, String)>,
    /// Whether the program that was built for this test is on PATH.
    has_program: bool,
    /// The directory of the action.
    action: PathBuf,
}

/// The result of a job.
#[derive(Debug, Default)]
struct Job {
    succeeds: bool,
    log: String,
    summary: String,
    /// The outputs of the action.
    outputs: BTreeMap<String, String>,
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn action() -> Value {
    let text = fs::read_to_string(top().join("action.yml")).expect("the action");
    yaml_serde::from_str(&text).expect("YAML")
}

impl Runner {
    /// A runner whose workspace has two modules with an error each.
    fn new() -> Self {
        let runner = Self {
            directory: tempfile::tempdir().expect("a directory"),
            inputs: BTreeMap::from([("install", "path".to_owned())]),
            event: vec![("GITHUB_EVENT_NAME", "push".to_owned())],
            has_program: true,
            action: top().to_owned(),
        };
        for directory in ["temp", "files", "bin"] {
            fs::create_dir(runner.path(directory)).expect("a directory");
        }
        runner.write("workspace/net/main.tf", "variable \"a\" {}\nvariable \"a\" {}\n");
        runner.write("workspace/my live/main.tf", "variable \"b c\" {}\n");
        runner
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    /// Puts a program on PATH.
    fn program(&self, name: &str, script: &str) {
        self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        let rights = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path("bin").join(name), rights).expect("rights");
    }

    fn git(&self, arguments: &[&str], directory: &str) -> String {
        let mut command = self.command("git", directory);
        let output = command.args(arguments).output().expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    }

    /// A command whose environment contains only PATH.
    fn command(&self, program: &str, directory: &str) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").expect("PATH");
        command
            .current_dir(self.path(directory))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.directory.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b")]);
        command.envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@b")]);
        command
    }

    /// Runs every step with a script. A failing step is the last one.
    fn run(&self) -> Job {
        let action = action();
        let mut job = Job { succeeds: true, ..Job::default() };
        let mut outputs: BTreeMap<String, String> = BTreeMap::new();
        let mut path = vec![self.path("bin")];
        if self.has_program {
            path.push(Path::new(env!("CARGO_BIN_EXE_overrule")).parent().expect("a directory").to_owned());
        }
        path.extend(std::env::split_paths(&std::env::var_os("PATH").expect("PATH")));
        for (number, step) in action["runs"]["steps"].as_array().expect("steps").iter().enumerate() {
            let Some(script) = step["run"].as_str() else { continue };
            assert_eq!(step["shell"], "bash");
            let file = |name: &str| self.path("files").join(format!("{name}-{number}"));
            for name in ["output", "path", "summary"] {
                fs::write(file(name), "").expect("a file");
            }
            fs::write(file("script"), script).expect("a script");
            let mut command = self.command("bash", "workspace");
            command.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(file("script"));
            command.env("PATH", std::env::join_paths(&path).expect("paths"));
            command.envs([
                ("GITHUB_ACTIONS", "true"),
                ("CI", "true"),
                ("RUNNER_OS", "Linux"),
                ("RUNNER_ARCH", "X64"),
            ]);
            command.env("GITHUB_SERVER_URL", "https://github.example").env("RUNNER_TEMP", self.path("temp"));
            command.env("GITHUB_ACTION_PATH", &self.action).env("GITHUB_OUTPUT", file("output"));
            command.env("GITHUB_PATH", file("path")).env("GITHUB_STEP_SUMMARY", file("summary"));
            command.envs(self.event.iter().map(|(name, value)| (name, value)));
            for (name, value) in step["env"].as_object().into_iter().flatten() {
                command.env(name, self.evaluate(value.as_str().expect("text"), &action, &outputs));
            }
            let output = command.output().expect("bash runs");
            let said = [output.stdout, output.stderr].concat();
            job.log.push_str(&String::from_utf8(said).expect("UTF-8"));
            let written = |name: &str| fs::read_to_string(file(name)).expect("a file");
            job.summary.push_str(&written("summary"));
            path.splice(0..0, written("path").lines().map(PathBuf::from));
            for line in written("output").lines() {
                let (name, value) = line.split_once('=').expect("an output");
                outputs.insert(
                    format!("steps.{}.outputs.{name}", step["id"].as_str().expect("an id")),
                    value.into(),
                );
            }
            if !output.status.success() {
                job.succeeds = false;
                break;
            }
        }
        for (name, output) in action["outputs"].as_object().expect("outputs") {
            let value = self.evaluate(output["value"].as_str().expect("text"), &action, &outputs);
            job.outputs.insert(name.clone(), value);
        }
        job
    }

    /// The value of an expression. Only inputs and outputs are supported.
    fn evaluate(&self, text: &str, action: &Value, outputs: &BTreeMap<String, String>) -> String {
        let inside =
            text.strip_prefix("${{ ").and_then(|rest| rest.strip_suffix(" }}")).expect("an expression");
        if let Some(name) = inside.strip_prefix("inputs.") {
            let usual = action["inputs"][name]["default"].as_str().expect("an input with a default");
            return self.inputs.get(name).cloned().unwrap_or_else(|| usual.to_owned());
        }
        assert!(inside.starts_with("steps."), "{inside}");
        outputs.get(inside).cloned().unwrap_or_default()
    }
}

#[test]
fn what_a_workflow_says_is_never_part_of_a_script() {
    let action = action();
    for step in action["runs"]["steps"].as_array().expect("steps") {
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step}");
    }
    for (name, input) in action["inputs"].as_object().expect("inputs") {
        assert!(input["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
    }
}

#[test]
fn what_is_found_is_handed_out_before_the_step_fails() {
    let runner = Runner::new();
    let job = runner.run();
    assert!(!job.succeeds, "{job:?}");
    let annotations = job.log.lines().filter(|line| line.starts_with("::error file=")).count();
    assert_eq!(annotations, 2, "{}", job.log);
    assert!(job.summary.starts_with("### overrule: 2 errors\n"), "{}", job.summary);
    assert_eq!(job.outputs["exit-code"], "1");
    let log: Value =
        serde_json::from_str(&fs::read_to_string(&job.outputs["sarif"]).expect("a file")).expect("JSON");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(2));
}

#[test]
fn where_nothing_is_found_the_step_succeeds() {
    let mut runner = Runner::new();
    fs::remove_dir_all(runner.path("workspace")).expect("a directory");
    runner.write("workspace/infra/main.tf", "locals {}\n");
    runner.inputs.insert("working-directory", "infra".to_owned());
    let job = runner.run();
    assert!(job.succeeds, "{job:?}");
    assert_eq!(job.outputs["exit-code"], "0");
    assert!(job.summary.starts_with("### overrule: no findings\n"), "{}", job.summary);
}

#[test]
fn a_check_that_does_not_take_place_says_why_and_hands_out_no_report() {
    let mut runner = Runner::new();
    runner.inputs.insert("engine", "terrafrom".to_owned());
    let job = runner.run();
    assert!(!job.succeeds && job.log.contains("did you mean `terraform`?"), "{job:?}");
    assert_eq!((job.outputs["exit-code"].as_str(), job.outputs["sarif"].as_str()), ("2", ""));
}

#[test]
fn inputs_are_arguments_as_they_are_written() {
    let mut runner = Runner::new();
    runner.inputs.insert("paths", "my live\n\n".to_owned());
    let job = runner.run();
    assert!(
        job.log.contains("::error file=my live/main.tf,") && !job.log.contains("net/main.tf"),
        "{}",
        job.log
    );
    runner.inputs.insert("fail-on", "never".to_owned());
    runner.inputs.insert("arguments", "--select\nduplicate-declaration\n".to_owned());
    runner.inputs.insert("paths", "net\r\n".to_owned());
    let job = runner.run();
    assert!(job.succeeds && job.summary.starts_with("### overrule: 1 error\n"), "{job:?}");
    for hostile in ["$(touch pwned)", "`touch pwned`", "; touch pwned", "--output=human=pwned"] {
        runner.inputs.insert("paths", hostile.to_owned());
        let job = runner.run();
        assert!(job.log.contains(&format!("error: no such file or directory: `{hostile}`")), "{}", job.log);
        assert!(!runner.path("workspace/pwned").exists(), "{hostile}");
    }
}

#[test]
fn installed_modules_are_refused() {
    let mut runner = Runner::new();
    runner.inputs.insert("arguments", "--installed\n".to_owned());
    let job = runner.run();
    assert!(!job.succeeds && job.log.contains("`--installed` is not for the action"), "{job:?}");
}

#[test]
fn a_program_that_is_not_there_is_said_to_be_missing() {
    let mut runner = Runner::new();
    runner.has_program = false;
    let job = runner.run();
    assert!(!job.succeeds && job.log.contains("install is `path`, but no overrule is on PATH"), "{job:?}");
}

/// A repository with a change that has a finding, checked out as for the event `pull_request`, with a limited depth.
fn pull_request(depth: &str) -> Runner {
    let old = "variable \"old\" {}\nvariable \"old\" {}\n";
    let new = format!("{old}\nvariable \"new\" {{}}\nvariable \"new\" {{}}\n");
    pull_request_of(&[("main.tf", old)], &[("main.tf", &new)], depth)
}

/// A repository with files and with a change that writes others, checked out as for the event `pull_request`, with a
/// limited depth.
fn pull_request_of(files: &[(&str, &str)], change: &[(&str, &str)], depth: &str) -> Runner {
    let mut runner = Runner::new();
    let git = |arguments: &[&str]| runner.git(arguments, "origin");
    fs::create_dir(runner.path("origin")).expect("a directory");
    git(&["init", "--quiet", "--initial-branch", "main"]);
    let write = |files: &[(&str, &str)], message: &str| {
        for (path, text) in files {
            runner.write(&format!("origin/{path}"), text);
        }
        git(&["add", "."]);
        git(&["commit", "--quiet", "--message", message]);
    };
    write(files, "a");
    git(&["checkout", "--quiet", "-b", "change"]);
    write(change, "b");
    git(&["checkout", "--quiet", "main"]);
    git(&["commit", "--quiet", "--allow-empty", "--message", "c"]);
    git(&["merge", "--quiet", "--no-edit", "change"]);
    let merged = git(&["rev-parse", "HEAD"]);
    git(&["update-ref", "refs/pull/1/merge", &merged]);
    git(&["reset", "--quiet", "--hard", "HEAD^1"]);
    fs::remove_dir_all(runner.path("workspace")).expect("a directory");
    let remote = format!("file://{}", runner.path("origin").display());
    runner.git(&["init", "--quiet", "workspace"], "");
    runner.git(&["remote", "add", "origin", &remote], "workspace");
    runner.git(&["fetch", "--quiet", "--depth", depth, "origin", "refs/pull/1/merge"], "workspace");
    runner.git(&["checkout", "--quiet", "FETCH_HEAD"], "workspace");
    runner.event = vec![
        ("GITHUB_EVENT_NAME", "pull_request".to_owned()),
        ("GITHUB_BASE_REF", "main".to_owned()),
        ("GITHUB_SHA", merged),
    ];
    runner
}

#[test]
fn without_the_history_that_it_takes_everything_is_checked() {
    let job = pull_request("1").run();
    assert!(
        job.log.contains("::notice title=overrule::all findings are reported: set `fetch-depth: 2`"),
        "{}",
        job.log
    );
    assert!(job.summary.starts_with("### overrule: 2 errors\n"), "{}", job.summary);
}

#[test]
fn of_a_pull_request_only_what_it_adds_is_told() {
    let mut runner = pull_request("2");
    let job = runner.run();
    assert!(!job.succeeds, "{job:?}");
    assert!(job.summary.starts_with("### overrule: 1 error\n"), "{}", job.summary);
    assert!(job.log.contains("::error file=main.tf,line=5,"), "{}", job.log);
    runner.inputs.insert("base", "none".to_owned());
    assert!(runner.run().summary.starts_with("### overrule: 2 errors\n"), "all, where that is asked for");
    runner.inputs.insert("base", "HEAD".to_owned());
    assert!(runner.run().succeeds, "or what another revision does not have");
}

#[test]
fn a_branch_that_is_checked_out_itself_is_compared_with_the_branch_that_it_is_for() {
    let runner = pull_request("9");
    runner.git(&["fetch", "--quiet", "origin", "main:refs/remotes/origin/main", "change"], "workspace");
    // The branch includes a merge of its base, so the first parent is not the base.
    let change = runner.git(&["ls-remote", "origin", "change"], "workspace");
    let change = change.split_whitespace().next().expect("a commit").to_owned();
    runner.git(&["checkout", "--quiet", &change], "workspace");
    runner.git(&["merge", "--quiet", "--no-edit", "origin/main"], "workspace");
    let job = runner.run();
    assert!(job.summary.starts_with("### overrule: 1 error\n"), "{job:?}");
}

#[test]
fn a_pull_request_is_held_to_the_policy_of_its_base() {
    let mut runner = pull_request("2");
    let off = "rule \"duplicate-declaration\" {\n  level = \"off\"\n}\n";
    runner.write("workspace/overrule.hcl", off);
    runner.git(&["add", "overrule.hcl"], "workspace");
    let job = runner.run();
    assert!(job.summary.starts_with("### overrule: 1 error\n"), "{job:?}");
    runner.inputs.insert("policy-from", "none".to_owned());
    assert!(runner.run().succeeds, "unless the workflow says that it is not");
    runner.inputs.insert("policy-from", "HEAD".to_owned());
    assert!(!runner.run().succeeds, "or names another revision");
    runner.inputs.insert("policy-from", String::new());
    runner.inputs.insert("arguments", "--policy\noverrule.hcl\n".to_owned());
    assert!(runner.run().succeeds, "or names a policy");

    let runner = pull_request("1");
    runner.write("workspace/overrule.hcl", off);
    let job = runner.run();
    assert!(job.log.contains("::warning title=overrule::the change chooses its own policy"), "{}", job.log);
}
