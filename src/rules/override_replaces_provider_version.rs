#![doc = include_str!("../../policies/rules/override-replaces-provider-version.md")]

use super::support::edits::{argument, replaced_entry, set_in_entry};
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Finding, Fix, Safety};
use crate::module::declaration::{RequiredProvider, VersionConstraint};
use crate::syntax::quoted;

pub(super) struct OverrideReplacesProviderVersion;

impl Rule for OverrideReplacesProviderVersion {
    const PAGE: Page = page!("override-replaces-provider-version");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for entry in module.required_providers.values() {
            let base = entry.first();
            let Some(version) = &base.version else { continue };
            // Versions of different providers cannot be compared.
            if entry.address != base.address {
                continue;
            }
            let provider = entry.address.display(module.features.registry_host);
            let finding = match &entry.version {
                None => dropped(entry, version, context),
                Some(new) if widens(new, version) => Self::finding("Override admits other provider versions")
                    .detail(format!(
                        "The override file replaces {:?} with {:?}, which admits versions of {provider} that the base \
                         file excludes.",
                        version.text.as_str(),
                        new.text.as_str(),
                    ))
                    .help(format!(
                        "write a constraint that admits only versions that meet {:?}, or change the constraint in the \
                         base file",
                        version.text.as_str()
                    )),
                Some(_) => continue,
            };
            findings.push(replaced_entry(finding, entry));
        }
    }
}

fn dropped(entry: &RequiredProvider, version: &VersionConstraint, context: &Context<'_>) -> Finding {
    let text = version.text.as_str();
    let fix = set_in_entry(context, entry, None, Some(("version", &quoted(text))));
    OverrideReplacesProviderVersion::finding("Override drops a provider version constraint")
        .detail(format!(
            "The override file replaces the whole entry of `{}`, so its constraint {text:?} no longer applies.",
            entry.name,
        ))
        .help(format!("add {} to the entry", argument(context, entry.span.file, "version", &quoted(text))))
        .fixed_by(fix.map(Fix::on_request))
}

/// Whether a constraint allows a version that the other one excludes.
fn widens(new: &VersionConstraint, base: &VersionConstraint) -> bool {
    let (Some(new), Some(base)) = (&new.constraints, &base.constraints) else { return false };
    // Prereleases do not form ranges.
    let is_plain = !new.names_prerelease() && !base.names_prerelease();
    is_plain && !new.for_provider().is_within(&base.for_provider())
}
