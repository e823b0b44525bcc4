#![doc = include_str!("../../policies/rules/override-ignored-argument.md")]

use std::collections::BTreeSet;

use super::{Context, Finding, Node, Page, Rule, page};
use crate::module::dropped::Why;
use crate::text::FileId;

pub(super) struct OverrideIgnoredArgument;

impl Rule for OverrideIgnoredArgument {
    const PAGE: Page = page!("override-ignored-argument");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let product = module.features.engine.product.name();
        if module.dropped.is_empty() {
            return;
        }
        let overriding: BTreeSet<FileId> =
            context.override_files(module).into_iter().map(|(id, _)| id).collect();
        for dropped in module.dropped.values() {
            let (name, Some(stays)) = (&dropped.what, dropped.by) else { continue };
            let block =
                if overriding.contains(&stays.file) { "the other override block" } else { "the base block" };
            let (why, help) = match dropped.why {
                Why::Ignored => (
                    format!("{product} does not merge it from override files."),
                    format!("set `{name}` in the base block"),
                ),
                Why::Empty => (
                    "An empty value in an override file replaces nothing.".to_owned(),
                    format!("remove `{name}` from {block}"),
                ),
                Why::AllStays => (
                    "A list does not replace `all`, so changes to every argument stay ignored.".to_owned(),
                    format!("replace `all` in {block} with the list"),
                ),
                _ => continue,
            };
            let is_block = module.origins().any(|origin| origin.header() == stays);
            let label = if is_block {
                format!("this block sets no `{name}`")
            } else {
                "this value is used".to_owned()
            };
            Self::finding("Argument in an override file is ignored")
                .detail(format!("`{name}` has no effect here. {why}"))
                .at(dropped.span)
                .label("has no effect here")
                .related(stays, label)
                .help(help)
                .address(dropped.address.clone())
                .push_to(findings);
        }
    }
}
