//! Finds the place where git looks for a hook, and an existing one.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Git, one_line};
use crate::vfs::Error;
use crate::vfs::read::reason;

/// The place of a hook.
#[derive(Debug)]
pub struct Hook {
    /// The absolute path.
    pub path: PathBuf,
    /// The working tree, absolute.
    pub top: PathBuf,
    /// Whether the place belongs only to this repository.
    pub is_own: bool,
    /// The existing hook.
    pub found: Found,
}

/// An existing hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// None.
    Nothing,
    /// A file with this text.
    Text(String),
    /// A link, a directory, or a file that is not text.
    Other,
}

/// The maximum size of a hook in bytes.
const HOOK_LIMIT: u64 = 1 << 20;

impl Hook {
    /// Finds the place of a hook, such as `pre-commit`, for the repository around the directory `current`.
    ///
    /// It is in the directory `core.hooksPath`, relative to the top of the working tree, or else in `hooks` of the git
    /// directory that all working trees share. See <https://git-scm.com/docs/githooks>.
    pub fn of(current: &Path, name: &str) -> Result<Self, Error> {
        let git = Git::around(current)?;
        let Some(top) = git.top else {
            return Err(Error::git("hooks cannot check commits in a bare repository"));
        };
        let config = git.repository.config_snapshot();
        if config.string("core.hooksPath").is_some_and(|directory| directory.is_empty()) {
            return Err(Error::git("`core.hooksPath` is empty, so git runs no hook")
                .help("git config --unset core.hooksPath"));
        }
        let configured = config.trusted_path("core.hooksPath");
        let configured = configured
            .map_err(|error| Error::git(format!("`core.hooksPath` cannot be read: {}", one_line(&error))))?;
        let shared = git.repository.common_dir();
        let directory = match configured {
            Some(directory) => top.join(directory),
            None => shared.join("hooks"),
        };
        let directory = real(&directory);
        let is_own = [top.as_path(), shared, git.repository.git_dir()]
            .iter()
            .any(|own| fs::canonicalize(own).is_ok_and(|own| directory.starts_with(own)));
        let path = directory.join(name);
        Ok(Self { found: found(&path)?, path, top, is_own })
    }
}

/// The path without links and `..`, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let Some((above, real)) = known else { return path.to_owned() };
    let rest = path.strip_prefix(above).expect("an ancestor is how a path starts");
    if rest.as_os_str().is_empty() { real } else { real.join(rest) }
}

fn found(path: &Path) -> Result<Found, Error> {
    let unreadable = |error: std::io::Error| Error::File { path: path.to_owned(), why: reason(&error) };
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(unreadable(error)),
    };
    if !metadata.is_file() || metadata.len() > HOOK_LIMIT {
        return Ok(Found::Other);
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    Ok(String::from_utf8(bytes).map_or(Found::Other, Found::Text))
}
