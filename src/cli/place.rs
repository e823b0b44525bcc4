//! The current directory, and paths as reports show them.

use std::env;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use super::Failure;
use crate::report::{PathStyle, one_line};
use crate::text::file_name::{decode_os, without_verbatim_prefix};
use crate::vfs::{SkipReason, Skipped, Snapshot, cause, slashed};

/// The current directory.
pub(super) fn current() -> Result<PathBuf, Failure> {
    env::current_dir()
        .map_err(|error| Failure::new(format!("the current directory cannot be read: {}", cause(&error))))
}

/// The note for a run without modules, with the directories that it skipped.
pub(super) fn no_module(snapshot: &Snapshot, current: &Path) -> String {
    const SHOWN: usize = 3;
    let names = names(current, snapshot.top());
    let skipped: Vec<String> = snapshot
        .skipped()
        .map(|Skipped { path, reason }| {
            let reason = match reason {
                SkipReason::Ignored => "ignored by git",
                SkipReason::Repository => "another repository",
                SkipReason::Submodule => "submodule",
                SkipReason::Tool => "created by a tool",
            };
            format!("`{}` ({reason})", one_line(&names.of(path)))
        })
        .collect();
    let more = skipped.len().saturating_sub(SHOWN);
    let mut note = "note: no Terraform or OpenTofu module was found".to_owned();
    if !skipped.is_empty() {
        note += &format!("; skipped {}", skipped[..skipped.len() - more].join(", "));
    }
    if more > 0 {
        note += &format!(" and {more} more");
    }
    note + "\n"
}

/// Checks that paths of the command line, each with its path from the top, are directories.
pub(super) fn are_directories<'p>(
    paths: impl IntoIterator<Item = (&'p PathBuf, &'p String)>,
    is_directory: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    match paths.into_iter().find(|(_, inside)| !is_directory(inside)) {
        None => Ok(()),
        Some((path, _)) => {
            let shown = one_line(&path.to_string_lossy()).into_owned();
            Err(Failure::new(format!("`{shown}` is a file; a module is a directory")))
        }
    }
}

/// Paths relative to the current directory, so that a person can open them.
pub(super) fn names(current: &Path, top: Option<&Path>) -> PathStyle {
    let Some(top) = top else { return PathStyle::default() };
    let current = current.canonicalize().unwrap_or_else(|_| current.to_owned());
    if let Ok(inside) = current.strip_prefix(top) {
        return PathStyle::Inside(slashed(inside));
    }
    // There is no relative path between two drives.
    if current.components().next() != top.components().next() {
        let top = without_verbatim_prefix(&decode_os(top.as_os_str())).replace(MAIN_SEPARATOR, "/");
        return PathStyle::Outside(format!("{}/", top.trim_end_matches('/')));
    }
    let shared = current.components().zip(top.components()).take_while(|(a, b)| a == b).count();
    let ups = current.components().count() - shared;
    let way: PathBuf = top.components().skip(shared).collect();
    let way = format!("{}{}", "../".repeat(ups), slashed(&way));
    PathStyle::Outside(if way.ends_with('/') { way } else { format!("{way}/") })
}

/// Paths relative to the one directory that was checked, or else to the top of the repository, as in `terraform
/// validate -json`.
pub(super) fn asked_names(current: &Path, paths: &[PathBuf], top: Option<&Path>) -> PathStyle {
    let [path] = paths else { return PathStyle::default() };
    let asked = current.join(path).canonicalize().ok().filter(|asked| asked.is_dir());
    let inside = asked.as_deref().zip(top).and_then(|(asked, top)| asked.strip_prefix(top).ok());
    inside.map_or_else(PathStyle::default, |inside| PathStyle::Inside(slashed(inside)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_from_the_current_directory() {
        let from =
            |current: &str| names(Path::new(current), Some(Path::new("/no/such/repository"))).of("a/main.tf");
        assert_eq!(from("/no/such/repository"), "a/main.tf");
        assert_eq!(from("/no/such/repository/a"), "main.tf");
        assert_eq!(from("/no/such/repository/b"), "../a/main.tf");
        assert_eq!(from("/no/such"), "repository/a/main.tf");
        assert_eq!(from("/no/other/place"), "../../such/repository/a/main.tf");
        assert_eq!(from("no-such-drive"), "/no/such/repository/a/main.tf", "nothing is shared");
    }
}
