#![doc = include_str!("../../policies/rules/override-replaces-nested-blocks.md")]

use super::{ADVICE, Context, Finding, Node, Page, Role, Rule, page};
use crate::module::address::block_address;
use crate::module::merged::Replacement;

pub(super) struct OverrideReplacesNestedBlocks;

impl Rule for OverrideReplacesNestedBlocks {
    const PAGE: Page = page!("override-replaces-nested-blocks");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for origin in module.overridden() {
            for replacement in module.history(origin).replacements.iter().filter(|one| loses(one)) {
                let (first, kind) = (&replacement.by[0], replacement.by[0].makes());
                let finding = Self::finding("Override replaces all nested blocks of a type")
                    .detail(format!(
                        "Nested blocks are not merged one by one: the `{kind}` blocks of an override file replace all \
                         earlier `{kind}` blocks, with all their arguments.",
                    ))
                    .at(first.header)
                    .label(format!("replaces all earlier `{kind}` blocks"))
                    .help("in the override file, repeat the blocks and arguments to keep")
                    .address(block_address(&origin.base));
                findings.push(replacement.related(finding));
            }
        }
    }
}

/// Whether fewer blocks replace more, or blocks with more content.
fn loses(replacement: &Replacement) -> bool {
    let all = || replacement.by.iter().chain(&replacement.replaced);
    // `override-replaces-provisioners` reports these.
    let is_of_engine = ["connection", "provisioner", "action_trigger"].contains(&replacement.by[0].makes());
    // The number of blocks of a `dynamic` block is unknown.
    let is_dynamic = all().any(|block| block.kind == "dynamic");
    // In JSON alone, blocks and arguments cannot be distinguished.
    let is_guess = all().all(|block| block.body.is_json());
    let is_smaller = replacement.replaced.len() > replacement.by.len();
    !is_of_engine && !is_dynamic && !is_guess && (is_smaller || !replacement.lost().is_empty())
}
