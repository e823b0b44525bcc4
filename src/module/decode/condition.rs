//! Decodes `validation`, `precondition`, `postcondition` and `assert` blocks.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::address::{self, ResourceAddress, Subject};
use crate::module::declaration::Condition;
use crate::module::decode::Decoder;
use crate::syntax::{AttributeSchema, Block, Schema};

const SCHEMA: Schema<'_> = Schema {
    attributes: &[AttributeSchema::required("condition"), AttributeSchema::required("error_message")],
    blocks: &[],
};

impl Decoder<'_> {
    pub(super) fn condition(&mut self, block: &Arc<Block>) -> Condition {
        let mut condition = Condition { condition: None, error_message: None, block: Arc::clone(block) };
        if self.overriding {
            self.findings.push(cannot_override(block));
            return condition;
        }
        let content = block.body.content(&SCHEMA, self.findings);
        condition.condition = content.attribute("condition").cloned();
        condition.error_message = content.attribute("error_message").cloned();
        if let Some(attribute) = &condition.condition
            && !attribute.is_broken
            && attribute.expr.variables().is_empty()
        {
            Finding::language(
                EngineRule::InvalidCheckOrCondition,
                format!("Invalid {} expression", block.kind),
            )
            .detail("This condition refers to no object of the module, so it checks nothing.")
            .at(attribute.expr.span)
            .push_to(self.findings);
        }
        condition
    }

    /// Reports references of a condition to the resource that contains it.
    pub(super) fn refers_to_itself(&mut self, condition: &Condition, resource: &ResourceAddress) {
        for attribute in condition.parts() {
            let itself = attribute.expr.variables().into_iter().any(|traversal| {
                matches!(
                    address::reference(traversal, self.features),
                    Ok(reference) if matches!(&reference.subject, Subject::Resource { address, .. } if address == resource)
                )
            });
            if itself {
                Finding::language(
                    EngineRule::InvalidCheckOrCondition,
                    format!("Invalid reference in {}", condition.block.kind),
                )
                .detail(format!("This condition of {resource} refers to the resource by its address."))
                .at(attribute.expr.span)
                .help(if condition.block.kind == "postcondition" {
                    "write `self` for the resource itself"
                } else {
                    "move the condition into a `postcondition` block, and write `self` for the resource itself"
                })
                .push_to(self.findings);
            }
        }
    }
}

/// The error for a block type that override files cannot contain.
pub(super) fn cannot_override(block: &Block) -> Finding {
    Finding::language(EngineRule::OverrideNotAllowed, format!("Can't override {} blocks", block.kind))
        .detail(format!("An override file cannot contain `{}` blocks.", block.kind))
        .at(block.header)
        .help("change the base block, or move this block into a base file")
}
