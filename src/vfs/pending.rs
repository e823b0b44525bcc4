//! Listed files that are not read yet, because the policy among them may set the limits of reading.

use std::sync::Arc;

use smol_str::SmolStr;

use super::git::tree::GitTree;
use super::walk::Walk;

/// The listed files.
#[derive(Debug, Clone)]
pub(super) enum Unread {
    /// Directories on disk.
    Listed(Arc<Walk>),
    /// Directories of an index or a commit.
    Stored(Arc<GitTree>, Vec<SmolStr>),
}
