//! Names the modules of a graph.

/// A module of a [`ModuleGraph`](crate::graph::ModuleGraph).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) usize);

impl NodeId {
    /// Its number in the order in which modules were added, counted from 0.
    pub fn number(self) -> usize {
        self.0
    }
}
