#![doc = include_str!("../../policies/rules/no-default-provider.md")]

use std::collections::BTreeMap;

use super::{Context, Rule};
use crate::finding::Finding;
use crate::module::declaration::ProviderConfiguration;
use crate::policy::Options;
use crate::tree::{Configuration, Node, Role};

pub(super) struct NoDefaultProvider;

impl Rule for NoDefaultProvider {
    const ID: &'static str = "no-default-provider";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if node.role() != Role::Root || !module.complete {
            return;
        }
        let mut blocks: BTreeMap<Configuration, Vec<&ProviderConfiguration>> = BTreeMap::new();
        for block in module.providers.values() {
            if let Some(provider) = module.provider_address(&block.name) {
                blocks.entry(Configuration::default_of(provider)).or_default().push(block);
            }
        }
        for (default, mut blocks) in blocks {
            let Some(needed) = node.uses().configurations.get(&default) else { continue };
            if blocks.iter().any(|block| block.alias.is_none()) {
                continue;
            }
            blocks.sort_by_key(|block| block.origin.header());
            let Some(first) = blocks.first() else { continue };
            findings.push(
                Self::finding("No default configuration of a provider")
                    .detail(format!(
                        "Every block of `{0}` here has an alias, and yet its default configuration is used. It is \
                         then empty: `{0}` is configured by environment variables or not at all.",
                        first.name
                    ))
                    .at(first.origin.header())
                    .related(*needed, "needs the default configuration")
                    .help(format!(
                        "write a block `provider \"{}\"` without `alias`, or say which configuration is meant",
                        first.name
                    ))
                    .address(format!("provider.{}", first.name)),
            );
        }
    }
}
