//! Hooks in real repositories: their location, and files that are never changed.

use indoc::indoc;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository in a temporary directory.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().expect("a directory"));
        fs::create_dir(repository.path("infra")).expect("a directory");
        repository.git(&["init", "--quiet", "infra"], "");
        repository
    }

    /// A path next to the working tree `infra`, or in it.
    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn git(&self, arguments: &[&str], directory: &str) {
        let output = self.run(Command::new("git").args(arguments), directory);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    /// Runs the program in a directory and returns its exit code and output.
    fn overrule(&self, arguments: &[&str], directory: &str) -> (Option<i32>, String) {
        let output = self.run(Command::new(env!("CARGO_BIN_EXE_overrule")).args(arguments), directory);
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).expect("UTF-8").replace('\\', "/"))
    }

    /// Runs a command without the user's environment.
    fn run(&self, command: &mut Command, directory: &str) -> Output {
        for (variable, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"))
        {
            command.env_remove(variable);
        }
        // Hooks find the program that was built for this test.
        let built = Path::new(env!("CARGO_BIN_EXE_overrule")).parent().expect("a directory").to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(built).chain(std::env::split_paths(&path)));
        command
            .current_dir(self.path(directory))
            .env("PATH", path.expect("paths"))
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

impl Repository {
    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    /// Commits with real git. Returns whether that succeeded, and the output.
    fn commit(&self, arguments: &[&str]) -> (bool, String) {
        let commit = ["commit", "--quiet", "--message", "a"];
        let output = self.run(Command::new("git").args(commit).args(arguments), "infra");
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).expect("UTF-8"))
    }
}

const INSTALLED: &str = "installed `.git/hooks/pre-commit`\ninstalled `.git/hooks/pre-merge-commit`\n";

#[test]
fn a_hook_is_installed_once_and_taken_away_again() {
    let repository = Repository::new();
    fs::create_dir(repository.path("infra/live")).expect("a directory");
    let hook = repository.path("infra/.git/hooks/pre-commit");
    assert_eq!(repository.overrule(&["hook", "install"], "infra/live"), (Some(0), INSTALLED.to_owned()));
    let written = read(&hook);
    assert!(
        written.starts_with("#!/bin/sh\n") && written.ends_with("\nexec overrule check --hook\n"),
        "{written}"
    );
    let again = INSTALLED.lines().map(|line| line.replace("installed ", "") + " is already installed\n");
    assert_eq!(repository.overrule(&["hook", "install"], "infra"), (Some(0), again.collect()));
    assert_eq!(read(&hook), written);
    let removed = INSTALLED.replace("installed", "removed");
    assert_eq!(repository.overrule(&["hook", "uninstall"], "infra"), (Some(0), removed));
    assert!(!hook.exists());
    let none = "no hook is installed\n".to_owned();
    assert_eq!(repository.overrule(&["hook", "uninstall"], "infra"), (Some(0), none));
}

#[cfg(unix)]
#[test]
fn git_can_run_the_hook_after_its_mode_was_changed() {
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
fn a_foreign_hook_is_not_changed() {
    let repository = Repository::new();
    let hook = repository.path("infra/.git/hooks/pre-commit");
    repository.overrule(&["hook", "install"], "infra");
    let ours = read(&hook);
    repository.overrule(&["hook", "uninstall"], "infra");
    let left = "error: `.git/hooks/pre-commit` was not written by overrule, so overrule does not change it\n";
    let theirs = "#!/bin/sh\nmake lint\n";
    fs::write(&hook, theirs).expect("a hook");
    let order = "  help: add the line `overrule check --hook || exit 1` to it\n";
    assert_eq!(repository.overrule(&["hook", "install"], "infra"), (Some(2), format!("{left}{order}")));
    let remove = "  help: remove it yourself if it is not needed\n";
    assert_eq!(repository.overrule(&["hook", "uninstall"], "infra"), (Some(2), format!("{left}{remove}")));
    assert_eq!(read(&hook), theirs);
    assert!(!repository.path("infra/.git/hooks/pre-merge-commit").exists(), "all or nothing");
    let changed = "error: `.git/hooks/pre-commit` was changed since overrule wrote it, so overrule does not change it\n";
    for (theirs, left) in [
        (format!("{theirs}overrule check --hook || exit 1\n"), left),
        (format!("{ours}make lint\n"), changed),
    ] {
        fs::write(&hook, &theirs).expect("a hook");
        let there = "`.git/hooks/pre-commit` already runs `overrule check --hook`\n";
        let beside = "installed `.git/hooks/pre-merge-commit`\n";
        assert_eq!(repository.overrule(&["hook", "install"], "infra"), (Some(0), format!("{there}{beside}")));
        let order = "  help: remove the line with `overrule check --hook`\n";
        let removed = "removed `.git/hooks/pre-merge-commit`\n";
        let said = (Some(2), format!("{removed}{left}{order}"));
        assert_eq!(repository.overrule(&["hook", "uninstall"], "infra"), said);
        assert_eq!(read(&hook), theirs);
    }
}

#[test]
fn something_else_in_the_place_of_a_hook_is_named() {
    let repository = Repository::new();
    let (hooks, hook) = (repository.path("infra/.git/hooks"), repository.path("infra/.git/hooks/pre-commit"));
    fs::create_dir_all(&hook).expect("a directory");
    let (_, told) = repository.overrule(&["hook", "install"], "infra");
    assert_eq!(
        told,
        "error: `.git/hooks/pre-commit` is a directory, so overrule does not change it\n  \
         help: remove it and run `overrule hook install` again\n"
    );
    fs::remove_dir_all(&hooks).expect("the directory");
    fs::write(&hooks, "").expect("a file");
    let (_, told) = repository.overrule(&["hook", "install"], "infra");
    assert!(told.ends_with("help: remove this file and run `overrule hook install` again\n"), "{told}");
}

#[cfg(unix)]
#[test]
fn the_setting_that_disables_hooks_is_named() {
    let repository = Repository::new();
    repository.git(&["config", "core.hooksPath", "/dev/null"], "infra");
    let told = "error: git looks for hooks in `/dev/null`, which is not a directory\n  help: run `git config --show-origin core.hooksPath` to see which file sets it; remove the setting or name a directory\n";
    for what in ["install", "uninstall"] {
        assert_eq!(repository.overrule(&["hook", what], "infra"), (Some(2), told.to_owned()));
    }
    repository.git(&["config", "core.hooksPath", ""], "infra");
    let told =
        "error: `core.hooksPath` is empty, so git runs no hook\n  help: git config --unset core.hooksPath\n";
    for what in ["install", "uninstall"] {
        assert_eq!(repository.overrule(&["hook", what], "infra"), (Some(2), told.to_owned()));
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_hook_is_not_written_through() {
    let repository = Repository::new();
    let hook = repository.path("infra/.git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().expect("a directory")).expect("a directory");
    std::os::unix::fs::symlink("../../scripts/check", &hook).expect("a link");
    assert_eq!(repository.overrule(&["hook", "install"], "infra").0, Some(2));
    assert!(!repository.path("infra/scripts").exists());
    assert!(hook.is_symlink());
}

#[test]
fn a_linked_working_tree_shares_the_hook() {
    let repository = Repository::new();
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "a"], "infra");
    repository.git(&["worktree", "add", "--quiet", "../other"], "infra");
    let (code, said) = repository.overrule(&["hook", "install"], "other");
    assert_eq!(code, Some(0), "{said}");
    assert!(repository.path("infra/.git/hooks/pre-commit").exists(), "{said}");
}

#[test]
fn the_directory_that_is_configured_is_where_git_looks() {
    let repository = Repository::new();
    fs::create_dir(repository.path("infra/live")).expect("a directory");
    repository.git(&["config", "core.hooksPath", "tools/hooks"], "infra");
    let installed = INSTALLED.replace(".git/hooks", "tools/hooks");
    assert_eq!(repository.overrule(&["hook", "install"], "infra/live"), (Some(0), installed));
    assert!(repository.path("infra/tools/hooks/pre-commit").exists());
    assert!(!repository.path("infra/.git/hooks/pre-commit").exists());
}

#[test]
fn a_directory_that_several_repositories_share_is_not_written_to() {
    let repository = Repository::new();
    fs::create_dir(repository.path("shared")).expect("a directory");
    repository.git(&["config", "--global", "core.hooksPath", "~/shared"], "infra");
    let (code, said) = repository.overrule(&["hook", "install"], "infra");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("/shared/pre-commit`, which other repositories may also use\n"), "{said}");
    assert!(!repository.path("shared/pre-commit").exists());
}

#[test]
fn a_hook_needs_a_repository_that_makes_commits() {
    let repository = Repository::new();
    let (code, said) = repository.overrule(&["hook", "install"], "");
    assert_eq!(
        (code, said.starts_with("error: this directory is not in a git repository\n")),
        (Some(2), true),
        "{said}"
    );
    repository.git(&["init", "--quiet", "--bare", "bare"], "");
    let told = "error: hooks cannot check commits in a bare repository\n".to_owned();
    assert_eq!(repository.overrule(&["hook", "install"], "bare"), (Some(2), told));
}

const GOOD: &str = indoc! {r#"
    variable "a" {
      description = "A."
      type        = string
    }
"#};
const BAD: &str = "\nvariable \"a\" {}\n";

#[test]
fn git_asks_the_hook_about_what_it_is_to_commit() {
    let repository = Repository::new();
    repository.overrule(&["hook", "install"], "infra");
    repository.write("infra/net/main.tf", GOOD);
    repository.write(
        "infra/main.tf",
        indoc! {r#"
            module "net" {
              source = "./net"
              a      = "a"
            }
        "#},
    );
    repository.git(&["add", "."], "infra");
    assert!(repository.commit(&[]).0);

    repository.write("infra/net/main.tf", &format!("{GOOD}{BAD}"));
    repository.git(&["add", "."], "infra");
    let (is_made, said) = repository.commit(&[]);
    assert!(!is_made && said.contains("Duplicate variable declaration"), "{said}");

    // Unstaged content does not belong to the commit, unless the commit includes it.
    repository.git(&["restore", "--staged", "net/main.tf"], "infra");
    repository.write("infra/other/main.tf", GOOD);
    repository.git(&["add", "other"], "infra");
    assert!(repository.commit(&[]).0);
    let (is_made, said) = repository.commit(&["--all"]);
    assert!(!is_made && said.contains("Duplicate variable declaration"), "{said}");
    repository.git(&["checkout", "--quiet", "--", "."], "infra");

    repository.git(&["rm", "--quiet", "net/main.tf"], "infra");
    let (is_made, said) = repository.commit(&[]);
    assert!(
        !is_made && said.contains("main.tf:1:1") && said.contains("./net"),
        "what still calls it is named: {said}"
    );
    assert!(repository.commit(&["--no-verify"]).0);
}

#[test]
fn a_merge_is_checked_before_git_commits_it() {
    let repository = Repository::new();
    repository.write("infra/main.tf", GOOD);
    repository.git(&["add", "."], "infra");
    assert!(repository.commit(&[]).0);
    repository.git(&["checkout", "--quiet", "-b", "theirs"], "infra");
    repository.write("infra/theirs.tf", "variable \"b\" {\n  type = string\n}\n");
    repository.git(&["add", "."], "infra");
    assert!(repository.commit(&[]).0);
    repository.git(&["checkout", "--quiet", "-b", "ours", "HEAD~1"], "infra");
    repository.write("infra/ours.tf", "variable \"b\" {\n  type = string\n}\n");
    repository.git(&["add", "."], "infra");
    assert!(repository.commit(&[]).0);
    repository.overrule(&["hook", "install"], "infra");
    let merge = ["merge", "--quiet", "--no-edit", "theirs"];
    let output = repository.run(Command::new("git").args(merge), "infra");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("Duplicate variable declaration"), "{said}");
    repository.git(&["merge", "--abort"], "infra");
    repository.git(&[&merge[..], &["--no-verify"]].concat(), "infra");
}

#[test]
fn the_merge_hook_that_comes_with_git_runs_the_other_one() {
    let repository = Repository::new();
    let sample = indoc! {r#"
        #!/bin/sh
        . git-sh-setup
        test -x "$GIT_DIR/hooks/pre-commit" &&
                exec "$GIT_DIR/hooks/pre-commit"
        :
    "#};
    repository.write("infra/.git/hooks/pre-merge-commit", sample);
    let (code, said) = repository.overrule(&["hook", "install"], "infra");
    let there = "installed `.git/hooks/pre-commit`\n`.git/hooks/pre-merge-commit` already runs `overrule check --hook`\n";
    assert_eq!((code, said.as_str()), (Some(0), there));
}

#[test]
fn a_commit_in_a_linked_working_tree_is_checked_too() {
    let repository = Repository::new();
    repository.write("infra/main.tf", GOOD);
    repository.git(&["add", "."], "infra");
    repository.overrule(&["hook", "install"], "infra");
    assert!(repository.commit(&[]).0);
    repository.git(&["worktree", "add", "--quiet", "../other"], "infra");
    repository.write("other/main.tf", &format!("{GOOD}{BAD}"));
    let output =
        repository.run(Command::new("git").args(["commit", "--quiet", "--all", "--message", "b"]), "other");
    assert!(!output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("Duplicate variable declaration"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_hook_without_its_program_reports_that() {
    let repository = Repository::new();
    repository.overrule(&["hook", "install"], "infra");
    let hook = repository.path("infra/.git/hooks/pre-commit");
    let shell = std::env::split_paths(&std::env::var_os("PATH").expect("PATH"))
        .map(|directory| directory.join("sh"))
        .find(|shell| shell.exists())
        .expect("a shell");
    let output =
        Command::new(shell).arg(hook).env("PATH", repository.path("none")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.starts_with("overrule is not on PATH, so this commit was not checked"), "{said}");
}

#[test]
fn a_file_with_the_name_of_an_option_is_not_taken_for_one() {
    let repository = Repository::new();
    let given = ["check", "--hook", "--isolated", "--output=json=a.txt", "main.tf"];
    repository.write("infra/main.tf", "locals {}\n");
    repository.git(&["add", "main.tf"], "infra");
    let (code, said) = repository.overrule(&given[..3], "infra");
    assert_eq!(code, Some(0), "{said}");
    repository.write("infra/--output=json=a.txt", "");
    let refused = "error: `--output=json=a.txt` is the name of a file that looks like an option\n  help: rename the file\n";
    assert_eq!(repository.overrule(&given, "infra"), (Some(2), refused.to_owned()));
    assert_eq!(
        repository.overrule(&["check", "--hook", "--", "--output=json=a.txt", "main.tf"], "infra").0,
        Some(0)
    );
}
