#![doc = include_str!("../../policies/rules/override-drops-provider-source.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::module::declaration::RequiredProvider;
use crate::policy::Options;
use crate::tree::Node;

pub(super) struct OverrideDropsProviderSource;

impl Rule for OverrideDropsProviderSource {
    const ID: &'static str = "override-drops-provider-source";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for entry in module.required_providers.values() {
            // Of several overrides the last counts, and what it is held to is what the primary file says.
            let Some(base) =
                std::iter::successors(entry.replaced.as_deref(), |base| base.replaced.as_deref()).last()
            else {
                continue;
            };
            let host = module.features.registry_host;
            let finding = Self::finding("Override drops the source of a provider");
            // Who writes another source means another provider; who writes none does not know that one is dropped.
            let finding = if entry.source.is_none() && entry.address != base.address {
                finding.detail(format!(
                    "An override file replaces the whole entry of `{}`, and what it does not repeat is gone: the \
                     provider was {} and is {} now.",
                    entry.name,
                    base.address.display(host),
                    entry.address.display(host),
                ))
            } else if let Some(alias) = lost_alias(entry, base) {
                finding.detail(format!(
                    "An override file replaces the whole entry of `{}`, and what it does not repeat is gone: the module \
                     no longer declares the provider configuration `{alias}`.",
                    entry.name,
                ))
            } else {
                continue;
            };
            findings.push(
                finding
                    .at(entry.span)
                    .label("replaces the whole entry")
                    .related(base.span, "the entry that is replaced")
                    .help("repeat in the override file all that the entry holds")
                    .address(format!("required_providers.{}", entry.name)),
            );
        }
    }
}

/// A provider configuration that the module asked its callers for before the override.
fn lost_alias(entry: &RequiredProvider, base: &RequiredProvider) -> Option<String> {
    let lost =
        base.aliases.iter().find(|alias| entry.aliases.iter().all(|other| other.value != alias.value))?;
    Some(lost.value.compact().to_string())
}
