//! Two states of a repository, turned into the paths that differ.
//!
//! A folder that has one tree in both is left out whole, with all that is below it: an index knows the trees of most of
//! its folders. Bits that make a file executable are no difference, for no engine asks for them.

use std::collections::BTreeMap;
use std::ops::Range;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::extension::Tree;

use super::read::Failure;
use super::snapshot::{Index, Item, ItemKind, commit, index};

/// A path, and what is there in the one state and in the other: a file, a link, or a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) path: BString,
    pub(super) was: Option<Item>,
    pub(super) is: Option<Item>,
}

impl Difference {
    /// Whether there is a symbolic link in either state.
    pub(super) fn is_of_link(&self) -> bool {
        let is_link = |item: &Option<Item>| item.as_ref().is_some_and(|item| item.kind == ItemKind::Link);
        is_link(&self.was) || is_link(&self.is)
    }
}

/// A folder that may differ.
struct Folder<'i> {
    /// With a `/` behind it, unless it is the top.
    path: BString,
    was: Option<ObjectId>,
    is: Now<'i>,
}

/// What there is of a folder in the later state.
enum Now<'i> {
    /// These entries of the index, and the tree that it has for them.
    Entries(Range<usize>, Option<&'i Tree>),
    Tree(ObjectId),
    Nothing,
}

/// What is staged: where the index differs from a tree. Sorted by path.
pub(super) fn staged(
    git: &gix::Repository,
    was: ObjectId,
    index: &Index,
) -> Result<Vec<Difference>, Failure> {
    let all = Now::Entries(0..index.state().entries().len(), index.state().tree());
    differences(git, was, Some(index), all)
}

/// Where one tree differs from an earlier one. Sorted by path.
pub(super) fn between(
    git: &gix::Repository,
    was: ObjectId,
    is: ObjectId,
) -> Result<Vec<Difference>, Failure> {
    differences(git, was, None, Now::Tree(is))
}

fn differences<'i>(
    git: &gix::Repository,
    was: ObjectId,
    index: Option<&'i Index>,
    is: Now<'i>,
) -> Result<Vec<Difference>, Failure> {
    let mut differences = Vec::new();
    let mut folders = vec![Folder { path: BString::default(), was: Some(was), is }];
    while let Some(folder) = folders.pop() {
        if folder.was.is_some() && folder.was == folder.is.tree() {
            continue;
        }
        let mut before: BTreeMap<BString, Item> = BTreeMap::new();
        if let Some(tree) = folder.was {
            before.extend(commit::read(git, tree)?);
        }
        let path = |name: &BStr| -> BString { [folder.path.as_bytes(), name].concat().into() };
        let below = |name: &BStr| -> BString { [folder.path.as_bytes(), name, b"/"].concat().into() };
        let mut add = |name: &BStr, was: Option<Item>, is: Option<Item>| {
            if was != is {
                differences.push(Difference { path: path(name), was, is });
            }
        };
        for (name, is) in folder.is.items(git, index, folder.path.len())? {
            let was = before.remove(&name);
            let (was_folder, was) = part(was);
            match is {
                Inside::Folder(is) => {
                    add(name.as_bstr(), was, None);
                    folders.push(Folder { path: below(name.as_bstr()), was: was_folder, is });
                }
                Inside::Item(is) => {
                    add(name.as_bstr(), was, Some(is));
                    folders.extend(was_folder.map(|was| gone(below(name.as_bstr()), was)));
                }
            }
        }
        for (name, was) in before {
            let (was_folder, was) = part(Some(was));
            add(name.as_bstr(), was, None);
            folders.extend(was_folder.map(|was| gone(below(name.as_bstr()), was)));
        }
    }
    differences.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(differences)
}

/// A folder that is not there any more.
fn gone<'i>(path: BString, was: ObjectId) -> Folder<'i> {
    Folder { path, was: Some(was), is: Now::Nothing }
}

/// Something that was there, as a folder or as anything else.
fn part(was: Option<Item>) -> (Option<ObjectId>, Option<Item>) {
    match was {
        Some(Item { kind: ItemKind::Folder, id }) => (Some(id), None),
        other => (None, other),
    }
}

/// What there is under a name in the later state.
enum Inside<'i> {
    Folder(Now<'i>),
    Item(Item),
}

impl<'i> Now<'i> {
    /// The tree that all of it makes, where that is known.
    fn tree(&self) -> Option<ObjectId> {
        match self {
            Self::Entries(_, tree) => index::valid(*tree),
            Self::Tree(id) => Some(*id),
            Self::Nothing => None,
        }
    }

    /// Everything in it, by name; the paths of entries start with one of this length.
    fn items(
        &self,
        git: &gix::Repository,
        index: Option<&'i Index>,
        length: usize,
    ) -> Result<Vec<(BString, Inside<'i>)>, Failure> {
        match self {
            Self::Entries(range, tree) => {
                Ok(index.map(|index| of_index(index, range.clone(), *tree, length)).unwrap_or_default())
            }
            Self::Tree(id) => Ok(commit::read(git, *id)?
                .into_iter()
                .map(|(name, item)| match item.kind {
                    ItemKind::Folder => (name, Inside::Folder(Self::Tree(item.id))),
                    ItemKind::File | ItemKind::Link | ItemKind::Submodule => (name, Inside::Item(item)),
                })
                .collect()),
            Self::Nothing => Ok(Vec::new()),
        }
    }
}

/// What entries of an index, all in one folder whose path has this length, hold there.
fn of_index<'i>(
    index: &'i Index,
    range: Range<usize>,
    tree: Option<&'i Tree>,
    length: usize,
) -> Vec<(BString, Inside<'i>)> {
    let (state, mut at) = (index.state(), range.start);
    let entries = &state.entries()[..range.end];
    let mut items = Vec::new();
    while let Some(entry) = entries.get(at) {
        let path = entry.path(state);
        let rest = &path[length..];
        match rest.find_byte(b'/') {
            None => {
                items.push((rest.into(), Inside::Item(index::item(entry))));
                at += 1;
            }
            Some(slash) => {
                let (name, prefix) = (&rest[..slash], &path[..=length + slash]);
                let inside = entries[at..].partition_point(|entry| entry.path(state).starts_with(prefix));
                let child = index::child(tree, name);
                items.push((name.into(), Inside::Folder(Now::Entries(at..at + inside, child))));
                at += inside;
            }
        }
    }
    items
}
