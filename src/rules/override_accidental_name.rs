#![doc = include_str!("../../policies/rules/override-accidental-name.md")]

use std::collections::BTreeSet;

use super::mend::listed;
use super::{Context, Rule};
use crate::engine::{is_override_file, stem_and_extension};
use crate::finding::{Concern, Finding};
use crate::graph::Node;
use crate::module::Module;
use crate::module::address::block_address;
use crate::policy::Options;
use crate::syntax::Block;
use crate::text::{Span, nearest};

pub(super) struct OverrideAccidentalName;

impl Rule for OverrideAccidentalName {
    const ID: &'static str = "override-accidental-name";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let files = if module.complete { context.override_files(module) } else { Vec::new() };
        if files.is_empty() {
            return;
        }
        let merging = module.overridden().flat_map(|origin| &origin.overrides);
        let merged: BTreeSet<Span> = merging.map(|block| block.header).collect();
        let declared: Vec<String> = module.origins().map(|origin| block_address(&origin.base)).collect();
        // A name that is nearly right was meant to override something.
        let is_misspelt = |block: &Block| {
            let address = block_address(block);
            let Some((kind, name)) = address.rsplit_once('.') else { return false };
            let addresses = declared.iter().filter_map(|address| address.rsplit_once('.'));
            nearest(name, addresses.filter(|(other, _)| *other == kind).map(|(_, name)| name)).is_some()
        };
        let mut reported: BTreeSet<String> = BTreeSet::new();
        for (id, blocks) in files {
            let mut orphans = blocks.iter().filter(|block| needs_base(block));
            let Some(first) = orphans.clone().next() else { continue };
            // Of the settings of a module each can override one in a base file.
            let overrides = |block: &Block| {
                merged.contains(&block.header) || has_local(module, block) || block.kind == "terraform"
            };
            let orphaned: Vec<String> = orphans.clone().flat_map(|block| addresses(block)).collect();
            // Once an earlier file is a base file, this one overrides it.
            if orphaned.iter().all(|address| reported.contains(address)) {
                continue;
            }
            if orphans.any(|block| is_misspelt(block)) || blocks.iter().any(|block| overrides(block)) {
                continue;
            }
            let name = context.file_name(module, id);
            findings.push(
                Self::finding("Name of the file makes it an override file")
                    .detail(format!(
                        "No base file declares {}. The name `{name}` makes this file an override file, and an override \
                         file can only change what base files declare.",
                        listed(orphaned.iter().map(String::as_str)),
                    ))
                    .at(first.header)
                    .label("overrides nothing")
                    .help(rename(name, module, context))
                    .concerns(Concern::File(name.into())),
            );
            reported.extend(orphaned);
        }
    }
}

/// How to rename a file so that it is a base file.
fn rename(name: &str, module: &Module, context: &Context<'_>) -> String {
    let taken = context.names(&module.directory).files;
    let free = stem_and_extension(name)
        .and_then(|(stem, extension)| Some(format!("{}{extension}", stem.strip_suffix("_override")?)))
        .filter(|name| !is_override_file(name) && !taken.contains(name));
    match free {
        Some(free) => format!("rename the file to `{free}`"),
        None => {
            "rename the file so that its name is not `override` and does not end in `_override`".to_owned()
        }
    }
}

/// What a block declares.
fn addresses(block: &Block) -> Vec<String> {
    if block.kind == "locals" {
        block.body.names().iter().filter(|name| *name != "//").map(|name| format!("local.{name}")).collect()
    } else {
        vec![block_address(block)]
    }
}

/// Whether an override of this kind makes sense only where a base file declares the same.
fn needs_base(block: &Block) -> bool {
    match block.kind.as_str() {
        "variable" | "locals" | "output" | "module" | "resource" | "data" => true,
        "provider" => block.attribute("alias").is_some(),
        _ => false,
    }
}

/// whether a base file declares one of the local values in it.
fn has_local(module: &Module, block: &Block) -> bool {
    let names = if block.kind == "locals" { block.body.names() } else { Vec::new() };
    names.iter().any(|name| module.locals.contains_key(name))
}
