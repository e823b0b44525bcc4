#![doc = include_str!("../../policies/rules/override-replaces-backend.md")]

use std::sync::Arc;

use smol_str::SmolStr;

use super::support::edits::listed;
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::module::declaration::Storage;
use crate::module::merged::{all_names, lost};

pub(super) struct OverrideReplacesBackend;

impl Rule for OverrideReplacesBackend {
    const PAGE: Page = page!("override-replaces-backend");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // In a child module the block has no effect, and Terraform and OpenTofu warn about it.
        if node.is_called() {
            return;
        }
        let Some(now) = module.storage() else { return };
        let earlier =
            || std::iter::successors(now.replaced.as_deref(), |storage| storage.replaced.as_deref());
        let finding = match earlier().find(|storage| storage.kind != now.kind) {
            Some(replaced) => moved(now, replaced),
            None => match earlier().last().and_then(|base| shortened(now, base)) {
                Some(finding) => finding,
                None => return,
            },
        };
        finding
            .at(now.block.header)
            .address("terraform")
            .concerns(Concern::Argument("backend".into()))
            .push_to(findings);
    }
}

/// The finding for an override that moves the state.
fn moved(now: &Storage, replaced: &Storage) -> Finding {
    let finding = OverrideReplacesBackend::finding("Override moves the state to another backend")
        .label("this one counts")
        .related(replaced.block.header, "is replaced");
    let (before, after) = (name(replaced), name(now));
    if replaced.block.header.file == now.block.header.file {
        return finding
            .detail(format!(
                "One override file has both {before} and {after}. Terraform uses {after}, whichever comes first."
            ))
            .help("keep one of the two blocks");
    }
    finding
        .detail(format!(
            "This override replaces {before} with {after}. If the state is in {before}, the next `init` asks to migrate \
             it; without a migration, the existing resources are missing from the state."
        ))
        .help(match replaced.kind {
            Some(_) => format!("remove this block; `init -backend-config` can change settings of {before}"),
            None => "remove this block".to_owned(),
        })
}

/// The finding for an override of the same backend without all arguments of the base.
fn shortened(now: &Storage, base: &Storage) -> Option<Finding> {
    let [base_blocks, new] = [base, now].map(|storage| [Arc::clone(&storage.block)]);
    let lost = lost(&base_blocks, &all_names(&new));
    if lost.is_empty() {
        return None;
    }
    let are = if lost.len() == 1 { "is" } else { "are" };
    let finding = OverrideReplacesBackend::finding("Override drops backend arguments")
        .detail(format!(
            "This override replaces the whole block {}, so {} {are} no longer set.",
            name(now),
            listed(lost.iter().map(SmolStr::as_str))
        ))
        .label("replaces the whole block")
        .related(base.block.header, "is replaced")
        .help(if now.kind.is_some() {
            "repeat these arguments in the override file, or pass them with `init -backend-config`"
        } else {
            "repeat these arguments in the override file"
        });
    Some(finding)
}

fn name(storage: &Storage) -> String {
    match &storage.kind {
        Some(kind) => format!("`backend \"{kind}\"`"),
        None => "`cloud`".to_owned(),
    }
}
