//! A git repository, turned into what it tracks and what it ignores.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use gix::index::entry::{Flags, Mode, Stage};
use gix::worktree::stack::state::ignore::Source;

use smol_str::SmolStr;

use super::git::{discover, index_path};
use super::remotes;
use crate::text::file_name::{decode, encode, encode_os};

/// A repository with a working tree.
pub(super) struct Repository {
    git: gix::Repository,
    /// The working tree, absolute and without symbolic links.
    pub(super) working_tree: PathBuf,
}

/// What the index of a repository says about directories.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    /// Directories that hold something tracked, and whether a file of theirs is; with `/`, from the top.
    directories: HashMap<String, bool>,
    /// Submodules.
    pub(super) submodules: HashSet<String>,
    /// Directories of which a sparse checkout leaves out files.
    pub(super) hidden: HashSet<String>,
    /// Directories that it leaves out with all that is in them.
    pub(super) sparse: HashSet<String>,
}

impl Repository {
    /// The repository around `directory`, which is absolute; none where there is none, or none that can be opened, or
    /// where its working tree is elsewhere.
    pub(super) fn around(directory: &Path) -> Option<Self> {
        let git = discover(directory).ok()?;
        let working_tree = std::fs::canonicalize(git.workdir()?).ok()?;
        directory.starts_with(&working_tree).then_some(Self { git, working_tree })
    }

    /// Whether `directory`, which is absolute, lies in a repository without a working tree.
    pub(super) fn is_bare_around(directory: &Path) -> bool {
        let bare = discover(directory).ok().filter(|git| git.workdir().is_none());
        let path = bare.and_then(|git| std::fs::canonicalize(git.path()).ok());
        path.is_some_and(|path| directory.starts_with(path))
    }

    /// The index; one that cannot be read tracks nothing, so that everything is looked at by `.gitignore` alone.
    ///
    /// Its checksum is left to `git fsck`, as git does: a large index takes longer to sum up than to read.
    pub(super) fn index(&self) -> gix::index::File {
        let (path, hash, skip_checksum) = (index_path(&self.git), self.git.object_hash(), true);
        let read = gix::index::File::at(&path, hash, skip_checksum, gix::index::decode::Options::default());
        read.unwrap_or_else(|_| gix::index::File::from_state(gix::index::State::new(hash), path))
    }

    /// The names of the repository by the URLs of its remotes.
    pub(super) fn names(&self) -> BTreeSet<SmolStr> {
        remotes::names(&self.git)
    }

    /// The answers to "would git track this?", by way of all `.gitignore` files and settings that count.
    pub(super) fn ignored<'a>(&'a self, index: &gix::index::State) -> Ignored<'a> {
        let stack = self.git.excludes(index, None, Source::WorktreeThenIdMappingIfNotSkipped).ok();
        Ignored { stack, working_tree: &self.working_tree, barred: HashMap::new() }
    }
}

impl Tracked {
    pub(super) fn of(index: &gix::index::State) -> Self {
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
            // A directory in conflict is still a directory of the working tree, so every stage counts; a sparse
            // directory is not on the disk.
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

    /// Whether git tracks something in or below the directory.
    pub(super) fn has(&self, directory: &str) -> bool {
        self.directories.contains_key(directory)
    }

    /// Whether git tracks a file of the directory itself.
    pub(super) fn has_file_of(&self, directory: &str) -> bool {
        self.directories.get(directory).copied().unwrap_or_default()
    }

    fn add(&mut self, directory: &str) {
        self.directories.insert(directory.to_owned(), true);
        for above in std::iter::successors(super::parent(directory), |path| super::parent(path)) {
            if self.directories.contains_key(above) {
                break;
            }
            self.directories.insert(above.to_owned(), false);
        }
    }
}

/// See [`Repository::ignored`].
pub(super) struct Ignored<'a> {
    stack: Option<gix::AttributeStack<'a>>,
    working_tree: &'a Path,
    /// By directory: whether it, or one around it, has a `.gitignore` that must not be opened.
    barred: HashMap<String, bool>,
}

impl Ignored<'_> {
    /// Whether git ignores the directory at `path`, from the top, should nothing in it be tracked.
    pub(super) fn directory(&mut self, path: &str) -> bool {
        self.is_excluded(path, Mode::DIR)
    }

    /// Whether git ignores the file at `path`, should it not be tracked.
    pub(super) fn file(&mut self, path: &str) -> bool {
        self.is_excluded(path, Mode::FILE)
    }

    fn is_excluded(&mut self, path: &str, mode: Mode) -> bool {
        if self.is_barred(super::parent(path).unwrap_or_default()) {
            return false;
        }
        let stack = self.stack.as_mut();
        stack.is_some_and(|stack| {
            stack.at_entry(encode(path).as_bstr(), Some(mode)).is_ok_and(|at| at.is_excluded())
        })
    }
    /// Whether the rules for a directory lie in something that is not a regular file. A pipe or a device may block for
    /// ever, and git does not follow a `.gitignore` that is a symbolic link. Nothing there is ignored.
    fn is_barred(&mut self, directory: &str) -> bool {
        if let Some(known) = self.barred.get(directory) {
            return *known;
        }
        let around = super::parent(directory);
        let rules = self.working_tree.join(&*encode_os(directory)).join(".gitignore");
        let is_barred = around.is_some_and(|around| self.is_barred(around))
            || std::fs::symlink_metadata(rules).is_ok_and(|rules| !rules.is_file());
        self.barred.insert(directory.to_owned(), is_barred);
        is_barred
    }
}
