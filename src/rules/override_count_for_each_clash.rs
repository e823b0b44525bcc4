#![doc = include_str!("../../policies/rules/override-count-for-each-clash.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::graph::Node;
use crate::module::address::block_address;
use crate::policy::Options;

pub(super) struct OverrideCountForEachClash;

impl Rule for OverrideCountForEachClash {
    const ID: &'static str = "override-count-for-each-clash";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let calls = module.calls.values().map(|call| (&call.origin, &call.count, &call.for_each));
        // A data source in a `check` block can have neither; that is another rule's business.
        let resources = module.resources.values().filter(|resource| resource.check.is_none());
        let resources = resources.map(|resource| (&resource.origin, &resource.count, &resource.for_each));
        let actions = module.actions.values().map(|action| (&action.origin, &action.count, &action.for_each));
        for (origin, count, for_each) in calls.chain(resources).chain(actions) {
            let (Some(count), Some(for_each)) = (count, for_each) else { continue };
            let numbers = (origin.number_at(count.span), origin.number_at(for_each.span));
            let (Some(of_count), Some(of_for_each)) = numbers else { continue };
            let (earlier, later) = match of_count.cmp(&of_for_each) {
                std::cmp::Ordering::Less => (count, for_each),
                // The engines refuse both in one block.
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => (for_each, count),
            };
            let product = module.features.engine.product.name();
            let (stays, help) = if origin.number_at(earlier.span) == Some(0) {
                (
                    "of the base block",
                    format!(
                        "remove `{0}` from the base block, or override `{0}` instead of setting `{1}`",
                        earlier.name, later.name
                    ),
                )
            } else {
                (
                    "of another override block",
                    format!("set only one of `{}` and `{}`", earlier.name, later.name),
                )
            };
            findings.push(
                Self::finding("Override leaves both count and for_each")
                    .detail(format!(
                        "This override sets `{}`, and `{}` {stays} stays set. {product} then uses `count` and ignores \
                         `for_each`.",
                        later.name, earlier.name,
                    ))
                    .at(later.span)
                    .label(format!("does not replace `{}`", earlier.name))
                    .related(earlier.span, "stays set")
                    .help(help)
                    .address(block_address(&origin.base)),
            );
        }
    }
}
