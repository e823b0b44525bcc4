#![doc = include_str!("../../policies/rules/override-replaces-backend.md")]

use super::{Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::Node;
use crate::module::declaration::Storage;
use crate::policy::Options;

pub(super) struct OverrideReplacesBackend;

impl Rule for OverrideReplacesBackend {
    const ID: &'static str = "override-replaces-backend";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // In a called module the block has no effect, and Terraform and OpenTofu warn about it.
        if node.is_called() {
            return;
        }
        let Some(now) = module.cloud.as_ref().or(module.backend.as_ref()) else { return };
        let earlier =
            || std::iter::successors(now.replaced.as_deref(), |storage| storage.replaced.as_deref());
        let finding = match earlier().find(|storage| storage.kind != now.kind) {
            Some(replaced) => moved(now, replaced),
            None => match earlier().last().and_then(|base| shortened(now, base)) {
                Some(finding) => finding,
                None => return,
            },
        };
        findings.push(
            finding.at(now.block.header).address("terraform").concerns(Concern::Argument("backend".into())),
        );
    }
}

/// The finding where an override keeps the state elsewhere.
fn moved(now: &Storage, replaced: &Storage) -> Finding {
    let one_file = replaced.block.header.file == now.block.header.file;
    let detail = if one_file {
        format!(
            "One override file has {} and {}. The latter counts, in either order.",
            name(replaced),
            name(now)
        )
    } else {
        format!(
            "The base file keeps the state in {}, and the override file in {}. The next `init` asks to migrate it; \
             without a migration, the existing resources are missing from the state.",
            name(replaced),
            name(now),
        )
    };
    OverrideReplacesBackend::finding("Override moves the state to another backend")
        .detail(detail)
        .label("counts")
        .related(replaced.block.header, "is replaced")
        .help("keep the backend, and pass settings that differ with `init -backend-config`")
}

/// The finding where an override of the same backend does not repeat all arguments.
fn shortened(now: &Storage, base: &Storage) -> Option<Finding> {
    let kept = now.block.body.names();
    let lost = base.block.body.names().into_iter().filter(|name| name != "//" && !kept.contains(name));
    let lost: Vec<String> = lost.map(|name| format!("`{name}`")).collect();
    if lost.is_empty() {
        return None;
    }
    let are = if lost.len() == 1 { "is" } else { "are" };
    let finding = OverrideReplacesBackend::finding("Override drops backend arguments")
        .detail(format!(
            "An override replaces the whole block of {}, so {} {are} no longer set.",
            name(now),
            lost.join(", ")
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
        Some(kind) => format!("the backend `{kind}`"),
        None => "`cloud`".to_owned(),
    }
}
