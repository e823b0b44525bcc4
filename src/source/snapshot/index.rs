//! The index of a repository, turned into the folders that the next commit will have.

use std::collections::BTreeMap;
use std::ops::Range;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::extension::Tree;
use gix::index::{Entry, State};

use super::{Item, ItemKind, matters};
use crate::source::Error;

/// An index without conflicts, of which every entry is a file, a link or a submodule.
pub(in crate::source) struct Index {
    state: State,
    /// Folders that hold something of a module, in the order that their paths have with a `/` behind them.
    folders: Vec<Folder>,
    /// The numbers of what lies in them.
    inside: Vec<u32>,
    /// Paths of folders that are no text, by what is made of them as text.
    odd: BTreeMap<String, BString>,
}

/// A folder that holds something of a module.
struct Folder {
    /// The number of an entry below it, and how much of that entry's path is the folder's.
    path: (u32, usize),
    /// Those of [`Index::inside`] that lie in it.
    inside: Range<usize>,
    /// The tree that git has for all of it, where the index knows that.
    tree: Option<ObjectId>,
}

impl Index {
    /// Reads the index that git works with now; there is none before the first `git add`.
    pub(super) fn open(git: &gix::Repository) -> Result<Self, Error> {
        let wrong = |error: gix::Error| Error::git(format!("the index cannot be read: {error}"));
        let state = match git.open_index() {
            Ok(file) => file.into_parts().0,
            Err(_) if !git.index_path().exists() => State::new(git.object_hash()),
            Err(error) => return Err(wrong(error)),
        };
        if let Some(entry) = state.entries().iter().find(|entry| entry.stage() != Stage::Unconflicted) {
            let path = entry.path(&state).to_str_lossy().into_owned();
            return Err(Error::git(format!("`{path}` is not merged yet"))
                .help("resolve the conflict, and `git add` the file"));
        }
        let state = spread_out(without_intentions(state), git).map_err(wrong)?;
        let (folders, inside) = gather(&state);
        let odd = folders.iter().map(|folder| path_of(&state, folder)).filter(|path| path.to_str().is_err());
        let odd = odd.map(|path| (path.to_str_lossy().into_owned(), path.to_owned())).collect();
        Ok(Self { state, folders, inside, odd })
    }

    /// The entries, in order.
    pub(in crate::source) fn state(&self) -> &State {
        &self.state
    }

    /// Every folder that holds something of a module, and the tree that git has for it, where the index knows that.
    pub(super) fn folders(&self) -> impl Iterator<Item = (String, Option<ObjectId>)> {
        let path = |folder| path_of(&self.state, folder).to_str_lossy().into_owned();
        self.folders.iter().map(move |folder| (path(folder), folder.tree))
    }

    /// The paths of all symbolic links.
    pub(super) fn links(&self) -> impl Iterator<Item = String> {
        let links = self.state.entries().iter().filter(|entry| entry.mode == Mode::SYMLINK);
        links.map(|entry| entry.path(&self.state).to_str_lossy().into_owned())
    }

    /// What lies directly in a folder, as far as it is of a module.
    pub(super) fn list(&self, folder: &str, add: &mut dyn FnMut(&BStr, &Item)) {
        let wanted = self.odd.get(folder).map_or(folder.as_bytes(), |path| path.as_bytes());
        let in_order = |folder: &Folder| {
            let path = path_of(&self.state, folder).iter().chain(b"/");
            path.cmp(wanted.iter().chain(b"/"))
        };
        let Ok(at) = self.folders.binary_search_by(in_order) else { return };
        for number in &self.inside[self.folders[at].inside.clone()] {
            let entry = &self.state.entries()[*number as usize];
            add(name_of(entry.path(&self.state)), &item(entry));
        }
    }

    /// Everything that lies directly in a folder, whatever it is.
    pub(super) fn list_all(&self, folder: &str, add: &mut dyn FnMut(&BStr, &Item)) {
        let folder = self.odd.get(folder).map_or(folder.as_bytes(), |path| path.as_bytes());
        let prefix = if folder.is_empty() { Vec::new() } else { [folder, b"/"].concat() };
        let entries = self.state.entries();
        let mut next = entries.partition_point(|entry| entry.path(&self.state) < prefix.as_bstr());
        while let Some(entry) = entries.get(next).filter(|entry| entry.path(&self.state).starts_with(&prefix))
        {
            let name = &entry.path(&self.state)[prefix.len()..];
            let Some(slash) = name.find_byte(b'/') else {
                add(name.as_bstr(), &item(entry));
                next += 1;
                continue;
            };
            let id = ObjectId::null(self.state.object_hash());
            add(name[..slash].as_bstr(), &Item { kind: ItemKind::Folder, id });
            let inside = [prefix.as_slice(), &name[..=slash]].concat();
            let below = |entry: &Entry| entry.path(&self.state).starts_with(&inside);
            next += entries[next..].partition_point(below);
        }
    }

    /// What there is at a path.
    pub(super) fn item(&self, path: &BStr) -> Option<Item> {
        let path = self.odd.get(&*path.to_str_lossy()).map_or(path, |odd| odd.as_bstr());
        if let Some(entry) = self.state.entry_by_path_and_stage(path, Stage::Unconflicted) {
            return Some(item(entry));
        }
        let inside = [path.as_bytes(), b"/"].concat();
        let entries = self.state.entries();
        let first = entries.partition_point(|entry| entry.path(&self.state) < inside.as_bstr());
        let is_folder = entries.get(first).is_some_and(|entry| entry.path(&self.state).starts_with(&inside));
        let id = ObjectId::null(self.state.object_hash());
        is_folder.then_some(Item { kind: ItemKind::Folder, id })
    }
}

/// Leaves out what `git add --intent-to-add` left: names of files that no commit will have yet.
fn without_intentions(mut state: State) -> State {
    let is_intention = |entry: &Entry| entry.flags.contains(Flags::INTENT_TO_ADD);
    if state.entries().iter().any(is_intention) {
        state.remove_entries(|_, _, entry| is_intention(entry));
    }
    state
}

/// Puts the files of folders in the place of those folders that a sparse index holds as one entry.
fn spread_out(mut state: State, git: &gix::Repository) -> Result<State, gix::Error> {
    let is_folder = |entry: &Entry| entry.mode == Mode::DIR;
    let folders: Vec<(BString, ObjectId)> = state
        .entries()
        .iter()
        .filter(|entry| is_folder(entry))
        .map(|entry| (entry.path(&state).to_owned(), entry.id))
        .collect();
    if folders.is_empty() {
        return Ok(state);
    }
    state.remove_entries(|_, _, entry| is_folder(entry));
    // It counts such a folder as one.
    state.remove_tree();
    for (folder, tree) in folders {
        let below = git.index_from_tree(&tree)?;
        for entry in below.entries() {
            let path: BString = [folder.as_bytes(), entry.path(&below)].concat().into();
            state.dangerously_push_entry(
                Stat::default(),
                entry.id,
                Flags::SKIP_WORKTREE,
                entry.mode,
                path.as_bstr(),
            );
        }
    }
    state.sort_entries();
    Ok(state)
}

/// A folder that entries still come from.
struct Open<'s> {
    /// How much of the paths of its entries is its own, with the `/`.
    length: usize,
    /// Its number among all folders.
    number: usize,
    inside: Vec<u32>,
    tree: Option<&'s Tree>,
}

/// All folders that hold something of a module, and the numbers of what lies in them.
fn gather(state: &State) -> (Vec<Folder>, Vec<u32>) {
    let (mut folders, mut inside) = (Vec::new(), Vec::new());
    let top = |tree| Open { length: 0, number: 0, inside: Vec::new(), tree };
    let mut open = vec![top(state.tree())];
    let mut close = |folder: Open<'_>, folders: &mut Vec<Folder>| {
        let start = inside.len();
        inside.extend(folder.inside);
        folders[folder.number].inside = start..inside.len();
    };
    let mut last: &BStr = b"".into();
    for (number, entry) in (0..).zip(state.entries()) {
        if folders.is_empty() {
            folders.push(Folder { path: (number, 0), inside: 0..0, tree: valid(open[0].tree) });
        }
        let path = entry.path(state);
        while let Some(folder) = open.pop_if(|folder| !path.starts_with(&last[..folder.length])) {
            close(folder, &mut folders);
        }
        while let Some(around) = open.last()
            && let Some(slash) = path[around.length..].find_byte(b'/')
        {
            let length = around.length + slash;
            let name = &path[around.length..length];
            let tree = child(around.tree, name);
            open.push(Open { length: length + 1, number: folders.len(), inside: Vec::new(), tree });
            folders.push(Folder { path: (number, length), inside: 0..0, tree: valid(tree) });
        }
        if let Some(folder) = open.last_mut()
            && matters(path[folder.length..].as_bstr())
        {
            folder.inside.push(number);
        }
        last = path;
    }
    for folder in open.into_iter().rev().filter(|_| !state.entries().is_empty()) {
        close(folder, &mut folders);
    }
    folders.retain(|folder| !folder.inside.is_empty());
    (folders, inside)
}

/// The tree that git last made of a folder in a folder.
pub(in crate::source) fn child<'s>(tree: Option<&'s Tree>, name: &[u8]) -> Option<&'s Tree> {
    let tree = tree?;
    let at = tree.children.binary_search_by(|child| child.name.as_slice().cmp(name)).ok()?;
    tree.children.get(at)
}

/// The tree that git last made of a folder, if that still is what the folder holds.
pub(in crate::source) fn valid(tree: Option<&Tree>) -> Option<ObjectId> {
    tree.filter(|tree| tree.num_entries.is_some()).map(|tree| tree.id)
}

fn path_of<'s>(state: &'s State, folder: &Folder) -> &'s BStr {
    let (entry, length) = folder.path;
    state.entries()[entry as usize].path(state)[..length].as_bstr()
}

fn name_of(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').map_or(path, |slash| path[slash + 1..].as_bstr())
}

/// What an entry stands for.
pub(in crate::source) fn item(entry: &Entry) -> Item {
    Item { kind: ItemKind::of(entry.mode.bits()), id: entry.id }
}
