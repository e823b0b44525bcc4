//! Finds the addresses in a module that `moved` and `removed` blocks of its callers name.

use hashbrown::HashSet;

use super::node::{ModuleGraph, Node};
use crate::module::address::ConfigAddress;

impl Node<'_> {
    /// Whether a `moved` or `removed` block of a caller names an address in this module, or a module that contains
    /// it.
    pub(crate) fn is_left_by_callers(self, object: &ConfigAddress) -> bool {
        let left = &self.graph().derived.left_by_callers.get_or_init(|| left_by_callers(self.graph()))
            [self.id().number()];
        let whole_module = || ConfigAddress { path: Vec::new(), resource: None };
        !left.is_empty() && (object.is_in(left) || left.contains(&whole_module()))
    }
}

/// For each node, the addresses in it that `moved` and `removed` blocks of its callers name. The empty one is the whole
/// module.
fn left_by_callers(graph: &ModuleGraph) -> Vec<HashSet<ConfigAddress>> {
    let mut left = vec![HashSet::new(); graph.nodes().count()];
    for caller in graph.nodes() {
        for address in caller.module().left() {
            if let Some((call, rest)) = address.path.split_first()
                && let Some(child) = caller.child(call)
            {
                let inside = ConfigAddress { path: rest.to_vec(), resource: address.resource.clone() };
                left[child.id().number()].insert(inside);
            }
        }
    }
    left
}
