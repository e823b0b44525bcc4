#![doc = include_str!("../../policies/rules/override-replaces-nested-blocks.md")]

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{ADVICE, Context, Rule};
use crate::finding::Finding;
use crate::graph::{Node, Role};
use crate::module::address::block_address;
use crate::policy::Options;
use crate::syntax::{Block, BlockSchema, Body, Schema};

pub(super) struct OverrideReplacesNestedBlocks;

impl Rule for OverrideReplacesNestedBlocks {
    const ID: &'static str = "override-replaces-nested-blocks";
    const ROLES: &'static [Role] = ADVICE;

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let providers = module.providers.values().map(|provider| (&provider.origin, &provider.config));
        let resources = module.resources.values().map(|resource| (&resource.origin, &resource.config));
        for (origin, config) in providers.chain(resources).filter(|(_, config)| config.is_merged()) {
            let layers = config.layers();
            let native = layers.iter().flatten().flat_map(|body| body.any_blocks());
            let kinds: BTreeSet<SmolStr> = native.map(|block| block.makes().into()).collect();
            let mut current: Vec<Arc<Block>> = Vec::new();
            for layer in layers {
                let new: Vec<Arc<Block>> = layer.into_iter().flat_map(|body| blocks(body, &kinds)).collect();
                for (number, first) in new.iter().enumerate() {
                    let is_first = new[..number].iter().all(|block| block.makes() != first.makes());
                    if is_first && let Some(finding) = lost(first, &current, &new) {
                        findings.push(finding.address(block_address(&origin.base)));
                    }
                }
                current.retain(|block| new.iter().all(|later| later.makes() != block.makes()));
                current.extend(new);
            }
        }
    }
}

/// The nested blocks of a body. JSON does not tell blocks from arguments, so there it takes those of the kinds that
/// another file writes as blocks in native syntax.
fn blocks(body: &Body, kinds: &BTreeSet<SmolStr>) -> Vec<Arc<Block>> {
    if !body.is_json() {
        return body.any_blocks();
    }
    let mut schema: Vec<_> = kinds.iter().map(|kind| BlockSchema::new(kind, &[])).collect();
    schema.push(BlockSchema::new("dynamic", &["type"]));
    body.partial_content(&Schema { attributes: &[], blocks: &schema }, &mut Vec::new()).0.blocks
}

/// The finding where blocks of one kind replace more of them, or some that hold more.
fn lost(first: &Block, current: &[Arc<Block>], new: &[Arc<Block>]) -> Option<Finding> {
    let of_kind = |blocks: &[Arc<Block>]| -> Vec<Arc<Block>> {
        blocks.iter().filter(|block| block.makes() == first.makes()).cloned().collect()
    };
    let (replaced, new) = (of_kind(current), of_kind(new));
    // How many blocks a `dynamic` makes is not known.
    if replaced.iter().chain(&new).any(|block| block.kind == "dynamic") {
        return None;
    }
    let kept: Vec<SmolStr> = new.iter().flat_map(|block| block.body.names()).collect();
    let is_lost = |name: &SmolStr| name != "//" && !kept.contains(name);
    let holds_more = replaced.iter().any(|block| block.body.names().iter().any(is_lost));
    if replaced.is_empty() || (replaced.len() <= new.len() && !holds_more) {
        return None;
    }
    let kind = first.makes();
    let finding = OverrideReplacesNestedBlocks::finding("Override replaces all nested blocks of a type")
        .detail(format!(
            "Nested blocks are not merged one by one: the `{kind}` blocks of an override file replace all earlier \
             `{kind}` blocks, with all their arguments.",
        ))
        .at(first.header)
        .label(format!("replaces all earlier `{kind}` blocks"))
        .help("repeat the blocks and arguments to keep in the override file");
    Some(replaced.iter().fold(finding, |finding, block| finding.related(block.header, "is replaced")))
}
