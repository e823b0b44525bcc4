#![doc = include_str!("../../policies/rules/override-empties-provider-block.md")]

use std::cell::LazyCell;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::{Context, Finding, Node, Page, Rule, page};
use crate::text::Span;

pub(super) struct OverrideEmptiesProviderBlock;

impl Rule for OverrideEmptiesProviderBlock {
    const PAGE: Page = page!("override-empties-provider-block");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let passed = LazyCell::new(|| passed(node));
        let repeated = LazyCell::new(|| repeated(node));
        for provider in node.module().providers.values() {
            let Some(over) = provider.origin.overrides.first() else { continue };
            // With a `version`, the engine treats it as a configuration all the same.
            if provider.config.is_empty() || provider.version.is_some() {
                continue;
            }
            let name = provider.compact();
            let features = &node.module().features;
            let passed = passed.get(&name).copied();
            let (at, message, unsaid) = if let Some(passed) = passed {
                (passed, "another configuration is passed here", "Cannot override provider configuration")
            } else if let Some(repeated) = *repeated {
                (
                    repeated,
                    "a module called this way cannot configure providers",
                    features.summaries.repeated_module,
                )
            } else {
                continue;
            };
            let product = features.engine.product.name();
            let help = match (&provider.alias, passed) {
                (None, Some(_)) => "remove the provider block and its override: the module then uses the \
                                    configuration that its callers pass"
                    .to_owned(),
                (None, None) => {
                    "move the provider block, with the arguments of its override, to the root modules: \
                                 this module then inherits the configuration"
                        .to_owned()
                }
                (Some(_), Some(_)) => {
                    format!(
                        "remove the provider block and its override, and add `{name}` to `configuration_aliases`"
                    )
                }
                (Some(_), None) => format!(
                    "remove the provider block and its override, add `{name}` to `configuration_aliases`, and pass it \
                     in `providers` of every call"
                ),
            };
            Self::finding("Override makes a configured provider look empty")
                .detail(format!(
                    "{product} treats a provider block in a child module as empty as soon as the block has an \
                     override. This hides the error \"{unsaid}\".",
                ))
                .at(over.header)
                .label("hides the configuration")
                .related(provider.origin.header(), "configured here")
                .related(at, message)
                .help(help)
                .address(format!("provider.{name}"))
                .push_to(findings);
        }
    }
}

/// The names under which callers pass configurations, each with the first place.
fn passed(node: Node<'_>) -> HashMap<SmolStr, Span> {
    let mut names = HashMap::new();
    for passed in node.callers().flat_map(|(_, call)| &call.providers) {
        names.entry(passed.in_child.compact()).or_insert(passed.in_child.name_span);
    }
    names
}

/// The argument that repeats or delays a call on any path from a root module to this module.
fn repeated(node: Node<'_>) -> Option<Span> {
    let mut calls = node.above().flat_map(Node::callers);
    calls.find_map(|(caller, call)| call.repeated_or_delayed_by(&caller.module().features))
}
