//! What was listed, turned into what is read of it once it is known how much may be: the policy that says so lies there
//! too.

use std::sync::Arc;

use smol_str::SmolStr;

use super::git_tree::GitTree;
use super::walk::Walk;

/// What was listed.
#[derive(Debug, Clone)]
pub(super) enum Unread {
    /// Directories on disk.
    Listed(Arc<Walk>),
    /// Directories that git holds.
    Stored(Arc<GitTree>, Vec<SmolStr>),
}
