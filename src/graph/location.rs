//! The location of a module relative to a root module.

use smol_str::SmolStr;

/// A root module, and the path from there to a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    /// The working directory of the engine, which is that of the root module, or of the module under test, relative to
    /// the top directory of the run.
    pub(super) root: SmolStr,
    /// The value of `path.root`: the path of a module that a run of a test loads, and otherwise `.`.
    pub(super) path_root: SmolStr,
    /// The value of `path.module`.
    pub(super) path: SmolStr,
    /// Whether the root module is known. If it is not, only files in the directory of the module are.
    pub(super) is_certain: bool,
}
