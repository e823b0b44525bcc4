//! What git holds, turned into a work tree that nobody has to check out.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

use super::change::from_top;
use super::git::Git;
use super::read::{self, Failure, Read};
use super::snapshot::Snapshot;
use super::unread::Unread;
use super::{Error, Excerpt, Folder, Origin, Rest, Worktree, parent};
use crate::limits::Limits;
use crate::text::{Source, Sources};

impl Worktree {
    /// The index of the repository around the folder `current`, as the next commit will have it.
    pub fn of_index(current: &Path) -> Result<Self, Error> {
        Self::listed_in_index(current).map(Self::whole)
    }

    /// The commit that a person names in the repository around the folder `current`.
    pub fn of_revision(current: &Path, revision: &str) -> Result<Self, Error> {
        Self::listed_in_revision(current, revision).map(Self::whole)
    }

    /// The index, with nothing read before [`Worktree::read`].
    pub fn listed_in_index(current: &Path) -> Result<Self, Error> {
        let Git { repository, top } = Git::around(current)?;
        Self::of_snapshot(&Arc::new(Snapshot::of_index(&repository)?), top.as_deref())
    }

    /// A commit, with nothing read before [`Worktree::read`].
    pub fn listed_in_revision(current: &Path, revision: &str) -> Result<Self, Error> {
        let git = Git::around(current)?;
        let tree = git.tree(git.commit(revision)?)?;
        Self::of_snapshot(&Arc::new(Snapshot::of_tree(&git.repository, tree)), git.top.as_deref())
    }

    /// The same, with these paths asked for, as they are given in the folder `current`; without one it is the top. They
    /// need not lie there now.
    pub fn asked(self, current: &Path, paths: &[impl AsRef<Path>]) -> Result<Self, Error> {
        if paths.is_empty() {
            return Ok(self);
        }
        let top = self.top().unwrap_or(current);
        let inside = paths.iter().map(AsRef::as_ref).map(|path| {
            from_top(top, current, path)
                .ok_or_else(|| Error::git(format!("`{}` lies outside of the repository", path.display())))
        });
        let inside: Vec<String> = inside.collect::<Result<_, _>>()?;
        Ok(self.within(&inside))
    }

    fn of_snapshot(snapshot: &Arc<Snapshot>, top: Option<&Path>) -> Result<Self, Error> {
        let overview = snapshot.read().overview().map_err(|failure| Error::git(failure.reason()))?;
        let folders = overview.folders.iter().map(|(path, _)| SmolStr::from(path.as_str())).collect();
        Ok(Self {
            unread: Some(Unread::Stored(snapshot.clone(), folders)),
            ..Self::without_folders(snapshot, top)
        })
    }

    /// A snapshot of which nothing has been read.
    pub(super) fn without_folders(snapshot: &Arc<Snapshot>, top: Option<&Path>) -> Self {
        let origin = Origin::Git { snapshot: snapshot.clone(), top: top.map(Path::to_owned) };
        Self { origin, scope: vec![String::new()], ..Self::default() }
    }

    /// A part of a snapshot; its sources come behind copies of others.
    pub(super) fn of_excerpt(
        snapshot: &Arc<Snapshot>,
        top: Option<&Path>,
        excerpt: &Excerpt,
        limits: &Limits,
        others: &Sources,
    ) -> Self {
        let mut worktree = Self { limits: *limits, ..Self::without_folders(snapshot, top) };
        for (_, source) in others.iter() {
            worktree.sources.push(Source::new(source.name(), source.text().into()));
        }
        let Excerpt { called, used, has_root, .. } = excerpt.clone();
        worktree.rest = Some(Rest { called, used, has_root });
        worktree.read_folders(snapshot, &excerpt.folders.iter().map(SmolStr::as_str).collect());
        worktree
    }

    /// Reads folders, and what those around them say about the engine.
    pub(super) fn read_folders(&mut self, snapshot: &Snapshot, own: &BTreeSet<&str>) {
        let above = own.iter().flat_map(|folder| std::iter::successors(parent(folder), |path| parent(path)));
        let above: BTreeSet<&str> = above.filter(|folder| !own.contains(folder)).collect();
        let limits = self.limits;
        let read: Vec<Result<_, Failure>> = own
            .par_iter()
            .map_init(
                || snapshot.read(),
                |reading, folder| {
                    let listing = reading.list(folder)?;
                    let read = Read::of(folder, &listing, &limits, |entry, limit| {
                        reading.bytes(folder, entry, limit)
                    });
                    Ok((Folder::of(folder, &listing), read))
                },
            )
            .collect();
        for (path, read) in own.iter().zip(read) {
            match read {
                Ok((folder, read)) => self.take_in(folder, read),
                Err(failure) => self.findings.push(read::unreadable_folder(path, true, &failure)),
            }
        }
        let reading = snapshot.read();
        for folder in above {
            let listing = reading.list(folder).unwrap_or_default();
            let bytes = |entry: &_, limit| reading.bytes(folder, entry, limit);
            let (signals, _) = read::evidence(folder, &listing, &limits, bytes, &mut self.findings);
            self.listen(folder, signals);
        }
    }
}
