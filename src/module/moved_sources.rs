//! Collects the addresses that `moved` and `removed` blocks move away from.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::module::Module;
use crate::module::address::{ConfigAddress, MoveEndpoint, leads_below};

/// The `from` addresses of the `moved` and `removed` blocks of a module, without instance keys.
#[derive(Debug, Default)]
pub(crate) struct LeftBehind {
    moved: HashSet<ConfigAddress>,
    removed: HashSet<ConfigAddress>,
    /// The module paths of all of them, in order.
    paths: BTreeSet<Vec<SmolStr>>,
}

impl Module {
    /// Whether a `moved` block names this object, or a module that contains it.
    pub(crate) fn is_moved(&self, object: &ConfigAddress) -> bool {
        !self.moved.is_empty() && object.is_in(&self.left_behind().moved)
    }

    /// Whether a `moved` or `removed` block names this object, or a module that contains it.
    pub(crate) fn is_left(&self, object: &ConfigAddress) -> bool {
        self.is_moved(object) || !self.removed.is_empty() && object.is_in(&self.left_behind().removed)
    }

    /// Whether a `moved` or `removed` block names this object itself.
    pub(crate) fn names_itself(&self, object: &ConfigAddress) -> bool {
        let left = self.left_behind();
        left.moved.contains(object) || left.removed.contains(object)
    }

    /// Whether a `moved` or `removed` block names a module at this path, or an object in or below it.
    pub(crate) fn names_below(&self, path: &[SmolStr]) -> bool {
        leads_below(&self.left_behind().paths, path)
    }

    /// The `from` addresses of all `moved` and `removed` blocks.
    pub(crate) fn left(&self) -> impl Iterator<Item = &ConfigAddress> {
        let has_blocks = !self.moved.is_empty() || !self.removed.is_empty();
        let left = has_blocks.then(|| self.left_behind());
        left.into_iter().flat_map(|left| left.moved.iter().chain(&left.removed))
    }

    fn left_behind(&self) -> &LeftBehind {
        self.left_behind.get_or_init(|| {
            let moved = self.moved.iter().filter_map(|moved| moved.from.as_ref()).map(MoveEndpoint::config);
            let removed =
                self.removed.iter().filter_map(|removed| Some(removed.from.as_ref()?.address.clone()));
            let (moved, removed): (HashSet<_>, HashSet<_>) = (moved.collect(), removed.collect());
            let paths = moved.iter().chain(&removed).map(|from| from.path.clone()).collect();
            Arc::new(LeftBehind { moved, removed, paths })
        })
    }
}
