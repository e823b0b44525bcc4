//! Changes to the addresses of existing objects.

use std::sync::Arc;

use crate::graph::NodeId;
use crate::module::interface::Repetition;
use crate::syntax::Block;
use crate::text::Span;

/// A change to the addresses of existing objects that no `moved` or `removed` block accounts for.
#[derive(Debug)]
pub struct AddressChange {
    /// The module, after the change, that `moved` blocks belong in.
    pub node: NodeId,
    /// What changes the addresses.
    pub cause: Cause,
    /// The place of the cause in that module.
    pub at: Span,
    /// The header of the first block that has a new address, if it is in another module.
    pub elsewhere: Option<Span>,
    /// The block that `moved` blocks are best written below.
    pub below: Arc<Block>,
    /// The addresses before and after the change, without keys of instances; never empty.
    pub addresses: Vec<(String, String)>,
    /// The addresses as `moved` blocks need them, with keys of instances; none where a key is not known.
    pub moves: Option<Vec<(String, String)>>,
}

/// What changes addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A block with another name.
    Renamed,
    /// A block in another module.
    Moved,
    /// Instances with other keys.
    Repeated(Repetition, Repetition),
}
