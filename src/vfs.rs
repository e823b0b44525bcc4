//! Reads the files of a working tree, the git index or a commit, once each.
//!
//! Only this layer reads the files that are checked. An unreadable file is a finding, and marks its module as
//! incomplete. An [`Error`] ends the run; its cause is the command line or the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::engine::{Evidence, Signal};
use crate::finding::Finding;
use crate::limits::Limits;
use crate::text::{FileId, Sources};

mod add;
mod change;
mod companion;
mod directory;
mod documents;
mod edited;
mod error;
mod expected;
mod from_disk;
mod from_git;
mod git;
mod generated;
mod in_memory;
mod installed;
mod listing;
mod memo;
mod named_files;
mod names;
mod path;
mod pending;
mod policy;
mod reach;
mod read;
mod terragrunt;
mod top_directory;
mod uncommitted;
mod unit_file;
mod walk;

pub use change::{Change, State};
pub use companion::CompanionFile;
pub use directory::{Directory, File};
pub use documents::Documents;
pub use edited::{HARD_LINKS, Standing, has_hard_links};
pub use error::Error;
pub use git::excluded::Exclusion;
pub use git::hook::{Found, Hook};
pub use git::tree::{ByContent, Content};
pub use installed::{DataDirectory, Manifest};
pub use named_files::{NamedFile, NamedFiles};
pub use names::Names;
pub use path::{
    TEST_DIRECTORY, ancestors, child, is_under, join, last_name, parent, relative, source_between, tested_by,
};
pub use policy::{NotRead, POLICIES};
pub use reach::Reached;
pub use read::{cause, is_stand_in, unreadable};
pub use top_directory::slashed;
pub use walk::{SkipReason, Skipped};

pub(crate) use memo::Memo;

use git::tree::GitTree;
use pending::Unread;
use top_directory::Top;

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
    ignore_rules: Arc<git::excluded::RulesByDirectory>,
    /// Whether there are test files in each directory.
    tested: Arc<Memo<String, bool>>,
    /// The part that was read, if it is not the whole repository.
    excerpt: Option<Excerpt>,
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
    /// The names of files of kinds that are not read, for each directory.
    unread_kinds: BTreeMap<SmolStr, Vec<SmolStr>>,
    /// Whether one of them is a stack file.
    has_stacks: bool,
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
        /// The files outside modules.
        others: BTreeMap<String, Vec<u8>>,
    },
}

impl Default for Origin {
    fn default() -> Self {
        Self::Memory { directories: BTreeSet::new(), others: BTreeMap::new() }
    }
}

impl Snapshot {
    /// Reads the files that a check of `paths`, relative to the directory `current`, needs.
    ///
    /// In a git repository these are all files, so that callers and child modules are known; elsewhere only the paths.
    /// Without a path, the repository or the current directory.
    pub fn open(current: &Path, paths: &[impl AsRef<Path>]) -> Result<Self, Error> {
        let mut snapshot = Self::listed(current, paths)?;
        snapshot.read(&Limits::default());
        Ok(snapshot)
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
            Origin::Disk(top) => top.is_repository,
            // Files given as text are complete.
            Origin::Git { .. } | Origin::Memory { .. } => true,
        }
    }

    /// Reports whether all modules of the project were read.
    pub fn is_whole(&self) -> bool {
        self.excerpt.is_none()
    }

    /// Reports whether a module that was not read calls the module in a directory.
    pub fn is_called_from_outside(&self, directory: &str) -> bool {
        self.excerpt.as_ref().is_some_and(|excerpt| excerpt.called.contains(directory))
    }

    /// Like [`Snapshot::is_called_from_outside`], without calls from examples and tests.
    pub fn is_used_from_outside(&self, directory: &str) -> bool {
        self.excerpt.as_ref().is_some_and(|excerpt| excerpt.used.contains(directory))
    }

    /// Reports whether any directory shows signs of a root module, if only a part was read.
    pub fn has_root(&self) -> Option<bool> {
        self.excerpt.as_ref().map(|excerpt| excerpt.has_root)
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
}
