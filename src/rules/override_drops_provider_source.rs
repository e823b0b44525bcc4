#![doc = include_str!("../../policies/rules/override-drops-provider-source.md")]

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::support::edits::{help_to_set, listed, replaced_entry, set_in_entry};
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::declaration::{ProviderRefName, RequiredProvider};
use crate::syntax::quoted;

pub(super) struct OverrideDropsProviderSource;

impl Rule for OverrideDropsProviderSource {
    const PAGE: Page = page!("override-drops-provider-source");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for entry in module.required_providers.values() {
            // Of several overrides, the last one counts. It is compared with the base file.
            let base = entry.first();
            let host = module.features.registry_host;
            // An override with another source selects another provider on purpose; one without a source drops it by
            // accident.
            let has_other_address = entry.source.is_none() && entry.address != base.address;
            let lost = lost_aliases(entry, base);
            let summary = match (has_other_address, lost.is_empty()) {
                (true, _) => "Override drops the source of a provider",
                (false, false) => "Override drops configuration aliases",
                (false, true) => continue,
            };
            let mut detail = format!("The override file replaces the whole entry of `{}`.", entry.name);
            if has_other_address {
                let (before, now) = (base.address.display(host), entry.address.display(host));
                detail += &format!(" Without its `source`, the provider is {now} instead of {before}.");
            }
            if !lost.is_empty() {
                let lost = listed(lost.iter().map(SmolStr::as_str));
                detail += &format!(" The module no longer declares {lost} in `configuration_aliases`.");
            }
            replaced_entry(Self::finding(summary), entry)
                .detail(detail)
                .help(help(entry, base, !lost.is_empty(), context))
                .fixed_by(repeated(entry, base, context).map(Fix::on_request))
                .push_to(findings);
        }
    }
}

/// The edits that add the missing arguments to the override.
fn repeated(entry: &RequiredProvider, base: &RequiredProvider, context: &Context<'_>) -> Option<Vec<Edit>> {
    let source = base.source.as_ref().filter(|_| entry.source.is_none()).map(|source| quoted(&source.value));
    let aliases = if lost_aliases(entry, base).is_empty() {
        None
    } else if entry.aliases.is_empty() {
        let aliases: Vec<_> = base.aliases.iter().map(|alias| alias.value.compact()).collect();
        Some(format!("[{}]", aliases.join(", ")))
    } else {
        // If the override has aliases of its own, it is unknown which of the others should go.
        return None;
    };
    let source = source.as_deref().map(|source| ("source", source));
    let aliases = aliases.as_deref().map(|aliases| ("configuration_aliases", aliases));
    set_in_entry(context, entry, source, aliases)
}

/// The arguments to set in the entry of the override.
fn help(
    entry: &RequiredProvider,
    base: &RequiredProvider,
    loses_aliases: bool,
    context: &Context<'_>,
) -> String {
    let source = base.source.as_ref().filter(|_| entry.source.is_none());
    let mut missing: Vec<(&str, String)> =
        source.map(|source| ("source", quoted(&source.value))).into_iter().collect();
    if loses_aliases {
        let is_json = context.file(entry.span.file).is_some_and(|file| file.body.is_json());
        let written = |name: SmolStr| if is_json { quoted(&name) } else { name.to_string() };
        let aliases = base.aliases.iter().chain(&entry.aliases).map(|alias| alias.value.compact());
        let aliases: BTreeSet<SmolStr> = aliases.collect();
        let aliases: Vec<String> = aliases.into_iter().map(written).collect();
        missing.push(("configuration_aliases", format!("[{}]", aliases.join(", "))));
    }
    help_to_set(context, entry, &missing)
}

/// The `configuration_aliases` of the module before the override.
fn lost_aliases(entry: &RequiredProvider, base: &RequiredProvider) -> Vec<SmolStr> {
    let kept: BTreeSet<&ProviderRefName> = entry.aliases.iter().map(|alias| &alias.value).collect();
    let lost = base.aliases.iter().filter(|alias| !kept.contains(&alias.value));
    lost.map(|alias| alias.value.compact()).collect()
}
