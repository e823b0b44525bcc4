//! The options `--changed`, `--base` and `--hook`.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::Failure;
use crate::cli::change_options::{since, variable};
use crate::vfs::{self, Change};

/// Options for a change.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Check the modules that the staged change can affect, and report only new findings
    #[arg(long, conflicts_with_all = ["base", "hook"])]
    changed: bool,
    /// Like `--changed`, for staged content and the commits since the merge base with REV; `auto` takes REV from a pull request in GitHub Actions, a merge request in GitLab CI or `PRE_COMMIT_FROM_REF`
    #[arg(long, value_name = "REV", conflicts_with = "hook")]
    base: Option<String>,
    /// Run as a git hook: check like `--changed`, except in two cases. If `PRE_COMMIT_FROM_REF` and `PRE_COMMIT_TO_REF` are set, check the commits between them. If a PATH has no staged changes, as in `pre-commit run --all-files`, check the modules that contain the PATHs, as they are in the git index, and report existing findings too
    #[arg(long)]
    hook: bool,
    /// Also report findings that existed before the change
    #[arg(long)]
    all_findings: bool,
}

/// What to check instead of the working tree.
#[derive(Debug)]
pub(super) enum Wanted {
    /// The modules that a change can affect.
    Change {
        change: Change,
        /// The paths to report on.
        scope: Vec<String>,
        /// Whether to report existing findings.
        all: bool,
        /// Whether git waits for the result before it makes a commit.
        is_commit: bool,
    },
    /// Modules as they are in the index.
    Named {
        index: Change,
        /// The paths of these modules.
        paths: Vec<String>,
    },
}

/// The error for an option that is also the name of a staged file. Hooks pass file names after their options, and the
/// author of a file chooses its name.
fn refuse_options_that_are_files(current: &Path) -> Result<(), Failure> {
    let mut options = env::args_os().take_while(|argument| argument != "--");
    let is_file = |argument: &OsString| {
        argument.as_encoded_bytes().starts_with(b"-") && current.join(argument).symlink_metadata().is_ok()
    };
    match options.find(is_file) {
        None => Ok(()),
        Some(name) => {
            Err(Failure::new(format!("`{}` is the name of a file that looks like an option", name.display()))
                .help("rename the file"))
        }
    }
}

impl Arguments {
    /// Whether a hook runs the check.
    pub(super) fn is_of_hook(&self) -> bool {
        self.hook
    }

    /// What these options select. `None` without them.
    pub(super) fn wanted(&self, current: &Path, paths: &[PathBuf]) -> Result<Option<Wanted>, Failure> {
        let all = self.all_findings;
        let change = if self.hook {
            return self.of_hook(current, paths).map(Some);
        } else if self.changed {
            Change::staged(current)?
        } else if let Some(base) = &self.base {
            since(current, base)?
        } else if all {
            return Err(Failure::new("`--all-findings` needs `--changed`, `--base` or `--hook`")
                .help("leave it out: without these options, all findings are reported"));
        } else {
            return Ok(None);
        };
        let scope = change.scope(current, paths)?;
        Ok(Some(Wanted::Change { change, scope: or_top(scope), all, is_commit: false }))
    }

    /// Hooks get file names, but not those of deleted files. So if all of them are staged, the whole commit is checked.
    fn of_hook(&self, current: &Path, paths: &[PathBuf]) -> Result<Wanted, Failure> {
        refuse_options_that_are_files(current)?;
        let of_change = |change: Change, is_commit: bool| {
            let all = self.all_findings;
            Wanted::Change { change, scope: or_top(Vec::new()), all, is_commit }
        };
        if let (Some(from), Some(to)) = (variable("PRE_COMMIT_FROM_REF"), variable("PRE_COMMIT_TO_REF")) {
            return Ok(of_change(Change::between(current, &from, &to)?, false));
        }
        let staged = Change::staged(current)?;
        if paths.is_empty() {
            return Ok(of_change(staged, true));
        }
        let mut names = Vec::new();
        // Other files may have the same text if a name is not valid text.
        let mut is_any = false;
        for path in paths {
            match staged.scope(current, &[path]) {
                Ok(inside) => names.extend(inside),
                // An untracked file is not part of the commit.
                Err(vfs::Error::Path { .. }) if current.join(path).exists() => {
                    is_any |= path.to_str().is_none();
                }
                Err(error) => return Err(error.into()),
            }
        }
        let mut left: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        for path in staged.paths().chain(staged.paths_of_modes()) {
            left.remove(path.as_str());
        }
        // During a merge, pre-commit passes files that had conflicts, even if they now equal those of `HEAD`.
        if is_any || left.is_empty() && !names.is_empty() || staged.is_merge() {
            return Ok(of_change(staged, true));
        }
        Ok(Wanted::Named { index: Change::none(current)?, paths: names })
    }
}

/// No paths select everything.
fn or_top(scope: Vec<String>) -> Vec<String> {
    if scope.is_empty() { vec![String::new()] } else { scope }
}
