#![doc = include_str!("../../policies/rules/override-count-for-each-clash.md")]

use hashbrown::HashMap;

use super::{Context, Finding, Node, Page, Rule, page};
use crate::module::address::block_address;
use crate::module::declaration::Origin;
use crate::module::dropped::Why;

pub(super) struct OverrideCountForEachClash;

impl Rule for OverrideCountForEachClash {
    const PAGE: Page = page!("override-count-for-each-clash");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let mut clashes = module.dropped.values().filter(|dropped| dropped.why == Why::CountWins).peekable();
        if clashes.peek().is_none() {
            return;
        }
        let origins: HashMap<String, &Origin> =
            module.overridden().map(|origin| (block_address(&origin.base), origin)).collect();
        for clash in clashes {
            let (Some(origin), Some(count)) = (origins.get(&clash.address), clash.by) else { continue };
            let (count, for_each) = (("count", count), ("for_each", clash.span));
            let is_count_later = origin.number_at(count.1) > origin.number_at(for_each.1);
            let [(stays, earlier), (sets, later)] =
                if is_count_later { [for_each, count] } else { [count, for_each] };
            let product = module.features.engine.product.name();
            let (of, help) = if origin.number_at(earlier) == Some(0) {
                (
                    "of the base block",
                    format!(
                        "remove `{stays}` from the base block, or override `{stays}` instead of setting `{sets}`"
                    ),
                )
            } else {
                ("of another override block", format!("set only one of `{stays}` and `{sets}`"))
            };
            Self::finding("Override leaves both count and for_each")
                .detail(format!(
                    "This override sets `{sets}`, and `{stays}` {of} stays set. {product} then uses `count` and ignores \
                     `for_each`.",
                ))
                .at(later)
                .label(format!("does not replace `{stays}`"))
                .related(earlier, "stays set")
                .help(help)
                .address(clash.address.clone())
                .push_to(findings);
        }
    }
}
