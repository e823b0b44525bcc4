//! Snapshots of an index or a commit.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

use super::change::from_top;
use super::git::Git;
use super::git::tree::GitTree;
use super::pending::Unread;
use super::read::{self, Failure, Files, Read};
use super::{Directory, Error, Excerpt, Origin, Snapshot, ancestors};
use crate::limits::Limits;
use crate::text::file_name::encode_os;
use crate::text::{Source, Sources};

impl Snapshot {
    /// The index of the repository around the directory `current`. Nothing is read before [`Snapshot::read`].
    pub fn listed_in_index(current: &Path) -> Result<Self, Error> {
        let Git { repository, top } = Git::around(current)?;
        Self::of_snapshot(&Arc::new(GitTree::of_index(&repository)?), top.as_deref(), "HEAD")
    }

    /// A commit of that repository. Nothing is read before [`Snapshot::read`].
    pub fn listed_in_revision(current: &Path, revision: &str) -> Result<Self, Error> {
        let git = Git::around(current)?;
        let tree = git.tree(git.known_commit(revision)?)?;
        Self::of_snapshot(&Arc::new(GitTree::of_tree(&git.repository, tree)), git.top.as_deref(), revision)
    }

    /// Sets the requested paths, relative to the directory `current`, or the top without paths. Each must exist.
    pub fn asked(self, current: &Path, paths: &[impl AsRef<Path>]) -> Result<Self, Error> {
        if paths.is_empty() {
            return Ok(self);
        }
        let top = self.top().unwrap_or(current);
        let inside = paths.iter().map(AsRef::as_ref).map(|path| {
            let inside = from_top(top, current, path)?;
            let at = top.join(encode_os(&inside));
            let exists = match &self.origin {
                Origin::Git { git_tree, .. } => git_tree.read().has(&inside),
                Origin::Disk(_) | Origin::Memory { .. } => at.exists(),
            };
            if exists { Ok(inside) } else { Err(Error::path(path, &at, ErrorKind::NotFound.into())) }
        });
        let inside: Vec<String> = inside.collect::<Result<_, _>>()?;
        Ok(self.within(&inside))
    }

    /// Whether a path, relative to the top, is a directory.
    pub fn has_directory(&self, path: &str) -> bool {
        match &self.origin {
            Origin::Git { git_tree, .. } => git_tree.read().has_directory(path),
            Origin::Disk(top) => top.path().join(encode_os(path)).is_dir(),
            Origin::Memory { directories, .. } => directories.contains(path),
        }
    }

    /// Checks that the clone has all files that were read in directories for which `is_needed` is true. The error names
    /// the command that fetches the files of `revision`.
    pub fn has_files(&self, revision: &str, is_needed: impl Fn(&str) -> bool) -> Result<(), Error> {
        let Origin::Git { git_tree, .. } = &self.origin else { return Ok(()) };
        if !git_tree.has_missed(false) {
            return Ok(());
        }
        let reading = git_tree.read_quietly();
        let needed =
            self.directories.iter().map(|directory| directory.path.as_str()).filter(|path| is_needed(path));
        let lacking: BTreeSet<String> =
            needed.filter(|path| !reading.holds(path)).map(str::to_owned).collect();
        if lacking.is_empty() { Ok(()) } else { Err(git_tree.remedy(revision).now(&lacking)) }
    }

    fn of_snapshot(git_tree: &Arc<GitTree>, top: Option<&Path>, revision: &str) -> Result<Self, Error> {
        let overview = git_tree.read().overview();
        let overview = overview.map_err(|failure| git_tree.remedy(revision).unreadable(&failure))?;
        let directories = overview.directories.iter().map(|(path, _)| SmolStr::from(path.as_str())).collect();
        Ok(Self {
            unit_files: overview.unit_files,
            unread: Some(Unread::Stored(git_tree.clone(), directories)),
            ..Self::without_directories(git_tree, top)
        })
    }

    /// A snapshot before anything is read.
    pub(super) fn without_directories(git_tree: &Arc<GitTree>, top: Option<&Path>) -> Self {
        let origin = Origin::Git { git_tree: git_tree.clone(), top: top.map(Path::to_owned) };
        Self { origin, scope: vec![String::new()], ..Self::default() }
    }

    /// A part of a snapshot. Its sources follow copies of others.
    pub(super) fn of_excerpt(
        git_tree: &Arc<GitTree>,
        top: Option<&Path>,
        excerpt: &Excerpt,
        limits: &Limits,
        others: &Sources,
    ) -> Self {
        let mut snapshot = Self { limits: *limits, ..Self::without_directories(git_tree, top) };
        for (_, source) in others.iter() {
            snapshot.sources.push(Source::new(source.name(), source.text().into()));
        }
        snapshot.excerpt = Some(excerpt.clone());
        snapshot.read_directories(git_tree, &excerpt.directories.iter().map(SmolStr::as_str).collect());
        snapshot
    }

    /// Reads directories, and the evidence of an engine in their parents.
    pub(super) fn read_directories(&mut self, git_tree: &GitTree, own: &BTreeSet<&str>) {
        let above = own.iter().flat_map(|directory| ancestors(directory).skip(1));
        let above: BTreeSet<&str> = above.filter(|directory| !own.contains(directory)).collect();
        let limits = self.limits;
        let read: Vec<Result<_, Failure>> = own
            .par_iter()
            .map_init(
                || git_tree.read(),
                |reading, directory| {
                    let listing = reading.list(directory)?;
                    let read = Read::of(directory, &listing, &limits, |entry, limit| {
                        reading.bytes(directory, entry, limit)
                    });
                    Ok((Directory::of(directory, &listing), read))
                },
            )
            .collect();
        for (path, read) in own.iter().zip(read) {
            match read {
                Ok((directory, read)) => self.take_in(directory, read),
                Err(failure) => self.findings.push(read::unreadable_directory(path, true, &failure)),
            }
        }
        let reading = git_tree.read();
        for directory in above {
            let listing = reading.list(directory).unwrap_or_default();
            let bytes = |entry: &_, limit| reading.bytes(directory, entry, limit);
            let files = Files { path: directory, listing: &listing, limits: &limits, bytes: &bytes };
            let (signals, _) = files.evidence(&mut self.findings);
            self.listen(directory, signals);
        }
    }
}
