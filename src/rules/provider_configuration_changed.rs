#![doc = include_str!("../../policies/rules/provider-configuration-changed.md")]

use super::provider_configuration_swapped::{KEEP, placed};
use super::{ADVICE, Context, Finding, Page, Role, Rule, page};
use crate::graph::{Effect, Node, ProviderChange, too_many_instances};
use crate::text::joined;

pub(super) struct ProviderConfigurationChanged;

impl Rule for ProviderConfigurationChanged {
    const PAGE: Page = page!("provider-configuration-changed");
    const IS_STEADY: bool = false;
    /// The resources of examples and tests are destroyed before the next change.
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        if context.lacks_provider_changes(node) {
            findings.push(too_many_instances(node.module()));
        }
        let changes = context.provider_changes(node);
        findings
            .extend(changes.filter_map(|change| Some(placed(found(node, change)?, change, node, context))));
    }
}

fn found(node: Node<'_>, change: &ProviderChange) -> Option<Finding> {
    let product = node.module().features.engine.product.name();
    let (number, list) = (change.counted(), change.listed());
    let looks = format!("{product} looks for the existing objects with the new configuration");
    Some(match &change.effect {
        Effect::OtherArguments(differences) => {
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            ProviderConfigurationChanged::finding("Provider configuration of existing resources changes")
                .detail(format!(
                    "In the provider configuration `{}`, {}. It applies to {number}: {list}. {looks}, and plans to create \
                     again what it does not find there.",
                    change.name,
                    joined(&differences)
                ))
                .help("keep the value, and configure an alias with the new value for new resources")
        }
        Effect::MayDiffer => {
            ProviderConfigurationChanged::finding("Resources may move to another provider configuration")
                .detail(format!(
                    "This change moves {number} from {} to {}: {list}. {looks}; whether both manage the same objects depends \
                     on values that are not in these files.",
                    change.before, change.after
                ))
                .help(KEEP)
        }
        Effect::OtherProvider(..) | Effect::OtherBlock(_) | Effect::Empty | Effect::Random => return None,
    })
}
