#![doc = include_str!("../../policies/rules/tofu-twin-drift.md")]

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::{Context, Node, Page, Rule, page};
use crate::engine::{Engine, Product};
use crate::finding::{Concern, Finding};
use crate::module::address::block_address;
use crate::syntax::{BlockSchema, Body, Schema};
use crate::text::Span;
use crate::vfs::File;

/// The declarations that callers and the state depend on.
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
    const PAGE: Page = page!("tofu-twin-drift");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let Some(directory) = context.directory(&node.module().directory) else { return };
        if !directory.files.iter().any(|file| file.name.contains(".tofu")) {
            return;
        }
        let all = |product| {
            let files = directory.module_files(Engine::newest(product)).into_iter();
            let declared = files.map(|(file, _)| declared(file, context)).collect::<Option<Vec<_>>>()?;
            Some(declared.into_iter().flat_map(BTreeMap::into_keys).collect::<HashSet<String>>())
        };
        let (Some(all_terraform), Some(all_tofu)) = (all(Product::Terraform), all(Product::OpenTofu)) else {
            return;
        };
        let by_name: HashMap<&str, _> = directory.files.iter().map(|file| (&*file.name, file)).collect();
        for file in &directory.files {
            let Some(twin) = Engine::newest(Product::OpenTofu).hidden_by(&file.name) else { continue };
            let Some(twin) = by_name.get(&*twin).copied() else { continue };
            let (Some(of_terraform), Some(of_tofu)) = (declared(file, context), declared(twin, context))
            else {
                continue;
            };
            let twins = Twins { terraform: &file.name, tofu: &twin.name };
            twins.lacking(&of_terraform, &all_tofu, &twin.name, findings);
            twins.lacking(&of_tofu, &all_terraform, &file.name, findings);
        }
    }
}

/// A `.tf` file and the `.tofu` file that OpenTofu loads instead.
struct Twins<'a> {
    terraform: &'a str,
    tofu: &'a str,
}

impl Twins<'_> {
    /// The declarations in one file that no file of the other product contains.
    fn lacking(
        &self,
        ours: &BTreeMap<String, Span>,
        theirs: &HashSet<String>,
        twin: &str,
        findings: &mut Vec<Finding>,
    ) {
        for (address, at) in ours.iter().filter(|(address, _)| !theirs.contains(*address)) {
            TofuTwinDrift::finding(if twin == self.tofu {
                "Declared in the `.tf` file but not in the `.tofu` file"
            } else {
                "Declared in the `.tofu` file but not in the `.tf` file"
            })
            .detail(format!(
                "OpenTofu reads `{}` instead of `{}`, and `{twin}` does not declare `{address}`. Terraform and \
                 OpenTofu load different modules.",
                self.tofu, self.terraform
            ))
            .at(*at)
            .help(format!("declare `{address}` in `{twin}` too, or move it into a file that both read"))
            .address(address.clone())
            .concerns(Concern::File(twin.into()))
            .push_to(findings);
        }
    }
}

/// The declarations of a file. Returns `None` if it was not understood completely.
fn declared(file: &File, context: &Context<'_>) -> Option<BTreeMap<String, Span>> {
    let file = context.file(file.id?).filter(|file| file.complete)?;
    Some(addresses(&file.body))
}

fn addresses(body: &Body) -> BTreeMap<String, Span> {
    let (content, _) = body.partial_content(&SCHEMA, &mut Vec::new());
    content.blocks.iter().map(|block| (block_address(block), block.header)).collect()
}
