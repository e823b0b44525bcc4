#![doc = include_str!("../../policies/rules/provider-version-missing.md")]

use hashbrown::HashSet;

use super::{Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};

pub(super) struct ProviderVersionMissing;

impl Rule for ProviderVersionMissing {
    const PAGE: Page = page!("provider-version-missing");
    const ROLES: &'static [Role] = &[Role::Shared];

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let blocks = module.providers.values();
        let versions = blocks.filter_map(|block| Some((&block.name, block.version.as_ref()?)));
        let in_block: HashSet<_> =
            versions.filter_map(|(name, version)| version.constraints.is_some().then_some(name)).collect();
        for entry in module.required_providers.values() {
            if entry.version.is_some() || entry.address.is_built_in() || in_block.contains(&entry.name) {
                continue;
            }
            let provider = entry.address.display(module.features.registry_host);
            Self::finding("Missing provider version")
                .detail(format!(
                    "This module sets no minimum version for {provider}, so a caller can select a version that the \
                     module does not support."
                ))
                .at(entry.span)
                .help(format!(
                    "set `version = \">= X\"`, where X is the oldest version of {provider} that has everything this \
                     module uses; the registry lists the versions"
                ))
                .concerns(Concern::Provider(entry.name.clone()))
                .push_to(findings);
        }
    }
}
