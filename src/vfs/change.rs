//! A change between two states of a repository, staged or since a base, and the directories that it touches.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use rayon::prelude::*;
use smol_str::SmolStr;

use super::git::Git;
use super::git::absent::Remedy;
use super::git::tree::{Content, GitTree, ItemKind, Overview, Reading};
use super::listing::{Entry, Listing};
use super::path::child;
use super::reach::settled;
use super::read::{self, Failure, Files};
use super::top_directory::{Place, slashed, without_dots};
use super::unit_file::{in_use, is_unit_file};
use super::{Error, Excerpt, Snapshot, ancestors, last_name, parent, tested_by};
use crate::engine::Companion;
use crate::limits::{Limit, Limits};
use crate::text::file_name::{decode, encode_os};
use crate::text::{Source, Sources};

mod difference;
mod renamed;
mod touched;

use difference::{Difference, Now};
use renamed::renamed;
use touched::Touched;

/// Two states of a repository and the paths that differ.
#[derive(Debug)]
pub struct Change {
    before: Arc<GitTree>,
    now: Arc<GitTree>,
    top: Option<PathBuf>,
    differences: Vec<Difference>,
    /// The files that differ only in their executable bit.
    modes: Vec<Difference>,
    /// The content of the later state.
    overview: Overview,
    /// The git directory that all working trees share.
    common: PathBuf,
    /// The git directory of this working tree.
    git_directory: PathBuf,
    remedy: Remedy,
}

/// One of the states of a [`Change`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The state before the change.
    Before,
    /// The state after the change.
    Now,
}

impl Change {
    /// The staged change of the repository around the directory `current`: from `HEAD` to the index.
    pub fn staged(current: &Path) -> Result<Self, Error> {
        let git = Git::around(current)?;
        if git.top.is_none() {
            return Err(Error::git("a bare repository has no staged content").help("use --base REV"));
        }
        let before = git.head_tree()?;
        let remedy = Remedy::of(&git.repository, "git diff --cached --stat".to_owned(), "HEAD");
        Self::to_index(git, before, remedy)
    }

    /// The change from the merge base of `HEAD` and a revision to the index, or to `HEAD` in a bare repository.
    pub fn since(current: &Path, revision: &str) -> Result<Self, Error> {
        let git = Git::around(current)?;
        let base = git.merge_base(revision, "HEAD")?;
        let before = git.tree(base)?;
        if git.top.is_none() {
            let now = git.head_tree()?;
            let remedy = Remedy::of(&git.repository, format!("git diff --stat {base} HEAD"), "HEAD");
            return Self::to_tree(git, before, now, remedy);
        }
        let remedy = Remedy::of(&git.repository, format!("git diff --cached --stat {base}"), "HEAD");
        Self::to_index(git, before, remedy)
    }

    /// The change from the merge base of two revisions to the second one.
    pub fn between(current: &Path, from: &str, to: &str) -> Result<Self, Error> {
        let git = Git::around(current)?;
        let base = git.merge_base(from, to)?;
        let (before, now) = (git.tree(base)?, git.tree(git.known_commit(to)?)?);
        let remedy = Remedy::of(&git.repository, format!("git diff --stat {base} {to}"), to);
        Self::to_tree(git, before, now, remedy)
    }

    /// The index without a change, to check named modules.
    pub fn none(current: &Path) -> Result<Self, Error> {
        let git = Git::around(current)?;
        let before = git.head_tree()?;
        let now = GitTree::of_index(&git.repository)?;
        let remedy = Remedy::of(&git.repository, "git diff --cached --stat".to_owned(), "HEAD");
        let overview = now.read().overview().map_err(|failure| remedy.unreadable(&failure))?;
        Ok(Self { overview, ..Self::new(git, before, now, Ok(Vec::new()), remedy)? })
    }

    fn to_index(git: Git, before: gix::ObjectId, remedy: Remedy) -> Result<Self, Error> {
        let now = GitTree::of_index(&git.repository)?;
        let differences = now.index().map_or(Ok(Vec::new()), |index| {
            difference::between(&git.repository, before, Now::Entries(index.top()))
        });
        Self::new(git, before, now, differences, remedy)
    }

    fn to_tree(git: Git, before: gix::ObjectId, now: gix::ObjectId, remedy: Remedy) -> Result<Self, Error> {
        let differences = difference::between(&git.repository, before, Now::Tree(now));
        let now = GitTree::of_tree(&git.repository, now);
        Self::new(git, before, now, differences, remedy)
    }

    fn new(
        git: Git,
        before: gix::ObjectId,
        now: GitTree,
        differences: Result<Vec<Difference>, Failure>,
        remedy: Remedy,
    ) -> Result<Self, Error> {
        let Git { repository, top } = git;
        let differences = differences.map_err(|failure| remedy.unreadable(&failure))?;
        let (modes, differences): (Vec<_>, Vec<_>) =
            differences.into_iter().partition(Difference::is_of_mode);
        let [before, now] = GitTree::of_tree(&repository, before).together(now);
        let (common, git_directory) = (repository.common_dir().to_owned(), repository.git_dir().to_owned());
        // Without a change, no more is read.
        let overview = if differences.is_empty() { Ok(Overview::default()) } else { now.read().overview() };
        let overview = overview.map_err(|failure| remedy.unreadable(&failure))?;
        Ok(Self { before, now, top, differences, modes, overview, common, git_directory, remedy })
    }

    /// Converts paths that are relative to the directory `current` to paths relative to the top. Each must exist in one
    /// of the states, and none may be outside.
    pub fn scope(&self, current: &Path, paths: &[impl AsRef<Path>]) -> Result<Vec<String>, Error> {
        let top = self.top.as_deref().unwrap_or(current);
        let (before, now) = (self.before.read(), self.now.read());
        let inside = paths.iter().map(|path| {
            let path = path.as_ref();
            let inside = from_top(top, current, path)?;
            if before.has(&inside) || now.has(&inside) {
                return Ok(inside);
            }
            Err(Error::path(path, &top.join(encode_os(&inside)), ErrorKind::NotFound.into()))
        });
        inside.collect()
    }

    /// Whether a path, relative to the top, is a directory in one of the states.
    pub fn has_directory(&self, path: &str) -> bool {
        [&self.before, &self.now].iter().any(|state| state.read().has_directory(path))
    }

    /// Whether git waits for a commit that ends a merge.
    pub fn is_merge(&self) -> bool {
        self.git_directory.join("MERGE_HEAD").exists()
    }

    /// Whether the states are equal.
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }

    /// The changed paths, relative to the top, sorted.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.differences.iter().map(|difference| decode(&difference.path).into_owned())
    }

    /// The files that differ only in their executable bit, relative to the top, sorted.
    pub fn paths_of_modes(&self) -> impl Iterator<Item = String> {
        self.modes.iter().map(|difference| decode(&difference.path).into_owned())
    }

    /// The directories of the later state with files of modules, each with a hash of its content, sorted.
    pub fn directories(&self) -> Result<Vec<(&str, Content)>, Error> {
        let reading = self.now.read();
        let with_links = self.overview.directories_with_links();
        let directories = self.overview.directories.iter().map(|(path, tree)| {
            let content = reading.held(path, *tree, with_links.contains(path.as_str()))?;
            Ok((path.as_str(), content))
        });
        directories.collect::<Result<_, _>>().map_err(|failure: Failure| self.remedy.unreadable(&failure))
    }

    /// Whether a lock file or variable values exist in one of the `wanted` directories of the later state.
    pub fn has_root_files(&self, wanted: impl Fn(&str) -> bool) -> bool {
        let reading = self.now.read();
        self.overview.directories.iter().filter(|(path, _)| wanted(path)).any(|(path, _)| {
            let is_root = |listing: Listing<_>| {
                !listing.modules.is_empty() && (listing.has_lock_file || listing.has_values())
            };
            reading.list(path).is_ok_and(is_root)
        })
    }

    /// The symbolic links to a directory in one of the states.
    pub fn links_to_directories(&self) -> BTreeSet<String> {
        let differing = self.differences.iter().filter(|difference| difference.is_of_link());
        let differing = differing.map(|difference| decode(&difference.path).into_owned());
        let links: BTreeSet<String> = self.overview.links.iter().cloned().chain(differing).collect();
        let states = [self.before.read(), self.now.read()];
        let is_directory = |link: &String| states.iter().any(|reading| reading.has_directory(link));
        links.into_iter().filter(is_directory).collect()
    }

    /// The directory that a module call with this path leads to in a state: its path in the run and its real path.
    pub fn reached(&self, state: State, path: &str) -> Option<(String, String)> {
        let reading = self.git_tree(state).read();
        match settled(path, &|path| reading.place(path)) {
            (path, Place::Directory { real }) => Some((path, real)),
            (_, Place::Missing | Place::Outside | Place::Foreign) => None,
        }
    }

    /// The directories that the change touches: those of changed modules, and paths where a directory appears or
    /// disappears.
    pub fn touched(&self) -> Result<BTreeSet<String>, Error> {
        let (before, now) = (self.before.read(), self.now.read());
        let touched = Touched { before, now, overview: &self.overview }.by(&self.differences);
        touched.map_err(|failure| self.remedy.unreadable(&failure))
    }

    /// The directories in or below which a file of any kind appears or disappears.
    pub fn with_other_names(&self) -> BTreeSet<String> {
        let differences = self.differences.iter().filter(|difference| difference.is_of_another_kind());
        let paths: Vec<String> =
            differences.map(|difference| decode(&difference.path).into_owned()).collect();
        paths.iter().flat_map(|path| ancestors(path).skip(1)).map(str::to_owned).collect()
    }

    /// The old paths of renamed directories, by their new ones.
    pub fn renamed(&self) -> Result<BTreeMap<String, String>, Error> {
        renamed(&self.differences, &self.before.read(), &self.now.read())
            .map_err(|failure| self.remedy.unreadable(&failure))
    }

    /// Reads the module files of each directory in one state, and returns what a function makes of them, in the order
    /// of the directories. A file without a source could not be read. Results may be cached for other runs, so the
    /// default limits apply.
    pub fn map_directories<T: Send>(
        &self,
        state: State,
        directories: &[&str],
        map: impl Fn(&[(SmolStr, Option<Source>)]) -> T + Sync,
    ) -> Vec<T> {
        let git_tree = self.git_tree(state);
        let read_and_map = |reading: &mut Reading<'_>, directory: &&str| {
            let listing = reading.list(directory).unwrap_or_default();
            let bytes = |entry: &_, limit| reading.bytes(directory, entry, limit);
            let files =
                Files { path: directory, listing: &listing, limits: &Limits::default(), bytes: &bytes };
            let read = files.sources(&mut Vec::new());
            map(&read.into_iter().map(|file| (file.name, file.source)).collect::<Vec<_>>())
        };
        directories.par_iter().map_init(|| git_tree.read(), read_and_map).collect()
    }

    /// Uses the later state without files that are missing in a partial clone, and returns whether any were.
    pub fn without_all<T>(&self, read: impl FnOnce() -> T) -> (T, bool) {
        let had_missed = self.now.has_missed(false);
        let result = read();
        (result, self.now.has_missed(had_missed))
    }

    /// Checks that all files that were read so far, and those of `excerpt`, exist in the clone. The error names the
    /// command that fetches them.
    pub fn is_whole(&self, excerpt: &Excerpt) -> Result<(), Error> {
        if self.now.has_missed(false) {
            let reading = self.now.read();
            let lacking = excerpt.directories.iter().filter(|directory| !reading.holds(directory));
            return Err(self.remedy.now(&lacking.map(ToString::to_string).collect()));
        }
        if self.before.has_missed(false) { Err(self.remedy.before()) } else { Ok(()) }
    }

    /// Opens the later state without reading anything.
    pub fn unread(&self) -> Snapshot {
        Snapshot::without_directories(&self.now, self.top.as_deref())
    }

    /// Opens a part of one state. Its sources start with copies of `others`.
    pub fn open(&self, state: State, excerpt: &Excerpt, limits: &Limits, others: &Sources) -> Snapshot {
        let unit_files = self.unit_files(state);
        let excerpt = &self.with_companions(state, excerpt);
        Snapshot {
            unit_files,
            ..Snapshot::of_excerpt(self.git_tree(state), self.top.as_deref(), excerpt, limits, others)
        }
    }

    /// The part with the directories of files that engines read beside those of modules.
    fn with_companions(&self, state: State, excerpt: &Excerpt) -> Excerpt {
        let mut excerpt = excerpt.clone();
        let reading = self.git_tree(state).read();
        let is_wanted = |directory: &SmolStr| {
            let mut owners = reading.owner(directory).into_iter().chain(tested_by(directory));
            owners.any(|owner| excerpt.directories.contains(owner))
        };
        let wanted: Vec<SmolStr> = self.companion_directories().into_iter().filter(is_wanted).collect();
        excerpt.directories.extend(wanted);
        excerpt
    }

    /// The directories of files that engines read beside those of modules, in either state.
    fn companion_directories(&self) -> BTreeSet<SmolStr> {
        let changed = self.differences.iter().filter_map(|difference| {
            let path = decode(&difference.path);
            Companion::of(last_name(&path))?;
            Some(SmolStr::new(parent(&path).unwrap_or_default()))
        });
        self.overview.with_companions.iter().cloned().chain(changed).collect()
    }

    /// The test files of one state that can be read.
    pub fn test_files(&self, state: State) -> Vec<Source> {
        let git_tree = self.git_tree(state);
        let limit = Limits::default().get(Limit::FileSize);
        let of_directory = |reading: &mut Reading<'_>, directory: &SmolStr| {
            let files = reading.list(directory).unwrap_or_default().companions;
            let tests = files.iter().filter(|file| Companion::of(&file.name) == Some(Companion::Test));
            let source = |file: &Entry<_>| {
                let bytes = reading.bytes(directory, file, limit).ok()?.bytes;
                Some(Source::new(child(directory, &file.name), bytes))
            };
            tests.filter_map(source).collect::<Vec<_>>()
        };
        let directories: Vec<SmolStr> = self.companion_directories().into_iter().collect();
        directories.par_iter().map_init(|| git_tree.read(), of_directory).flatten().collect()
    }

    /// The module that the files beside modules in a directory of the later state belong to.
    pub fn owner<'p>(&self, directory: &'p str) -> Option<&'p str> {
        self.now.read().owner(directory)
    }

    /// The Terragrunt unit files of one state.
    fn unit_files(&self, state: State) -> Vec<SmolStr> {
        let now = self.overview.unit_files.clone();
        if state == State::Now {
            return now;
        }
        let changed = self.differences.iter().filter(|difference| is_unit_file(name_of(&difference.path)));
        let mut units: BTreeSet<SmolStr> = now.into_iter().collect();
        for Difference { path, was, .. } in changed {
            let path = SmolStr::from(decode(path));
            let is_file = was.as_ref().is_some_and(|item| item.kind == ItemKind::File);
            if is_file {
                units.insert(path)
            } else {
                units.remove(&path)
            };
        }
        in_use(units.into_iter().collect())
    }

    /// The directory of caches: in the git directory, never in a working tree.
    pub fn cache_directory(&self) -> PathBuf {
        self.common.join("overrule")
    }

    /// Reads a cache file, if it is not larger than `limit`.
    pub fn cached(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        read::regular(&self.cache_directory().join(name), limit).ok()
    }

    fn git_tree(&self, state: State) -> &Arc<GitTree> {
        match state {
            State::Before => &self.before,
            State::Now => &self.now,
        }
    }
}

/// Normalizes a path relative to the top of the repository. It must not be outside. Its last part does not have to
/// exist. Links on the way to the top are followed, those below it are not.
pub(super) fn from_top(top: &Path, current: &Path, path: &Path) -> Result<String, Error> {
    let outside = || Error::git(format!("`{}` is outside the repository", path.display()));
    inside(top, current, path).ok_or_else(outside)
}

fn inside(top: &Path, current: &Path, path: &Path) -> Option<String> {
    let at = without_dots(&current.canonicalize().ok()?.join(path));
    if let Ok(inside) = at.strip_prefix(top) {
        return Some(slashed(inside));
    }
    let is_top = |above: &&Path| above.canonicalize().is_ok_and(|real| real == top);
    let above = at.ancestors().filter(is_top).last()?;
    at.strip_prefix(above).ok().map(slashed)
}

fn name_of(path: &[u8]) -> &[u8] {
    path.rfind_byte(b'/').map_or(path, |slash| &path[slash + 1..])
}
