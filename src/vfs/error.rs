//! What keeps a check from taking place at all, turned into one line.

use std::fmt;
use std::path::{Path, PathBuf};

use super::read::reason;
use crate::text::nearest;

/// Why nothing could be checked.
#[derive(Debug)]
pub enum Error {
    /// A path that does not exist, or cannot be looked at.
    Path {
        /// As it was given.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
        /// A path that does exist, and reads almost the same.
        nearest: Option<PathBuf>,
    },
    /// Two paths without a common top: in two repositories, or one in a repository and one in none.
    Apart {
        /// As it was given.
        first: PathBuf,
        /// As it was given.
        second: PathBuf,
    },
    /// A file that a run cannot do without.
    File {
        /// As it was given.
        path: PathBuf,
        /// One line, as the end of a sentence.
        why: String,
    },
    /// What git holds cannot be had, or is nothing to check.
    Git {
        /// One line.
        what: String,
        /// An order that mends it.
        help: Option<String>,
    },
    /// Two policies for one repository.
    TwoPolicies {
        /// Where one is.
        first: PathBuf,
        /// Where the other is.
        second: PathBuf,
    },
}

impl Error {
    pub(super) fn git(what: impl Into<String>) -> Self {
        Self::Git { what: what.into(), help: None }
    }

    /// Adds the order that mends it.
    pub(super) fn help(self, order: impl Into<String>) -> Self {
        match self {
            Self::Git { what, help: _ } => Self::Git { what, help: Some(order.into()) },
            other => other,
        }
    }

    /// The order that mends it, where there is one.
    pub fn order(&self) -> Option<&str> {
        match self {
            Self::Git { help, .. } => help.as_deref(),
            Self::Path { .. } | Self::Apart { .. } | Self::File { .. } | Self::TwoPolicies { .. } => None,
        }
    }

    pub(super) fn path(path: &Path, at: &Path, error: std::io::Error) -> Self {
        let is_missing = error.kind() == std::io::ErrorKind::NotFound;
        if is_missing && at.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            let why = "it is a broken symbolic link".to_owned();
            return Self::File { path: path.to_owned(), why };
        }
        Self::Path { path: path.to_owned(), error, nearest: is_missing.then(|| sibling(path, at)).flatten() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path { path, error, nearest } => {
                if error.kind() == std::io::ErrorKind::NotFound {
                    write!(f, "no such file or directory: `{}`", path.display())?;
                } else {
                    write!(f, "cannot read `{}`: {}", path.display(), reason(error))?;
                }
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{}`?", nearest.display()),
                    None => Ok(()),
                }
            }
            Self::Git { what, .. } => f.write_str(what),
            Self::File { path, why } => write!(f, "cannot read `{}`: {why}", path.display()),
            Self::TwoPolicies { first, second } => {
                write!(f, "both `{}` and `{}` exist; keep one of them", first.display(), second.display())
            }
            Self::Apart { first, second } => write!(
                f,
                "`{}` and `{}` are in different repositories; check them separately",
                first.display(),
                second.display()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Path { error, .. } => Some(error),
            Self::Apart { .. } | Self::File { .. } | Self::Git { .. } | Self::TwoPolicies { .. } => None,
        }
    }
}

/// The sibling of the missing file `at` that reads most like it, written as `path` was.
fn sibling(path: &Path, at: &Path) -> Option<PathBuf> {
    let wanted = at.file_name()?.to_str()?;
    let mut names: Vec<String> = std::fs::read_dir(at.parent()?)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let others = names.iter().map(String::as_str).filter(|name| *name != wanted);
    nearest(wanted, others).map(|name| path.with_file_name(name))
}
