#![doc = include_str!("../../policies/rules/override-replaces-provisioners.md")]

use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::support::edits::listed;
use super::{Context, Finding, Node, Page, Rule, page};
use crate::module::address::block_address;
use crate::module::merged::Replacement;
use crate::syntax::Block;

pub(super) struct OverrideReplacesProvisioners;

impl Rule for OverrideReplacesProvisioners {
    const PAGE: Page = page!("override-replaces-provisioners");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for origin in module.overridden().filter(|origin| origin.base.kind == "resource") {
            for replacement in module.history(origin).replacements {
                let finding = match replacement.by[0].kind.as_str() {
                    "provisioner" => provisioners(&replacement),
                    "connection" => connection(&replacement),
                    _ => None,
                };
                findings.extend(finding.map(|finding| finding.address(block_address(&origin.base))));
            }
        }
    }
}

/// The finding for an override with fewer provisioners of a type than it replaces.
fn provisioners(replacement: &Replacement) -> Option<Finding> {
    let (by, replaced) = (numbers(&replacement.by), numbers(&replacement.replaced));
    let is_lost = |one: &&Arc<Block>| by.get(&kind(one)) < replaced.get(&kind(one));
    let mut lost = replacement.replaced.iter().filter(is_lost).peekable();
    lost.peek()?;
    let finding = OverrideReplacesProvisioners::finding("Override replaces all provisioners")
        .detail(
            "Provisioners are not merged one by one: the provisioners of an override file replace all earlier \
             provisioners of the resource.",
        )
        .at(replacement.by[0].header)
        .label("replaces all earlier provisioners")
        .help("in the override file, repeat the provisioners to keep");
    Some(finding.related_all(lost.map(|lost| lost.header), "is replaced"))
}

/// The finding for an override without all arguments of the replaced connection.
fn connection(replacement: &Replacement) -> Option<Finding> {
    let lost = replacement.lost();
    if lost.is_empty() {
        return None;
    }
    let finding = OverrideReplacesProvisioners::finding("Override replaces the whole connection")
        .detail(format!(
            "The arguments of a connection are not merged one by one, so {} {} no longer set.",
            listed(lost.iter().map(SmolStr::as_str)),
            if lost.len() == 1 { "is" } else { "are" },
        ))
        .at(replacement.by[0].header)
        .label("replaces the whole connection")
        .help("in the override file, repeat the arguments to keep");
    Some(replacement.related(finding))
}

/// The number of provisioners of each type.
fn numbers(provisioners: &[Arc<Block>]) -> HashMap<Option<&str>, usize> {
    let mut numbers = HashMap::new();
    for provisioner in provisioners {
        *numbers.entry(kind(provisioner)).or_default() += 1;
    }
    numbers
}

fn kind(block: &Block) -> Option<&str> {
    block.labels.first().map(|label| label.text.as_str())
}
