//! Finds out whether some directory of a repository shows that an engine is run there.

use rayon::prelude::*;

use super::calls::shows_root;
use crate::policy::Policy;
use crate::source::{Folder, Worktree};
use crate::tree::{Role, is_aside};

/// Whether some directory, of an example or test none, shows that an engine is run there. Where none does, modules that
/// nobody calls are for callers elsewhere.
pub(super) fn are_in(worktree: &Worktree, policy: &Policy) -> bool {
    let shows = |folder: &Folder| match policy.role(&folder.path) {
        Some(role) => role == Role::Root,
        None if is_aside(&folder.path) => false,
        None => {
            let mut sources =
                folder.files.iter().filter_map(|file| file.id).map(|id| worktree.sources().get(id));
            folder.has_lock_file || folder.has_values || sources.any(shows_root)
        }
    };
    worktree.has_root().unwrap_or_else(|| worktree.folders().par_iter().any(shows))
}
