//! Reads the files of a working tree, the git index or a commit, once each.
//!
//! Only this layer reads the files that are checked. An unreadable file is a finding, and marks its module as
//! incomplete. An [`Error`] ends the run; its cause is the command line or the repository.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::{Engine, Evidence, Loaded, Notation, Signal};
use crate::finding::{Finding, Severity};
use crate::limits::{Limit, Limits};
use crate::text::file_name::encode_os;
use crate::text::{FileId, Source, Sources, Span};

mod absent;
mod base;
mod change;
mod companion;
mod difference;
mod documents;
mod edited;
mod error;
mod excluded;
mod from_disk;
mod from_git;
mod git;
mod git_tree;
mod hook;
mod in_memory;
mod installed;
mod listing;
mod named_files;
mod names;
mod path;
mod pending;
mod policy;
mod read;
mod remotes;
mod renamed;
mod repository;
mod terragrunt;
mod top_directory;
mod touched;
mod uncommitted;
mod unit_file;
mod walk;

pub use change::{Change, State};
pub use companion::CompanionFile;
pub use documents::Documents;
pub use edited::{HARD_LINKS, Standing, has_hard_links};
pub use error::Error;
pub use excluded::Exclusion;
pub use git_tree::Content;
pub use hook::{Found, Hook};
pub use installed::{DataDirectory, Manifest};
pub use named_files::{NamedFile, NamedFiles};
pub use names::Names;
pub use path::{TEST_DIRECTORY, ancestors, child, is_under, join, last_name, parent, relative, tested_by};
pub use policy::POLICIES;
pub use read::cause;
pub use walk::{SkipReason, Skipped};

use git_tree::GitTree;
use pending::Unread;
use read::{Read, ReadFile, Reader};
use top_directory::{Place, Top};

/// Files that are read through symbolic links may add up to one eighth of the file size limit: a small file can be
/// linked many times.
const LINKED_PART: u64 = 8;

/// The files that a run reads.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    sources: Sources,
    directories: Vec<Directory>,
    by_path: HashMap<SmolStr, usize>,
    signals: BTreeMap<SmolStr, Vec<Signal>>,
    scope: Vec<String>,
    findings: Vec<Finding>,
    origin: Origin,
    /// Information about the rest of the repository, if only a part was read.
    rest: Option<Rest>,
    /// Override files that git does not track.
    uncommitted: BTreeSet<String>,
    /// The tree that policies come from, if not from the checked files.
    trusted: Option<Arc<GitTree>>,
    /// The limits of reading.
    limits: Limits,
    /// Files that were read through symbolic links, by their real paths.
    linked: HashMap<SmolStr, FileId>,
    /// The total size of the files that were read through symbolic links.
    linked_bytes: u64,
    /// Further files that an engine reads with a module, sorted by name, for each directory.
    companions: BTreeMap<SmolStr, Vec<CompanionFile>>,
    /// The paths of files of kinds that are not read.
    unread_kinds: BTreeSet<String>,
    /// The Terragrunt units, sorted by path.
    unit_files: Vec<SmolStr>,
    /// The files that are not read yet.
    unread: Option<Unread>,
    /// Directories of the working tree that were not searched, sorted by path.
    skipped: Vec<Skipped>,
    /// The directories of installed modules, with the root modules that they are installed for.
    installed: BTreeMap<SmolStr, BTreeSet<SmolStr>>,
}

/// A part of a repository that is read on its own.
#[derive(Debug, Clone, Default)]
pub struct Excerpt {
    /// The directories to read.
    pub directories: BTreeSet<SmolStr>,
    /// Those, also through links, that modules in other directories call.
    pub called: BTreeSet<SmolStr>,
    /// Those that modules in other directories call, except examples and tests.
    pub used: BTreeSet<SmolStr>,
    /// Whether any directory of the repository, read or not, shows signs of a root module.
    pub has_root: bool,
}

/// Information about the modules that were not read.
#[derive(Debug, Clone)]
struct Rest {
    /// The directories that they call.
    called: BTreeSet<SmolStr>,
    /// The directories that those of them call which are neither examples nor tests.
    used: BTreeSet<SmolStr>,
    /// Whether any module, read or not, shows signs of a root module.
    has_root: bool,
}

/// The source of further directories that module calls name.
#[derive(Debug, Clone)]
enum Origin {
    /// A directory on disk.
    Disk(Top),
    /// An index or a commit.
    Git {
        /// The content.
        git_tree: Arc<GitTree>,
        /// The top of the working tree, absolute and without symbolic links; a bare repository has none.
        top: Option<PathBuf>,
    },
    /// Files given as text.
    Memory {
        /// The directories that are not empty.
        directories: BTreeSet<String>,
        /// The files outside of modules.
        others: BTreeMap<String, Vec<u8>>,
    },
}

impl Default for Origin {
    fn default() -> Self {
        Self::Memory { directories: BTreeSet::new(), others: BTreeMap::new() }
    }
}

/// A directory with module files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// From the top of the run, `/` between directories, empty for the top itself.
    pub path: SmolStr,
    /// The path without symbolic links. Two directories with the same `real` are the same directory.
    pub real: SmolStr,
    /// The module files, sorted by bytes.
    pub files: Vec<File>,
    /// Whether there is a dependency lock file, a sign of a root module.
    pub has_lock_file: bool,
    /// The lock file, if it could be read.
    pub lock: Option<FileId>,
    /// The line of a `.gitignore` that excludes the lock file, after [`Snapshot::find_excluded_locks`].
    pub excluded_lock: Option<Span>,
    /// JSON files that are named almost like override files, such as `override.json`.
    pub misnamed: Vec<FileId>,
    /// Whether there are variable definition files (`*.tfvars`), a sign of a root module.
    pub has_values: bool,
    /// Whether a template such as `x.tf.j2` generates a module file that does not exist yet.
    pub lacks_rendered_files: bool,
}

/// A module file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The name within the directory.
    pub name: SmolStr,
    /// The file; absent if it could not be read, which a finding reports.
    pub id: Option<FileId>,
}

/// The result of following a module call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// The number of a directory for [`Snapshot::directory_at`]. It may contain no files.
    Directory(usize),
    /// Nothing, or no directory.
    Missing,
    /// A path outside of what the run may read.
    Outside,
    /// A path of another project, such as a submodule, a directory that `init` downloaded, or a missing directory that
    /// git ignores. Nothing is reported about it.
    Foreign,
}

impl Directory {
    /// Returns the files that one engine loads, in load order.
    pub fn module_files(&self, engine: Engine) -> Vec<(&File, Loaded)> {
        let names: Vec<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
        let loaded = engine.module_files(&names);
        // Both are sorted by name.
        let mut files = self.files.iter();
        let mut file = |name: &str| files.find(|file| file.name == name);
        loaded.into_iter().filter_map(|(name, loaded)| Some((file(name)?, loaded))).collect()
    }
}

impl Snapshot {
    /// Reads the files that a check of `paths`, relative to the directory `current`, needs.
    ///
    /// In a git repository these are all files, so that callers and child modules are known; elsewhere only the paths.
    /// Without a path, the repository or the current directory.
    pub fn open(current: &Path, paths: &[impl AsRef<Path>]) -> Result<Self, Error> {
        Self::listed(current, paths).map(Self::whole)
    }

    /// Opens the repository around the directory `current`, or the directory itself, without reading modules.
    pub fn without_modules(current: &Path) -> Result<Self, Error> {
        from_disk::without_modules(current)
    }

    /// Creates a working tree in memory from `(path, content)` pairs.
    pub fn of_files(files: Vec<(String, Vec<u8>)>) -> Self {
        in_memory::snapshot(files)
    }

    /// Returns all files that were read.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns the directories with module files, sorted by path, followed by those that [`Snapshot::reach`] added.
    pub fn directories(&self) -> &[Directory] {
        &self.directories
    }

    /// Returns the directory with a number from [`Snapshot::reach`].
    pub fn directory_at(&self, number: usize) -> &Directory {
        &self.directories[number]
    }

    /// Returns the directory at a path, if it is one of [`Snapshot::directories`].
    pub fn directory(&self, path: &str) -> Option<&Directory> {
        self.by_path.get(path).map(|number| &self.directories[*number])
    }

    /// Returns the findings about files that could not be read.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the requested paths, from the top of the run. The empty path is the top.
    pub fn scope(&self) -> &[String] {
        &self.scope
    }

    /// Returns the directories in scope that were not searched for modules, sorted.
    pub fn skipped(&self) -> impl Iterator<Item = &Skipped> {
        let in_scope = |path: &str| self.scope.iter().any(|asked| is_under(path, asked));
        self.skipped.iter().filter(move |skipped| in_scope(&skipped.path))
    }

    /// Returns the snapshot with other requested paths, from the top of the run.
    #[must_use]
    pub fn within(self, scope: &[String]) -> Self {
        Self { scope: scope.to_vec(), ..self }
    }

    /// Returns the top directory of the run on disk.
    pub fn top(&self) -> Option<&Path> {
        match &self.origin {
            Origin::Disk(top) => Some(top.path()),
            Origin::Git { top, .. } => top.as_deref(),
            Origin::Memory { .. } => None,
        }
    }

    /// Reports whether the top directory is that of a repository.
    pub fn is_repository(&self) -> bool {
        match &self.origin {
            Origin::Disk(top) => top.is_repository(),
            // Files given as text are complete.
            Origin::Git { .. } | Origin::Memory { .. } => true,
        }
    }

    /// Reports whether all modules of the project were read.
    pub fn is_whole(&self) -> bool {
        self.rest.is_none()
    }

    /// Reports whether a module that was not read calls the module in a directory.
    pub fn is_called_from_outside(&self, directory: &str) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.called.contains(directory))
    }

    /// Like [`Snapshot::is_called_from_outside`], without calls from examples and tests.
    pub fn is_used_from_outside(&self, directory: &str) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.used.contains(directory))
    }

    /// Reports whether any directory shows signs of a root module, if only a part was read.
    pub fn has_root(&self) -> Option<bool> {
        self.rest.as_ref().map(|rest| rest.has_root)
    }

    /// Reports whether the file at a path is an override file that git ignores or does not track.
    pub fn is_uncommitted(&self, path: &str) -> bool {
        self.uncommitted.contains(path)
    }

    /// Returns the engines that the directory at `path` and its parents show.
    pub fn evidence(&self, path: &str) -> Evidence {
        let directories = ancestors(path);
        Evidence::weigh(directories.filter_map(|directory| self.signals.get(directory)).map(Vec::as_slice))
    }

    /// Returns what a module call finds at a path, given from the top of the run as by [`join`]. Returns nothing for a
    /// directory that is not read yet; [`Snapshot::reach`] reads it.
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

    /// Adds a directory with its files. One without module files can only have evidence for other directories.
    fn take_in(&mut self, directory: Directory, read: Read) {
        let unread = read.unread.iter().map(|name| child(&directory.path, name));
        self.unread_kinds.extend(unread);
        if read.files.is_empty() {
            self.findings.extend(read.findings);
            self.listen(&directory.path, read.signals);
            self.accompanied(&directory.path, read.companions);
        } else {
            self.put(directory, read, true);
        }
    }

    fn listen(&mut self, path: &str, signals: Vec<Signal>) {
        if !signals.is_empty() {
            self.signals.insert(path.into(), signals);
        }
    }

    fn put(&mut self, mut directory: Directory, read: Read, with_findings: bool) -> usize {
        if with_findings {
            self.findings.extend(read.findings);
        }
        self.listen(&directory.path, read.signals);
        let is_linked = directory.real != directory.path;
        let files = read.files.into_iter().map(|ReadFile { name, source, target }| {
            let target = target.or_else(|| is_linked.then(|| child(&directory.real, &name)));
            let id = source.and_then(|source| match target {
                Some(target) => self.behind_link(source, &target),
                None => Some(self.file(source)),
            });
            File { name, id }
        });
        directory.files = files.collect();
        // They replace the list of read files, which is four times as large.
        directory.files.shrink_to_fit();
        directory.lock = read.lock.map(|lock| self.sources.push(lock));
        directory.misnamed = read.misnamed.into_iter().map(|file| self.sources.push(file)).collect();
        if !is_linked {
            self.accompanied(&directory.path, read.companions);
        }
        self.add(directory)
    }

    /// Adds a file that was read by its real path.
    fn file(&mut self, source: Source) -> FileId {
        let known = self.linked.get(source.name()).copied();
        known.unwrap_or_else(|| self.sources.push(source))
    }

    /// Adds a file that was read through a symbolic link, as the file at its real path.
    fn behind_link(&mut self, source: Source, target: &str) -> Option<FileId> {
        let link = SmolStr::new(source.name());
        if self.linked_bytes > self.limits.get(Limit::FileSize) / LINKED_PART {
            let detail = format!(
                "\"{link}\" is one of many symbolic links. Links may add up to a {LINKED_PART}th of the limit to what is \
                 checked, and this module is checked without the file."
            );
            let finding =
                Finding::limit(Limit::FileSize, &self.limits, "Too much behind symbolic links", &detail);
            let module = parent(&link).unwrap_or_default();
            self.findings.push(finding.severity(Severity::Error).about(link.clone()).module(module));
            return None;
        }
        self.linked_bytes += source.text().len() as u64;
        // An engine parses the file differently under the two names if only one of them means JSON.
        if Notation::of(&link) != Notation::of(target) {
            return Some(self.sources.push(source));
        }
        let in_directory = |directory: &Directory| {
            let file = directory.files.iter().find(|file| file.name == last_name(target))?;
            file.id.filter(|id| self.sources.get(*id).name() == target)
        };
        let known = self.linked.get(target).copied();
        let known =
            known.or_else(|| self.directory(parent(target).unwrap_or_default()).and_then(in_directory));
        let known = known.or_else(|| self.companion_at(target));
        let id = known.unwrap_or_else(|| self.sources.push(source.renamed(target)));
        self.linked.insert(target.into(), id);
        self.sources.add_link(id, link);
        Some(id)
    }

    fn add(&mut self, directory: Directory) -> usize {
        let number = self.directories.len();
        self.by_path.insert(directory.path.clone(), number);
        self.directories.push(directory);
        number
    }
}

/// The result for a path, and the path by which a run calls it: if a symbolic link leads back up, the first path on
/// the way that leads to the same place. Otherwise a module that calls itself through a link would be a new module
/// with every call.
fn settled(path: &str, place: &dyn Fn(&str) -> Place) -> (String, Place) {
    let end = place(path);
    if let Place::Directory { real } = &end
        && path != real
    {
        let is_same =
            |above: &&str| matches!(place(above), Place::Directory { real: other } if other == *real);
        let above: Vec<&str> = std::iter::successors(parent(path), |path| parent(path)).collect();
        if let Some(above) = above.into_iter().rev().find(is_same) {
            return (above.to_owned(), end);
        }
    }
    (path.to_owned(), end)
}

impl Directory {
    fn empty(path: &str) -> Self {
        let (path, files) = (SmolStr::new(path), Vec::new());
        Self {
            real: path.clone(),
            path,
            files,
            has_lock_file: false,
            lock: None,
            excluded_lock: None,
            misnamed: Vec::new(),
            has_values: false,
            lacks_rendered_files: false,
        }
    }

    fn of<At>(path: &str, listing: &listing::Listing<At>) -> Self {
        Self {
            has_lock_file: listing.has_lock_file,
            has_values: listing.has_values(),
            lacks_rendered_files: listing.lacks_rendered_files(),
            ..Self::empty(path)
        }
    }
}
