#![doc = include_str!("../../policies/rules/provider-block-in-shared-module.md")]

mod above;
mod help;

use std::collections::BTreeSet;

use super::{Context, Page, Rule, page};
use crate::finding::Finding;
use crate::graph::{Configuration, Node, Role};
use crate::module::declaration::{ModuleCall, ProviderConfiguration};
use crate::text::Span;

/// The maximal number of calls in a finding; the others are counted.
const SHOWN: usize = 10;

#[derive(Default)]
pub(super) struct ProviderBlockInSharedModule;

impl Rule for ProviderBlockInSharedModule {
    const PAGE: Page = page!("provider-block-in-shared-module");
    const ROLES: &'static [Role] = &[Role::Shared];

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        // A block with only a `version` configures nothing.
        let mut blocks = node.configured_providers().filter(|block| !block.config.is_empty()).peekable();
        if blocks.peek().is_none() {
            return;
        }
        let calls = calls_above(node);
        // Terraform reports blocks under a call with `count`, `for_each` or `depends_on`, and only a call shows that
        // the module is shared.
        if calls.is_empty() || calls.iter().any(|call| call.repeats) {
            return;
        }
        for provider in blocks {
            let is_used = is_used(node, provider);
            let mut detail = if is_used {
                "A caller of this module cannot choose another configuration, cannot use `count`, `for_each` or \
                 `depends_on`, and cannot remove the call before its resources are destroyed."
                    .to_owned()
            } else {
                format!(
                    "Nothing in this module uses `{}`, but because of this block a caller cannot use `count`, \
                     `for_each` or `depends_on`.",
                    provider.compact()
                )
            };
            if calls.len() > SHOWN {
                detail += &format!(" {SHOWN} of {} calls are shown.", calls.len());
            }
            let finding = Self::finding("Provider block in a shared module")
                .detail(detail)
                .at(provider.origin.header())
                .help(if is_used { help::of(node, provider) } else { "remove this block".to_owned() })
                .address(format!("provider.{}", provider.compact()));
            findings.push(finding.related_all(calls.iter().take(SHOWN).map(|call| call.at), "called here"));
        }
    }
}

/// A call on a path to a module.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Above {
    /// The number of calls between them.
    distance: usize,
    at: Span,
    repeats: bool,
}

/// The calls of a module, and the calls above it that repeat or delay it; the latter come first.
fn calls_above(node: Node<'_>) -> Vec<Above> {
    let mut seen = BTreeSet::from([node.id()]);
    let mut level = vec![node];
    let mut calls = Vec::new();
    let mut distance = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for (caller, call) in level.iter().flat_map(|node| node.callers()) {
            let repeats = repeats(call);
            if distance == 0 || repeats {
                calls.push(Above { distance, at: call.origin.header(), repeats });
            }
            if seen.insert(caller.id()) {
                next.push(caller);
            }
        }
        level = next;
        distance += 1;
    }
    calls.sort_by(|a, b| b.repeats.cmp(&a.repeats).then_with(|| a.cmp(b)));
    calls.dedup_by_key(|call| call.at);
    calls
}

fn repeats(call: &ModuleCall) -> bool {
    call.count.is_some() || call.for_each.is_some() || call.enabled.is_some() || !call.depends_on.is_empty()
}

/// Whether anything in the module may use an aliased configuration. A default configuration is used by everything
/// that names no other.
fn is_used(node: Node<'_>, provider: &ProviderConfiguration) -> bool {
    let module = node.module();
    let Some(configuration) = Configuration::by(module, provider) else { return true };
    let mut mentions = node.provider_mentions();
    let names_it = |reference| Configuration::named(module, reference).as_ref() == Some(&configuration);
    provider.alias.is_none() || !module.complete || mentions.any(names_it)
}
