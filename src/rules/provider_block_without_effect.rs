#![doc = include_str!("../../policies/rules/provider-block-without-effect.md")]

use super::{Context, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::graph::{Configuration, Node};
use crate::module::declaration::ProviderConfiguration;

pub(super) struct ProviderBlockWithoutEffect;

impl Rule for ProviderBlockWithoutEffect {
    const PAGE: Page = page!("provider-block-without-effect");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.complete || node.is_broken() {
            return;
        }
        for block in module.providers.values().filter(|block| !block.config.is_empty()) {
            let Some(key) = Configuration::by(module, block) else { continue };
            let Some(own) = node.own_configuration(&key) else { continue };
            let is_used = || node.uses().may_contain(&key);
            if own.is_random() {
                // One finding for all blocks with the same configuration.
                if std::ptr::eq(own.block, block.as_ref()) && is_used() {
                    findings.push(random(node, &key, &own.effective().collect::<Vec<_>>()));
                }
            } else if !own.has_effect(block) {
                findings.push(dropped(node, &key, block, own.attached()));
            }
        }
    }
}

/// The finding for a block under another local name than that in `required_providers`.
fn dropped(
    node: Node<'_>,
    key: &Configuration,
    block: &ProviderConfiguration,
    attached: Option<&ProviderConfiguration>,
) -> Finding {
    let provider = key.provider.display(node.module().features.registry_host);
    let name = node.local_name(key);
    let instead = match attached {
        Some(_) => format!("use the `provider \"{name}\"` block instead"),
        None => "use an empty configuration instead".to_owned(),
    };
    let finding = ProviderBlockWithoutEffect::finding("Provider block without effect")
        .detail(format!(
            "The local name of {provider} in this module is `{name}`, so Terraform and OpenTofu drop the arguments of a \
             `provider \"{}\"` block and {instead}.",
            block.name
        ))
        .at(block.origin.header())
        .address(format!("provider.{}", block.compact()))
        .concerns(Concern::Provider(block.compact()));
    let required = node.requirements_of(&key.provider).next().map(|entry| entry.value_span);
    let finding = finding.related(required, format!("{provider} is `{name}` here"));
    match attached {
        Some(other) => finding
            .related(other.origin.header(), "takes effect")
            .help(format!("remove this block, or move its arguments to the `provider \"{name}\"` block")),
        None => {
            finding.help(format!("rename the block to `provider \"{name}\"`: its arguments then take effect"))
        }
    }
}

/// The finding for the blocks of a provider with several local names.
fn random(node: Node<'_>, key: &Configuration, blocks: &[&ProviderConfiguration]) -> Finding {
    let provider = key.provider.display(node.module().features.registry_host);
    let mut entries: Vec<_> = node.requirements_of(&key.provider).collect();
    entries.sort_by_key(|entry| entry.span);
    let names: Vec<String> = entries.iter().map(|entry| format!("`{}`", entry.name)).collect();
    let result = if blocks.len() == names.len() {
        "the arguments of one of these blocks take effect, and it is random which"
    } else {
        "it is random whether the arguments of this block take effect"
    };
    // The finding about the two entries proposes the same name.
    let kept = &entries[0].name;
    let finding = ProviderBlockWithoutEffect::finding("Provider block that takes effect at random")
        .detail(format!(
            "{provider} has the local names {} in this module. In each run Terraform and OpenTofu look for a block under \
             one of them: {result}.",
            names.join(" and ")
        ))
        .at(blocks.first().map_or_else(|| entries[0].value_span, |block| block.origin.header()))
        .help(format!("keep only the entry `{kept}`, and use `{kept}` for this provider everywhere in this module"))
        .concerns(Concern::Provider(kept.clone()));
    let others = blocks.iter().skip(1).map(|block| block.origin.header());
    let finding = finding.related_all(others, "takes effect in other runs");
    entries.iter().fold(finding, |finding, entry| {
        finding.related(entry.value_span, format!("required here as `{}`", entry.name))
    })
}
