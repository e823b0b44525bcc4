//! A list of the directories with module files in a snapshot, each with an id of its content.

use std::collections::BTreeSet;

use gix::ObjectId;
use hashbrown::HashMap;
use smol_str::SmolStr;

use super::{Held, Reading};
use crate::vfs::listing::Kind;
use crate::vfs::parent;
use crate::vfs::read::Failure;
use crate::vfs::unit_file::in_use;

/// The directories, links and unit files of a snapshot.
#[derive(Debug, Default)]
pub(in crate::vfs) struct Overview {
    /// The path of every directory that may have module files, with its git tree; sorted.
    pub(in crate::vfs) directories: Vec<(String, Option<ObjectId>)>,
    /// The path of every symbolic link.
    pub(in crate::vfs) links: BTreeSet<String>,
    /// The path of every Terragrunt unit file.
    pub(in crate::vfs) unit_files: Vec<SmolStr>,
    /// The path of every directory with other files that an engine reads.
    pub(in crate::vfs) with_companions: BTreeSet<SmolStr>,
}

/// The id of the content of a directory: directories with equal ids have equal module files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content(ObjectId);

/// A map by content, whose ids need no further hash.
pub type ByContent<V> = HashMap<Content, V, gix::hashtable::hash::Builder>;

impl Content {
    /// The id in these bytes. Returns `None` if their length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        ObjectId::try_from(bytes).ok().map(Self)
    }

    /// The bytes of the id, as many as in git's object ids of this repository.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Reading<'_> {
    /// Scans all directories without reading files.
    pub(in crate::vfs) fn overview(&self) -> Result<Overview, Failure> {
        let mut overview = Overview::default();
        match &self.git_tree.held {
            Held::Index(index) => index.look_over(&mut overview),
            Held::Commit(commit) => commit.look_over(&self.git, &mut overview)?,
        }
        overview.directories.sort();
        overview.unit_files = in_use(overview.unit_files);
        Ok(overview)
    }

    /// The content id of the module files of a directory.
    ///
    /// This is git's tree of the directory, if it is known. It does not cover the targets of links.
    pub(in crate::vfs) fn held(
        &self,
        path: &str,
        tree: Option<ObjectId>,
        has_links: bool,
    ) -> Result<Content, Failure> {
        if let Some(tree) = tree.filter(|_| !has_links) {
            return Ok(Content(tree));
        }
        let mut hasher = gix::hash::hasher(self.git.object_hash());
        for entry in self.list(path)?.modules {
            let id = match entry.kind {
                Kind::Link => self.linked(path, entry.at).ok(),
                Kind::File | Kind::Special => Some(entry.at),
                Kind::Directory => None,
            };
            // No name contains this byte, and no file has an empty id.
            hasher.update(entry.name.as_bytes());
            hasher.update(b"\0");
            hasher.update(id.as_ref().map_or(&[], |id| id.as_slice()));
        }
        let hash = hasher.try_finalize().map_err(|error| Failure::Io(std::io::Error::other(error)))?;
        Ok(Content(hash))
    }
}

impl Overview {
    /// The directories that contain symbolic links.
    pub(in crate::vfs) fn directories_with_links(&self) -> BTreeSet<&str> {
        self.links.iter().filter_map(|link| parent(link)).collect()
    }
}
