//! What was listed, turned into what is read of it once it is known how much may be: the policy that says so lies there too.

use std::path::Path;
use std::sync::Arc;

use smol_str::SmolStr;

use super::snapshot::Snapshot;
use super::walk::Walk;
use super::{Error, Worktree, open};
use crate::limits::Limits;

/// What was listed.
#[derive(Debug, Clone)]
pub(super) enum Unread {
    /// Folders on disk.
    Listed(Arc<Walk>),
    /// Folders that git holds.
    Stored(Arc<Snapshot>, Vec<SmolStr>),
}

impl Worktree {
    /// Lists what [`Worktree::open`] reads. Nothing is read before [`Worktree::read`].
    pub fn listed(current: &Path, paths: &[impl AsRef<Path>]) -> Result<Self, Error> {
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        open::open(current, &paths)
    }

    /// Reads what is still to be read, within limits that hold from now on.
    pub fn read(&mut self, limits: &Limits) {
        self.limits = *limits;
        match self.unread.take() {
            Some(Unread::Listed(walk)) => open::read(self, &walk),
            Some(Unread::Stored(snapshot, folders)) => {
                self.read_folders(&snapshot, &folders.iter().map(SmolStr::as_str).collect());
            }
            None => {}
        }
    }

    /// The same with all of it read.
    pub(super) fn whole(mut self) -> Self {
        self.read(&Limits::default());
        self
    }
}
