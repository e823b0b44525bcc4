//! Finds references to provider aliases that nothing configures, which the engine reports when it builds its graph.
//!
//! Only what is certain is reported: an alias counts as configured if a block of the module has it, if the module asks
//! its callers for it, or if any caller passes it.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::finding::{Concern, EngineRule, Finding};
use crate::graph::{Configuration, Node, Role};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{Action, ModuleCall, PassedProvider, ProviderRef, one_block_each};
use crate::text::nearest;

pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    let mentions = mentions(module);
    // A module for callers that are not known may be passed what it does not ask for.
    let is_certain = module.complete
        && !node.is_called_from_outside()
        && (node.is_called() || node.role() != Role::Shared);
    if mentions.is_empty() || !is_certain {
        return;
    }
    let given = given(node);
    for Mention { reference, address, passed } in mentions {
        let Some(alias) = &reference.alias else { continue };
        // Terraform refuses a key, and OpenTofu looks for an instance.
        if reference.key.is_some() {
            continue;
        }
        let Some(wanted) = wanted(node, reference, passed) else { continue };
        if given.contains(&wanted) || (passed.is_some() && wanted.provider.is_built_in()) {
            continue;
        }
        // What a call passes is looked up by the provider that the called module means.
        if passed.is_some() && module.provider_address(&reference.name).as_ref() != Some(&wanted.provider) {
            continue;
        }
        let summary = match passed {
            Some(_) => format!("missing provider {}", absolute(node, &wanted.provider, alias)),
            None => "Provider configuration not present".to_owned(),
        };
        let name = reference.compact();
        let mut finding = Finding::language(EngineRule::UndefinedProviderAlias, summary)
            .at_validate()
            .detail(if node.is_called() {
                format!(
                    "This module has no provider configuration `{name}`: no `provider` block here has this alias, and no \
                     caller passes one."
                )
            } else {
                format!("This module has no provider configuration `{name}`: no `provider` block has this alias.")
            })
            .at(reference.name_span)
            .address(address)
            .concerns(Concern::Name(reference.compact()));
        let known: Vec<&SmolStr> = given
            .iter()
            .filter(|other| other.provider == wanted.provider)
            .filter_map(|other| other.alias.as_ref())
            .collect();
        for block in module.providers.values().filter(|block| block.name == reference.name) {
            finding = finding.related(block.origin.header(), format!("configures `{}`", block.compact()));
        }
        findings.push(finding.help(help(
            node,
            reference,
            passed.is_some(),
            nearest(alias, known.iter().map(|one| one.as_str())),
        )));
    }
}

/// A reference to a provider configuration, by a resource or an action, or by a call that passes it.
struct Mention<'m> {
    reference: &'m ProviderRef,
    /// Of the block that it stands in.
    address: String,
    passed: Option<(&'m ModuleCall, &'m PassedProvider)>,
}

fn mentions(module: &Module) -> Vec<Mention<'_>> {
    let resources = module.resources.values().filter_map(|resource| {
        let reference = resource.provider_ref.as_ref()?;
        Some(Mention { reference, address: resource.address.to_string(), passed: None })
    });
    let of_action = |action: &Action| format!("action.{}.{}", action.kind, action.name);
    let actions = module.actions.values().filter_map(|action| {
        Some(Mention { reference: action.provider_ref.as_ref()?, address: of_action(action), passed: None })
    });
    let calls = module.calls.values().flat_map(|call| {
        call.providers.iter().map(move |passed| Mention {
            reference: &passed.in_parent,
            address: format!("module.{}", call.name),
            passed: Some((call, passed)),
        })
    });
    let all = resources.chain(actions).chain(calls);
    all.filter(|mention| mention.reference.alias.is_some()).collect()
}

/// The configurations with aliases that a module has, asks for, or is passed.
fn given(node: Node<'_>) -> BTreeSet<Configuration> {
    let module = node.module();
    let blocks = module.providers.values().filter_map(|block| Configuration::by(module, block));
    let asked = module.required_providers.values().flat_map(|entry| {
        entry
            .aliases
            .iter()
            .map(|alias| Configuration { provider: entry.address.clone(), alias: alias.value.alias.clone() })
    });
    let callers = node.callers().flat_map(|(_, call)| &call.providers);
    let passed = callers.filter_map(|passed| Configuration::named(module, &passed.in_child));
    blocks.chain(asked).chain(passed).collect()
}

/// The configuration that a reference needs; none where nobody can tell.
fn wanted(
    node: Node<'_>,
    reference: &ProviderRef,
    passed: Option<(&ModuleCall, &PassedProvider)>,
) -> Option<Configuration> {
    let Some((call, passed)) = passed else { return Configuration::named(node.module(), reference) };
    let child = node.child(&call.name)?;
    let provider = child.module().provider_address(&passed.in_child.name)?;
    Some(Configuration { provider, alias: reference.alias.clone() })
}

/// The address of a provider configuration in a module, by the first way that leads to the module.
fn absolute(node: Node<'_>, provider: &ProviderAddress, alias: &str) -> String {
    let mut seen = BTreeSet::from([node.id()]);
    let mut path = String::new();
    let mut at = node;
    while let Some((caller, call)) = at.callers().next() {
        path = format!("module.{}.{path}", call.name);
        if !seen.insert(caller.id()) {
            break;
        }
        at = caller;
    }
    format!("{path}provider[\"{provider}\"].{alias}")
}

fn help(node: Node<'_>, reference: &ProviderRef, is_passed: bool, meant: Option<&str>) -> String {
    if node.module().reads_value(reference) {
        let argument = if is_passed { "providers" } else { "provider" };
        return one_block_each(argument, &node.module().features);
    }
    let (name, compact) = (&reference.name, reference.compact());
    match meant {
        Some(meant) => format!("did you mean `{name}.{meant}`?"),
        None if node.is_called() => format!(
            "add `configuration_aliases = [{compact}]` to the entry `{name}` of `required_providers`, and pass `{compact}` \
             in every call of this module"
        ),
        None => {
            let alias = reference.alias.as_deref().unwrap_or_default();
            format!("add a `provider \"{name}\"` block with `alias = \"{alias}\"`, or correct the alias")
        }
    }
}
