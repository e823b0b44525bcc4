//! Hooks in real repositories: where they are put, and what is never touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository in a folder that is gone at the end.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().expect("a folder"));
        fs::create_dir(repository.path("infra")).expect("a folder");
        repository.git(&["init", "--quiet", "infra"], "");
        repository
    }

    /// A path beside the work tree `infra`, or in it.
    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn git(&self, arguments: &[&str], folder: &str) {
        let output = self.run(Command::new("git").args(arguments), folder);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    /// Runs the program in a folder, and gives its exit code and all that it said.
    fn overrule(&self, arguments: &[&str], folder: &str) -> (Option<i32>, String) {
        let output = self.run(Command::new(env!("CARGO_BIN_EXE_overrule")).args(arguments), folder);
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).expect("UTF-8").replace('\\', "/"))
    }

    /// Runs a command with nothing of what a person may have set.
    fn run(&self, command: &mut Command, folder: &str) -> Output {
        for (variable, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"))
        {
            command.env_remove(variable);
        }
        command
            .current_dir(self.path(folder))
            .env("HOME", self.0.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b")])
            .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@b")])
            .output()
            .expect("the command runs")
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const INSTALLED: &str = "installed `.git/hooks/pre-commit`: what is staged is checked before every commit\n";

#[test]
fn a_hook_is_installed_once_and_taken_away_again() {
    let repository = Repository::new();
    fs::create_dir(repository.path("infra/live")).expect("a folder");
    let hook = repository.path("infra/.git/hooks/pre-commit");
    assert_eq!(repository.overrule(&["hook", "install"], "infra/live"), (Some(0), INSTALLED.to_owned()));
    let written = read(&hook);
    assert!(
        written.starts_with("#!/bin/sh\n") && written.ends_with("\nexec overrule check --hook\n"),
        "{written}"
    );
    let again = "`.git/hooks/pre-commit` is installed already\n".to_owned();
    assert_eq!(repository.overrule(&["hook", "install"], "infra"), (Some(0), again));
    assert_eq!(read(&hook), written);
    let removed = "removed `.git/hooks/pre-commit`\n".to_owned();
    assert_eq!(repository.overrule(&["hook", "uninstall"], "infra"), (Some(0), removed));
    assert!(!hook.exists());
    let none = "there is no hook to take away\n".to_owned();
    assert_eq!(repository.overrule(&["hook", "uninstall"], "infra"), (Some(0), none));
}

#[cfg(unix)]
#[test]
fn git_can_run_the_hook_even_where_somebody_took_the_right_to_it_away() {
    use std::os::unix::fs::PermissionsExt;

    let repository = Repository::new();
    let hook = repository.path("infra/.git/hooks/pre-commit");
    let mode = || fs::metadata(&hook).expect("the hook").permissions().mode() & 0o777;
    repository.overrule(&["hook", "install"], "infra");
    assert_eq!(mode(), 0o755);
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o644)).expect("a mode");
    repository.overrule(&["hook", "install"], "infra");
    assert_eq!(mode(), 0o755);
}

#[test]
fn a_hook_of_somebody_else_is_left_as_it_is() {
    let repository = Repository::new();
    let hook = repository.path("infra/.git/hooks/pre-commit");
    repository.overrule(&["hook", "install"], "infra");
    let ours = read(&hook);
    for theirs in ["#!/bin/sh\nmake lint\n".to_owned(), format!("{ours}make lint\n")] {
        fs::write(&hook, &theirs).expect("a hook");
        let left = "error: `.git/hooks/pre-commit` is another hook, and left as it is\n";
        let order = "  help: add the line `overrule check --hook || exit 1` to it\n";
        assert_eq!(repository.overrule(&["hook", "install"], "infra"), (Some(2), format!("{left}{order}")));
        let order = "  help: take the line `overrule check --hook || exit 1` out of it\n";
        assert_eq!(repository.overrule(&["hook", "uninstall"], "infra"), (Some(2), format!("{left}{order}")));
        assert_eq!(read(&hook), theirs);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_hook_is_not_written_through() {
    let repository = Repository::new();
    let hook = repository.path("infra/.git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().expect("a folder")).expect("a folder");
    std::os::unix::fs::symlink("../../scripts/check", &hook).expect("a link");
    assert_eq!(repository.overrule(&["hook", "install"], "infra").0, Some(2));
    assert!(!repository.path("infra/scripts").exists());
    assert!(hook.is_symlink());
}

#[test]
fn a_linked_work_tree_shares_the_hook() {
    let repository = Repository::new();
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "a"], "infra");
    repository.git(&["worktree", "add", "--quiet", "../other"], "infra");
    let (code, said) = repository.overrule(&["hook", "install"], "other");
    assert_eq!(code, Some(0), "{said}");
    assert!(repository.path("infra/.git/hooks/pre-commit").exists(), "{said}");
}

#[test]
fn the_folder_that_is_configured_is_where_git_looks() {
    let repository = Repository::new();
    fs::create_dir(repository.path("infra/live")).expect("a folder");
    repository.git(&["config", "core.hooksPath", "tools/hooks"], "infra");
    let installed = INSTALLED.replace(".git/hooks", "tools/hooks");
    assert_eq!(repository.overrule(&["hook", "install"], "infra/live"), (Some(0), installed));
    assert!(repository.path("infra/tools/hooks/pre-commit").exists());
    assert!(!repository.path("infra/.git/hooks/pre-commit").exists());
}

#[test]
fn a_folder_that_several_repositories_share_is_not_written_to() {
    let repository = Repository::new();
    fs::create_dir(repository.path("shared")).expect("a folder");
    repository.git(&["config", "--global", "core.hooksPath", "~/shared"], "infra");
    let (code, said) = repository.overrule(&["hook", "install"], "infra");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("/shared/pre-commit`, which is not of this repository alone\n"), "{said}");
    assert!(!repository.path("shared/pre-commit").exists());
}

#[test]
fn a_hook_needs_a_repository_that_makes_commits() {
    let repository = Repository::new();
    let (code, said) = repository.overrule(&["hook", "install"], "");
    assert_eq!(
        (code, said.starts_with("error: no git repository is around this folder\n")),
        (Some(2), true),
        "{said}"
    );
    repository.git(&["init", "--quiet", "--bare", "bare"], "");
    let told = "error: a bare repository has no commits that a hook could stop\n".to_owned();
    assert_eq!(repository.overrule(&["hook", "install"], "bare"), (Some(2), told));
}
