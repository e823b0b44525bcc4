//! Changes to the addresses of existing objects.

use std::sync::Arc;

use super::repetition::Repetition;
use crate::graph::NodeId;
use crate::syntax::Block;
use crate::text::Span;

/// A change to the addresses of existing objects that no `moved` or `removed` block handles.
#[derive(Debug)]
pub struct AddressChange {
    /// The module, after the change, in which `moved` blocks belong.
    pub node: NodeId,
    /// The cause of the change.
    pub cause: Cause,
    /// The span of the cause in that module.
    pub at: Span,
    /// The header of the first block with a new address, if it is in another module.
    pub elsewhere: Option<Span>,
    /// The block below which `moved` blocks should be added.
    pub below: Arc<Block>,
    /// The addresses before and after the change, without instance keys; never empty.
    pub addresses: Vec<(String, String)>,
    /// The endpoints for `moved` blocks, with instance keys, or `None` if they are not certain.
    pub moves: Option<Vec<(String, String)>>,
}

/// The causes of changed addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A block with another name.
    Renamed,
    /// A block that moved to another module.
    Moved,
    /// Other instance keys.
    Repeated(Repetition, Repetition),
}
