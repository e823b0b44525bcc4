//! Turns additions to files into files.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::check::Additions;
use crate::cli::Failure;
use crate::cli::stream::err;
use crate::source::Worktree;
use crate::text::{FileId, counted};

/// Writes comments into the files of modules, and blocks into the policy: the one that holds, or a new one.
pub(super) fn write(
    additions: &Additions,
    worktree: &Worktree,
    policy: Option<FileId>,
) -> Result<(), Failure> {
    let top = worktree.top().unwrap_or(Path::new(""));
    // A name that is absolute, as that of a policy from outside, stays what it is.
    let path = |file: FileId| top.join(worktree.sources().get(file).name());
    for (file, text) in &additions.files {
        put(&path(*file), text)?;
    }
    if !additions.blocks.is_empty() {
        let file = policy.map_or_else(|| top.join("overrule.hcl"), path);
        let before = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound && policy.is_none() => String::new(),
            Err(error) => return Err(cannot("read", &file, &error)),
        };
        put(&file, format!("{before}{}", additions.blocks).trim_start_matches('\n'))?;
    }
    let blocks = additions.blocks.matches("\nexception \"").count();
    err(&format!(
        "added {} to {}, and {} to the policy\n",
        counted(additions.comments, "comment"),
        counted(additions.files.len(), "file"),
        counted(blocks, "exception")
    ));
    Ok(())
}

fn put(path: &PathBuf, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| cannot("write", path, &error))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot {what} `{}`: {error}", path.display()))
}
