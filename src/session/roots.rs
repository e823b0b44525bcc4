//! Finds out whether a repository has a root module by the evidence of its files.

use rayon::prelude::*;

use crate::graph::{Role, is_aside};
use crate::policy::Policy;
use crate::session::calls::shows_root;
use crate::vfs::{Directory, Snapshot};

/// Whether a directory, except examples and tests, shows that it is a root module. Otherwise the repository is a
/// library, and its modules are called from other repositories.
pub(crate) fn are_in(snapshot: &Snapshot, policy: &Policy) -> bool {
    let shows = |directory: &Directory| match policy.role(&directory.path) {
        Some(role) => role == Role::Root,
        None if is_aside(&directory.path) || snapshot.is_installed(&directory.path) => false,
        None => {
            let mut sources =
                directory.files.iter().filter_map(|file| file.id).map(|id| snapshot.sources().get(id));
            directory.has_lock_file || directory.has_values || sources.any(shows_root)
        }
    };
    snapshot.has_root().unwrap_or_else(|| snapshot.directories().par_iter().any(shows))
}
