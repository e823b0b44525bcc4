//! Reads an index or a commit like a directory on disk.
//!
//! The working tree is never read. A symbolic link leads to its target in the same index or commit. A link to any other
//! place, even by an absolute path into the same working tree, leaves the repository. Submodules are not followed.

pub(super) mod commit;
pub(super) mod index;
mod overview;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use smol_str::SmolStr;

use super::listing::{Entry, Kind, Listing, rendered};
use super::read::{Bytes, Failure};
use super::top_directory::Place;
use super::{Error, Names, ancestors, parent, remotes};
use crate::engine::{self, Companion, Signal};

use crate::text::file_name::{decode, encode};
pub(super) use commit::Commit;
pub(super) use index::Index;
pub use overview::Content;
pub(super) use overview::Overview;

/// The content of an index or a commit.
pub(super) struct GitTree {
    git: gix::ThreadSafeRepository,
    held: Held,
    /// Whether a file was requested that the clone does not have.
    has_missed: AtomicBool,
}

enum Held {
    Index(Box<Index>),
    Commit(Commit),
}

/// A reader for one thread, because repositories of gix are not shared.
pub(super) struct Reading<'s> {
    git_tree: &'s GitTree,
    git: gix::Repository,
    /// Whether missing files are not noted.
    is_quiet: bool,
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: ItemKind,
    /// The id of its content. Not used for a directory in an index.
    pub(super) id: ObjectId,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    File,
    Link,
    Directory,
    Submodule,
}

/// The target of a path.
enum Found {
    Directory(BString),
    File { path: BString, id: ObjectId },
    Missing,
    Outside,
    Foreign,
}

/// The target of a path in a function call.
pub(super) enum Leads {
    File,
    Directory,
    /// Nothing, because a part of the path is a file.
    BehindFile,
    Nowhere,
    /// Something outside of this repository.
    Elsewhere,
}

/// The number of links that systems follow in one path.
const MOST_LINKS: usize = 40;

/// The maximum length of a path. Systems cannot check out longer ones, so deeper directories are skipped.
pub(super) const LONGEST_PATH: usize = 4096;

impl GitTree {
    /// The names of the repository by the URLs of its remotes.
    pub(super) fn repository_names(&self) -> BTreeSet<SmolStr> {
        remotes::names(&self.git.to_thread_local())
    }

    /// The index of a repository.
    pub(super) fn of_index(git: &gix::Repository) -> Result<Self, Error> {
        let index = Index::open(git)?;
        Ok(Self {
            git: git.clone().into_sync(),
            held: Held::Index(Box::new(index)),
            has_missed: AtomicBool::default(),
        })
    }

    /// The tree of a commit.
    pub(super) fn of_tree(git: &gix::Repository, tree: ObjectId) -> Self {
        Self {
            git: git.clone().into_sync(),
            held: Held::Commit(Commit::new(tree)),
            has_missed: AtomicBool::default(),
        }
    }

    /// The index, if it is one.
    pub(super) fn index(&self) -> Option<&Index> {
        match &self.held {
            Held::Index(index) => Some(index),
            Held::Commit(_) => None,
        }
    }

    /// Creates a reader for one thread.
    pub(super) fn read(&self) -> Reading<'_> {
        Reading { is_quiet: false, ..self.read_quietly() }
    }

    /// Creates a reader for files that a check can do without if a partial clone lacks them.
    pub(super) fn read_quietly(&self) -> Reading<'_> {
        let mut git = self.git.to_thread_local();
        // No objects are added during a check, so a missing one is searched only once.
        git.objects.refresh_never();
        Reading { git_tree: self, git, is_quiet: true }
    }

    /// Whether a file was requested since `other` replaced the flag that the clone does not have.
    pub(super) fn has_missed(&self, other: bool) -> bool {
        self.has_missed.swap(other, Ordering::Relaxed)
    }
}

impl Reading<'_> {
    /// The target of a path, relative to the top.
    pub(super) fn place(&self, path: &str) -> Place {
        match self.follow(BString::default(), encode(path).as_bstr()) {
            Ok(Found::Directory(real)) => {
                let real = decode(&real).into_owned();
                Place::Directory { real }
            }
            Ok(Found::File { .. } | Found::Missing) | Err(_) => Place::Missing,
            Ok(Found::Outside) => Place::Outside,
            Ok(Found::Foreign) => Place::Foreign,
        }
    }

    /// The files of a directory, whose path has no symbolic links.
    pub(super) fn list(&self, real: &str) -> Result<Listing<ObjectId>, Failure> {
        let mut listing = Listing::default();
        let mut add = |name: &BStr, item: &Item| {
            let kind = match item.kind {
                ItemKind::File => Kind::File,
                ItemKind::Link => Kind::Link,
                ItemKind::Directory => return listing.add_directory(&decode(name), item.id),
                ItemKind::Submodule => return,
            };
            listing.add(&decode(name), item.id, kind);
        };
        self.for_each_in(real, &mut add)?;
        Ok(listing)
    }

    /// Calls a function for each entry of a directory, whose path has no symbolic links.
    fn for_each_in(&self, real: &str, visit: &mut dyn FnMut(&BStr, &Item)) -> Result<(), Failure> {
        match &self.git_tree.held {
            Held::Index(index) => index.list(real, visit),
            Held::Commit(commit) => commit.list(&self.git, real, visit)?,
        }
        Ok(())
    }

    /// The names in a directory, relative to the top. Empty if it cannot be read.
    pub(super) fn names(&self, path: &str) -> Names {
        let mut names = Names::default();
        let Place::Directory { real } = self.place(path) else { return names };
        let mut add = |name: &BStr, item: &Item| {
            let leads_to = || self.follow(encode(&real).into_owned().into(), name);
            let (is_file, is_directory) = match item.kind {
                ItemKind::File => (true, false),
                ItemKind::Directory => (false, true),
                ItemKind::Submodule => (false, false),
                ItemKind::Link => match leads_to() {
                    Ok(Found::File { .. }) => (true, false),
                    Ok(Found::Directory(_)) => (false, true),
                    Ok(Found::Missing | Found::Outside | Found::Foreign) | Err(_) => (false, false),
                },
            };
            if is_file {
                names.files.insert(decode(name).into_owned());
            } else if is_directory {
                names.directories.insert(decode(name).into_owned());
            }
        };
        // The clone does not have this tree.
        self.for_each_in(&real, &mut add).ok();
        names
    }

    /// Like [`names`](Self::names), or `None` if an entry is a submodule or a link to nothing in this repository.
    pub(super) fn names_unless_foreign(&self, path: &str) -> Option<Names> {
        match self.place(path) {
            Place::Missing => Some(Names::default()),
            Place::Outside | Place::Foreign => None,
            Place::Directory { real } => {
                let mut entries = 0;
                self.for_each_in(&real, &mut |_, _| entries += 1).ok()?;
                let names = self.names(path);
                (names.files.len() + names.directories.len() == entries).then_some(names)
            }
        }
    }

    /// The target of a path in a function call, relative to the top.
    pub(super) fn leads(&self, path: &str) -> Result<Leads, Failure> {
        let encoded = encode(path);
        Ok(match self.follow(BString::default(), encoded.as_bstr())? {
            Found::File { .. } => Leads::File,
            Found::Directory(_) => Leads::Directory,
            Found::Outside | Found::Foreign => Leads::Elsewhere,
            Found::Missing => {
                let is_link = self.item(encoded.as_bstr())?.is_some_and(|item| item.kind == ItemKind::Link);
                let around = std::iter::successors(parent(path), |path| parent(path));
                let is_file = |path| {
                    let found = self.follow(BString::default(), encode(path).as_bstr());
                    matches!(found, Ok(Found::File { .. }))
                };
                if is_link {
                    Leads::Elsewhere
                } else if around.filter(|path| !path.is_empty()).any(is_file) {
                    Leads::BehindFile
                } else {
                    Leads::Nowhere
                }
            }
        })
    }

    /// The content of an entry, if it is not larger than `limit`.
    pub(super) fn bytes(&self, real: &str, entry: &Entry<ObjectId>, limit: u64) -> Result<Bytes, Failure> {
        match entry.kind {
            Kind::File => Ok(self.blob(entry.at, limit)?.into()),
            Kind::Link => {
                let (path, id) = self.target_of(real, entry.at)?;
                Ok(Bytes { bytes: self.blob(id, limit)?, target: Some(decode(&path).into_owned()) })
            }
            Kind::Directory => Err(Failure::Directory),
            Kind::Special => Err(Failure::NotAFile),
        }
    }

    /// The content of the file at a path, relative to the top.
    pub(super) fn content(&self, path: &str, limit: u64) -> Result<Vec<u8>, Failure> {
        self.blob(file(self.follow(BString::default(), encode(path).as_bstr())?)?.1, limit)
    }

    /// The target of a symbolic link in a directory, by the content of the link.
    pub(super) fn linked(&self, real: &str, link: ObjectId) -> Result<ObjectId, Failure> {
        Ok(self.target_of(real, link)?.1)
    }

    /// The target of a symbolic link with its real path.
    fn target_of(&self, real: &str, link: ObjectId) -> Result<(BString, ObjectId), Failure> {
        let target = self.target(link)?;
        if is_absolute(target.as_bstr()) {
            return Err(Failure::Leaves);
        }
        file(self.follow(encode(real).into_owned().into(), target.as_bstr())?)
    }

    /// Follows a path from a directory without links in its own path, as a system would.
    fn follow(&self, from: BString, path: &BStr) -> Result<Found, Failure> {
        let mut at = from;
        let mut steps: VecDeque<BString> = path.split_str("/").map(BString::from).collect();
        let mut links = 0;
        while let Some(step) = steps.pop_front() {
            match step.as_slice() {
                b"" | b"." => continue,
                b".." if at.is_empty() => return Ok(Found::Outside),
                b".." => {
                    let end = at.rfind_byte(b'/').unwrap_or(0);
                    at.truncate(end);
                    continue;
                }
                _ => {}
            }
            let inside = if at.is_empty() { step } else { [at.as_slice(), b"/", &step].concat().into() };
            let Some(item) = self.item(inside.as_bstr())? else { return Ok(Found::Missing) };
            match item.kind {
                ItemKind::Directory => at = inside,
                ItemKind::Submodule => return Ok(Found::Foreign),
                ItemKind::File if steps.iter().all(|rest| rest.is_empty()) => {
                    return Ok(Found::File { path: inside, id: item.id });
                }
                ItemKind::File => return Ok(Found::Missing),
                ItemKind::Link => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Ok(Found::Missing);
                    }
                    let target = self.target(item.id)?;
                    if is_absolute(target.as_bstr()) {
                        return Ok(Found::Outside);
                    }
                    steps = target.split_str("/").map(BString::from).chain(steps).collect();
                }
            }
        }
        Ok(Found::Directory(at))
    }

    fn target(&self, link: ObjectId) -> Result<BString, Failure> {
        self.blob(link, LONGEST_PATH as u64).map(BString::from)
    }

    /// The entry at a path without links.
    pub(super) fn item(&self, path: &BStr) -> Result<Option<Item>, Failure> {
        match &self.git_tree.held {
            Held::Index(index) => Ok(index.item(path)),
            Held::Commit(commit) => commit.item(&self.git, path),
        }
    }

    /// The module that the files beside modules in a directory belong to: the nearest one at or above it.
    pub(super) fn owner<'p>(&self, directory: &'p str) -> Option<&'p str> {
        let mut above = ancestors(directory);
        above.find(|path| self.list(path).is_ok_and(|listing| !listing.modules.is_empty()))
    }

    /// Whether the clone has all files of a directory.
    pub(super) fn holds(&self, real: &str) -> bool {
        let is_there = |entry: &Entry<ObjectId>| self.git.has_object(entry.at);
        let listing = self.list(real).unwrap_or_default();
        listing.modules.iter().chain(&listing.evidence).all(is_there)
    }

    fn blob(&self, id: ObjectId, limit: u64) -> Result<Vec<u8>, Failure> {
        let missing = || {
            if !self.is_quiet {
                self.git_tree.has_missed(true);
            }
            not_here()
        };
        let header = self.git.try_find_header(id).map_err(|error| failure(&error))?.ok_or_else(missing)?;
        if header.size() > limit {
            return Err(Failure::TooLarge);
        }
        let blob = self.git.try_find_object(id).map_err(|error| failure(&error))?.ok_or_else(not_here)?;
        Ok(blob.detach().data)
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

fn file(found: Found) -> Result<(BString, ObjectId), Failure> {
    match found {
        Found::File { path, id } => Ok((path, id)),
        Found::Directory(_) | Found::Foreign => Err(Failure::NotAFile),
        Found::Missing => Err(Failure::Io(ErrorKind::NotFound.into())),
        Found::Outside => Err(Failure::Leaves),
    }
}

/// Whether a path is absolute on any system.
fn is_absolute(path: &BStr) -> bool {
    path.starts_with(b"/") || path.starts_with(b"\\") || path.get(1) == Some(&b':')
}

/// Whether a file with this name belongs to a module or configures one.
pub(super) fn matters(name: &BStr) -> bool {
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
