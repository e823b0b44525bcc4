//! Errors that keep a check from running.

use std::fmt;
use std::path::{Path, PathBuf};

use super::read::{BROKEN_LINK, is_broken_link, reason};
use crate::text::file_name::decode_os;
use crate::text::nearest;

/// The reason why nothing could be checked.
#[derive(Debug)]
pub enum Error {
    /// A path that does not exist or cannot be read.
    Path {
        /// The path as given.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
        /// A similar path that exists.
        nearest: Option<PathBuf>,
    },
    /// Two paths in different repositories, or one of them in none.
    Apart {
        /// The path as given.
        first: PathBuf,
        /// The path as given.
        second: PathBuf,
    },
    /// A required file.
    File {
        /// The path as given.
        path: PathBuf,
        /// The reason: one line for the end of a sentence.
        why: String,
    },
    /// An error of git, or a state that cannot be checked.
    Git {
        /// The message: one line.
        what: String,
        /// The help.
        help: Option<String>,
    },
    /// Two policies in one repository.
    TwoPolicies {
        /// The path of one.
        first: PathBuf,
        /// The path of the other.
        second: PathBuf,
    },
}

impl Error {
    pub(super) fn git(what: impl Into<String>) -> Self {
        Self::Git { what: what.into(), help: None }
    }

    /// Adds help.
    pub(super) fn help(self, order: impl Into<String>) -> Self {
        match self {
            Self::Git { what, help: _ } => Self::Git { what, help: Some(order.into()) },
            other => other,
        }
    }

    /// The help, if there is any.
    pub fn order(&self) -> Option<&str> {
        match self {
            Self::Git { help, .. } => help.as_deref(),
            Self::Path { .. } | Self::Apart { .. } | Self::File { .. } | Self::TwoPolicies { .. } => None,
        }
    }

    pub(super) fn path(path: &Path, at: &Path, error: std::io::Error) -> Self {
        let is_missing = error.kind() == std::io::ErrorKind::NotFound;
        if is_missing && is_broken_link(at) {
            return Self::File { path: path.to_owned(), why: BROKEN_LINK.to_owned() };
        }
        Self::Path { path: path.to_owned(), error, nearest: is_missing.then(|| sibling(path, at)).flatten() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path { path, error, nearest } => {
                if error.kind() == std::io::ErrorKind::NotFound {
                    write!(f, "no such file or directory: `{}`", decode_os(path.as_os_str()))?;
                } else {
                    write!(f, "cannot read `{}`: {}", decode_os(path.as_os_str()), reason(error))?;
                }
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{}`?", decode_os(nearest.as_os_str())),
                    None => Ok(()),
                }
            }
            Self::Git { what, .. } => f.write_str(what),
            Self::File { path, why } => write!(f, "cannot read `{}`: {why}", decode_os(path.as_os_str())),
            Self::TwoPolicies { first, second } => {
                write!(
                    f,
                    "both `{}` and `{}` exist; keep one of them",
                    decode_os(first.as_os_str()),
                    decode_os(second.as_os_str())
                )
            }
            Self::Apart { first, second } => write!(
                f,
                "`{}` and `{}` are in different repositories; check them separately",
                decode_os(first.as_os_str()),
                decode_os(second.as_os_str())
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

/// The sibling of the missing file `at` with the most similar name, written as `path` is.
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
