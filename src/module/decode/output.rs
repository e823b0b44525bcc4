//! Decodes `output` blocks.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::declaration::{Origin, Output, Spanned};
use crate::module::decode::{Decoder, arguments};
use crate::syntax::{AttributeSchema, Block, BlockSchema, Schema};
use crate::value;

impl Decoder<'_> {
    pub(super) fn output(&mut self, block: &Arc<Block>) -> Output {
        let known = &self.features.grammar;
        let newer =
            [(known.ephemeral, "ephemeral"), (known.deprecated, "deprecated"), (known.output_type, "type")];
        let mut attributes = arguments(&["description", "depends_on", "sensitive"], &newer);
        attributes.push(AttributeSchema { name: "value", required: !self.overriding });
        let blocks: &[_] = if known.conditions {
            &[BlockSchema::new("precondition", &[]), BlockSchema::new("postcondition", &[])]
        } else {
            &[]
        };
        let before = self.findings.len();
        let content = block.body.content(&Schema { attributes: &attributes, blocks }, self.findings);
        self.explain_unknown_conditions(block, before);
        self.name(&block.labels[0], "Invalid output name");
        let description = self.text(&content, "description");
        let value = content.attribute("value").cloned();
        let sensitive = self.flag(&content, "sensitive");
        let ephemeral = self.flag(&content, "ephemeral");
        let depends_on = self.depends_on(&content);
        let constraint = content.attribute("type").map(|attribute| Spanned {
            value: value::type_constraint(&attribute.expr, self.findings),
            span: attribute.expr.span,
        });
        let preconditions = content.blocks_of("precondition").map(|block| self.condition(block)).collect();
        for block in content.blocks_of("postcondition") {
            Finding::language(EngineRule::InvalidCheckOrCondition, "Postconditions are not allowed")
                .detail("An output can have preconditions only.")
                .at(block.kind_span)
                .push_to(self.findings);
        }
        let deprecated = self.text(&content, "deprecated");
        if let Some(given) = &deprecated
            && !self.failed_since(before)
        {
            self.deprecation(Some(given), given.span, "Invalid `deprecated` attribute");
        }
        Output {
            name: block.labels[0].text.clone(),
            origin: Origin::of(block),
            description,
            value,
            sensitive,
            ephemeral,
            deprecated,
            constraint,
            depends_on,
            preconditions,
        }
    }
}
