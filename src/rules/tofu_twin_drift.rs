#![doc = include_str!("../../policies/rules/tofu-twin-drift.md")]

use std::collections::BTreeMap;

use super::{Context, Rule};
use crate::engine::{Engine, Product};
use crate::finding::{Concern, Finding};
use crate::graph::Node;
use crate::module::address::block_address;
use crate::policy::Options;
use crate::syntax::{BlockSchema, Body, Schema};
use crate::text::Span;
use crate::vfs::File;

/// What callers and the state see of a file.
const SCHEMA: Schema<'_> = Schema {
    attributes: &[],
    blocks: &[
        BlockSchema::new("variable", &["name"]),
        BlockSchema::new("output", &["name"]),
        BlockSchema::new("resource", &["type", "name"]),
    ],
};

pub(super) struct TofuTwinDrift;

impl Rule for TofuTwinDrift {
    const ID: &'static str = "tofu-twin-drift";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let Some(directory) = context.directory(&node.module().directory) else { return };
        if !directory.files.iter().any(|file| file.name.contains(".tofu")) {
            return;
        }
        for file in &directory.files {
            let Some(twin) = Engine::newest(Product::OpenTofu).hidden_by(&file.name) else { continue };
            let Some(twin) = directory.files.iter().find(|other| other.name == twin) else { continue };
            let (Some(of_terraform), Some(of_tofu)) = (declared(file, context), declared(twin, context))
            else {
                continue;
            };
            lacking(&of_terraform, &of_tofu, &twin.name, findings);
            lacking(&of_tofu, &of_terraform, &file.name, findings);
        }
    }
}

/// What is declared in one file and not in its twin.
fn lacking(
    ours: &BTreeMap<String, Span>,
    theirs: &BTreeMap<String, Span>,
    twin: &str,
    findings: &mut Vec<Finding>,
) {
    for (address, at) in ours.iter().filter(|(address, _)| !theirs.contains_key(*address)) {
        findings.push(
            TofuTwinDrift::finding("Declared in one of two twin files")
                .detail(format!(
                    "OpenTofu reads the `.tofu` file in the place of its twin, so the two engines see different \
                     modules: `{twin}` does not declare `{address}`."
                ))
                .at(*at)
                .help(format!("declare `{address}` in `{twin}` too, or in a file that has no twin"))
                .address(address.clone())
                .concerns(Concern::File(twin.into())),
        );
    }
}

/// What a file declares; nothing is known of one that could not be read whole.
fn declared(file: &File, context: &Context<'_>) -> Option<BTreeMap<String, Span>> {
    let file = context.file(file.id?).filter(|file| file.complete)?;
    Some(addresses(&file.body))
}

fn addresses(body: &Body) -> BTreeMap<String, Span> {
    let (content, _) = body.partial_content(&SCHEMA, &mut Vec::new());
    content.blocks.iter().map(|block| (block_address(block), block.header)).collect()
}
