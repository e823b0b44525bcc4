//! Turns the text of a policy into the settings in it, in their order.

use std::sync::Arc;

use smol_str::SmolStr;

use super::Level;
use super::fault::unknown;
use super::options::{text, texts, wrong_type};
use crate::finding::Finding;
use crate::syntax::{self, Attribute, AttributeSchema, Block, BlockSchema, Notation, Schema};
use crate::text::{FileId, Source, Span};

/// A `rule` block.
#[derive(Debug, Clone)]
pub(super) struct RuleBlock {
    pub(super) rule: SmolStr,
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) level: Option<Level>,
    pub(super) options: Vec<Arc<Attribute>>,
}

/// What one file says.
#[derive(Debug, Default)]
pub(super) struct File {
    /// What it starts from, in order.
    pub(super) extends: Vec<(SmolStr, Span)>,
    pub(super) rules: Vec<RuleBlock>,
}

const BLOCKS: &[BlockSchema<'static>] =
    &[BlockSchema::new("policy", &[]), BlockSchema::new("rule", &["name"])];

/// Reads a policy.
pub(super) fn read(id: FileId, source: &Source, findings: &mut Vec<Finding>) -> File {
    let (file, wrong) = syntax::parse(id, source, Notation::Native);
    findings.extend(wrong);
    let content = file.body.content(&Schema { attributes: &[], blocks: BLOCKS }, findings);
    let mut read = File::default();
    for block in &content.blocks {
        match block.kind.as_str() {
            "policy" => read.extends.extend(extends(block, findings)),
            "rule" => read.rules.extend(rule(block, source, findings)),
            other => unreachable!("the schema has no block `{other}`"),
        }
    }
    read
}

fn extends(block: &Block, findings: &mut Vec<Finding>) -> Vec<(SmolStr, Span)> {
    let schema = Schema { attributes: &[AttributeSchema::optional("extends")], blocks: &[] };
    let content = block.body.content(&schema, findings);
    let Some(attribute) = content.attribute("extends") else { return Vec::new() };
    texts("extends", &attribute.expr).map_err(|finding| findings.push(finding)).unwrap_or_default()
}

fn rule(block: &Block, source: &Source, findings: &mut Vec<Finding>) -> Option<RuleBlock> {
    let name = block.labels.first()?;
    let mut options = block.body.just_attributes(findings);
    let mut level = None;
    if let Some(at) = options.iter().position(|attribute| attribute.name == "level") {
        let attribute = options.remove(at);
        level = read_level(&attribute).map_err(|finding| findings.push(finding)).ok();
    }
    Some(RuleBlock {
        rule: name.text.clone(),
        line: source.position(block.header.start).line,
        level,
        options,
    })
}

fn read_level(attribute: &Attribute) -> Result<Level, Finding> {
    let words = Level::ALL.map(Level::word);
    let word =
        text(&attribute.expr).ok_or_else(|| wrong_type("level", "a word between quotes", &attribute.expr))?;
    Level::of(&word).ok_or_else(|| unknown("level", &word, words, attribute.expr.span))
}
