//! Merges the `terraform` blocks of a module: each setting goes to the base block that has it.

use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::engine::{FileKind, RequiredVersion};
use crate::module::dropped::{Dropped, Why};
use crate::module::merged::history::Layers;
use crate::module::merged::{MergedBlock, group};
use crate::module::parts::{Known, Parts, Place};
use crate::module::{Module, ModuleFile, top_blocks};
use crate::syntax::{Attribute, Block};
use crate::text::Span;

const ADDRESS: &str = "terraform";

/// A `terraform` block and its overrides; the parts of the block itself come first.
struct Target {
    block: Arc<Block>,
    layers: Vec<Parts>,
}

/// Merges the `terraform` blocks. The keys are the spans of their bodies. A setting that no base block has goes to
/// the first one; without base blocks, to the first override block.
pub(super) fn merge(
    module: &Module,
    files: &[ModuleFile<'_>],
    dropped: &mut Vec<Dropped>,
) -> HashMap<Span, MergedBlock> {
    let base = blocks(module, files, FileKind::Primary);
    let mut targets: Vec<_> = base.map(|(block, parts)| Target { block, layers: vec![parts] }).collect();
    let homes = homes(&targets);
    let (mut others, mut version) = (Vec::new(), None);
    for (block, mut parts) in blocks(module, files, FileKind::Override) {
        dropped.extend(replaced_storage(module, &mut parts));
        if targets.is_empty() && !(parts.arguments.is_empty() && parts.blocks.is_empty()) {
            targets.push(Target { block: Arc::clone(&block), layers: vec![Parts::default()] });
        }
        let stays = |argument: &mut Arc<Attribute>| !replaces(module, argument);
        let arguments: Vec<_> = parts.arguments.extract_if(.., stays).collect();
        version = parts.arguments.last().map(|version| version.span).or(version);
        share(parts, &homes, &mut targets);
        match targets.first_mut().filter(|target| target.block.header == block.header) {
            Some(target) => target.layers[0].arguments.extend(arguments),
            None => others.push(Target { block, layers: vec![Parts { arguments, blocks: Vec::new() }] }),
        }
    }
    if let Some(by) = version {
        let is_version = |argument: &Arc<Attribute>| argument.name == "required_version";
        let own = targets.iter_mut().map(|target| &mut target.layers[0].arguments);
        let extra = own.filter(|own| own.iter().any(is_version)).skip(1);
        let extra = extra.flat_map(|own| own.extract_if(.., |argument| is_version(argument)));
        dropped.extend(extra.map(|extra| Dropped::argument(&extra, ADDRESS, Why::Replaced).by(Some(by))));
    }
    let all = targets.into_iter().chain(others);
    all.map(|target| (target.block.body.span(), target.merge(module, dropped))).collect()
}

/// The `terraform` blocks in base files or in override files, each with its remaining parts.
fn blocks<'f>(
    module: &'f Module,
    files: &'f [ModuleFile<'_>],
    kind: FileKind,
) -> impl Iterator<Item = (Arc<Block>, Parts)> + 'f {
    let files = files.iter().filter(move |file| file.kind == kind);
    let blocks = files.flat_map(|file| top_blocks(file.body, &module.features));
    blocks.filter(|block| block.kind == "terraform").map(|block| {
        let mut parts = Place::top(&block).parts(&block.body, &Known::default());
        parts.without_dropped(module);
        (block, parts)
    })
}

/// Whether an argument of an override file replaces those of earlier files, rather than adding to them.
fn replaces(module: &Module, argument: &Attribute) -> bool {
    let mut in_force = module.required_versions.iter().map(|version| version.span);
    match module.features.required_version {
        // Where two blocks of one file set it, both apply.
        RequiredVersion::EveryFile => !in_force.skip(1).any(|span| span == argument.span),
        RequiredVersion::TofuFiles => !in_force.any(|span| span == argument.span),
    }
}

/// The target block of each name: the first one that has an argument or block of the name.
fn homes(targets: &[Target]) -> HashMap<SmolStr, usize> {
    let mut homes = HashMap::new();
    for (number, Target { block: parent, layers }) in targets.iter().enumerate() {
        let arguments = layers[0].arguments.iter().map(|argument| argument.name.clone());
        let blocks = layers[0].blocks.iter().map(|block| SmolStr::new(group(parent, block)));
        for name in arguments.chain(blocks) {
            homes.entry(name).or_insert(number);
        }
    }
    homes
}

/// Adds each part of an override block to the block that has a part of its name.
fn share(parts: Parts, homes: &HashMap<SmolStr, usize>, targets: &mut [Target]) {
    let home = |name: &str| homes.get(name).copied().unwrap_or_default();
    for argument in parts.arguments {
        let layers = &mut targets[home(&argument.name)].layers;
        layers.push(Parts { arguments: vec![argument], blocks: Vec::new() });
    }
    for block in parts.blocks {
        let home = home(group(&targets[0].block, &block));
        targets[home].layers.push(Parts { arguments: Vec::new(), blocks: vec![block] });
    }
}

/// Removes the `backend` and `cloud` blocks that a later one replaces.
fn replaced_storage(module: &Module, parts: &mut Parts) -> Vec<Dropped> {
    let Some(storage) = module.storage().map(|storage| storage.block.header) else { return Vec::new() };
    let is_replaced = |block: &mut Arc<Block>| {
        ["backend", "cloud"].contains(&block.kind.as_str()) && block.header != storage
    };
    let replaced = parts.blocks.extract_if(.., is_replaced);
    replaced.map(|block| Dropped::block(&block, ADDRESS, Why::Replaced).by(Some(storage))).collect()
}

impl Target {
    fn merge(self, module: &Module, dropped: &mut Vec<Dropped>) -> MergedBlock {
        let place = Place::top(&self.block);
        let mut layers = Layers::new(module, &self.block);
        let merged = layers.merge_parts(&self.block, self.layers, place, false);
        let stays = layers.dropped.iter().map(|dropped| Dropped::argument(dropped, ADDRESS, Why::TrueStays));
        dropped.extend(stays.chain(layers.replacements.iter().flat_map(|one| one.dropped(ADDRESS))));
        merged
    }
}
