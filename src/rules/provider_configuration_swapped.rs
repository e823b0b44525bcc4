#![doc = include_str!("../../policies/rules/provider-configuration-swapped.md")]

use super::{ADVICE, Context, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};
use crate::graph::{Effect, Node, ProviderChange};

pub(super) struct ProviderConfigurationSwapped;

impl Rule for ProviderConfigurationSwapped {
    const PAGE: Page = page!("provider-configuration-swapped");
    const IS_STEADY: bool = false;
    /// The resources of examples and tests are destroyed before the next change.
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let changes = context.provider_changes(node);
        findings
            .extend(changes.filter_map(|change| Some(placed(found(node, change)?, change, node, context))));
    }
}

fn found(node: Node<'_>, change: &ProviderChange) -> Option<Finding> {
    let features = &node.module().features;
    let (product, host) = (features.engine.product.name(), features.registry_host);
    let (number, list) = (change.counted(), change.listed());
    let (before, after) = (&change.before, &change.after);
    let finding = ProviderConfigurationSwapped::finding;
    Some(match &change.effect {
        Effect::OtherProvider(from, to) => {
            let (from, to) = (from.display(host), to.display(host));
            let command = features.engine.product.command();
            finding("Resources move to another provider")
                .detail(format!(
                    "This change moves {number} from {from} to {to}: {list}. The other provider takes over the existing \
                     objects, and the plan may show no change."
                ))
                .help(format!(
                    "keep the source address, or record the new one in each state with `{command} state replace-provider {from} {to}`",
                ))
        }
        Effect::OtherBlock(_) => finding("Resources move to another provider configuration")
            .detail(format!(
                "This change moves {number} from {before} to {after}: {list}. {product} looks for the existing objects with \
                 the new configuration, and plans to create again what it does not find there."
            ))
            .help(KEEP),
        Effect::Empty => finding("Provider configuration removed while resources use it")
            .detail(format!(
                "This change removes {before} from {number}: {list}. {product} uses an empty configuration instead, which \
                 takes its values from the environment."
            ))
            .help("keep the provider block for as long as resources use it"),
        Effect::Random => finding("Provider configuration of resources is chosen at random")
            .detail(format!(
                "After this change, {product} chooses at random between provider blocks for {number} that used {before}: \
                 {list}."
            ))
            .help("keep one local name for the provider in `required_providers`, and one block for each alias"),
        Effect::MayDiffer | Effect::OtherArguments(_) => return None,
    })
}

/// The help for resources that move between provider blocks.
pub(super) const KEEP: &str = "keep the configuration that the resources were created with; to move objects, declare new \
                               resources with the other configuration, and remove the old ones afterwards";

/// Moves a finding to the cause of a change.
pub(super) fn placed(
    finding: Finding,
    change: &ProviderChange,
    node: Node<'_>,
    context: &Context<'_>,
) -> Finding {
    let at = change.at.or_else(|| context.first_block(node.module(), change.file.as_deref()));
    let block = change.block.filter(|block| Some(*block) != at);
    finding
        .concerns(Concern::Provider(change.name.clone()))
        .related(block, "this configuration is used after the change")
        .at(at)
}
