//! Decodes `check` blocks.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding, Severity};
use crate::module::declaration::{Check, Resource};
use crate::module::decode::Decoder;
use crate::module::decode::condition::cannot_override;
use crate::syntax::{Block, BlockSchema, Schema};

const SCHEMA: Schema<'_> = Schema {
    attributes: &[],
    blocks: &[BlockSchema::new("data", &["type", "name"]), BlockSchema::new("assert", &[])],
};

impl Decoder<'_> {
    /// A check, and its nested data source if that is valid.
    pub(super) fn check(&mut self, block: &Arc<Block>) -> (Check, Option<Resource>) {
        let name = block.labels[0].text.clone();
        let mut check = Check { name, block: Arc::clone(block), data: None, asserts: Vec::new() };
        if self.overriding {
            self.findings.push(cannot_override(block));
            return (check, None);
        }
        let content = block.body.content(&SCHEMA, self.findings);
        self.name(&block.labels[0], "Invalid check block name");
        let mut source: Option<Resource> = None;
        for block in &content.blocks {
            let before = self.findings.len();
            if block.kind == "assert" {
                let condition = self.condition(block);
                if !self.failed_since(before) {
                    check.asserts.push(condition);
                }
            } else if let Some(first) = &source {
                Finding::language(EngineRule::InvalidCheckOrCondition, "Multiple data resource blocks")
                    .detail("A `check` block can contain only one data source.")
                    .at(block.header)
                    .related(first.origin.header(), "first one here")
                    .push_to(self.findings);
            } else {
                let data = self.data(block, Some(&check.name));
                check.data = Some(data.address.clone());
                source = Some(data).filter(|_| !self.failed_since(before));
            }
        }
        if check.asserts.is_empty() {
            Finding::language(EngineRule::InvalidCheckOrCondition, "Zero assert blocks")
                .severity(Severity::Error)
                .detail("A `check` block requires at least one valid `assert` block.")
                .at(block.header)
                .push_to(self.findings);
        }
        (check, source)
    }
}
