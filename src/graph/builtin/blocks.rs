//! Checks blocks against the arguments that they accept.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::table::Arguments;
use crate::finding::{EngineRule, Finding};
use crate::module::config::Config;
use crate::syntax::{Attribute, Block, Content};
use crate::text::Span;

/// Checks blocks, and collects the expressions that the engine does not evaluate.
pub(super) struct Blocks<'f> {
    pub(super) wrong: &'f BTreeSet<Span>,
    pub(super) idle: &'f mut BTreeSet<Span>,
    pub(super) findings: &'f mut Vec<Finding>,
}

impl Blocks<'_> {
    /// Whether the block contains only expected items. The engine first checks all references of a block, and stops
    /// if one is invalid.
    pub(super) fn is_right(&mut self, arguments: Arguments, config: &Config) -> bool {
        let mut unexpected = Vec::new();
        let content = content(arguments, config, &mut unexpected);
        let spans = |attributes: &[Arc<Attribute>]| -> Vec<Span> {
            attributes.iter().map(|attribute| attribute.expr.span).collect()
        };
        // No nested blocks are expected, so the engine never expands a `dynamic` block.
        self.idle.extend(spans(&for_eaches(&content.blocks)));
        let expected = spans(&content.attributes);
        if expected.iter().any(|span| self.wrong.contains(span)) {
            self.idle.extend(expected);
            return false;
        }
        unexpected.extend(content.blocks.iter().filter_map(|block| {
            let label = block.labels.first()?;
            let detail = format!("Blocks of type `{}` are not expected here.", label.text);
            let finding = Finding::language(EngineRule::UnsupportedBlockOrArgument, "Unsupported block type");
            Some(finding.at(label.span).detail(detail))
        }));
        let is_right = unexpected.is_empty();
        self.findings.append(&mut unexpected);
        is_right
    }
}

/// The `for_each` arguments of `dynamic` blocks.
pub(in crate::graph) fn for_eaches(blocks: &[Arc<Block>]) -> Vec<Arc<Attribute>> {
    let attributes = blocks.iter().flat_map(|block| block.body.just_attributes(&mut Vec::new()));
    attributes.filter(|attribute| attribute.name == "for_each").collect()
}

/// The expected content of a body, and its `dynamic` blocks.
pub(in crate::graph) fn content(
    arguments: Arguments,
    config: &Config,
    findings: &mut Vec<Finding>,
) -> Content {
    let from = findings.len();
    let content = arguments.with_schema(|schema| config.content(schema, findings));
    if config.is_unclosed() {
        findings.truncate(from);
    }
    content
}
