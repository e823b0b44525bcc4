//! The files that function calls name, read on demand.
//!
//! Names are compared by bytes, even if the file system ignores case, so that the result is the same on all systems.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{fmt, fs};

use gix::bstr::ByteSlice;
use hashbrown::HashMap;

use super::expected::Expected;
use super::git::excluded::{self, Exclusions, RulesByDirectory};
use super::git::repository::Repository;
use super::git::tree::{GitTree, Leads};
use super::memo::Memo;
use super::read::{self, Failure, is_stand_in};
use super::top_directory::{Top, is_of_tool, slashed};
use super::{Origin, Snapshot, ancestors, child, parent};
use crate::engine::is_module_file;
use crate::limits::{Limit, Limits};
use crate::text::file_name::{decode_os, encode, encode_os};

/// The maximum size in bytes of files that are read. Of larger ones only their existence is known.
const MOST_BYTES: u64 = 256 << 10;

/// The maximum size in bytes of all contents in memory.
const MOST_KEPT: usize = 64 << 20;

/// The maximum number of entries that are listed.
const MOST_LISTED: usize = 5_000;

/// The largest size in bytes of a module file that is read for its names.
const LARGEST_TEXT: usize = 1 << 20;

/// The steps to list an entry of a directory.
const OF_ENTRY: usize = 4;

/// The target of a path in a function call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedFile {
    /// A file, with its content if known.
    File(Option<Arc<[u8]>>),
    /// A directory.
    Directory,
    /// Nothing, because a part of the path is a file.
    BehindFile,
    /// Nothing. A file may have this name in another case.
    Missing {
        /// The name of that file.
        other_case: Option<String>,
    },
    /// Unknown, because git ignores it, a tool creates it, or it is outside the repository.
    Unknown,
}

/// The files of one state of a repository.
#[derive(Default)]
pub struct NamedFiles {
    /// Files given as text include those of modules.
    origin: Origin,
    limits: Limits,
    /// The results so far, by path relative to the top.
    found: Mutex<Found>,
    /// The content of each `.gitignore`, by its path.
    ignore_files: Memo<String, Option<Vec<u8>>>,
    ignore_rules: RulesByDirectory,
    /// The index of the repository on disk; read on first use.
    index: OnceLock<Option<gix::index::File>>,
    /// The module files that each `.gitignore` names, by its path.
    expected: Memo<String, Arc<Expected>>,
    /// Whether a directory is a symbolic link or has module files, by its path.
    other_modules: Memo<String, bool>,
    /// The entries of directories, by their paths.
    listings: Memo<String, Option<Arc<Listing>>>,
}

/// The entries of a directory.
#[derive(Debug)]
pub(crate) struct Listing {
    /// The names of the files, and of links to files of the repository, sorted.
    pub(crate) files: Vec<String>,
    /// Those of module files.
    pub(crate) module_files: Vec<String>,
    /// The names of the directories, and of links to directories of the repository, sorted.
    pub(crate) directories: Vec<String>,
    /// The name of a file by the same name in lowercase; computed on first use.
    by_lowercase: OnceLock<HashMap<String, String>>,
}

#[derive(Default)]
struct Found {
    files: HashMap<String, NamedFile>,
    kept: usize,
}

impl fmt::Debug for NamedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedFiles").finish_non_exhaustive()
    }
}

impl Snapshot {
    /// The files of this state.
    pub fn named_files(&self) -> NamedFiles {
        let mut origin = self.origin.clone();
        if let Origin::Memory { others, .. } = &mut origin {
            for (_, source) in self.sources.iter() {
                others.entry(source.name().to_owned()).or_insert_with(|| source.text().into());
            }
        }
        NamedFiles {
            origin,
            limits: self.limits,
            found: Mutex::default(),
            ignore_files: Memo::default(),
            ignore_rules: RulesByDirectory::default(),
            index: OnceLock::new(),
            expected: Memo::default(),
            other_modules: Memo::default(),
            listings: Memo::default(),
        }
    }
}

impl NamedFiles {
    /// The target of a path, relative to the top.
    pub fn at(&self, path: &str) -> NamedFile {
        let known = |found: &Found| found.files.get(path).cloned();
        if let Some(known) = known(&self.found.lock().unwrap_or_else(PoisonError::into_inner)) {
            return known;
        }
        let named = self.look(path);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let size = if let NamedFile::File(Some(bytes)) = &named { bytes.len() } else { 0 };
        if found.kept + size > MOST_KEPT {
            found.files.clear();
            found.kept = 0;
        }
        found.kept += size;
        found.files.insert(path.to_owned(), named.clone());
        named
    }

    /// Whether a path leads to a file. If it leads nowhere, this is faster than [`Self::at`], which looks for the reason.
    pub fn is_file(&self, path: &str) -> bool {
        let may_exist = match &self.origin {
            Origin::Disk(top) => fs::symlink_metadata(top.path().join(encode_os(path))).is_ok(),
            Origin::Git { .. } | Origin::Memory { .. } => true,
        };
        may_exist && matches!(self.at(path), NamedFile::File(_))
    }

    /// The paths of all regular files in and below a directory, relative to it and sorted. `None` if not all are known.
    /// `is_wanted` selects directories, by their paths relative to this one. Adds to the steps of the search.
    pub fn below(
        &self,
        directory: &str,
        is_wanted: &dyn Fn(&str) -> bool,
        searched: &Cell<usize>,
    ) -> Option<Vec<String>> {
        let mut files = Vec::new();
        let mut next = vec![String::new()];
        let mut listed = 0;
        while let Some(inside) = next.pop() {
            let listing = self.listing(&join(directory, &inside))?;
            let entries = listing.files.len() + listing.directories.len();
            listed += entries;
            if listed > MOST_LISTED {
                return None;
            }
            searched.update(|steps| steps + (1 + entries) * OF_ENTRY);
            files.extend(listing.files.iter().map(|name| child(&inside, name)));
            let directories = listing.directories.iter().map(|name| child(&inside, name));
            for path in directories.filter(|path| is_wanted(path)) {
                if self.is_of_others(&join(directory, &path)) {
                    return None;
                }
                next.push(path);
            }
        }
        files.sort_unstable();
        Some(files)
    }

    /// Whether a file lies in a directory or below it, and neither behind a symbolic link nor in a directory that has
    /// module files itself.
    pub(crate) fn belongs_to(&self, path: &str, directory: &str) -> bool {
        let is_link = |path: &str| match &self.origin {
            Origin::Disk(top) => fs::symlink_metadata(top.path().join(encode_os(path)))
                .is_ok_and(|metadata| metadata.is_symlink()),
            Origin::Git { .. } | Origin::Memory { .. } => false,
        };
        let is_of_other = |directory: &str| {
            let look = || {
                is_link(directory)
                    || self.listing(directory).is_none_or(|listing| !listing.module_files.is_empty())
            };
            self.other_modules.get(directory, look)
        };
        let mut above = ancestors(path).skip(1);
        !is_link(path)
            && above
                .by_ref()
                .take_while(|above| *above != directory)
                .all(|above| !above.is_empty() && !is_of_other(above))
    }

    /// Passes on the text of each module file of a directory. `None` if one is not known, is no text or is too large.
    pub(crate) fn for_each_module_text(&self, directory: &str, pass: &mut dyn FnMut(&str)) -> Option<()> {
        for name in &self.listing(directory)?.module_files {
            let NamedFile::File(Some(content)) = self.at(&child(directory, name)) else { return None };
            pass(std::str::from_utf8(&content).ok().filter(|text| text.len() <= LARGEST_TEXT)?);
        }
        Some(())
    }

    /// Whether a `.gitignore` excludes a path or a parent directory.
    pub fn is_ignored(&self, path: &str) -> bool {
        Exclusions::new(&|path| self.ignore_file(path), &self.ignore_rules).has_file(path)
    }

    fn look(&self, path: &str) -> NamedFile {
        if is_of_tool(path) {
            return NamedFile::Unknown;
        }
        let named = match &self.origin {
            Origin::Disk(top) => self.on_disk(top, path),
            Origin::Git { git_tree, .. } => self.in_git(git_tree, path),
            Origin::Memory { directories, others } => in_memory(directories, others, path),
        };
        match named {
            NamedFile::File(Some(bytes)) if is_stand_in(&bytes) => NamedFile::File(None),
            // A tool may create what is not in git.
            NamedFile::File(_) if self.is_left_out(path) => NamedFile::File(None),
            NamedFile::Missing { .. } | NamedFile::BehindFile if self.is_ignored(path) => NamedFile::Unknown,
            NamedFile::Missing { other_case: None } if is_built(path) => NamedFile::Unknown,
            named => named,
        }
    }

    /// Whether git ignores a file that exists.
    fn is_left_out(&self, path: &str) -> bool {
        match &self.origin {
            Origin::Disk(top) => self.is_ignored(path) && !self.tracks(top, path),
            Origin::Memory { .. } => self.is_ignored(path),
            Origin::Git { .. } => false,
        }
    }

    /// Whether git tracks a file on disk. Tracked files are not ignored, whatever patterns say.
    fn tracks(&self, top: &Top, path: &str) -> bool {
        let read = || Repository::around(top.path())?.index().ok();
        let index = self.index.get_or_init(|| if top.is_repository { read() } else { None });
        index.as_ref().is_some_and(|index| index.entry_by_path(encode(path).as_bstr()).is_some())
    }

    fn most_bytes(&self) -> u64 {
        self.limits.get(Limit::FileSize).min(MOST_BYTES)
    }

    fn on_disk(&self, top: &Top, path: &str) -> NamedFile {
        let disk = top.path().join(encode_os(path));
        let real = match fs::canonicalize(&disk) {
            Ok(real) => real,
            Err(_) if !top.holds(&disk) || top.may_lack(path) => return NamedFile::Unknown,
            Err(error) if error.kind() == ErrorKind::NotADirectory => return NamedFile::BehindFile,
            // A link without a target here may have one on another machine.
            Err(_) if fs::symlink_metadata(&disk).is_ok() => return NamedFile::Unknown,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return NamedFile::Missing { other_case: self.other_case(path) };
            }
            Err(_) => return NamedFile::Unknown,
        };
        if !top.holds(&real) {
            return NamedFile::Unknown;
        }
        let inside = real.strip_prefix(top.path()).map(slashed).unwrap_or_default();
        if inside != path && inside.eq_ignore_ascii_case(path) {
            return NamedFile::Missing { other_case: Some(super::last_name(&inside).to_owned()) };
        }
        if top.is_foreign(parent(&inside).unwrap_or_default()) {
            return NamedFile::Unknown;
        }
        if real.is_dir() {
            return NamedFile::Directory;
        }
        content(read::regular(&real, self.most_bytes()))
    }

    fn in_git(&self, git_tree: &GitTree, path: &str) -> NamedFile {
        let reading = git_tree.read_quietly();
        match reading.leads(path) {
            Ok(Leads::File) => content(reading.content(path, self.most_bytes())),
            Ok(Leads::Directory) => NamedFile::Directory,
            Ok(Leads::BehindFile) => NamedFile::BehindFile,
            Ok(Leads::Nowhere) => NamedFile::Missing { other_case: self.other_case(path) },
            Ok(Leads::Elsewhere) | Err(_) => NamedFile::Unknown,
        }
    }

    /// The name of a file that differs from the path of a missing one only in case.
    fn other_case(&self, path: &str) -> Option<String> {
        let listing = self.listing(parent(path)?)?;
        let lowercase = listing.by_lowercase.get_or_init(|| {
            listing.files.iter().rev().map(|name| (name.to_lowercase(), name.clone())).collect()
        });
        lowercase.get(&super::last_name(path).to_lowercase()).cloned()
    }

    /// The entries of a directory. `None` if not all are known.
    pub(crate) fn listing(&self, directory: &str) -> Option<Arc<Listing>> {
        self.listings.get(directory, || {
            let (mut files, mut directories) = match &self.origin {
                Origin::Disk(top) => names_on_disk(top, directory)?,
                Origin::Git { git_tree, .. } => {
                    let names = git_tree.read_quietly().names_unless_foreign(directory)?;
                    (names.files.into_iter().collect(), names.directories.into_iter().collect())
                }
                Origin::Memory { directories, others } => {
                    let own = |path: &&String| parent(path) == Some(directory);
                    let name = |path: &String| super::last_name(path).to_owned();
                    (
                        others.keys().filter(own).map(name).collect(),
                        directories.iter().filter(own).map(name).collect(),
                    )
                }
            };
            files.sort_unstable();
            directories.sort_unstable();
            let module_files = files.iter().filter(|name| is_module_file(name)).cloned().collect();
            Some(Arc::new(Listing { files, module_files, directories, by_lowercase: OnceLock::new() }))
        })
    }

    /// Whether a directory on disk was created by a tool, or belongs to another project.
    fn is_of_others(&self, directory: &str) -> bool {
        let Origin::Disk(top) = &self.origin else { return false };
        is_of_tool(super::last_name(directory)) || top.is_foreign(directory)
    }

    /// The module files that a `.gitignore` names.
    pub(super) fn expected_by(&self, path: &str) -> Arc<Expected> {
        let read = || self.ignore_file(path).map(|bytes| Expected::of(&bytes)).unwrap_or_default().into();
        self.expected.get(path, read)
    }

    /// The content of a `.gitignore`. As in git, symbolic links do not count.
    pub(super) fn ignore_file(&self, path: &str) -> Option<Vec<u8>> {
        let limit = self.limits.get(Limit::FileSize);
        let read = || match &self.origin {
            Origin::Memory { others, .. } => others.get(path).cloned(),
            Origin::Disk(top) => excluded::on_disk(top, path, limit),
            Origin::Git { git_tree, .. } => excluded::in_git(&git_tree.read_quietly(), path, limit),
        };
        self.ignore_files.get(path, read)
    }
}

fn content(read: Result<Vec<u8>, Failure>) -> NamedFile {
    match read {
        Ok(bytes) => NamedFile::File(Some(bytes.into())),
        Err(Failure::TooLarge) => NamedFile::File(None),
        Err(Failure::Io(_) | Failure::Directory | Failure::NotAFile | Failure::Leaves | Failure::StandIn) => {
            NamedFile::Unknown
        }
    }
}

fn in_memory(directories: &BTreeSet<String>, files: &BTreeMap<String, Vec<u8>>, path: &str) -> NamedFile {
    if let Some(bytes) = files.get(path) {
        return NamedFile::File(Some(bytes.as_slice().into()));
    }
    if path.is_empty() || directories.contains(path) {
        return NamedFile::Directory;
    }
    if ancestors(path).skip(1).any(|path| files.contains_key(path)) {
        return NamedFile::BehindFile;
    }
    let other = files.keys().find(|other| other.to_lowercase() == path.to_lowercase());
    NamedFile::Missing { other_case: other.map(|other| super::last_name(other).to_owned()) }
}

/// Whether files with this name are usually built before an engine runs, and not committed.
fn is_built(path: &str) -> bool {
    const ENDS: [&str; 8] = [".zip", ".jar", ".war", ".tar", ".gz", ".tgz", ".whl", ".wasm"];
    ENDS.iter().any(|end| path.ends_with(end))
}

/// The files and directories in a directory. `None` if an entry is a link out of the repository.
fn names_on_disk(top: &Top, directory: &str) -> Option<(Vec<String>, Vec<String>)> {
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    if !top.holds(top.path()) || top.may_lack(directory) {
        return None;
    }
    let entries = match fs::read_dir(top.path().join(encode_os(directory))) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Some((files, directories)),
        Err(_) => return None,
    };
    for entry in entries {
        let entry = entry.ok()?;
        let name = decode_os(&entry.file_name()).into_owned();
        let mut kind = entry.file_type().ok()?;
        if kind.is_symlink() {
            let real = fs::canonicalize(entry.path()).ok()?;
            if !top.holds(&real) {
                return None;
            }
            kind = fs::metadata(real).ok()?.file_type();
        }
        if kind.is_dir() {
            directories.push(name);
        } else if kind.is_file() {
            files.push(name);
        }
    }
    Some((files, directories))
}

fn join(directory: &str, inside: &str) -> String {
    if inside.is_empty() { directory.to_owned() } else { child(directory, inside) }
}
