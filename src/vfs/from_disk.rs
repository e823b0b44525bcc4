//! Opens the snapshot for the paths that a command gets.

use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use rayon::prelude::*;
use smol_str::SmolStr;

use super::git::repository::{Repository, Tracked};
use super::pending::Unread;
use super::read::{self, Reader};
use super::top_directory::{Top, slashed, without_dots};
use super::walk::{Listed, Rules, Walk};
use super::{Directory, Error, Origin, Snapshot, ancestors, is_under, parent};
use crate::finding::Severity;
use crate::limits::Limits;
use crate::text::file_name::{encode, encode_os};

/// A path as given, and what it is.
pub(super) struct NamedPath<'a> {
    written: &'a Path,
    /// Absolute, without symbolic links.
    pub(super) real: PathBuf,
    pub(super) is_directory: bool,
}

impl NamedPath<'_> {
    /// The requested directory: the path, or the directory of a file.
    fn directory(&self) -> &Path {
        match self.real.parent() {
            Some(parent) if !self.is_directory => parent,
            _ => &self.real,
        }
    }
}

impl Snapshot {
    /// Opens the repository around the directory `current`, or the directory itself, without reading modules.
    pub fn without_modules(current: &Path) -> Result<Self, Error> {
        let here = given(current, Path::new("."))?.real;
        let repository = Repository::around(&here);
        let is_repository = repository.is_some();
        let path = repository.map_or(here, |repository| repository.working_tree);
        let top = Top { roots: vec![path.clone()], path, is_repository, ..Top::default() };
        Ok(Self { origin: Origin::Disk(top), ..Self::default() })
    }

    /// Lists what [`Snapshot::open`] reads. Nothing is read before [`Snapshot::read`].
    pub fn listed(current: &Path, paths: &[impl AsRef<Path>]) -> Result<Self, Error> {
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        open(current, &paths)
    }

    /// Reads all listed files within these limits.
    pub fn read(&mut self, limits: &Limits) {
        self.limits = *limits;
        match self.unread.take() {
            Some(Unread::Listed(walk)) => read(self, &walk),
            Some(Unread::Stored(git_tree, directories)) => {
                self.read_directories(&git_tree, &directories.iter().map(SmolStr::as_str).collect());
            }
            None => {}
        }
    }
}

/// See [`Snapshot::listed`].
pub(super) fn open(current: &Path, paths: &[&Path]) -> Result<Snapshot, Error> {
    let here = [Path::new(".")];
    let given: Vec<NamedPath<'_>> = if paths.is_empty() { &here } else { paths }
        .iter()
        .map(|path| given(current, path).map_err(|error| left_out(current, path).unwrap_or(error)))
        .collect::<Result<_, _>>()?;
    let first = &given[0];
    match Repository::around(first.directory()) {
        Some(repository) => {
            if let Some(other) = given.iter().find(|path| !path.real.starts_with(&repository.working_tree)) {
                return Err(apart(first, other));
            }
            let given = if paths.is_empty() { &[][..] } else { &given };
            in_repository(&repository, given)
        }
        None if Repository::is_bare_around(first.directory()) => {
            Err(Error::git("a bare repository has no working tree to check")
                .help("read a revision instead: `overrule check --base REV` or `overrule modules --rev REV`"))
        }
        None => outside(&given),
    }
}

/// Resolves a path of the command line. If it is in a repository, it may not lead out of it: the author of the
/// repository chooses its links.
pub(super) fn given<'a>(current: &Path, written: &'a Path) -> Result<NamedPath<'a>, Error> {
    let at = fs::canonicalize(current).unwrap_or_else(|_| current.to_owned()).join(written);
    let real = fs::canonicalize(&at).map_err(|error| Error::path(written, &at, error))?;
    if leads_out(&at, &real) {
        let why =
            "it is a symbolic link that points outside the repository; use the path of its target".to_owned();
        return Err(Error::File { path: written.to_owned(), why });
    }
    let metadata = fs::metadata(&real).map_err(|error| Error::path(written, &at, error))?;
    Ok(NamedPath { written, real, is_directory: metadata.is_dir() })
}

/// The error for a missing path that a sparse checkout leaves out.
fn left_out(current: &Path, path: &Path) -> Option<Error> {
    let here = fs::canonicalize(current).ok()?;
    let repository = Repository::around(&here)?;
    let at = without_dots(&here.join(path));
    let inside = slashed(at.strip_prefix(&repository.working_tree).ok()?);
    if fs::symlink_metadata(&at).is_ok() {
        return None;
    }
    let index = repository.index().ok()?;
    let tracked = Tracked::of(&index);
    let is_left_out = ancestors(&inside).any(|above| tracked.sparse.contains(above))
        || tracked.hidden.iter().any(|hidden| is_under(hidden, &inside))
        || tracked.hidden.contains(parent(&inside)?)
            && index.entry_by_path(encode(&inside).as_bstr()).is_some();
    is_left_out.then(|| {
        let (shown, is_directory) =
            (path.display(), tracked.has(&inside) || tracked.sparse.contains(&inside));
        let inside = if is_directory { &inside } else { parent(&inside).unwrap_or_default() };
        Error::git(format!("the sparse checkout does not contain `{shown}`"))
            .help(format!("run `git sparse-checkout add {inside}`"))
    })
}

fn leads_out(at: &Path, real: &Path) -> bool {
    let at = without_dots(at);
    if at == real {
        return false;
    }
    // Without links.
    let mut plain = at.ancestors().filter(|above| fs::canonicalize(above).is_ok_and(|real| real == *above));
    let repository = plain.next().and_then(Repository::around);
    repository.is_some_and(|repository| !real.starts_with(&repository.working_tree))
}

fn in_repository(repository: &Repository, given: &[NamedPath<'_>]) -> Result<Snapshot, Error> {
    let index = repository.index()?;
    let tracked = Tracked::of(&index);
    let top = Top {
        path: repository.working_tree.clone(),
        roots: vec![repository.working_tree.clone()],
        submodules: tracked.submodules.clone(),
        hidden: tracked.hidden.clone(),
        sparse: tracked.sparse.clone(),
        is_repository: true,
        repository_names: repository.names(),
        ..Top::default()
    };
    let git = Some((&tracked, repository.ignored(&index)));
    let mut rules = Rules { top: &top, git };
    let mut walk = rules.walk(String::new());
    for path in given {
        // A path of the command line is checked even if git ignores it.
        let start = slashed(path.directory().strip_prefix(top.path()).unwrap_or(path.directory()));
        if rules.leave_out(&start) {
            walk.skipped.retain(|skipped| skipped.path != start);
            walk.extend(Rules { top: &top, git: None }.walk(start));
        }
    }
    let uncommitted = rules.uncommitted(&walk, &index);
    drop(rules);
    Ok(Snapshot { uncommitted, ..unread(top, walk, scope(&repository.working_tree, given)) })
}

/// Reads only the paths: a directory with those below it, or a file with the others of its directory.
fn outside(given: &[NamedPath<'_>]) -> Result<Snapshot, Error> {
    for path in given {
        if Repository::around(path.directory()).is_some() {
            return Err(apart(&given[0], path));
        }
    }
    let roots: Vec<PathBuf> = given.iter().map(|path| path.directory().to_owned()).collect();
    let mut shared = roots[0].as_path();
    for (path, root) in given.iter().zip(&roots) {
        let above = shared.ancestors().find(|above| root.starts_with(above));
        shared = above.ok_or_else(|| apart(&given[0], path))?;
    }
    let shared = shared.to_owned();
    let scope = scope(&shared, given);
    let top = Top { path: shared, roots, ..Top::default() };
    let mut walk = Walk::default();
    for path in given {
        let start = slashed(path.directory().strip_prefix(top.path()).unwrap_or(path.directory()));
        let mut found = Rules { top: &top, git: None }.walk(start.clone());
        if !path.is_directory {
            found.listed.retain(|directory| directory.path == start);
        }
        walk.extend(found);
    }
    Ok(unread(top, walk, scope))
}

fn apart(first: &NamedPath<'_>, second: &NamedPath<'_>) -> Error {
    Error::Apart { first: first.written.into(), second: second.written.into() }
}

/// The requested paths, relative to the top.
fn scope(top: &Path, given: &[NamedPath<'_>]) -> Vec<String> {
    if given.is_empty() {
        return vec![String::new()];
    }
    given.iter().map(|path| slashed(path.real.strip_prefix(top).unwrap_or(&path.real))).collect()
}

impl Walk {
    /// Adds the result of another walk, each directory once.
    fn extend(&mut self, other: Self) {
        add_all(&mut self.listed, other.listed, |a, b| a.path.cmp(&b.path));
        add_all(&mut self.unreadable, other.unreadable, |a, b| a.0.cmp(&b.0));
        add_all(&mut self.links, other.links, Ord::cmp);
        add_all(&mut self.skipped, other.skipped, Ord::cmp);
    }
}

/// Adds elements to a sorted list, and keeps the first of equal ones.
fn add_all<T>(all: &mut Vec<T>, more: Vec<T>, order: impl Fn(&T, &T) -> Ordering) {
    all.extend(more);
    all.sort_by(&order);
    all.dedup_by(|a, b| order(a, b).is_eq());
}

fn unread(top: Top, mut walk: Walk, scope: Vec<String>) -> Snapshot {
    let skipped = std::mem::take(&mut walk.skipped);
    let unread = Some(Unread::Listed(Arc::new(walk)));
    Snapshot { scope, origin: Origin::Disk(top), unread, skipped, ..Snapshot::default() }
}

/// The number of directories that are read in parallel.
const AT_A_TIME: usize = 32;

/// Reads what was listed.
pub(super) fn read(snapshot: &mut Snapshot, walk: &Walk) {
    let Origin::Disk(top) = snapshot.origin.clone() else { return };
    let beside = walk.listed.iter().flat_map(|listed| {
        let names = listed.listing.evidence.iter().map(|entry| &entry.name);
        names.map(|name| (listed.path.as_str(), name))
    });
    snapshot.find_units(beside);
    let limits = snapshot.limits;
    let reader = Reader::new(&top, &limits);
    for (path, tracked, error) in &walk.unreadable {
        snapshot.findings.push(read::unreadable_directory(path, *tracked, error));
    }
    for link in walk.links.iter().filter(|link| leaves(&top, link)) {
        let directory = parent(link).unwrap_or_default();
        snapshot
            .findings
            .push(read::link_leaves(link).about(link).severity(Severity::Notice).module(directory));
    }
    // The target of many links is read for each of them, and only one copy is kept.
    for listed in walk.listed.chunks(AT_A_TIME) {
        let read: Vec<_> = listed
            .par_iter()
            .map(|Listed { path, disk, listing }| reader.directory(path, disk, listing))
            .collect();
        for (Listed { path, listing, .. }, read) in listed.iter().zip(read) {
            snapshot.take_in(Directory::of(path, listing), read);
        }
    }
}

/// Whether a link leads to a directory that may not be read and may contain a module.
fn leaves(top: &Top, link: &str) -> bool {
    fs::canonicalize(top.path().join(encode_os(link))).is_ok_and(|real| !top.holds(&real) && real.is_dir())
}
