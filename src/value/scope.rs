//! What expressions can refer to, and which files their functions can read.

use std::cell::Cell;

use smol_str::SmolStr;

use super::Value;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::syntax::Traversal;
use crate::vfs::NamedFile;

/// What expressions can refer to.
pub trait Scope {
    /// Which functions there are.
    fn engine(&self) -> Engine;

    /// What holds in the run.
    fn limits(&self) -> &Limits;

    /// How much work is left for all expressions of the scope together; without any, everything is unknown.
    fn work(&self) -> &Cell<usize>;

    /// What a reference is worth; names that a `for` expression gives are not asked for. `None` where the first name
    /// means nothing at all.
    fn resolve(&self, reference: &Traversal) -> Option<Resolved>;

    /// Whether a function of a provider, such as `provider::local::name`, is surely not there.
    fn lacks_function(&self, _: &str) -> bool {
        false
    }

    /// Whether this is what a template sees, which cannot render another one.
    fn is_in_template(&self) -> bool {
        false
    }

    /// What lies at a path that a function names.
    fn named_file(&self, _: &str) -> Lookup {
        Lookup { file: NamedFile::Unknown, root: None }
    }

    /// The regular files in a directory that a function names and below it, relative to the directory and sorted; none
    /// where not all of them are known. `is_wanted` says which directories in it matter.
    fn files_below(&self, _directory: &str, _is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
        None
    }

    /// Whether what would lie at a path is kept out of git, so that something else may bring it.
    fn ignores(&self, _: &str) -> bool {
        true
    }
}

/// What lies at a path that a function names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// What it is.
    pub file: NamedFile,
    /// The directory of the root module for which it is so, if others find something else there.
    pub root: Option<SmolStr>,
}

/// The answer of a [`Scope`].
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// What the first name and some steps are worth.
    pub value: Value,
    /// How many steps that took; the others are followed from the value.
    pub steps: usize,
}
