//! The interface of the evaluator to a module: references, limits and files.

use std::cell::Cell;

use smol_str::SmolStr;

use super::Value;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::syntax::Traversal;
use crate::vfs::NamedFile;

/// The references, limits and files that expressions can use.
pub trait Scope {
    /// The engine, which determines the functions.
    fn engine(&self) -> Engine;

    /// The limits of the run.
    fn limits(&self) -> &Limits;

    /// The remaining evaluation steps for all expressions of the scope together. At zero, all values are unknown.
    fn work(&self) -> &Cell<usize>;

    /// The value of a reference. Variables of `for` expressions are resolved before. Returns `None` if the root name
    /// is not valid.
    fn resolve(&self, reference: &Traversal) -> Option<Resolved>;

    /// Whether a provider function, such as `provider::local::name`, certainly does not exist.
    fn lacks_function(&self, _: &str) -> bool {
        false
    }

    /// Whether this is the scope of a template, which cannot render another one.
    fn is_in_template(&self) -> bool {
        false
    }

    /// Looks up a path that a function names.
    fn named_file(&self, _: &str) -> Lookup {
        Lookup { file: NamedFile::Unknown, root: None }
    }

    /// The regular files below a directory that a function names, relative to it and sorted. Returns `None` if not
    /// all of them are known. `is_wanted` selects the subdirectories that matter.
    fn files_below(&self, _directory: &str, _is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
        None
    }

    /// Whether git ignores a path, so that another tool may create a file there.
    fn ignores(&self, _: &str) -> bool {
        true
    }
}

/// The result of a file lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// The file.
    pub file: NamedFile,
    /// The directory of the root module for which this is the result, if other root modules find something else.
    pub root: Option<SmolStr>,
}

/// A resolved reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The value of the root name with the first `steps` steps.
    pub value: Value,
    /// The number of steps that are already resolved; the others are followed from the value.
    pub steps: usize,
}
