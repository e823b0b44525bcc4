#![doc = include_str!("../../policies/rules/provider-block-in-shared-module.md")]

mod above;
mod help;

use hashbrown::HashSet;

use self::above::Above;
use super::{Context, Finding, Page, Rule, page};
use crate::graph::{Configuration, Node, Role};
use crate::module::declaration::ProviderConfiguration;

/// The maximal number of calls in a finding; the others are counted.
const SHOWN: usize = 10;

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
        let above = Above::of(node);
        let calls = &above.calls;
        // Terraform reports blocks under a call with `count`, `for_each` or `depends_on`, and only a call shows that
        // the module is shared.
        if calls.is_empty() || calls.iter().any(|call| call.repeats) {
            return;
        }
        let mentioned = mentioned(node);
        for provider in blocks {
            let is_used = is_used(node, provider, &mentioned);
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
                .help(if is_used { help::of(node, provider, &above) } else { "remove this block".to_owned() })
                .address(format!("provider.{}", provider.compact()));
            findings.push(finding.related_all(calls.iter().take(SHOWN).map(|call| call.at), "called here"));
        }
    }
}

/// The configurations that the module refers to.
fn mentioned(node: Node<'_>) -> HashSet<Configuration> {
    node.provider_mentions().filter_map(|reference| Configuration::named(node.module(), reference)).collect()
}

/// Whether anything in the module may use a configuration.
fn is_used(node: Node<'_>, provider: &ProviderConfiguration, mentioned: &HashSet<Configuration>) -> bool {
    let module = node.module();
    let Some(configuration) = Configuration::by(module, provider) else { return true };
    let is_needed = node.uses().configurations.contains_key(&configuration);
    !module.complete || is_needed || mentioned.contains(&configuration)
}
