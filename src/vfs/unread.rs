//! What was listed, turned into what is read of it once it is known how much may be: the policy that says so lies there
//! too.

use std::path::Path;
use std::sync::Arc;

use smol_str::SmolStr;

use super::git_tree::GitTree;
use super::walk::Walk;
use super::{Error, Snapshot, open};
use crate::limits::Limits;

/// What was listed.
#[derive(Debug, Clone)]
pub(super) enum Unread {
    /// Directories on disk.
    Listed(Arc<Walk>),
    /// Directories that git holds.
    Stored(Arc<GitTree>, Vec<SmolStr>),
}

impl Snapshot {
    /// Lists what [`Snapshot::open`] reads. Nothing is read before [`Snapshot::read`].
    pub fn listed(current: &Path, paths: &[impl AsRef<Path>]) -> Result<Self, Error> {
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        open::open(current, &paths)
    }

    /// Reads what is still to be read, within limits that hold from now on.
    pub fn read(&mut self, limits: &Limits) {
        self.limits = *limits;
        match self.unread.take() {
            Some(Unread::Listed(walk)) => open::read(self, &walk),
            Some(Unread::Stored(git_tree, directories)) => {
                self.read_directories(&git_tree, &directories.iter().map(SmolStr::as_str).collect());
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
