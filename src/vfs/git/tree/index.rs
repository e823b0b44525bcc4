//! The index of a repository, as the directories of the next commit.
//!
//! An index may have a hundred thousand entries, of which a run needs ten. So it is scanned once for special entries,
//! and then searched by its order. The index contains the git trees of most directories, which identify their content
//! without reading the entries.

use std::env;
use std::ops::Range;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::extension::Tree;
use gix::index::{Entry, State};

use super::{Item, LONGEST_PATH, Overview};
use crate::engine::Companion;
use crate::text::file_name::{decode, encode};
use crate::vfs::Error;
use crate::vfs::git::{INDEX_FILE, index_path, read_index};
use crate::vfs::path::child;
use crate::vfs::unit_file::is_unit_file;

/// An index without conflicts, in which every entry is a file, a link or a submodule.
pub(in crate::vfs) struct Index {
    state: State,
    /// The numbers of the entries that are symbolic links.
    links: Vec<usize>,
}

/// The entries in a directory and below it.
pub(in crate::vfs) struct Directory<'i> {
    index: &'i Index,
    entries: Range<usize>,
    /// The length of the directory's part of each path, with the `/`.
    length: usize,
    /// The tree that git last wrote for them.
    tree: Option<&'i Tree>,
}

/// An entry of a [`Directory`], with its name.
pub(in crate::vfs) enum Inside<'i> {
    Directory(&'i BStr, Directory<'i>),
    Item(&'i BStr, Item),
}

impl Index {
    /// Reads the index that git currently uses. Before the first `git add`, it is empty.
    pub(super) fn open(git: &gix::Repository) -> Result<Self, Error> {
        let wrong = |error: gix::Error| Error::git(format!("the index cannot be read: {error}"));
        let path = index_path(git);
        if env::var_os(INDEX_FILE).is_some() && !path.exists() {
            let path = path.display();
            return Err(Error::git(format!("there is no index in `{path}`, which {INDEX_FILE} names")));
        }
        let state = read_index(git)?.into_parts().0;
        let seen = Seen::of(&state);
        if let Some(number) = seen.unmerged {
            let path = decode(state.entries()[number].path(&state));
            return Err(Error::git(format!("`{path}` has merge conflicts"))
                .help("resolve the conflict, and `git add` the file"));
        }
        if seen.is_plain {
            return Ok(Self { links: seen.links, state });
        }
        let state = spread_out(without_intentions(state), git).map_err(wrong)?;
        Ok(Self { links: Seen::of(&state).links, state })
    }

    /// The top directory.
    pub(in crate::vfs) fn top(&self) -> Directory<'_> {
        Directory { index: self, entries: 0..self.state.entries().len(), length: 0, tree: self.state.tree() }
    }

    /// Adds every directory, with its tree if git has one, and every symbolic link.
    pub(super) fn look_over(&self, into: &mut Overview) {
        let mut next: Vec<(String, Look<'_>)> = Vec::new();
        if !self.state.entries().is_empty() {
            next.push((String::new(), Look::Directory(self.top())));
        }
        while let Some((path, look)) = next.pop() {
            into.directories.push((path.clone(), look.tree()));
            let mut add = |name: &[u8], look| {
                let name = decode(name);
                if path.len() < LONGEST_PATH {
                    next.push((child(&path, &name), look));
                }
            };
            match look {
                // Everything below a valid tree is valid, so the entries need not be visited.
                Look::Tree(tree) => {
                    tree.children.iter().for_each(|tree| add(&tree.name, Look::Tree(tree)));
                }
                Look::Directory(directory) => directory.for_each(&mut |inside| match inside {
                    Inside::Directory(name, directory) => add(name, Look::of(directory)),
                    Inside::Item(..) => {}
                }),
            }
        }
        let paths = self.links.iter().map(|number| decode(self.path(*number)).into_owned());
        into.links.extend(paths);
        self.look_at_names(into);
    }

    /// Adds the files and directories that are recognized by file names.
    fn look_at_names(&self, into: &mut Overview) {
        for path in self.state.entries().iter().map(|entry| entry.path(&self.state)) {
            let slash = path.rfind_byte(b'/');
            let name = &path[slash.map_or(0, |slash| slash + 1)..];
            if is_unit_file(name) {
                into.unit_files.push(decode(path).into());
            } else if std::str::from_utf8(name).is_ok_and(|name| Companion::of(name).is_some()) {
                into.with_companions.insert(decode(&path[..slash.unwrap_or(0)]).into());
            }
        }
    }

    /// The direct entries of a directory.
    pub(super) fn list(&self, directory: &str, add: &mut dyn FnMut(&BStr, &Item)) {
        let Some(directory) = self.directory(directory) else { return };
        let id = ObjectId::null(self.state.object_hash());
        directory.for_each(&mut |inside| match inside {
            Inside::Item(name, item) => add(name, &item),
            Inside::Directory(name, _) => add(name, &Item::directory(id)),
        });
    }

    /// The entry at a path.
    pub(super) fn item(&self, path: &BStr) -> Option<Item> {
        if let Some(entry) = self.state.entry_by_path_and_stage(path, Stage::Unconflicted) {
            return Some(item(entry));
        }
        let is_directory = !self.entries_in(path, 0..self.state.entries().len()).is_empty();
        let id = ObjectId::null(self.state.object_hash());
        is_directory.then(|| Item::directory(id))
    }

    /// A directory, if it exists.
    fn directory(&self, path: &str) -> Option<Directory<'_>> {
        let path = encode(path);
        let path = path.as_bstr();
        let mut directory = self.top();
        for name in path.split_str("/").filter(|name| !name.is_empty()) {
            let inside = &path[..directory.length + name.len()];
            let entries = self.entries_in(inside.as_bstr(), directory.entries.clone());
            if entries.is_empty() {
                return None;
            }
            let tree = child_tree(directory.tree, name);
            directory = Directory { index: self, entries, length: inside.len() + 1, tree };
        }
        Some(directory)
    }

    /// The entries below a directory, within a range.
    fn entries_in(&self, directory: &BStr, range: Range<usize>) -> Range<usize> {
        let prefix = [directory.as_bytes(), b"/"].concat();
        let entries = &self.state.entries()[range.clone()];
        let start = entries.partition_point(|entry| entry.path(&self.state) < prefix.as_bstr());
        let below = entries[start..].partition_point(|entry| entry.path(&self.state).starts_with(&prefix));
        range.start + start..range.start + start + below
    }

    fn path(&self, number: usize) -> &BStr {
        self.state.entries()[number].path(&self.state)
    }
}

impl<'i> Directory<'i> {
    /// The tree of the whole directory, if the index has it.
    pub(in crate::vfs) fn id(&self) -> Option<ObjectId> {
        valid(self.tree)
    }

    /// Calls `look` for each direct entry, in the order of the index.
    pub(in crate::vfs) fn for_each(&self, look: &mut dyn FnMut(Inside<'i>)) {
        let Self { index, length, tree, .. } = *self;
        let mut at = self.entries.start;
        while at < self.entries.end {
            let rest = &index.path(at)[length..];
            let Some(slash) = rest.find_byte(b'/') else {
                look(Inside::Item(rest.as_bstr(), item(&index.state.entries()[at])));
                at += 1;
                continue;
            };
            let name = rest[..slash].as_bstr();
            let tree = child_tree(tree, name);
            let end = self.end_of(at, length + slash + 1, tree);
            let directory = Directory { index, entries: at..end, length: length + slash + 1, tree };
            look(Inside::Directory(name, directory));
            at = end;
        }
    }

    /// The end of the entries that share this much of the path of the entry at `start`. The number of entries in the
    /// tree is tried first.
    fn end_of(&self, start: usize, length: usize, tree: Option<&Tree>) -> usize {
        let prefix = &self.index.path(start)[..length];
        let is_inside = |number: usize| self.index.path(number).starts_with(prefix);
        let number = tree.and_then(|tree| tree.num_entries).map(|number| start + number as usize);
        let guess = number.filter(|end| *end > start && *end <= self.entries.end);
        match guess {
            Some(end) if is_inside(end - 1) && (end == self.entries.end || !is_inside(end)) => end,
            Some(_) | None => {
                let entries = &self.index.state.entries()[start..self.entries.end];
                let state = &self.index.state;
                start + entries.partition_point(|entry| entry.path(state).starts_with(prefix))
            }
        }
    }
}

/// What is known of a directory without visiting its entries.
enum Look<'i> {
    Tree(&'i Tree),
    Directory(Directory<'i>),
}

impl<'i> Look<'i> {
    fn of(directory: Directory<'i>) -> Self {
        match directory.tree {
            Some(tree) if tree.num_entries.is_some() => Self::Tree(tree),
            Some(_) | None => Self::Directory(directory),
        }
    }

    fn tree(&self) -> Option<ObjectId> {
        match self {
            Self::Tree(tree) => valid(Some(tree)),
            Self::Directory(directory) => directory.id(),
        }
    }
}

/// Special entries in the index.
struct Seen {
    /// The first entry with a conflict.
    unmerged: Option<usize>,
    /// Whether every entry will be in the next commit at its path.
    is_plain: bool,
    links: Vec<usize>,
}

impl Seen {
    fn of(state: &State) -> Self {
        let mut seen = Self { unmerged: None, is_plain: true, links: Vec::new() };
        for (number, entry) in state.entries().iter().enumerate() {
            if entry.stage() != Stage::Unconflicted && seen.unmerged.is_none() {
                seen.unmerged = Some(number);
            }
            seen.is_plain &= !is_intention(entry) && entry.mode != Mode::DIR;
            if entry.mode == Mode::SYMLINK {
                seen.links.push(number);
            }
        }
        seen
    }
}

/// Whether this is a `git add --intent-to-add` entry: the name of a file that will not be in the next commit.
fn is_intention(entry: &Entry) -> bool {
    entry.flags.contains(Flags::INTENT_TO_ADD)
}

fn without_intentions(mut state: State) -> State {
    state.remove_entries(|_, _, entry| is_intention(entry));
    state
}

/// Replaces directories that a sparse index holds as one entry by their files.
fn spread_out(mut state: State, git: &gix::Repository) -> Result<State, gix::Error> {
    let is_directory = |entry: &Entry| entry.mode == Mode::DIR;
    let directories: Vec<(BString, ObjectId)> = state
        .entries()
        .iter()
        .filter(|entry| is_directory(entry))
        .map(|entry| (entry.path(&state).to_owned(), entry.id))
        .collect();
    if directories.is_empty() {
        return Ok(state);
    }
    state.remove_entries(|_, _, entry| is_directory(entry));
    // It counts such a directory as one entry.
    state.remove_tree();
    for (directory, tree) in directories {
        let below = git.index_from_tree(&tree)?;
        for entry in below.entries() {
            let path: BString = [directory.as_bytes(), entry.path(&below)].concat().into();
            let flags = Flags::SKIP_WORKTREE;
            state.dangerously_push_entry(Stat::default(), entry.id, flags, entry.mode, path.as_bstr());
        }
    }
    state.sort_entries();
    Ok(state)
}

/// The tree that git last wrote for a subdirectory.
fn child_tree<'i>(tree: Option<&'i Tree>, name: &[u8]) -> Option<&'i Tree> {
    let tree = tree?;
    let at = tree.children.binary_search_by(|child| child.name.as_slice().cmp(name)).ok()?;
    tree.children.get(at)
}

/// The id of the tree that git last wrote for a directory, if the directory still has that content.
fn valid(tree: Option<&Tree>) -> Option<ObjectId> {
    tree.filter(|tree| tree.num_entries.is_some()).map(|tree| tree.id)
}

/// The entry in a tree for an index entry.
fn item(entry: &Entry) -> Item {
    Item::new(entry.mode.bits(), entry.id)
}
