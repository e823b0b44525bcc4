//! Resolves paths relative to the top of a run, and decides which of them may be read.

use super::ancestors;
use super::memo::Memo;
use crate::text::file_name::{decode_os, encode_os};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashSet;
use smol_str::SmolStr;

/// The top directory of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Top {
    /// Absolute and without symbolic links.
    pub(super) path: PathBuf,
    /// The directories that may be read, without links: the top of a repository, or else the requested ones.
    pub(super) roots: Vec<PathBuf>,
    /// Submodules, relative to the top.
    pub(super) submodules: HashSet<String>,
    /// Directories that a sparse checkout omits in part, relative to the top.
    pub(super) hidden: HashSet<String>,
    /// Directories that a sparse checkout omits, relative to the top.
    pub(super) sparse: HashSet<String>,
    /// Whether it is a repository, so that other repositories inside do not belong to it.
    pub(super) is_repository: bool,
    /// The names of the repository by the URLs of its remotes.
    pub(super) repository_names: BTreeSet<SmolStr>,
    /// Whether each directory is the top of another repository, as far as it was asked.
    pub(super) nested: Arc<Memo<String, bool>>,
    /// The targets of the paths that were asked for. Paths through many symbolic links take long to follow.
    pub(super) places: Arc<Memo<String, Place>>,
}

/// The target of a path.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// A directory that may be read.
    Directory {
        /// Its real path, relative to the top.
        real: String,
    },
    /// Nothing, or not a directory.
    Missing,
    /// A directory that may not be read.
    Outside,
    /// A directory of another project.
    Foreign,
}

/// Directories that tools create. They are searched only if git tracks something in them or a call names one.
pub(super) const OF_TOOLS: &[&str] = &[".git", ".terraform", ".terragrunt-cache", "node_modules"];

impl Top {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a path without symbolic links may be read.
    pub(super) fn holds(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }

    /// The target of `path`, relative to the top.
    pub(super) fn place(&self, path: &str) -> Place {
        self.places.get(path, || self.find(path))
    }

    fn find(&self, path: &str) -> Place {
        let Ok(real) = std::fs::canonicalize(self.path.join(encode_os(path))) else {
            // An uninitialized submodule or a directory that a tool creates may contain it, and a sparse checkout omits
            // existing directories.
            return if self.may_lack(path) { Place::Foreign } else { Place::Missing };
        };
        if !self.holds(&real) {
            return Place::Outside;
        }
        let Ok(inside) = real.strip_prefix(&self.path) else { return Place::Outside };
        if !real.is_dir() {
            return Place::Missing;
        }
        let inside = slashed(inside);
        if self.is_foreign(&inside) {
            return Place::Foreign;
        }
        Place::Directory { real: inside }
    }

    /// Whether a missing path may exist after a tool, a submodule or a full checkout.
    pub(super) fn may_lack(&self, path: &str) -> bool {
        let around = super::parent(path).unwrap_or_default();
        is_of_tool(path) || self.is_foreign(path) || self.is_hidden(path) || self.is_hidden(around)
    }

    fn is_hidden(&self, path: &str) -> bool {
        let mut around = ancestors(path);
        self.hidden.contains(path) || around.any(|path| self.sparse.contains(path))
    }

    /// Whether a directory or a parent belongs to another project.
    pub(super) fn is_foreign(&self, real: &str) -> bool {
        ancestors(real).any(|path| self.submodules.contains(path) || self.is_nested(path))
    }

    /// Whether a directory is the top of another repository.
    fn is_nested(&self, path: &str) -> bool {
        let has_git = || self.path.join(encode_os(path)).join(".git").exists();
        self.is_repository && !path.is_empty() && self.nested.get(path, has_git)
    }
}

/// Whether a directory or a parent has the name of one that tools create.
pub(super) fn is_of_tool(path: &str) -> bool {
    path.split('/').any(|name| OF_TOOLS.contains(&name))
}

/// Normalizes `.` and `..` without following links.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            step @ (Component::Prefix(_) | Component::RootDir | Component::Normal(_)) => plain.push(step),
        }
    }
    plain
}

/// A relative path as text with `/`.
pub fn slashed(path: &Path) -> String {
    let parts = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(decode_os(name)),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    parts.collect::<Vec<_>>().join("/")
}
