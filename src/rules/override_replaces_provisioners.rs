#![doc = include_str!("../../policies/rules/override-replaces-provisioners.md")]

use std::sync::Arc;

use smol_str::SmolStr;

use super::mend::listed;
use super::{Context, Rule};
use crate::finding::Finding;
use crate::graph::Node;
use crate::module::address::block_address;
use crate::module::declaration::Origin;
use crate::policy::Options;
use crate::syntax::Block;

pub(super) struct OverrideReplacesProvisioners;

impl Rule for OverrideReplacesProvisioners {
    const ID: &'static str = "override-replaces-provisioners";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for resource in node.module().resources.values() {
            let origin = &resource.origin;
            if origin.overrides.is_empty() {
                continue;
            }
            provisioners(origin, findings);
            connections(origin, findings);
        }
    }
}

/// Where an override has fewer of a kind than what it replaces.
fn provisioners(origin: &Origin, findings: &mut Vec<Finding>) {
    let mut earlier: Vec<Arc<Block>> = Vec::new();
    for block in origin.blocks() {
        let later = block.blocks("provisioner", &["type"]);
        let Some(first) = later.first() else { continue };
        let of_kind = |blocks: &[Arc<Block>], one: &Block| {
            blocks.iter().filter(|block| kind(block) == kind(one)).count()
        };
        let lost: Vec<_> =
            earlier.iter().filter(|one| of_kind(&later, one) < of_kind(&earlier, one)).collect();
        if !lost.is_empty() {
            let finding = OverrideReplacesProvisioners::finding("Override replaces all provisioners")
                .detail(
                    "Provisioners are not merged one by one: the provisioners of an override file replace all earlier \
                     provisioners of the resource.",
                )
                .at(first.header)
                .label("replaces all earlier provisioners")
                .help("repeat the provisioners to keep in the override file")
                .address(block_address(&origin.base));
            findings.push(
                lost.into_iter().fold(finding, |finding, lost| finding.related(lost.header, "is replaced")),
            );
        }
        earlier = later;
    }
}

/// Where an override has not all arguments of the connection that it replaces.
fn connections(origin: &Origin, findings: &mut Vec<Finding>) {
    let mut earlier: Option<Arc<Block>> = None;
    for block in origin.blocks() {
        let Some(later) = block.blocks("connection", &[]).into_iter().next() else { continue };
        if let Some(earlier) = &earlier {
            let kept = later.body.names();
            let lost = earlier.body.names().into_iter().filter(|name| !kept.contains(name));
            let lost: Vec<SmolStr> = lost.filter(|name| name != "//").collect();
            if !lost.is_empty() {
                findings.push(
                    OverrideReplacesProvisioners::finding("Override replaces the whole connection")
                        .detail(format!(
                            "The arguments of a connection are not merged one by one, so {} {} no longer set.",
                            listed(lost.iter().map(SmolStr::as_str)),
                            if lost.len() == 1 { "is" } else { "are" },
                        ))
                        .at(later.header)
                        .label("replaces the whole connection")
                        .related(earlier.header, "is replaced")
                        .help("repeat the arguments to keep in the override file")
                        .address(block_address(&origin.base)),
                );
            }
        }
        earlier = Some(later);
    }
}

fn kind(block: &Block) -> Option<&str> {
    block.labels.first().map(|label| label.text.as_str())
}
