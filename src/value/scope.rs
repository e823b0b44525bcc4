//! The interface of the evaluator to a module: references, limits and files.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::Value;
use crate::engine::Engine;
use crate::limits::Limits;
use crate::syntax::{Expr, Traversal};
use crate::vfs::NamedFile;

/// The references, limits and files that expressions can use.
pub trait Scope {
    /// The engine, which determines the functions.
    fn engine(&self) -> Engine;

    /// The limits of the run.
    fn limits(&self) -> &Limits;

    /// The remaining evaluation steps for all expressions of the scope together. At zero, all values are unknown.
    fn work(&self) -> &Budget;

    /// The value of a reference. Variables of `for` expressions are resolved before. Returns `None` if the root name
    /// is not valid.
    fn resolve(&self, reference: &Traversal) -> Option<Resolved<'_>>;

    /// The enclosing scope, which answers everything that this one does not.
    fn outer(&self) -> Option<&dyn Scope> {
        None
    }

    /// Whether a provider function, such as `provider::local::name`, certainly does not exist.
    fn lacks_function(&self, name: &str) -> bool {
        self.outer().is_some_and(|outer| outer.lacks_function(name))
    }

    /// Whether this is the local name of the built-in provider, with functions that the engine evaluates.
    fn is_built_in_provider(&self, name: &str) -> bool {
        self.outer().is_some_and(|outer| outer.is_built_in_provider(name))
    }

    /// Whether the scope itself computes calls of the function with this name.
    fn computes(&self, _: &str) -> bool {
        false
    }

    /// The result of a function that the scope computes.
    fn call(&self, _name: &str, _arguments: &[Value]) -> Value {
        Value::UNKNOWN
    }

    /// Whether the expression is evaluated in a plan. The variables of tests are not.
    fn is_planned(&self) -> bool {
        self.outer().is_none_or(Scope::is_planned)
    }

    /// Whether the engine knows the type of each value here, as in a plan. A value of unknown type then has one that is
    /// only unknown to overrule.
    fn knows_types(&self) -> bool {
        self.outer().is_some_and(Scope::knows_types)
    }

    /// Whether the engine may know more than this scope of a value that was resolved so far and is not wholly known.
    fn knows_less(&self) -> bool {
        self.outer().is_some_and(Scope::knows_less)
    }

    /// Whether the value of an expression is certainly not the given one, even if it is not known.
    fn is_never(&self, _: &Expr, _: &Value) -> bool {
        false
    }

    /// Whether this is the scope of a template, which cannot render another one in Terraform.
    fn is_in_template(&self) -> bool {
        false
    }

    /// Looks up a path that a function names.
    fn named_file(&self, path: &str) -> Lookup {
        let unknown = Lookup { file: NamedFile::Unknown, root: None };
        self.outer().map_or(unknown, |outer| outer.named_file(path))
    }

    /// The regular files below a directory that a function names, relative to it and sorted. Returns `None` if not
    /// all of them are known. `is_wanted` selects the subdirectories that matter.
    fn files_below(&self, directory: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
        self.outer()?.files_below(directory, is_wanted)
    }

    /// Whether git ignores a path, so that another tool may create a file there.
    fn ignores(&self, path: &str) -> bool {
        self.outer().is_none_or(|outer| outer.ignores(path))
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
pub struct Resolved<'s> {
    /// The value of the root name with the first `steps` steps.
    pub value: Cow<'s, Value>,
    /// The number of steps that are already resolved; the others are followed from the value.
    pub steps: usize,
}

/// The remaining evaluation steps for all expressions of a scope together.
#[derive(Debug, Default)]
pub struct Budget {
    left: Cell<usize>,
    /// Steps that files added, and that no expression needed yet.
    added: Cell<usize>,
    /// The steps that files added so far.
    of_files: Cell<usize>,
    /// The files that added steps.
    read: RefCell<BTreeSet<String>>,
    /// The steps that looking for files took, and that no expression counted yet.
    searched: Cell<usize>,
    /// Whether too few steps remained for something.
    is_short: Cell<bool>,
}

impl Budget {
    /// So many steps.
    pub fn of(steps: usize) -> Self {
        Self { left: Cell::new(steps), ..Self::default() }
    }

    /// The remaining steps, without those that files added.
    pub fn get(&self) -> usize {
        self.left.get()
    }

    pub(super) fn set(&self, left: usize) {
        self.left.set(left);
    }

    /// Takes so many steps. Returns false, and takes none, if fewer remain.
    pub(crate) fn take(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps);
        self.is_short.set(self.is_short.get() || left.is_none());
        left.inspect(|left| self.left.set(*left)).is_some()
    }

    /// Whether something was not evaluated because too few steps remained.
    pub(crate) fn is_exhausted(&self) -> bool {
        // An evaluation within another one leaves a step, so that the limit is reported once.
        self.is_short.get() || self.left.get() <= 1
    }

    /// Adds the steps of a file that a function reads, the first time that one does. All files add at most `most`.
    pub(crate) fn add_for(&self, path: &str, most: usize, steps: impl FnOnce() -> usize) {
        if self.of_files.get() < most && !self.read.borrow().contains(path) {
            self.read.borrow_mut().insert(path.to_owned());
            let steps = steps().min(most - self.of_files.get());
            self.of_files.set(self.of_files.get() + steps);
            self.added.set(self.added.get().saturating_add(steps));
        }
    }

    /// The steps that looking for files took. The evaluator takes them after the call that needed them.
    pub(crate) fn searched(&self) -> &Cell<usize> {
        &self.searched
    }

    /// Takes the steps that files added.
    pub(crate) fn take_added(&self) -> usize {
        self.added.take()
    }
}
