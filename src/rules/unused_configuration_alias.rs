#![doc = include_str!("../../policies/rules/unused-configuration-alias.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::policy::Options;
use crate::tree::{Configuration, Node};

pub(super) struct UnusedConfigurationAlias;

impl Rule for UnusedConfigurationAlias {
    const ID: &'static str = "unused-configuration-alias";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let asked = module.required_providers.values().flat_map(|entry| &entry.aliases);
        // A bare name asks for a default configuration, which what is called from elsewhere may inherit.
        let mut asked = asked.filter(|alias| alias.value.alias.is_some()).peekable();
        if asked.peek().is_none() || !module.complete {
            return;
        }
        let used: Vec<Configuration> = node
            .provider_mentions()
            .iter()
            .filter_map(|mention| Configuration::named(module, mention.reference))
            .collect();
        for alias in asked {
            let name = alias.value.compact();
            let configuration = Configuration::of(module, &alias.value.name, alias.value.alias.as_ref());
            if configuration.is_some_and(|configuration| used.contains(&configuration)) {
                continue;
            }
            findings.push(
                Self::finding("Unused configuration alias")
                    .detail(format!(
                        "Every caller has to pass `{name}`, and nothing in this module uses it or passes it on."
                    ))
                    .at(alias.span)
                    .help(format!(
                        "remove it here and `{name}` from `providers` of every call, or set `provider = {name}` \
                         where it is meant"
                    ))
                    .address(format!("required_providers.{}", alias.value.name)),
            );
        }
    }
}
