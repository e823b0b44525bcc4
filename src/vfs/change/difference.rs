//! Compares two states of a repository.
//!
//! A directory with the same tree in both states is skipped: an index knows the trees of most directories.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};

use crate::vfs::git::tree::commit::{self, Tree};
use crate::vfs::git::tree::index::{Directory, Inside};
use crate::vfs::git::tree::{Item, ItemKind, LONGEST_PATH};
use crate::vfs::read::Failure;

/// A path with its entries in both states: a file, a link, or a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) path: BString,
    pub(super) was: Option<Item>,
    pub(super) is: Option<Item>,
}

impl Difference {
    /// Whether either entry is a symbolic link.
    pub(super) fn is_of_link(&self) -> bool {
        let is_link = |item: &Option<Item>| item.as_ref().is_some_and(|item| item.kind == ItemKind::Link);
        is_link(&self.was) || is_link(&self.is)
    }

    /// Whether only the executable bit changed, which engines ignore.
    pub(super) fn is_of_mode(&self) -> bool {
        let content = |item: &Option<Item>| item.as_ref().map(|item| (item.kind, item.id));
        content(&self.was) == content(&self.is)
    }

    /// Whether an entry changed or was added.
    pub(super) fn is_of_another_kind(&self) -> bool {
        let kind = |item: &Option<Item>| item.as_ref().map(|item| item.kind);
        kind(&self.was) != kind(&self.is)
    }
}

/// A directory in the later state.
pub(super) enum Now<'i> {
    Entries(Directory<'i>),
    Tree(ObjectId),
    Nothing,
}

impl Now<'_> {
    /// The id of its tree, if known.
    fn tree(&self) -> Option<ObjectId> {
        match self {
            Self::Entries(directory) => directory.id(),
            Self::Tree(id) => Some(*id),
            Self::Nothing => None,
        }
    }
}

/// The differences so far, and directories still to compare.
struct Comparison<'i> {
    found: Vec<Difference>,
    /// Each path, with a `/` at the end unless it is the top, with its earlier tree.
    directories: Vec<(BString, Option<ObjectId>, Now<'i>)>,
}

/// Compares a tree with a later state. Sorted by path.
pub(super) fn between(git: &gix::Repository, was: ObjectId, is: Now<'_>) -> Result<Vec<Difference>, Failure> {
    let mut comparison = Comparison { found: Vec::new(), directories: Vec::new() };
    if is.tree() != Some(was) {
        comparison.directories.push((BString::default(), Some(was), is));
    }
    while let Some((path, was, is)) = comparison.directories.pop() {
        let mut before = Before::of(was.map_or(Ok(Tree::new()), |was| commit::read(git, was))?);
        match is {
            Now::Entries(directory) => directory.for_each(&mut |inside| match inside {
                Inside::Directory(name, directory) => {
                    comparison.directory(path.as_bstr(), name, before.take(name), Now::Entries(directory));
                }
                Inside::Item(name, item) => {
                    comparison.item(path.as_bstr(), name, before.take(name), Some(item));
                }
            }),
            Now::Tree(id) => {
                for (name, item) in commit::read(git, id)? {
                    let (name, was) = (name.as_bstr(), before.take(name.as_bstr()));
                    match item.kind {
                        ItemKind::Directory => {
                            comparison.directory(path.as_bstr(), name, was, Now::Tree(item.id));
                        }
                        ItemKind::File | ItemKind::Link | ItemKind::Submodule => {
                            comparison.item(path.as_bstr(), name, was, Some(item));
                        }
                    }
                }
            }
            Now::Nothing => {}
        }
        for (name, was) in before.left() {
            comparison.item(path.as_bstr(), name.as_bstr(), Some(was), None);
        }
    }
    comparison.found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(comparison.found)
}

impl<'i> Comparison<'i> {
    /// Compares a directory of the later state.
    fn directory(&mut self, path: &BStr, name: &BStr, was: Option<Item>, is: Now<'i>) {
        match was {
            Some(Item { kind: ItemKind::Directory, id, .. }) if is.tree() == Some(id) => {}
            Some(Item { kind: ItemKind::Directory, id, .. }) => self.look_into(path, name, Some(id), is),
            was => {
                self.look_into(path, name, None, is);
                self.add(path, name, was, None);
            }
        }
    }

    /// Compares another entry of the later state, or its absence.
    fn item(&mut self, path: &BStr, name: &BStr, was: Option<Item>, is: Option<Item>) {
        match was {
            Some(Item { kind: ItemKind::Directory, id, .. }) => {
                self.look_into(path, name, Some(id), Now::Nothing);
                self.add(path, name, None, is);
            }
            was => self.add(path, name, was, is),
        }
    }

    fn look_into(&mut self, path: &BStr, name: &BStr, was: Option<ObjectId>, is: Now<'i>) {
        if path.len() + name.len() < LONGEST_PATH {
            self.directories.push(([path.as_bytes(), name, b"/"].concat().into(), was, is));
        }
    }

    fn add(&mut self, path: &BStr, name: &BStr, was: Option<Item>, is: Option<Item>) {
        if was != is {
            self.found.push(Difference { path: [path.as_bytes(), name].concat().into(), was, is });
        }
    }
}

/// The entries of a directory in the earlier state, and which of them were compared.
struct Before {
    tree: Tree,
    met: Vec<bool>,
    next: usize,
}

impl Before {
    fn of(tree: Tree) -> Self {
        Self { met: vec![false; tree.len()], tree, next: 0 }
    }

    /// The entry with a name. Names come nearly in order.
    fn take(&mut self, name: &BStr) -> Option<Item> {
        let at = match self.tree.get(self.next) {
            Some((next, _)) if next.as_bstr() == name => self.next,
            Some(_) | None => self.tree.binary_search_by(|(other, _)| other.as_bstr().cmp(name)).ok()?,
        };
        self.next = at + 1;
        self.met[at] = true;
        Some(self.tree[at].1.clone())
    }

    /// The entries that were not compared.
    fn left(self) -> impl Iterator<Item = (BString, Item)> {
        self.tree.into_iter().zip(self.met).filter(|(_, met)| !met).map(|(item, _)| item)
    }
}
