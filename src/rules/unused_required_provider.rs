#![doc = include_str!("../../policies/rules/unused-required-provider.md")]

use std::cell::LazyCell;

use hashbrown::HashSet;

use super::support::edits::{requirements, whole};
use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::module::declaration::RequiredProvider;

pub(super) struct UnusedRequiredProvider;

impl Rule for UnusedRequiredProvider {
    const PAGE: Page = page!("unused-required-provider");
    const ASKS_FOR_ALL_SHARERS: bool = true;
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // An empty module, or one whose files another tool completes, shows nothing.
        let does_something = !module.resources.is_empty() || !module.calls.is_empty();
        let is_known =
            node.uses().complete && !module.has_generated_files && !context.may_have_other_references(module);
        if module.required_providers.is_empty() || !does_something || !is_known {
            return;
        }
        let names = names(node);
        let addresses: HashSet<_> = node.uses().providers().collect();
        let in_texts = LazyCell::new(|| in_texts(node, context));
        for entry in module.required_providers.values() {
            // Callers pass the configurations of an entry with aliases; `unused-configuration-alias` checks those.
            if !entry.aliases.is_empty()
                || names.contains(entry.name.as_str())
                || addresses.contains(&entry.address)
                // Without the entry, the descendant may get another version.
                || node.is_used_below(&entry.address)
                || in_texts.contains(entry.name.as_str())
            {
                continue;
            }
            let provider = entry.address.display(module.features.registry_host);
            Self::finding("Unused required provider")
                .detail(format!(
                    "Neither this module nor a module that it calls uses {provider}.{}",
                    if entry.address.is_built_in() { "" } else { " `init` still installs it." }
                ))
                .at(entry.span)
                .help("remove the entry, unless the state still contains objects of this provider")
                .fixed_by(removed(entry, context).map(Fix::on_request))
                .concerns(Concern::Provider(entry.name.clone()))
                .push_to(findings);
        }
    }
}

/// The local names of the providers that the module itself mentions.
fn names(node: Node<'_>) -> HashSet<&str> {
    let module = node.module();
    let mentioned = node.provider_mentions().map(|reference| reference.name.as_str());
    let configured = module.providers.values().map(|block| block.name.as_str());
    let metas = module.provider_metas.values().map(|meta| meta.name.as_str());
    mentioned.chain(configured).chain(metas).collect()
}

/// The providers whose functions the files of the module call.
fn in_texts<'a>(node: Node<'_>, context: &Context<'a>) -> HashSet<&'a str> {
    let directory = context.directory(&node.module().directory);
    let files = directory.into_iter().flat_map(|directory| &directory.files).filter_map(|file| file.id);
    let texts = files.map(|id| context.sources().get(id).text());
    texts
        .flat_map(|text| text.split("provider::").skip(1))
        .filter_map(|call| Some(call.split_once("::")?.0))
        .collect()
}

/// Removes the entry from all files, and blocks that would become empty.
fn removed(entry: &RequiredProvider, context: &Context<'_>) -> Option<Vec<Edit>> {
    let written = std::iter::successors(Some(entry), |entry| entry.replaced.as_deref());
    let remove = |entry: &RequiredProvider| {
        let (outer, inner) = requirements(context, entry.span)?;
        let span = match (inner.body.items().len(), outer.body.items().len()) {
            (1, 1) => whole(&outer),
            (1, _) => whole(&inner),
            _ => entry.span,
        };
        Some(context.editor(entry.span.file)?.remove(span))
    };
    written.map(remove).collect()
}
