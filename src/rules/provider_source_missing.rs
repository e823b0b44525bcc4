#![doc = include_str!("../../policies/rules/provider-source-missing.md")]

use super::support::edits::{help_to_set, set_in_entry};
use super::support::provider_source::{Related, Source};
use super::{ADVICE, Configure, Context, Node, Options, Page, Role, Rule, page};
use crate::finding::{Concern, Finding, Fix, Safety};
use crate::module::declaration::RequiredProvider;
use crate::syntax::quoted;

pub(super) struct ProviderSourceMissing {
    /// Whether to report entries for which the default source is right.
    every_provider: bool,
}

impl Configure for ProviderSourceMissing {
    const OPTIONS: &'static [&'static str] = &["every_provider"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { every_provider: options.flag("every_provider")?.unwrap_or_default() })
    }
}

impl Rule for ProviderSourceMissing {
    const PAGE: Page = page!("provider-source-missing");
    const FIXES: &'static [Safety] = &[Safety::Safe, Safety::Unsafe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let host = node.module().features.registry_host;
        let related = Related::to(node);
        for entry in node.module().required_providers.values() {
            if entry.source.is_some() || entry.address.is_built_in() || lost_by_override(entry) {
                continue;
            }
            let (name, assumed) = (&entry.name, entry.address.display(host));
            let source = related.source(name);
            let is_assumed = source.as_ref().is_some_and(|source| source.address == assumed);
            if is_assumed && !self.every_provider {
                continue;
            }
            let finding = Self::finding("Missing provider source")
                .detail(format!(
                    "The entry `{name}` has no `source`, so {} assumes {assumed}.",
                    node.module().features.engine.product.name()
                ))
                .at(entry.span)
                .concerns(Concern::Provider(name.clone()));
            findings.push(match source {
                Some(Source { address, at }) => {
                    let edits = set_in_entry(context, entry, Some(("source", &quoted(&address))), None);
                    // Another source address is another provider.
                    let fix =
                        if address == assumed { edits.map(Fix::safe) } else { edits.map(Fix::on_request) };
                    let help = help_to_set(context, entry, &[("source", quoted(&address))]);
                    let finding = finding.help(help).fixed_by(fix);
                    finding.related(at, format!("`{name}` is {address} here"))
                }
                None => finding.help(format!(
                    "look up the publisher of `{name}` in the registry, and set `source` to its address"
                )),
            });
        }
    }
}

/// Whether an override dropped the source, which `override-drops-provider-source` reports.
fn lost_by_override(entry: &RequiredProvider) -> bool {
    let replaced = std::iter::successors(entry.replaced.as_deref(), |base| base.replaced.as_deref());
    replaced.last().is_some_and(|base| base.address != entry.address)
}
