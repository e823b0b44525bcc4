//! Reads directories and files of an index or a commit.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::PoisonError;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use super::{GitTree, Held, Item, ItemKind, LONGEST_PATH, Leads, failure, not_here};
use crate::text::file_name::{decode, encode};
use crate::vfs::listing::{Entry, Kind, Listing};
use crate::vfs::read::{Bytes, Failure, broken_link};
use crate::vfs::top_directory::Place;
use crate::vfs::{Names, ancestors};

/// The number of links that systems follow in one path.
const MOST_LINKS: usize = 40;

/// A reader for one thread, because repositories of gix are not shared.
pub(in crate::vfs) struct Reading<'s> {
    pub(super) git_tree: &'s GitTree,
    pub(super) git: gix::Repository,
    /// Whether missing files are not noted.
    pub(super) is_quiet: bool,
}

/// The target of a path.
enum Found {
    Directory(BString),
    File { path: BString, id: ObjectId },
    Missing,
    Outside,
    Foreign,
}

impl Reading<'_> {
    /// The target of a path, relative to the top.
    pub(in crate::vfs) fn place(&self, path: &str) -> Place {
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
    pub(in crate::vfs) fn list(&self, real: &str) -> Result<Listing<ObjectId>, Failure> {
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
    pub(in crate::vfs) fn names(&self, path: &str) -> Names {
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
    pub(in crate::vfs) fn names_unless_foreign(&self, path: &str) -> Option<Names> {
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
    pub(in crate::vfs) fn leads(&self, path: &str) -> Result<Leads, Failure> {
        let encoded = encode(path);
        Ok(match self.follow(BString::default(), encoded.as_bstr())? {
            Found::File { .. } => Leads::File,
            Found::Directory(_) => Leads::Directory,
            Found::Outside | Found::Foreign => Leads::Elsewhere,
            Found::Missing => {
                let is_link = self.item(encoded.as_bstr())?.is_some_and(|item| item.kind == ItemKind::Link);
                let around = ancestors(path).skip(1);
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
    pub(in crate::vfs) fn bytes(
        &self,
        real: &str,
        entry: &Entry<ObjectId>,
        limit: u64,
    ) -> Result<Bytes, Failure> {
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
    pub(in crate::vfs) fn content(&self, path: &str, limit: u64) -> Result<Vec<u8>, Failure> {
        let found = self.follow(BString::default(), encode(path).as_bstr())?;
        if matches!(found, Found::Missing) && ancestors(path).any(|path| self.is_broken_link(path)) {
            return Err(broken_link());
        }
        self.blob(file(found)?.1, limit)
    }

    /// Whether a path is a symbolic link to nothing.
    fn is_broken_link(&self, path: &str) -> bool {
        let path = encode(path);
        let is_link = |item: Item| item.kind == ItemKind::Link;
        self.item(path.as_bstr()).is_ok_and(|item| item.is_some_and(is_link))
            && matches!(self.follow(BString::default(), path.as_bstr()), Ok(Found::Missing))
    }

    /// The target of a symbolic link in a directory, by the content of the link.
    pub(in crate::vfs) fn linked(&self, real: &str, link: ObjectId) -> Result<ObjectId, Failure> {
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
    pub(in crate::vfs) fn item(&self, path: &BStr) -> Result<Option<Item>, Failure> {
        match &self.git_tree.held {
            Held::Index(index) => Ok(index.item(path)),
            Held::Commit(commit) => commit.item(&self.git, path),
        }
    }

    /// Whether something is at a path.
    pub(in crate::vfs) fn has(&self, path: &str) -> bool {
        path.is_empty() || self.item(encode(path).as_bstr()).is_ok_and(|item| item.is_some())
    }

    /// Whether a path leads to a directory.
    pub(in crate::vfs) fn has_directory(&self, path: &str) -> bool {
        matches!(self.place(path), Place::Directory { .. })
    }

    /// The module that the files beside modules in a directory belong to: the nearest one at or above it.
    pub(in crate::vfs) fn owner<'p>(&self, directory: &'p str) -> Option<&'p str> {
        ancestors(directory).find(|path| self.is_module(path))
    }

    /// Whether a directory has module files. Many files beside modules ask for the same directories.
    fn is_module(&self, directory: &str) -> bool {
        let known = || self.git_tree.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_module) = known().get(directory) {
            return *is_module;
        }
        let is_module = self.list(directory).is_ok_and(|listing| !listing.modules.is_empty());
        known().insert(directory.into(), is_module);
        is_module
    }

    /// Whether the clone has all files of a directory.
    pub(in crate::vfs) fn holds(&self, real: &str) -> bool {
        let is_there = |entry: &Entry<ObjectId>| self.git.has_object(entry.at);
        let listing = self.list(real).unwrap_or_default();
        listing.modules.iter().chain(&listing.evidence).all(is_there)
    }

    fn blob(&self, id: ObjectId, limit: u64) -> Result<Vec<u8>, Failure> {
        let blobs = self.git_tree.blobs.as_ref();
        if let Some(content) = blobs.and_then(|blobs| blobs.get(id)) {
            return if content.len() as u64 > limit { Err(Failure::TooLarge) } else { Ok(content.to_vec()) };
        }
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
        let content = blob.detach().data;
        if let Some(blobs) = blobs {
            blobs.keep(id, &content);
        }
        Ok(content)
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
