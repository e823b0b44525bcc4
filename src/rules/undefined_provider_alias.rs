#![doc = include_str!("../../policies/rules/undefined-provider-alias.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::module::declaration::ProviderRef;
use crate::policy::Options;
use crate::text::nearest;
use crate::tree::{Configuration, Node};

pub(super) struct UndefinedProviderAlias;

impl Rule for UndefinedProviderAlias {
    const ID: &'static str = "undefined-provider-alias";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.complete {
            return;
        }
        for mention in node.provider_mentions() {
            let reference = mention.reference;
            let Some(configuration) = Configuration::named(module, reference) else { continue };
            let Some(alias) = &reference.alias else { continue };
            // Of a reference with a key the engine says so itself.
            if reference.key.is_some() {
                continue;
            }
            // What a caller passes and this module does not declare, `undefined-provider-reference` tells.
            if node.declares(&configuration) || is_passed(node, reference) {
                continue;
            }
            let known = declared(node, reference);
            let help = match nearest(alias, known.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean `{}.{meant}`?", reference.name),
                None if node.is_called() => format!(
                    "add `configuration_aliases = [{}]` to the entry of `{}` under `required_providers`, and let \
                     callers pass it",
                    reference.compact(),
                    reference.name
                ),
                None => format!(
                    "write a block `provider \"{}\"` with `alias = \"{alias}\"`, or correct the alias",
                    reference.name
                ),
            };
            findings.push(
                Self::finding("Provider alias without a configuration")
                    .detail(format!(
                        "This module neither configures `{}` nor asks its callers for it.",
                        reference.compact()
                    ))
                    .at(reference.name_span)
                    .help(help)
                    .address(mention.address),
            );
        }
    }
}

/// Whether some call gives the module something under this name.
fn is_passed(node: Node<'_>, reference: &ProviderRef) -> bool {
    let name = reference.compact();
    node.callers().any(|(_, call)| call.providers.iter().any(|passed| passed.in_child.compact() == name))
}

/// The aliases of the provider that the module does declare.
fn declared(node: Node<'_>, reference: &ProviderRef) -> Vec<String> {
    let module = node.module();
    let blocks = module
        .providers
        .values()
        .filter(|provider| provider.name == reference.name)
        .filter_map(|provider| provider.alias.as_ref().map(|alias| alias.value.to_string()));
    let required = module.required_providers.get(&reference.name);
    let aliases = required.into_iter().flat_map(|required| &required.aliases);
    blocks.chain(aliases.filter_map(|alias| alias.value.alias.as_ref().map(ToString::to_string))).collect()
}
