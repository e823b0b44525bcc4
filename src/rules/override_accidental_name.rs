#![doc = include_str!("../../policies/rules/override-accidental-name.md")]

use std::collections::BTreeSet;

use super::{Context, Rule};
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
        for (id, blocks) in files {
            let mut orphans = blocks.iter().filter(|block| needs_base(block));
            let Some(first) = orphans.clone().next() else { continue };
            let overrides = |block: &Block| merged.contains(&block.header) || has_local(module, block);
            if orphans.any(|block| overrides(block) || is_misspelt(block)) {
                continue;
            }
            let name = context.file_name(module, id);
            findings.push(
                Self::finding("Name of the file makes it an override file")
                    .detail(format!(
                        "Nothing that `{name}` declares is declared in another file. By its name it is an override file, \
                         and such a file can only change what others declare.",
                    ))
                    .at(first.header)
                    .label("overrides nothing")
                    .help("give the file a name that is not `override` and does not end in `_override`")
                    .concerns(Concern::File(name.into())),
            );
        }
    }
}

/// Whether an override of this kind makes sense only where a normal file declares the same.
fn needs_base(block: &Block) -> bool {
    match block.kind.as_str() {
        "variable" | "locals" | "output" | "module" | "resource" | "data" => true,
        "provider" => block.attribute("alias").is_some(),
        _ => false,
    }
}

/// Whether a normal file declares one of the local values in it.
fn has_local(module: &Module, block: &Block) -> bool {
    let names = if block.kind == "locals" { block.body.names() } else { Vec::new() };
    names.iter().any(|name| module.locals.contains_key(name))
}
