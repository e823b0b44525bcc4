//! Finds modules with provider configurations under `count`, `for_each`, `depends_on` or `enabled`, as
//! `validateProviderConfigs` in Terraform's `internal/configs` does.
//!
//! The result depends on all calls above a module. So modules are visited with the set of meta-arguments above them,
//! and only where a module below has provider configurations.

use std::collections::{BTreeMap, BTreeSet};

use super::declarations::Declared;
use crate::finding::{EngineRule, Finding};
use crate::graph::{ModuleGraph, Node, NodeId};
use crate::text::Span;

/// Reports a module with provider configurations under `count`, `for_each`, `depends_on` or `enabled` of any call
/// above it.
pub(in crate::graph) fn repeated(graph: &ModuleGraph, roots: &[NodeId]) -> Vec<Finding> {
    let configured: Vec<bool> =
        graph.nodes().map(|node| !Declared::of(node.module()).configured.is_empty()).collect();
    let mut reaching: BTreeMap<usize, BTreeSet<Option<(Span, usize)>>> = BTreeMap::new();
    let mut next: Vec<(usize, Option<(Span, usize)>)> = roots.iter().map(|root| (root.0, None)).collect();
    let leads = leads_to(graph, &configured);
    while let Some((number, repeated)) = next.pop() {
        if !leads[number] || !reaching.entry(number).or_default().insert(repeated) {
            continue;
        }
        let node = graph.node(NodeId(number));
        for (call, child) in node.child_calls() {
            let here =
                call.repeated_or_delayed_by(&node.module().features).map(|argument| (argument, number));
            next.push((child.id.0, here.or(repeated)));
        }
    }
    let mut findings = Vec::new();
    for (number, ranges) in reaching {
        let node = graph.node(NodeId(number));
        if configured[number] && node.is_called() {
            let finding = incompatible(node);
            findings.extend(ranges.into_iter().flatten().map(|(argument, caller)| {
                let caller = graph.node(NodeId(caller));
                finding.clone().at(argument).module(caller.module().directory.clone())
            }));
        }
    }
    findings
}

/// For each node, whether it or a descendant has provider configurations.
fn leads_to(graph: &ModuleGraph, configured: &[bool]) -> Vec<bool> {
    let mut leads = vec![false; graph.nodes.len()];
    let mut next: Vec<usize> = (0..configured.len()).filter(|number| configured[*number]).collect();
    while let Some(number) = next.pop() {
        if !std::mem::replace(&mut leads[number], true) {
            next.extend(graph.nodes[number].callers.iter().map(|(caller, _)| caller.0));
        }
    }
    leads
}

/// The maximum number of modules above that are searched for configurations of the same name.
const MOST_ABOVE: usize = 50;

/// The maximum number of provider blocks that a finding shows.
const SHOWN: usize = 10;

/// The finding for a module that configures a provider, without the place of the call.
fn incompatible(node: Node<'_>) -> Finding {
    let module = node.module();
    let declared = Declared::of(module);
    let arguments = if module.features.repeated_by_enabled {
        "`count`, `for_each`, `enabled` or `depends_on`"
    } else {
        "`count`, `for_each` or `depends_on`"
    };
    let blocks = declared.configured.values().take(SHOWN).map(|provider| provider.origin.header());
    Finding::language(EngineRule::ProviderBlockInRepeatedModule, module.features.summaries.repeated_module)
        .detail(format!(
            "The module in {:?} configures a provider itself, so calls to it cannot use {arguments}: removing an instance would also remove the provider configuration that is needed to destroy its \
             resources.",
            if module.directory.is_empty() { "." } else { module.directory.as_str() }
        ))
        .label("not allowed for a module that configures a provider")
        .related_all(blocks, "configured here")
        .help(help(node, &declared))
}

/// How to configure the providers in the root module.
fn help(node: Node<'_>, declared: &Declared<'_>) -> String {
    let blocks = if declared.configured.len() == 1 { "the provider block" } else { "the provider blocks" };
    let names: Vec<&str> = declared.configured.keys().map(|name| name.as_str()).collect();
    let above = node.above().skip(1).take(MOST_ABOVE);
    let above: Vec<_> = above.map(|above| Declared::of(above.module()).configured).collect();
    let is_taken = |name: &&str| above.iter().flat_map(BTreeMap::keys).any(|key| key.as_str() == *name);
    let taken: Vec<&str> = names.iter().copied().filter(is_taken).collect();
    let moved = if names.iter().any(|name| name.contains('.')) {
        move_with_aliases(blocks, &names, &taken)
    } else if taken.is_empty() {
        format!(
            "move {blocks} to the root module, and declare the provider with the same `source` in `required_providers` \
             of both modules; the child module then inherits the configuration"
        )
    } else {
        return format!(
            "remove {blocks}, and declare the provider in `required_providers` of the child module, which then inherits the \
             configuration of its caller, or gets another one through `providers` in the call"
        );
    };
    match declared.configured.values().find_map(|provider| node.objects_to_replace(provider)) {
        Some(objects) => format!(
            "{moved}; in the moved block, replace {objects}, or, if these differ between instances, write one `module` \
             block for each, without `count` and `for_each`"
        ),
        None => moved,
    }
}

/// How to move blocks with these names. Modules above configure those in `taken` themselves. A child module inherits
/// default configurations, and aliases must be passed.
fn move_with_aliases(blocks: &str, names: &[&str], taken: &[&str]) -> String {
    let aliases: Vec<&str> = names.iter().copied().filter(|name| name.contains('.')).collect();
    let entry = |name: &&str| match name.split('.').next().filter(|_| taken.contains(name)) {
        Some(provider) => format!("{name} = {provider}.ALIAS"),
        None => format!("{name} = {name}"),
    };
    let entries: Vec<String> = names.iter().map(entry).collect();
    let renamed = if taken.is_empty() {
        String::new()
    } else {
        format!(" with another `alias` (a module above configures `{}` itself)", taken.join("`, `"))
    };
    format!(
        "move {blocks} to the root module{renamed}, declare the provider there with the same `source`, set \
         `configuration_aliases = [{}]` in `required_providers` of the child module and of each module on the way to it, \
         and pass the configuration in every call down to it: `providers = {{ {} }}`",
        aliases.join(", "),
        entries.join(", ")
    )
}
