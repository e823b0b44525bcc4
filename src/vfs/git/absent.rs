//! The command that fetches files that a clone lacks.
//!
//! In a partial clone, git fetches missing files on demand. A check never fetches, and cannot compare with a state
//! whose files are missing.

use std::collections::BTreeSet;

use gix::bstr::ByteSlice;

use crate::vfs::Error;
use crate::vfs::read::Failure;

/// The maximum number of directories that the command names.
const MOST_DIRECTORIES: usize = 10;

/// What is needed to find the command.
#[derive(Debug)]
pub(in crate::vfs) struct Remedy {
    /// Whether a remote has promised the missing objects.
    is_partial: bool,
    /// Whether the working tree is sparse.
    is_sparse: bool,
    /// The git command that reads all changed files.
    differing: String,
    /// The name of the later state.
    now: String,
}

impl Remedy {
    /// For a change between a base and a revision, which the git command `differing` shows.
    pub(in crate::vfs) fn of(git: &gix::Repository, differing: String, now: &str) -> Self {
        let config = git.config_snapshot();
        let mut remotes = config.plumbing().sections_by_name("remote").into_iter().flatten();
        let is_promise =
            remotes.any(|remote| remote.value("promisor").is_some_and(|value| value.as_bstr() != "false"));
        Self {
            is_partial: config.string("extensions.partialClone").is_some() || is_promise,
            is_sparse: config.boolean("core.sparseCheckout").unwrap_or_default(),
            differing,
            now: now.to_owned(),
        }
    }

    /// The error if even the changed paths cannot be determined.
    pub(in crate::vfs) fn unreadable(&self, failure: &Failure) -> Error {
        if self.is_partial {
            return Error::git("this clone lacks directories that the check needs")
                .help(format!("run `{}`", self.differing));
        }
        Error::git(format!("the repository cannot be read: {}", failure.reason())).help(FSCK)
    }

    /// The error if files of the earlier state are missing and all others exist.
    pub(in crate::vfs) fn before(&self) -> Error {
        self.lacking(", as they were before the change", &self.differing)
    }

    /// The error if files of the later state in some directories are missing.
    pub(in crate::vfs) fn now(&self, directories: &BTreeSet<String>) -> Error {
        let command = if self.is_sparse && !directories.contains("") && !directories.is_empty() {
            format!("git sparse-checkout add {}", few(directories).join(" "))
        } else {
            fetching(&self.now)
        };
        self.lacking("", &command)
    }

    fn lacking(&self, when: &str, command: &str) -> Error {
        if self.is_partial {
            Error::git(format!("this clone lacks files that the check needs{when}"))
                .help(format!("run `{command}`"))
        } else {
            Error::git("files are missing from the repository").help(FSCK)
        }
    }
}

/// The command that reads, and so fetches, all files of a revision.
pub(in crate::vfs) fn fetching(revision: &str) -> String {
    format!("git archive {revision} > /dev/null")
}

const FSCK: &str = "run `git fsck`";

/// Directories, or a few of their parents, as shell words.
fn few(directories: &BTreeSet<String>) -> Vec<String> {
    let deepest = directories.iter().map(|path| path.split('/').count()).max().unwrap_or(1);
    let cut = |depth: usize| -> BTreeSet<String> {
        directories.iter().map(|path| path.split('/').take(depth).collect::<Vec<_>>().join("/")).collect()
    };
    let depth = (1..=deepest).rev().find(|depth| cut(*depth).len() <= MOST_DIRECTORIES).unwrap_or(1);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let quoted = |path: String| {
        if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
    };
    cut(depth).into_iter().map(quoted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_directories_stand_for_many() {
        let directories = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        assert_eq!(few(&directories(&["a/b", "a/it's"])), ["a/b", r"'a/it'\''s'"]);
        let many = (0..11).map(|number| format!("live/{}/{number}", number % 2)).collect();
        assert_eq!(few(&many), ["live/0", "live/1"]);
    }
}
