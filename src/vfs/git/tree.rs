//! Reads an index or a commit like a directory on disk.
//!
//! The working tree is never read. A symbolic link leads to its target in the same index or commit. A link to any other
//! place, even by an absolute path into the same working tree, leaves the repository. Submodules are not followed.

mod blobs;
pub(in crate::vfs) mod commit;
pub(in crate::vfs) mod index;
mod overview;
mod reading;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use gix::ObjectId;
use gix::bstr::BStr;
use hashbrown::HashMap;
use smol_str::SmolStr;

use super::absent::{Remedy, fetching};
use super::remotes;
use crate::engine::{self, Companion, Signal};
use crate::vfs::Error;
use crate::vfs::listing::rendered;
use crate::vfs::read::Failure;

use crate::text::file_name::decode;
use blobs::Blobs;
pub(in crate::vfs) use commit::Commit;
pub(in crate::vfs) use index::Index;
pub(in crate::vfs) use overview::Overview;
pub use overview::{ByContent, Content};
pub(in crate::vfs) use reading::Reading;

/// The content of an index or a commit.
pub(in crate::vfs) struct GitTree {
    git: gix::ThreadSafeRepository,
    held: Held,
    /// Whether a file was requested that the clone does not have.
    has_missed: AtomicBool,
    /// The files that were read, if they are read several times.
    blobs: Option<Arc<Blobs>>,
    /// Which directories have module files, of those that files beside modules may belong to.
    modules: Mutex<HashMap<SmolStr, bool>>,
}

enum Held {
    Index(Box<Index>),
    Commit(Commit),
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::vfs) struct Item {
    pub(in crate::vfs) kind: ItemKind,
    /// Whether it is an executable file.
    pub(in crate::vfs) is_executable: bool,
    /// The id of its content. Not used for a directory in an index.
    pub(in crate::vfs) id: ObjectId,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::vfs) enum ItemKind {
    File,
    Link,
    Directory,
    Submodule,
}

/// The target of a path in a function call.
pub(in crate::vfs) enum Leads {
    File,
    Directory,
    /// Nothing, because a part of the path is a file.
    BehindFile,
    Nowhere,
    /// Something outside this repository.
    Elsewhere,
}

/// The maximum length of a path. Systems cannot check out longer ones, so deeper directories are skipped.
pub(in crate::vfs) const LONGEST_PATH: usize = 4096;

impl GitTree {
    /// The names of the repository by the URLs of its remotes.
    pub(in crate::vfs) fn repository_names(&self) -> BTreeSet<SmolStr> {
        remotes::names(&self.git.to_thread_local())
    }

    /// The index of a repository.
    pub(in crate::vfs) fn of_index(git: &gix::Repository) -> Result<Self, Error> {
        Ok(Self::holding(Held::Index(Box::new(Index::open(git)?)), git))
    }

    /// The tree of a commit.
    pub(in crate::vfs) fn of_tree(git: &gix::Repository, tree: ObjectId) -> Self {
        Self::holding(Held::Commit(Commit::new(tree)), git)
    }

    fn holding(held: Held, git: &gix::Repository) -> Self {
        let (has_missed, modules) = (AtomicBool::default(), Mutex::default());
        Self { git: git.clone().into_sync(), held, has_missed, blobs: None, modules }
    }

    /// This content and another, which are both read several times.
    pub(in crate::vfs) fn together(self, other: Self) -> [Arc<Self>; 2] {
        let blobs = Some(Arc::<Blobs>::default());
        [self, other].map(|git_tree| Arc::new(Self { blobs: blobs.clone(), ..git_tree }))
    }

    /// The index, if it is one.
    pub(in crate::vfs) fn index(&self) -> Option<&Index> {
        match &self.held {
            Held::Index(index) => Some(index),
            Held::Commit(_) => None,
        }
    }

    /// Creates a reader for one thread.
    pub(in crate::vfs) fn read(&self) -> Reading<'_> {
        Reading { is_quiet: false, ..self.read_quietly() }
    }

    /// Creates a reader for files that a check can do without if a partial clone lacks them.
    pub(in crate::vfs) fn read_quietly(&self) -> Reading<'_> {
        let mut git = self.git.to_thread_local();
        // No objects are added during a check, so a missing one is searched only once.
        git.objects.refresh_never();
        Reading { git_tree: self, git, is_quiet: true }
    }

    /// What is needed to fetch missing files of a revision.
    pub(in crate::vfs) fn remedy(&self, revision: &str) -> Remedy {
        Remedy::of(&self.git.to_thread_local(), fetching(revision), revision)
    }

    /// Whether a file was requested since `other` replaced the flag that the clone does not have.
    pub(in crate::vfs) fn has_missed(&self, other: bool) -> bool {
        self.has_missed.swap(other, Ordering::Relaxed)
    }
}

impl fmt::Debug for GitTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.held {
            Held::Index(_) => "index",
            Held::Commit(_) => "commit",
        };
        f.debug_struct("GitTree").field("of", &what).field("git", &self.git.path()).finish_non_exhaustive()
    }
}

impl Item {
    /// The entry with a mode of git.
    fn new(mode: u32, id: ObjectId) -> Self {
        let kind = ItemKind::of(mode);
        Self { kind, is_executable: kind == ItemKind::File && mode & 0o100 != 0, id }
    }

    /// A directory in an index.
    fn directory(id: ObjectId) -> Self {
        Self { kind: ItemKind::Directory, is_executable: false, id }
    }
}

impl ItemKind {
    /// The kind by the mode in git.
    fn of(mode: u32) -> Self {
        match mode & 0o170_000 {
            0o040_000 => Self::Directory,
            0o120_000 => Self::Link,
            0o160_000 => Self::Submodule,
            _ => Self::File,
        }
    }
}

/// Whether a file with this name belongs to a module or configures one.
pub(in crate::vfs) fn matters(name: &BStr) -> bool {
    let name = decode(name);
    engine::is_module_file(&name)
        || Signal::may_be_in(&name)
        || Companion::of(&name).is_some()
        || engine::meant_override_file(&name).is_some()
        || rendered(&name).is_some()
}

fn failure(error: &gix::Error) -> Failure {
    Failure::Io(io::Error::other(error.to_string()))
}

/// Git would fetch the object from the server here.
fn not_here() -> Failure {
    Failure::Io(io::Error::other("this clone does not contain it"))
}
