//! Holds what people are told to run to what the project runs itself.

use std::fs;
use std::path::Path;

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
