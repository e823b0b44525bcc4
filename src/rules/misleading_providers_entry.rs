#![doc = include_str!("../../policies/rules/misleading-providers-entry.md")]

use std::collections::BTreeMap;

use super::{Context, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::graph::{Configuration, Node, Supply};
use crate::module::declaration::{ModuleCall, PassedProvider, compact_name};

pub(super) struct MisleadingProvidersEntry;

impl Rule for MisleadingProvidersEntry {
    const PAGE: Page = page!("misleading-providers-entry");

    /// Reports one finding per call.
    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for (call, child) in node.child_calls() {
            if node.is_broken() || child.is_broken() || call.providers.is_empty() {
                continue;
            }
            let other =
                call.providers.iter().find_map(|entry| of_other_provider(node, call, child, entry, context));
            findings.extend(other.or_else(|| replaced(node, call, child)));
        }
    }
}

/// An entry whose value is a local name of another provider. Terraform looks up the provider of the key, and reports
/// nothing if this module has it under the name of the key.
fn of_other_provider(
    node: Node<'_>,
    call: &ModuleCall,
    child: Node<'_>,
    entry: &PassedProvider,
    context: &Context<'_>,
) -> Option<Finding> {
    let (module, host) = (node.module(), node.module().features.registry_host);
    let requested = Configuration::passed_by(child.module(), entry)?;
    let named = Configuration::named(module, &entry.in_parent)?;
    let of_left = module.required_providers.get(&entry.in_child.compact())?;
    if named.provider == requested.provider || of_left.address != requested.provider {
        return None;
    }
    let own = node.own_configuration(&requested);
    let is_there = own.is_some()
        || (node.callers().next().is_none() && requested.alias.is_none())
        || node.callers().all(|by| matches!(node.supply(&requested, Some(by)), Supply::Passed(..)));
    // Terraform itself reports a missing configuration.
    if !is_there || (node.callers().next().is_none() && own.is_none() && requested.alias.is_some()) {
        return None;
    }
    let used = compact_name(&node.local_name(&requested), requested.alias.as_deref());
    let written = entry.in_parent.compact();
    let is_repeated =
        |name: &str| module.providers.get(name).is_some_and(|provider| provider.for_each.is_some());
    // OpenTofu itself reports the key of an instance that does not exist.
    if entry.in_parent.key.is_some() && !is_repeated(&written) {
        return None;
    }
    let meant = match &entry.in_parent.key {
        _ if !is_repeated(&used) => format!("write `{} = {used}`", entry.in_child.compact()),
        Some(key) => {
            let key = &context.sources().get(key.span.file).text()[key.span.range()];
            format!("write `{} = {used}[{key}]`", entry.in_child.compact())
        }
        None => format!("write `{} = {used}[…]`, with the key of an instance", entry.in_child.compact()),
    };
    let finding = MisleadingProvidersEntry::finding("Entry passes another provider configuration than it names")
        .detail(format!(
            "`{}` is {} in the child module and `{written}` is {} here. Terraform and OpenTofu pass `{used}` of this \
             module, \
             because they look up the provider of the left side, and do not report the difference.",
            entry.in_child.compact(),
            requested.provider.display(host),
            named.provider.display(host),
        ))
        .at(entry.in_parent.name_span)
        .related(of_left.value_span, format!("`{}` is {} here", of_left.name, requested.provider.display(host)))
        .help(meant)
        .address(format!("module.{}", call.name))
        .concerns(Concern::Provider(entry.in_child.compact()));
    Some(finding.related(own.map(|own| own.block.origin.header()), "this configuration is passed"))
}

/// An entry without effect, because another one passes the same configuration under another local name.
fn replaced(node: Node<'_>, call: &ModuleCall, child: Node<'_>) -> Option<Finding> {
    let mut entries: BTreeMap<Configuration, Vec<&PassedProvider>> = BTreeMap::new();
    for entry in &call.providers {
        entries.entry(Configuration::named(child.module(), &entry.in_child)?).or_default().push(entry);
    }
    let (key, entries) = entries.into_iter().find(|(_, entries)| entries.len() > 1)?;
    let by = node.module().calls.get(&call.name)?;
    let Supply::Passed(used, _) = child.supply(&key, Some((node, by))) else { return None };
    let without_effect = entries.iter().find(|entry| !std::ptr::eq(**entry, used))?;
    let provider = key.provider.display(node.module().features.registry_host);
    Some(
        MisleadingProvidersEntry::finding("Entry of `providers` without effect")
            .detail(format!(
                "`{}` and `{}` are both {provider} in the child module, which has one configuration for them. \
                 Terraform and \
                 OpenTofu use the entry `{} = {}` for both, and do not report it.",
                used.in_child.compact(),
                without_effect.in_child.compact(),
                used.in_child.compact(),
                used.in_parent.compact(),
            ))
            .at(without_effect.in_child.name_span)
            .related(used.in_child.name_span, "this entry is used")
            .help("keep one local name for the provider in the child module, and one entry here")
            .address(format!("module.{}", call.name))
            .concerns(Concern::Provider(without_effect.in_child.compact())),
    )
}
