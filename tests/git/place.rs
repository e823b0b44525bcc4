//! A temporary repository, with real git and the program, both without the user's settings.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use overrule::limits::Limits;
use overrule::vfs::{Error, Snapshot};
use tempfile::TempDir;

/// The index of the repository around a directory.
pub(crate) fn of_index(current: &Path) -> Result<Snapshot, Error> {
    Snapshot::listed_in_index(current).map(read)
}

/// A commit of the repository around a directory.
pub(crate) fn of_revision(current: &Path, revision: &str) -> Result<Snapshot, Error> {
    Snapshot::listed_in_revision(current, revision).map(read)
}

fn read(mut listed: Snapshot) -> Snapshot {
    listed.read(&Limits::default());
    listed
}

/// Every file that was read, by name.
pub(crate) fn names(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.sources().iter().map(|(_, source)| source.name()).collect()
}

/// A temporary directory with a repository.
pub(crate) struct Place {
    /// Contains the repository and a home directory.
    around: TempDir,
}

/// The output of a program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// A directory with files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self { around: tempfile::tempdir().expect("a temporary directory") };
        fs::create_dir_all(place.path()).expect("a directory");
        fs::create_dir_all(place.home()).expect("a directory");
        place.write_all(files);
        place
    }

    /// A repository without tracked files.
    pub(crate) fn repository(files: &[(&str, &str)]) -> Self {
        let place = Self::with(files);
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place
    }

    /// A repository with one commit of these files.
    pub(crate) fn committed(files: &[(&str, &str)]) -> Self {
        let place = Self::repository(files);
        place.commit("first");
        place
    }

    /// The same with a policy that has only engine rules.
    pub(crate) fn with_engine_rules(files: &[(&str, &str)]) -> Self {
        let policy = ("overrule.hcl", "policy {\n  extends = [\"language\"]\n}\n");
        Self::committed(&[files, &[policy]].concat())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.around.path().join("repository")
    }

    /// Another directory next to the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    fn home(&self) -> PathBuf {
        self.around.path().join("home")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn write_all(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.write(path, text);
        }
    }

    /// Writes and stages a file.
    pub(crate) fn stage(&self, path: &str, text: impl AsRef<[u8]>) {
        self.write(path, text);
        self.git(&["add", "--force", path]);
    }

    /// Commits all files.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all", "--force", "."]);
        self.git(&["commit", "--quiet", "--no-verify", "--allow-empty", "--message", message]);
    }

    /// The permissions of a file.
    #[cfg(unix)]
    pub(crate) fn mode(&self, path: &str) -> u32 {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(self.path().join(path)).expect("the file").permissions().mode() & 0o777
    }

    #[cfg(unix)]
    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.path().join(path), permissions).expect("permissions");
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        std::os::unix::fs::symlink(target, path).expect("a link");
    }

    /// Runs git, which must succeed, and returns its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.ask_git(arguments);
        assert_eq!(output.code, Some(0), "git {arguments:?}: {}", output.err);
        output.out
    }

    pub(crate) fn ask_git(&self, arguments: &[&str]) -> Output {
        Output::by(&mut self.git_in(&self.path(), arguments))
    }

    pub(crate) fn git_in(&self, directory: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command("git", directory);
        command.args(["-c", "protocol.file.allow=always", "-c", "core.hooksPath=.git/hooks"]).args(arguments);
        command
    }

    /// A shell command.
    pub(crate) fn shell_in(&self, directory: &Path, line: &str) -> Command {
        let mut command = self.command("sh", directory);
        command.args(["-c", line]);
        command
    }

    /// Runs the program in the top directory of the repository.
    pub(crate) fn overrule(&self, arguments: &[&str]) -> Output {
        Output::by(&mut self.overrule_in(&self.path(), arguments))
    }

    /// The first line of each finding of a check.
    #[track_caller]
    pub(crate) fn findings(&self, arguments: &[&str]) -> Vec<String> {
        let output = self.overrule(&[&["check", "--format", "concise"], arguments].concat());
        output.findings().into_iter().map(str::to_owned).collect()
    }

    /// Checks the staged changes.
    pub(crate) fn check_changed(&self) -> Output {
        self.overrule(&["check", "--changed", "--format", "concise"])
    }

    pub(crate) fn overrule_in(&self, directory: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_overrule"), directory);
        command.args(arguments);
        command
    }

    /// A program with only the variables that every program needs.
    fn command(&self, program: impl AsRef<OsStr>, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(directory)
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.com");
        command
    }
}

impl Output {
    pub(crate) fn by(command: &mut Command) -> Self {
        let process::Output { status, stdout, stderr } = command.output().expect("the program runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// The first line of each finding of a `concise` report. The run must not have failed.
    #[track_caller]
    pub(crate) fn findings(&self) -> Vec<&str> {
        assert_ne!(self.code, Some(2), "{}", self.err);
        self.out.lines().filter(|line| !line.starts_with(' ')).collect()
    }
}
