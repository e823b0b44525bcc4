//! What a git repository tracks and ignores.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use gix::index::entry::{Flags, Mode, Stage};
use gix::worktree::stack::state::ignore::Source;
use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::{discover, read_index, remotes};
use crate::text::file_name::{decode, encode, encode_os};
use crate::vfs::Error;

/// A repository with a working tree.
pub(in crate::vfs) struct Repository {
    git: gix::Repository,
    /// The working tree, absolute and without symbolic links.
    pub(in crate::vfs) working_tree: PathBuf,
}

/// The directories in the index of a repository.
#[derive(Debug, Default)]
pub(in crate::vfs) struct Tracked {
    /// Directories with tracked files, relative to the top, and whether one of these is directly in the directory.
    directories: HashMap<String, bool>,
    /// Submodules.
    pub(in crate::vfs) submodules: HashSet<String>,
    /// Directories that a sparse checkout omits in part.
    pub(in crate::vfs) hidden: HashSet<String>,
    /// Directories that a sparse checkout omits.
    pub(in crate::vfs) sparse: HashSet<String>,
}

impl Repository {
    /// The repository around the absolute `directory`. `None` if there is none, if it cannot be opened, or if its
    /// working tree is elsewhere.
    pub(in crate::vfs) fn around(directory: &Path) -> Option<Self> {
        let git = discover(directory).ok()?;
        let working_tree = std::fs::canonicalize(git.workdir()?).ok()?;
        directory.starts_with(&working_tree).then_some(Self { git, working_tree })
    }

    /// Whether the absolute `directory` is in a bare repository.
    pub(in crate::vfs) fn is_bare_around(directory: &Path) -> bool {
        let bare = discover(directory).ok().filter(|git| git.workdir().is_none());
        let path = bare.and_then(|git| std::fs::canonicalize(git.path()).ok());
        path.is_some_and(|path| directory.starts_with(path))
    }

    /// The index.
    pub(in crate::vfs) fn index(&self) -> Result<gix::index::File, Error> {
        read_index(&self.git)
    }

    /// The names of the repository by the URLs of its remotes.
    pub(in crate::vfs) fn names(&self) -> BTreeSet<SmolStr> {
        remotes::names(&self.git)
    }

    /// Whether git would track a path, according to all `.gitignore` files and settings.
    pub(in crate::vfs) fn ignored<'a>(&'a self, index: &gix::index::State) -> Ignored<'a> {
        let stack = self.git.excludes(index, None, Source::WorktreeThenIdMappingIfNotSkipped).ok();
        Ignored { stack, working_tree: &self.working_tree, barred: HashMap::new() }
    }
}

impl Tracked {
    pub(in crate::vfs) fn of(index: &gix::index::State) -> Self {
        let mut tracked = Self::default();
        let mut last: Option<&[u8]> = None;
        for entry in index.entries() {
            let path = entry.path(index);
            if entry.mode == Mode::COMMIT {
                tracked.submodules.insert(decode(path).into_owned());
                continue;
            }
            let directory = path.rfind_byte(b'/').map_or(&b""[..], |at| &path[..at]);
            if entry.flags.contains(Flags::SKIP_WORKTREE) && !tracked.hidden.contains(&*decode(directory)) {
                tracked.hidden.insert(decode(directory).into_owned());
            }
            // Entries of all stages count, because a directory in conflict exists in the working tree. A sparse
            // directory does not.
            if entry.mode.is_sparse() && entry.stage() == Stage::Unconflicted {
                tracked.sparse.insert(decode(directory).into_owned());
                continue;
            }
            if last != Some(directory) {
                tracked.add(&decode(directory));
                last = Some(directory);
            }
        }
        tracked
    }

    /// Whether git tracks a file in or below the directory.
    pub(in crate::vfs) fn has(&self, directory: &str) -> bool {
        self.directories.contains_key(directory)
    }

    /// Whether git tracks a file directly in the directory.
    pub(in crate::vfs) fn has_file_of(&self, directory: &str) -> bool {
        self.directories.get(directory).copied().unwrap_or_default()
    }

    fn add(&mut self, directory: &str) {
        self.directories.insert(directory.to_owned(), true);
        for above in crate::vfs::ancestors(directory).skip(1) {
            if self.directories.contains_key(above) {
                break;
            }
            self.directories.insert(above.to_owned(), false);
        }
    }
}

/// See [`Repository::ignored`].
pub(in crate::vfs) struct Ignored<'a> {
    stack: Option<gix::AttributeStack<'a>>,
    working_tree: &'a Path,
    /// Whether each directory, or a parent, has a `.gitignore` that must not be opened.
    barred: HashMap<String, bool>,
}

impl Ignored<'_> {
    /// Whether git ignores the directory at `path`, relative to the top, if nothing in it is tracked.
    pub(in crate::vfs) fn directory(&mut self, path: &str) -> bool {
        self.is_excluded(path, Mode::DIR)
    }

    /// Whether git ignores the file at `path`, if it is not tracked.
    pub(in crate::vfs) fn file(&mut self, path: &str) -> bool {
        self.is_excluded(path, Mode::FILE)
    }

    fn is_excluded(&mut self, path: &str, mode: Mode) -> bool {
        if self.is_barred(crate::vfs::parent(path).unwrap_or_default()) {
            return false;
        }
        let stack = self.stack.as_mut();
        stack.is_some_and(|stack| {
            stack.at_entry(encode(path).as_bstr(), Some(mode)).is_ok_and(|at| at.is_excluded())
        })
    }
    /// Whether a directory has a `.gitignore` that is not a regular file. A pipe or a device may block forever, and git
    /// ignores symbolic links. Nothing there is ignored.
    fn is_barred(&mut self, directory: &str) -> bool {
        if let Some(known) = self.barred.get(directory) {
            return *known;
        }
        let around = crate::vfs::parent(directory);
        let rules = self.working_tree.join(&*encode_os(directory)).join(".gitignore");
        let is_barred = around.is_some_and(|around| self.is_barred(around))
            || std::fs::symlink_metadata(rules).is_ok_and(|rules| !rules.is_file());
        self.barred.insert(directory.to_owned(), is_barred);
        is_barred
    }
}
