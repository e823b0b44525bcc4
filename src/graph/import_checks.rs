//! The results for the imports of a module.

use hashbrown::{HashMap, HashSet};

use crate::finding::Finding;
use crate::text::Span;

/// The results for the imports of a module. All of them together have one limit of evaluation steps.
#[derive(Debug, Default)]
pub(super) struct ImportChecks {
    /// The errors in targets, by the location of `to`.
    pub(super) wrong: HashMap<Span, Vec<Finding>>,
    /// The `for_each` expressions whose value is known and not empty.
    pub(super) with_elements: HashSet<Span>,
    /// The finding that the limit of evaluation steps was reached.
    pub(super) limit_reached: Option<Box<Finding>>,
}
