//! Follows the path of a module call to a directory.

use super::listing;
use super::path::ancestors;
use super::read::{Read, Reader};
use super::top_directory::Place;
use super::{Directory, Origin, Snapshot};
use crate::text::file_name::encode_os;

/// The result of following a module call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// The number of a directory for [`Snapshot::directory_at`]. It may contain no files.
    Directory(usize),
    /// Nothing, or no directory.
    Missing,
    /// A path outside what the run may read.
    Outside,
    /// A path of another project, such as a submodule, a directory that `init` downloaded, or a missing directory that
    /// git ignores. Nothing is reported about it.
    Foreign,
}

impl Snapshot {
    /// Returns what a module call finds at a path, given from the top of the run as by [`super::join`]. Returns nothing
    /// for a directory that is not read yet; [`Snapshot::reach`] reads it.
    pub fn reached(&self, path: &str) -> Option<Reached> {
        match self.place(path) {
            Ok(reached) => Some(reached),
            Err((settled, _)) if settled != path => self.reached(&settled),
            Err(_) => None,
        }
    }

    /// Like [`Snapshot::reached`], but reads the directory if necessary.
    ///
    /// Ignored directories and directories behind symbolic links are read once a module call names them. The same path
    /// always gives the same answer. A link to a parent directory gives that directory.
    pub fn reach(&mut self, path: &str) -> Reached {
        match self.place(path) {
            Ok(reached) => reached,
            Err((settled, _)) if settled != path => self.reach(&settled),
            Err((_, real)) => self.read_directory(path, &real),
        }
    }

    /// The result for a path. For a directory that is not read yet, the error has the path by which a run calls it,
    /// and the path without symbolic links.
    fn place(&self, path: &str) -> Result<Reached, (String, String)> {
        if let Some(number) = self.by_path.get(path) {
            return Ok(Reached::Directory(*number));
        }
        let (settled, place) = match &self.origin {
            Origin::Memory { directories, .. } => {
                let is_there = directories.contains(path);
                let place =
                    if is_there { Place::Directory { real: path.to_owned() } } else { Place::Missing };
                (path.to_owned(), place)
            }
            Origin::Disk(top) => settled(path, &|path| top.place(path)),
            Origin::Git { git_tree, .. } => {
                let reading = git_tree.read();
                settled(path, &|path| reading.place(path))
            }
        };
        match place {
            Place::Directory { real } => Err((settled, real)),
            Place::Missing if self.ignores(&settled) => Ok(Reached::Foreign),
            Place::Missing => Ok(Reached::Missing),
            Place::Outside => Ok(Reached::Outside),
            Place::Foreign => Ok(Reached::Foreign),
        }
    }

    /// The path without symbolic links of the directory at a path. `None` if there is none that may be read.
    pub fn real_directory(&self, path: &str) -> Option<String> {
        let place = match &self.origin {
            Origin::Memory { .. } => return None,
            Origin::Disk(top) => top.place(path),
            Origin::Git { git_tree, .. } => git_tree.read().place(path),
        };
        match place {
            Place::Directory { real } => Some(real),
            Place::Missing | Place::Outside | Place::Foreign => None,
        }
    }

    fn read_directory(&mut self, path: &str, real: &str) -> Reached {
        let (directory, content) = match &self.origin {
            Origin::Disk(top) => {
                let disk = top.path().join(encode_os(path));
                let Ok(listing) = listing::list(&disk) else { return Reached::Missing };
                (
                    Directory::of(path, &listing.files),
                    Reader::new(top, &self.limits).directory(path, &disk, &listing.files),
                )
            }
            Origin::Git { git_tree, .. } => {
                let reading = git_tree.read();
                let Ok(listing) = reading.list(real) else { return Reached::Missing };
                let bytes = |entry: &_, limit| reading.bytes(real, entry, limit);
                (Directory::of(path, &listing), Read::of(path, &listing, &self.limits, bytes))
            }
            Origin::Memory { .. } => return Reached::Directory(self.add(Directory::empty(path))),
        };
        // A file that cannot be read by one path cannot be read by another one.
        let is_known = self.by_path.contains_key(real);
        Reached::Directory(self.put(Directory { real: real.into(), ..directory }, content, !is_known))
    }
}

/// The result for a path, and the path by which a run calls it: if a symbolic link leads back up, the first path on
/// the way that leads to the same place. Otherwise a module that calls itself through a link would be a new module
/// with every call.
pub(super) fn settled(path: &str, place: &dyn Fn(&str) -> Place) -> (String, Place) {
    let end = place(path);
    if let Place::Directory { real } = &end
        && path != real
    {
        let is_same =
            |above: &&str| matches!(place(above), Place::Directory { real: other } if other == *real);
        let above: Vec<&str> = ancestors(path).skip(1).collect();
        if let Some(above) = above.into_iter().rev().find(is_same) {
            return (above.to_owned(), end);
        }
    }
    (path.to_owned(), end)
}
