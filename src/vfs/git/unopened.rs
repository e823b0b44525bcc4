//! Explains why the git repository around a directory cannot be opened.

use std::env;
use std::fs;
use std::path::Path;

use crate::text::file_name::without_verbatim_prefix;
use crate::vfs::Error;

/// The error for a repository that cannot be opened, or for a directory that is not in one.
pub(in crate::vfs) fn unopened(directory: &Path, error: &gix::Error) -> Error {
    if !error.is_not_found() {
        return refused(error);
    }
    broken(directory).unwrap_or_else(|| {
        Error::git("this directory is not in a git repository")
            .help("run overrule in a git repository, or create one with `git init`")
    })
}

/// The error for a repository that cannot be opened.
pub(in crate::vfs) fn refused(error: &gix::Error) -> Error {
    let cause = error.iter_errors().last().map(ToString::to_string).unwrap_or_default();
    let first_line = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
    let (first, cause) = (first_line(&error.to_string()), first_line(&cause));
    let why = if cause.is_empty() || cause == first { first } else { format!("{first}: {cause}") };
    Error::git(format!("the git repository cannot be opened: {why}"))
        .help("`git status` shows the error of git")
}

/// The error for the nearest `.git`, or for `GIT_DIR`, if it is no git directory.
pub(in crate::vfs) fn broken(directory: &Path) -> Option<Error> {
    if let Some(named) = env::var_os("GIT_DIR") {
        let named = named.to_string_lossy();
        return Some(
            Error::git(format!("`GIT_DIR` is `{named}`, which is not a git directory"))
                .help("unset `GIT_DIR`, or set it to the path of a git directory"),
        );
    }
    let around = directory.ancestors().find(|above| fs::symlink_metadata(above.join(".git")).is_ok())?;
    let dot_git = around.join(".git");
    let shown = dot_git.to_string_lossy();
    let shown = without_verbatim_prefix(&shown);
    if dot_git.is_dir() {
        // If nothing is missing, `GIT_CEILING_DIRECTORIES` may end the search before.
        let missing = ["HEAD", "objects", "refs"].into_iter().find(|part| !dot_git.join(part).exists())?;
        return Some(
            Error::git(format!("`{shown}` is not a git directory, because it has no `{missing}`"))
                .help("restore it, or remove it to check the directory without git"),
        );
    }
    let text = fs::read_to_string(&dot_git).unwrap_or_default();
    let Some(named) = text.strip_prefix("gitdir:").map(str::trim) else {
        return Some(
            Error::git(format!("`{shown}` does not name a git directory")).help("remove it, or restore it"),
        );
    };
    let is = if around.join(named).exists() { "is not a git directory" } else { "does not exist" };
    Some(
        Error::git(format!("`{shown}` points to `{named}`, which {is}"))
            .help("a linked working tree and a submodule need the git directory of the main repository; in a container, mount it at the same path"),
    )
}
