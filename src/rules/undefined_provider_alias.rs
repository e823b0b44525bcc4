#![doc = include_str!("../../policies/rules/undefined-provider-alias.md")]

use super::mend::{entry, pass, set_in_entry};
use super::{Context, Rule};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::declaration::ProviderRef;
use crate::policy::Options;
use crate::text::nearest;
use crate::tree::{Configuration, Node, Role};

pub(super) struct UndefinedProviderAlias;

impl Rule for UndefinedProviderAlias {
    const ID: &'static str = "undefined-provider-alias";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
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
            let meant = nearest(alias, known.iter().map(String::as_str));
            let edits = match meant {
                Some(meant) => corrected(reference, alias, meant, context).map(|edit| vec![edit]),
                None => asked_for(node, reference, context),
            };
            let help = match meant {
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
                    .fixed_by(edits.map(Fix::on_request))
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

/// Writes the alias that was meant.
fn corrected(reference: &ProviderRef, alias: &str, meant: &str, context: &Context<'_>) -> Option<Edit> {
    let editor = context.editor(reference.name_span.file)?;
    let behind = editor.behind(reference.name_span).strip_prefix('.')?.strip_prefix(alias)?;
    let is_all = !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    let mut span = reference.name_span.after();
    span.start += 1;
    span.end = span.start + u32::try_from(alias.len()).ok()?;
    is_all.then(|| editor.replace(span, meant))
}

/// Has the module ask its callers for the configuration, and every caller pass its own of that name.
fn asked_for(node: Node<'_>, reference: &ProviderRef, context: &Context<'_>) -> Option<Vec<Edit>> {
    let module = node.module();
    if !node.is_called() && node.role() != Role::Shared {
        return None;
    }
    let name = reference.compact();
    let required = module.required_providers.get(&reference.name)?;
    let declared = match entry(context, required)?.expr.as_map() {
        Some(items) => items
            .into_iter()
            .find(|(key, _)| key.keyword().as_deref() == Some("configuration_aliases"))
            .map(|(_, aliases)| aliases.clone()),
        None => None,
    };
    let mut edits = vec![match declared {
        Some(aliases) => context.editor(aliases.span.file)?.add_item(&aliases, &name, false)?,
        None => set_in_entry(context, required, "configuration_aliases", &format!("[{name}]"), false)?,
    }];
    for (caller, call) in node.callers() {
        let theirs = Configuration::named(caller.module(), reference)?;
        if !caller.declares(&theirs) || theirs.provider != required.address {
            return None;
        }
        edits.push(pass(context, call, &name, &name)?);
    }
    Some(edits)
}
