#![doc = include_str!("../../policies/rules/override-drops-provider-source.md")]

use super::mend::set_in_entry;
use super::{Context, Rule};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::graph::Node;
use crate::module::declaration::RequiredProvider;
use crate::policy::Options;
use crate::syntax::quoted;

pub(super) struct OverrideDropsProviderSource;

impl Rule for OverrideDropsProviderSource {
    const ID: &'static str = "override-drops-provider-source";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
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
                    .fixed_by(repeated(entry, base, context).map(|edit| Fix::on_request([edit])))
                    .concerns(Concern::Provider(entry.name.clone())),
            );
        }
    }
}

/// Writes into the override what it does not repeat; one thing at a time.
fn repeated(entry: &RequiredProvider, base: &RequiredProvider, context: &Context<'_>) -> Option<Edit> {
    if let Some(source) = base.source.as_ref().filter(|_| entry.source.is_none()) {
        return set_in_entry(context, entry, "source", &quoted(&source.value), true);
    }
    // Where some are asked for anew, it is for a person to say which of the others are meant to go.
    if !entry.aliases.is_empty() {
        return None;
    }
    let aliases: Vec<_> = base.aliases.iter().map(|alias| alias.value.compact()).collect();
    set_in_entry(context, entry, "configuration_aliases", &format!("[{}]", aliases.join(", ")), false)
}

/// A provider configuration that the module asked its callers for before the override.
fn lost_alias(entry: &RequiredProvider, base: &RequiredProvider) -> Option<String> {
    let lost =
        base.aliases.iter().find(|alias| entry.aliases.iter().all(|other| other.value != alias.value))?;
    Some(lost.value.compact().to_string())
}
