//! Finds out whether some directory of a repository shows that an engine is run there.

use rayon::prelude::*;

use crate::graph::{Role, is_aside};
use crate::policy::Policy;
use crate::session::calls::shows_root;
use crate::vfs::{Directory, Snapshot};

/// Whether some directory, of an example or test none, shows that an engine is run there. Where none does, modules that
/// nobody calls are for callers elsewhere.
pub(crate) fn are_in(snapshot: &Snapshot, policy: &Policy) -> bool {
    let shows = |directory: &Directory| match policy.role(&directory.path) {
        Some(role) => role == Role::Root,
        None if is_aside(&directory.path) => false,
        None => {
            let mut sources =
                directory.files.iter().filter_map(|file| file.id).map(|id| snapshot.sources().get(id));
            directory.has_lock_file || directory.has_values || sources.any(shows_root)
        }
    };
    snapshot.has_root().unwrap_or_else(|| snapshot.directories().par_iter().any(shows))
}
