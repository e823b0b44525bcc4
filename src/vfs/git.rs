//! Opens the git repository around a directory.
//!
//! Repositories that git refuses are refused here too, with the help for them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use gix::discover::upwards;
use gix::index::{File, State, decode};
use gix::sec::trust::Mapping;
use gix::{ObjectId, ThreadSafeRepository};

use super::{Error, Origin, Snapshot};
use crate::text::file_name::without_verbatim_prefix;

pub(super) mod absent;
mod base;
pub(super) mod excluded;
pub(super) mod hook;
mod remotes;
pub(super) mod repository;
pub(super) mod tree;
mod unopened;

use unopened::{broken, refused, unopened};

/// A repository with or without a working tree.
pub(super) struct Git {
    pub(super) repository: gix::Repository,
    /// The working tree, absolute and without symbolic links. `None` for a bare repository.
    pub(super) top: Option<PathBuf>,
}

/// The repository extensions that gix supports.
const EXTENSIONS: &[&str] = &[
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// The index of git. Git sets `GIT_INDEX_FILE` for its hooks to a path relative to the top of the working tree, and a
/// hook may have changed the directory since.
pub(super) fn index_path(repository: &gix::Repository) -> PathBuf {
    match (env::var_os(INDEX_FILE), repository.workdir()) {
        (Some(path), Some(top)) => top.join(path),
        (Some(_) | None, _) => repository.index_path(),
    }
}

/// Reads the index. If there is none, it is empty.
///
/// As in git, the checksum is not verified: summing up a large index takes longer than reading it.
pub(super) fn read_index(repository: &gix::Repository) -> Result<File, Error> {
    let path = index_path(repository);
    let hash = repository.object_hash();
    match File::at(&path, hash, true, decode::Options::default()) {
        Ok(file) => Ok(file),
        Err(_) if !path.exists() => Ok(File::from_state(State::new(hash), path)),
        Err(error) => Err(Error::git(format!("the index `{}` cannot be read: {error}", path.display()))
            .help("if it is damaged, remove it and run `git reset`, which unstages all changes")),
    }
}

/// The variable with the path of another index.
pub(super) const INDEX_FILE: &str = "GIT_INDEX_FILE";

/// Opens the repository around an absolute directory. Variables such as `GIT_DIR` and `GIT_INDEX_FILE` count, because
/// git sets them for its hooks.
///
/// A bare repository counts only if it is not in a working tree and does not configure one: anybody who can commit
/// files can commit a directory that looks like a bare repository, with a configuration, an index and branches of their
/// choice. Git does the same with
/// [`safe.bareRepository=explicit`](https://git-scm.com/docs/git-config#Documentation/git-config.txt-safebareRepository).
pub(super) fn discover(directory: &Path) -> Result<gix::Repository, gix::Error> {
    let open = |dot_git_only| {
        let options = upwards::Options { dot_git_only, ..upwards::Options::default() };
        let mut settings = Mapping::<gix::open::Options>::default();
        // Objects replaced by `git replace` are not what the commit contains.
        settings.full = settings.full.config_overrides(["core.useReplaceRefs=false"]);
        settings.reduced = settings.reduced.config_overrides(["core.useReplaceRefs=false"]);
        ThreadSafeRepository::discover_with_environment_overrides_opts(directory, options, settings).map(
            |repository| {
                let mut repository = repository.to_thread_local();
                // As in git, `GIT_NAMESPACE` counts only for what a server offers.
                repository.clear_namespace();
                repository
            },
        )
    };
    match open(true) {
        Err(error) if error.is_not_found() => {
            open(false).and_then(|bare| if bare.workdir().is_none() { Ok(bare) } else { Err(error) })
        }
        found => found,
    }
}

impl Snapshot {
    /// The git directory of this working tree, in which nothing is ever committed.
    pub fn git_directory(&self) -> Option<PathBuf> {
        let git = Git::around(self.top()?).ok()?;
        fs::canonicalize(git.repository.git_dir()).ok()
    }

    /// The reason why the files of a working tree were read without its repository. `None` if there is no repository.
    pub fn unopened(&self) -> Option<Error> {
        let Origin::Disk(top) = &self.origin else { return None };
        if top.is_repository {
            return None;
        }
        let error = discover(top.path()).err()?;
        if error.is_not_found() { broken(top.path()) } else { Some(refused(&error)) }
    }
}

impl Git {
    /// The repository around a directory, as by [`discover`].
    pub(super) fn around(directory: &Path) -> Result<Self, Error> {
        let directory =
            fs::canonicalize(directory).map_err(|error| Error::path(directory, directory, error))?;
        let repository = discover(&directory).map_err(|error| unopened(&directory, &error))?;
        let top = repository.workdir().and_then(|working_tree| fs::canonicalize(working_tree).ok());
        let git = Self { repository, top };
        git.refuse_what_git_does()?;
        Ok(git)
    }

    /// The tree of `HEAD`, or the empty tree before the first commit.
    pub(super) fn head_tree(&self) -> Result<ObjectId, Error> {
        let tree = self.repository.head_tree_id_or_empty();
        tree.map(gix::Id::detach).map_err(|error| {
            Error::git(format!("`HEAD` cannot be read: {}", one_line(&error)))
                .help("the file `HEAD` in the git directory names a branch, as in `ref: refs/heads/main`")
        })
    }

    /// Resolves a revision to a commit.
    pub(super) fn commit(&self, revision: &str) -> Result<ObjectId, Error> {
        if revision.trim().is_empty() {
            let help = "name a branch, tag or commit; a variable in the command may be empty";
            return Err(Error::git("the revision is empty").help(help));
        }
        let is_unborn = || self.repository.head().is_ok_and(|head| head.is_unborn());
        if revision.starts_with("HEAD") && is_unborn() {
            return Err(Error::git(format!(
                "no revision `{revision}` exists here, because there is no commit yet"
            ))
            .help("make a commit first"));
        }
        let absent = || Error::git(format!("no revision `{revision}` exists here"));
        let object =
            self.repository.rev_parse_single(revision).and_then(|id| id.object()).map_err(|_| absent())?;
        let is_missing = || self.repository.is_shallow().unwrap_or_default();
        object.peel_to_commit().map(|commit| commit.id).map_err(|_| {
            if is_missing() {
                return absent();
            }
            Error::git(format!("`{revision}` is not a commit")).help("name a branch, tag or commit")
        })
    }

    /// The tree of a commit.
    pub(super) fn tree(&self, commit: ObjectId) -> Result<ObjectId, Error> {
        let tree =
            self.repository.find_commit(commit).and_then(|commit| commit.tree_id().map(gix::Id::detach));
        tree.map_err(|error| Error::git(format!("commit {commit} cannot be read: {}", one_line(&error))))
    }

    fn refuse_what_git_does(&self) -> Result<(), Error> {
        let path = self.top.as_deref().unwrap_or(self.repository.path()).to_string_lossy();
        let path = without_verbatim_prefix(&path);
        if self.repository.git_dir_trust() != gix::sec::Trust::Full {
            return Err(Error::git(format!("`{path}` belongs to another user, so git refuses to read it"))
                .help(format!("git config --global --add safe.directory '{path}'")));
        }
        let config = self.repository.config_snapshot();
        if config.integer("core.repositoryFormatVersion").unwrap_or_default() > 0 {
            let sections = config.plumbing().sections_by_name("extensions").into_iter().flatten();
            let mut names = sections.flat_map(|section| {
                section.value_names().map(|name| name.to_ascii_lowercase()).collect::<Vec<_>>()
            });
            if let Some(name) = names.find(|name| !EXTENSIONS.contains(&name.as_str())) {
                return Err(Error::git(format!(
                    "the repository uses `extensions.{name}`, which overrule does not support"
                ))
                .help("check a new clone of it: `git clone` does not copy this setting"));
            }
        }
        if config.string("extensions.refStorage").is_some_and(|kind| kind.as_bstr() != "files") {
            return Err(Error::git(
                "the repository stores its references in a format that overrule does not support",
            )
            .help("git refs migrate --ref-format=files"));
        }
        Ok(())
    }
}

/// The message of an error of gix, without its causes.
pub(super) fn one_line(error: &gix::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().trim().to_owned()
}
