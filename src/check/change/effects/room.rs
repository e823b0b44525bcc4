//! Limits the paths of calls that are distinguished.

use crate::limits::Steps;

/// Once the modules on the paths of calls have so many declarations together, further paths are not distinguished. Small
/// repositories have fewer.
const MOST: usize = 1_000_000;

/// The declarations on the paths of calls in a repository of small modules.
const FEWEST: usize = 100_000;

/// So many bytes of modules add a declaration.
const BYTES_PER_DECLARATION: usize = 8;

/// The same limit for the paths from one root module, which are in memory together.
const MOST_OF_ROOT: usize = 150_000;

/// The declarations that modules on further paths of calls can have.
pub(super) struct Room {
    left: Steps,
    /// On paths from the current root module.
    of_root: Steps,
}

impl Room {
    /// The room of a repository whose modules have so many bytes.
    pub(super) fn of(bytes: usize) -> Self {
        let left = MOST.min(FEWEST + bytes / BYTES_PER_DECLARATION);
        Self { left: Steps::of(left), of_root: Steps::of(MOST_OF_ROOT) }
    }

    /// Starts with the paths from another root module.
    pub(super) fn enter_root(&mut self) {
        self.of_root = Steps::of(MOST_OF_ROOT);
    }

    /// Whether a path to a module with so many declarations can be distinguished.
    pub(super) fn take(&mut self, declarations: usize) -> bool {
        self.of_root.take(1 + declarations) && self.left.take(1 + declarations)
    }

    /// Whether the paths from further root modules can be distinguished.
    pub(super) fn is_left(&mut self) -> bool {
        self.left.take(1)
    }
}
