#![doc = include_str!("../../policies/rules/resource-without-provider.md")]

use std::collections::BTreeMap;

use super::support::edits::argument;
use super::{ADVICE, Context, Finding, Node, Page, Role, Rule, page};
use crate::module::Module;
use crate::module::address::{Mode, ProviderAddress};
use crate::syntax::quoted;
use crate::text::Span;

pub(super) struct ResourceWithoutProvider;

impl Rule for ResourceWithoutProvider {
    const PAGE: Page = page!("resource-without-provider");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let aliased = aliased(module);
        for resource in module.resources.values().filter(|resource| resource.provider_ref.is_none()) {
            let alias = resource.provider.as_ref().and_then(|provider| aliased.get(provider));
            let Some(alias) = alias else { continue };
            let name = resource.address.implied_provider();
            let at = resource.origin.header();
            let written = if resource.origin.base.body.is_json() { quoted(name) } else { name.to_owned() };
            Self::finding(match resource.address.mode {
                Mode::Data => "Data source without `provider`",
                _ => "Resource without `provider`",
            })
                .detail(format!(
                    "`{}` does not set `provider`, so it uses the default configuration of `{name}`. This module has \
                     another configuration of that provider.",
                    resource.address
                ))
                .at(at)
                .related(*alias, "a configuration with an alias")
                .help(format!("add {}, or select another configuration", argument(context, at.file, "provider", &written)))
                .address(resource.address.to_string())
                .push_to(findings);
        }
    }
}

/// The providers with an aliased configuration in the module, and the first span of one.
fn aliased(module: &Module) -> BTreeMap<ProviderAddress, Span> {
    let mut aliased: BTreeMap<ProviderAddress, Span> = BTreeMap::new();
    let blocks = module
        .providers
        .values()
        .filter(|block| block.alias.is_some())
        .filter_map(|block| Some((module.provider_address(&block.name)?, block.origin.header())));
    let required = module.required_providers.values().flat_map(|entry| {
        let asked = entry.aliases.iter().filter(|asked| asked.value.alias.is_some());
        asked.map(|asked| (entry.address.clone(), asked.span))
    });
    for (provider, at) in blocks.chain(required) {
        let first = aliased.entry(provider).or_insert(at);
        *first = at.min(*first);
    }
    aliased
}
