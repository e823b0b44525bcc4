#![doc = include_str!("../../policies/rules/unused-required-provider.md")]

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
        for entry in module.required_providers.values() {
            // Callers pass the configurations of an entry with aliases; `unused-configuration-alias` checks those.
            if !entry.aliases.is_empty() || is_used(node, entry) || is_in_a_text(node, entry, context) {
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

/// Whether the module or a descendant needs the provider, or would get another version without the entry.
fn is_used(node: Node<'_>, entry: &RequiredProvider) -> bool {
    let module = node.module();
    let graph = node.graph();
    let mut below = graph.below(&[node.id()]).into_iter().filter(|id| *id != node.id());
    node.uses().contain_provider(&entry.address)
        || node.provider_mentions().any(|reference| reference.name == entry.name)
        || module.providers.values().any(|block| block.name == entry.name)
        || module.provider_metas.values().any(|meta| meta.name == entry.name)
        || below.any(|id| {
            let node = graph.node(id);
            let mut required = node.module().required_providers.values();
            required.any(|other| other.address == entry.address)
                || node.uses().contain_provider(&entry.address)
        })
}

/// Whether a file of the module calls a function of the provider.
fn is_in_a_text(node: Node<'_>, entry: &RequiredProvider, context: &Context<'_>) -> bool {
    let prefix = format!("provider::{}::", entry.name);
    let directory = context.directory(&node.module().directory);
    let mut files = directory.into_iter().flat_map(|directory| &directory.files).filter_map(|file| file.id);
    files.any(|id| context.sources().get(id).text().contains(&prefix))
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
