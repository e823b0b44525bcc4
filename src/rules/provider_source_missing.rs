#![doc = include_str!("../../policies/rules/provider-source-missing.md")]

use super::mend::set_in_entry;
use super::{Context, Rule};
use crate::finding::{Finding, Fix, Safety};
use crate::module::declaration::RequiredProvider;
use crate::policy::Options;
use crate::syntax::quoted;
use crate::tree::Node;

pub(super) struct ProviderSourceMissing;

impl Rule for ProviderSourceMissing {
    const ID: &'static str = "provider-source-missing";
    const FIXES: &'static [Safety] = &[Safety::Safe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let host = node.module().features.registry_host;
        for entry in node.module().required_providers.values() {
            if entry.source.is_some() || entry.address.is_built_in() || lost_by_override(entry) {
                continue;
            }
            let source = entry.address.display(host);
            let edit = set_in_entry(context, entry, "source", &quoted(&source), true);
            findings.push(
                Self::finding("Required provider without a source")
                    .detail(format!(
                        "`{}` is taken for {source}, because no source says otherwise.",
                        entry.name
                    ))
                    .at(entry.span)
                    .help(format!("add the source: source = \"{source}\""))
                    .fixed_by(edit.map(|edit| Fix::safe([edit])))
                    .address(format!("required_providers.{}", entry.name)),
            );
        }
    }
}

/// Whether an override has dropped the source: `override-drops-provider-source` tells that.
fn lost_by_override(entry: &RequiredProvider) -> bool {
    let replaced = std::iter::successors(entry.replaced.as_deref(), |base| base.replaced.as_deref());
    replaced.last().is_some_and(|base| base.address != entry.address)
}
