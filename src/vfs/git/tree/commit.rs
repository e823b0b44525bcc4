//! The tree of a commit. Each directory is read when it is first needed.

use std::sync::Arc;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use smol_str::SmolStr;

use super::{Item, ItemKind, LONGEST_PATH, Overview, failure, matters, not_here};
use crate::engine::Companion;
use crate::text::file_name::{decode, encode};
use crate::vfs::memo::Memo;
use crate::vfs::path::child;
use crate::vfs::read::Failure;
use crate::vfs::unit_file::is_unit_file;

/// A tree, and the subtrees that were read so far.
pub(in crate::vfs) struct Commit {
    root: ObjectId,
    read: Memo<ObjectId, Arc<Tree>>,
}

/// The entries of one directory, by name.
pub(in crate::vfs) type Tree = Vec<(BString, Item)>;

impl Commit {
    pub(super) fn new(root: ObjectId) -> Self {
        Self { root, read: Memo::default() }
    }

    /// Adds every directory with module files, and every symbolic link.
    pub(super) fn look_over(&self, git: &gix::Repository, into: &mut Overview) -> Result<(), Failure> {
        let mut next = vec![(String::new(), self.root)];
        while let Some((path, id)) = next.pop() {
            let (mut has_some, mut has_companions) = (false, false);
            for (name, item) in read(git, id)? {
                let inside = || child(&path, &decode(&name));
                match item.kind {
                    ItemKind::Directory if path.len() < LONGEST_PATH => next.push((inside(), item.id)),
                    ItemKind::Link => drop(into.links.insert(inside())),
                    ItemKind::File if is_unit_file(&name) => into.unit_files.push(inside().into()),
                    ItemKind::File | ItemKind::Directory | ItemKind::Submodule => {}
                }
                if item.kind != ItemKind::Directory && matters(name.as_bstr()) {
                    has_some = true;
                    has_companions |= Companion::of(&decode(&name)).is_some();
                }
            }
            if has_companions {
                into.with_companions.insert(SmolStr::new(&path));
            }
            if has_some {
                into.directories.push((path, Some(id)));
            }
        }
        Ok(())
    }

    /// The direct entries of a directory.
    pub(super) fn list(
        &self,
        git: &gix::Repository,
        directory: &str,
        add: &mut dyn FnMut(&BStr, &Item),
    ) -> Result<(), Failure> {
        let Some(id) = self.tree(git, encode(directory).as_bstr())? else { return Ok(()) };
        self.read(git, id)?.iter().for_each(|(name, item)| add(name.as_bstr(), item));
        Ok(())
    }

    /// The entry at a path.
    pub(super) fn item(&self, git: &gix::Repository, path: &BStr) -> Result<Option<Item>, Failure> {
        let (directory, name) = match path.rfind_byte(b'/') {
            Some(slash) => (path[..slash].as_bstr(), path[slash + 1..].as_bstr()),
            None => (b"".as_bstr(), path),
        };
        let Some(tree) = self.tree(git, directory)? else { return Ok(None) };
        Ok(find(&*self.read(git, tree)?, name))
    }

    /// The tree of a directory.
    fn tree(&self, git: &gix::Repository, directory: &BStr) -> Result<Option<ObjectId>, Failure> {
        let mut at = self.root;
        for name in directory.split_str("/").filter(|name| !name.is_empty()) {
            match find(&*self.read(git, at)?, name.as_bstr()) {
                Some(Item { kind: ItemKind::Directory, id, .. }) => at = id,
                Some(_) | None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn read(&self, git: &gix::Repository, id: ObjectId) -> Result<Arc<Tree>, Failure> {
        self.read.try_get(&id, || read(git, id).map(Arc::new))
    }
}

/// The entries of a tree, sorted by name.
pub(in crate::vfs) fn read(git: &gix::Repository, id: ObjectId) -> Result<Tree, Failure> {
    let object = git.try_find_object(id).map_err(|error| failure(&error))?.ok_or_else(not_here)?;
    let tree = object.try_into_tree().map_err(|error| failure(&error))?;
    let mut items = Vec::new();
    for entry in tree.iter() {
        let entry = entry.map_err(|error| failure(&error))?;
        let item = Item::new(u32::from(entry.mode().value()), entry.oid().to_owned());
        items.push((entry.filename().to_owned(), item));
    }
    // Git sorts a directory as if its name ended in `/`.
    items.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(items)
}

/// The entry with this name in a directory.
fn find(tree: &Tree, name: &BStr) -> Option<Item> {
    let at = tree.binary_search_by(|(other, _)| other.as_bstr().cmp(name)).ok()?;
    Some(tree[at].1.clone())
}
