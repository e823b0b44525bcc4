//! A snapshot, turned into the directories that hold something of a module, each with a name for what it holds.

use std::collections::BTreeSet;

use gix::ObjectId;
use smol_str::SmolStr;

use super::{Held, Reading};
use crate::vfs::listing::Kind;
use crate::vfs::parent;
use crate::vfs::read::Failure;
use crate::vfs::unit_file::in_use;

/// Everything that a snapshot holds, seen from far.
#[derive(Debug, Default)]
pub(in crate::vfs) struct Overview {
    /// The path of every directory that may hold something of a module, with the tree that git has for it; sorted.
    pub(in crate::vfs) directories: Vec<(String, Option<ObjectId>)>,
    /// The path of every symbolic link.
    pub(in crate::vfs) links: BTreeSet<String>,
    /// The path of every unit file of Terragrunt.
    pub(in crate::vfs) unit_files: Vec<SmolStr>,
    /// The path of every directory that holds files which an engine reads beside those of a module.
    pub(in crate::vfs) with_companions: BTreeSet<SmolStr>,
}

/// A name for what a directory holds: two directories with one name hold the same module files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content(ObjectId);

impl Content {
    /// The name that was written down as these bytes; none where they are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        ObjectId::try_from(bytes).ok().map(Self)
    }

    /// The name; as long as the names that git uses in this repository.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Reading<'_> {
    /// Looks at all of it, and into no file.
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

    /// What the module files of a directory hold, by a name.
    ///
    /// That is the tree that git has for the directory, where one is known; it says nothing about what links in it lead
    /// to.
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
            };
            // No name has this byte in it, and no file that is there has an empty id.
            hasher.update(entry.name.as_bytes());
            hasher.update(b"\0");
            hasher.update(id.as_ref().map_or(&[], |id| id.as_slice()));
        }
        let hash = hasher.try_finalize().map_err(|error| Failure::Io(std::io::Error::other(error)))?;
        Ok(Content(hash))
    }
}

impl Overview {
    /// The directories that hold symbolic links.
    pub(in crate::vfs) fn directories_with_links(&self) -> BTreeSet<&str> {
        self.links.iter().filter_map(|link| parent(link)).collect()
    }
}
