//! A directory with module files.

use smol_str::SmolStr;

use super::listing::Listing;
use crate::engine::{Engine, Loaded};
use crate::text::{FileId, Span};

/// A directory with module files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    /// From the top of the run, `/` between directories, empty for the top itself.
    pub path: SmolStr,
    /// The path without symbolic links. Two directories with the same `real` are the same directory.
    pub real: SmolStr,
    /// The module files, sorted by bytes.
    pub files: Vec<File>,
    /// Whether there is a dependency lock file, a sign of a root module.
    pub has_lock_file: bool,
    /// The lock file, if it could be read.
    pub lock: Option<FileId>,
    /// The line of a `.gitignore` that excludes the lock file, after [`super::Snapshot::find_excluded_locks`].
    pub excluded_lock: Option<Span>,
    /// JSON files that are named almost like override files, such as `override.json`.
    pub misnamed: Vec<FileId>,
    /// Whether there are variable definition files (`*.tfvars`), a sign of a root module.
    pub has_values: bool,
    /// Whether a template such as `x.tf.j2` generates a module file that does not exist yet.
    pub lacks_rendered_files: bool,
}

/// A module file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The name within the directory.
    pub name: SmolStr,
    /// The file; absent if it could not be read, which a finding reports.
    pub id: Option<FileId>,
}

impl Directory {
    /// Returns the files that one engine loads, in load order.
    pub fn module_files(&self, engine: Engine) -> Vec<(&File, Loaded)> {
        engine.module_files(&self.files, |file| &file.name)
    }

    /// The module file with this name.
    pub fn file(&self, name: &str) -> Option<&File> {
        let at = self.files.binary_search_by(|file| file.name.as_str().cmp(name)).ok()?;
        Some(&self.files[at])
    }

    /// A directory without files.
    pub(super) fn empty(path: &str) -> Self {
        Self { path: path.into(), real: path.into(), ..Self::default() }
    }

    /// A directory with the signs in a listing, before its files are added.
    pub(super) fn of<At>(path: &str, listing: &Listing<At>) -> Self {
        Self {
            has_lock_file: listing.has_lock_file,
            has_values: listing.has_values(),
            lacks_rendered_files: listing.lacks_rendered_files(),
            ..Self::empty(path)
        }
    }
}
