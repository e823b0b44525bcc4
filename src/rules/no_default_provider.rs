#![doc = include_str!("../../policies/rules/no-default-provider.md")]

use std::collections::BTreeMap;

use super::{Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::{Configuration, Node, Role};
use crate::module::declaration::{ModuleCall, ProviderConfiguration};
use crate::policy::Options;
use crate::text::Span;

pub(super) struct NoDefaultProvider;

impl Rule for NoDefaultProvider {
    const ID: &'static str = "no-default-provider";
    const ROLES: &'static [Role] = &[Role::Root];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.complete {
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
            let name = &first.name;
            let (at, address) = user(node, &default).unwrap_or_else(|| (*needed, String::new()));
            let finding = Self::finding("No default provider configuration")
                .detail(format!(
                    "This uses the default configuration of `{name}`, but every `provider \"{name}\"` block in this module \
                     has an alias. Terraform and OpenTofu use an empty configuration instead."
                ))
                .at(at)
                .help(format!(
                    "add a `provider \"{name}\"` block without `alias`, or select a configuration: {}",
                    if address.starts_with("module.") {
                        format!("`providers = {{ {name} = {} }}`", first.compact())
                    } else {
                        format!("`provider = {}`", first.compact())
                    }
                ))
                .concerns(Concern::Provider(name.clone()));
            findings.push(blocks.iter().fold(finding, |finding, block| {
                finding.related(block.origin.header(), "a configuration with an alias")
            }));
        }
    }
}

/// The first resource or module call of a module that uses a default configuration.
fn user(node: Node<'_>, default: &Configuration) -> Option<(Span, String)> {
    let module = node.module();
    let resources = module.resources.values();
    let resources = resources
        .filter(|resource| Configuration::used_by(module, resource).as_ref() == Some(default))
        .map(|resource| (resource.origin.header(), resource.address.to_string()));
    let uses = |call: &ModuleCall| {
        let named = |reference| Configuration::named(module, reference);
        call.providers.iter().any(|passed| named(&passed.in_parent).as_ref() == Some(default))
            || node.child(&call.name).is_some_and(|child| child.uses().configurations.contains_key(default))
    };
    let calls = module.calls.values().filter(|call| uses(call));
    let calls = calls.map(|call| (call.origin.header(), format!("module.{}", call.name)));
    resources.min().or_else(|| calls.min())
}
