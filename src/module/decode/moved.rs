//! Decodes `moved` blocks.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::address::{Mode, MoveEndpoint, move_endpoint};
use crate::module::declaration::Moved;
use crate::module::decode::Decoder;
use crate::syntax::{AttributeSchema, Block, Content, Schema};

const SCHEMA: Schema<'_> =
    Schema { attributes: &[AttributeSchema::required("from"), AttributeSchema::required("to")], blocks: &[] };

impl Decoder<'_> {
    pub(super) fn moved(&mut self, block: &Arc<Block>) -> Moved {
        let before = self.findings.len();
        let content = block.body.content(&SCHEMA, self.findings);
        let from = self.endpoint(&content, "from");
        let to = self.endpoint(&content, "to");
        if self.features.moved_address_checked {
            self.movable(block, from.as_ref(), "from");
            self.movable(block, to.as_ref(), "to");
        }
        if let (Some(from), Some(to)) = (&from, &to)
            && !self.failed_since(before)
            && !from.might_unify_with(to)
        {
            Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid \"moved\" addresses")
                .detail("A resource can move only to a resource, and a module call only to a module call.")
                .at(block.header)
                .push_to(self.findings);
        }
        Moved { from, to, block: Arc::clone(block) }
    }

    /// Reports an endpoint that cannot be moved, in addition to the error that explains why.
    fn movable(&mut self, block: &Block, endpoint: Option<&MoveEndpoint>, name: &str) {
        let resource = endpoint.map(|endpoint| endpoint.resource.as_ref());
        let detail = match resource {
            None => format!("The block needs `{name}` with the address of a resource or a module call."),
            Some(Some(instance)) if instance.resource.mode == Mode::Ephemeral => {
                format!("`{name}` is an ephemeral resource, which has no object in the state to move.")
            }
            Some(_) => return,
        };
        Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid \"moved\" address")
            .detail(detail)
            .at(block.header)
            .push_to(self.findings);
    }

    fn endpoint(&mut self, content: &Content, name: &str) -> Option<MoveEndpoint> {
        let attribute = content.attribute(name)?;
        let traversal = attribute.expr.static_traversal(self.findings)?;
        move_endpoint(&traversal, self.features).map_err(|wrong| self.findings.extend(wrong)).ok()
    }
}
