//! The place of a module, as a root module that leads to it has it.

use smol_str::SmolStr;

/// A root module, and the way from there to a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    /// The directory of the root module, where the engine runs, from the top.
    pub(super) root: SmolStr,
    /// `path.module`.
    pub(super) path: SmolStr,
    /// Whether the root module is known. If not, only what lies in the directory of the module is.
    pub(super) is_certain: bool,
}
