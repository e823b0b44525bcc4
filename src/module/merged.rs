//! The blocks of a module after all override files, each part with the parts that it replaced.
//!
//! `merge` decides which parts of an override have no effect, and records them in [`Module::dropped`]. All other
//! parts replace those of base files.

mod build;
mod history;
mod settings;
mod strings;
mod variable;

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::engine::FileKind;
use crate::limits::Limits;
use crate::module::address::block_address;
use crate::module::dropped::{Dropped, Why};
use crate::module::merged::build::Merging;
use crate::module::parts::{Known, Place};
use crate::module::{Module, ModuleFile, top_blocks};
use crate::syntax::{Attribute, Block, Body};
use crate::text::{Span, is_identifier};
use crate::value::{TypeConstraint, Value};

pub use history::{History, Replacement};
pub(crate) use history::{all_names, lost};
pub use strings::Strings;

/// A module after all its override files.
#[derive(Debug)]
pub struct Merged {
    /// The files: base files first, in load order, then override files.
    pub files: Vec<MergedFile>,
    /// The parts that are not in the merged module, by span.
    pub dropped: Vec<Dropped>,
}

/// The merged content of one file.
#[derive(Debug)]
pub struct MergedFile {
    /// The file name, without the directory.
    pub name: SmolStr,
    /// Whether this is an override file.
    pub kind: FileKind,
    /// The body of the file as written.
    pub body: Body,
    /// Its blocks in source order; for an override file, the blocks that no base file has.
    pub blocks: Vec<MergedBlock>,
}

/// A merged block.
#[derive(Debug)]
pub struct MergedBlock {
    /// The block that provides the header and layout.
    pub block: Arc<Block>,
    /// The arguments: those of the base in source order, then those that only override files have.
    pub arguments: Vec<Argument>,
    /// The nested blocks, in the same order.
    pub blocks: Vec<Nested>,
}

/// An argument.
#[derive(Debug)]
pub struct Argument {
    /// The argument in effect.
    pub counts: Arc<Attribute>,
    /// The arguments that it replaced, the base first.
    pub before: Vec<Arc<Attribute>>,
    /// The effective value, if the text alone would give another one.
    pub meaning: Option<Meaning>,
}

/// The effective value of a merged argument.
#[derive(Debug)]
pub enum Meaning {
    /// A default that was first converted to the type in the base, and then to the type of an override.
    Value(Value),
    /// A type with the defaults of the base: those of an override are never used.
    Type(TypeConstraint),
}

/// A nested block.
#[derive(Debug)]
pub struct Nested {
    /// The block.
    pub block: MergedBlock,
    /// The blocks that it, and the following blocks of its type, replaced.
    pub replaces: Vec<Arc<Block>>,
}

/// The context of a module that merging needs.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// The child modules, by call name, if they are known.
    pub called: BTreeMap<SmolStr, &'a Module>,
    /// Whether another module calls this one.
    pub is_called: bool,
}

impl Merged {
    /// Merges a module from the files that it was built from, in the same order.
    pub fn of(module: &Module, files: &[ModuleFile<'_>], around: &Around<'_>) -> Self {
        let mut merging = Merging::new(module, files, around);
        let mut merged = Vec::new();
        for kind in [FileKind::Primary, FileKind::Override] {
            for file in files.iter().filter(|file| file.kind == kind) {
                let blocks = top_blocks(file.body, &module.features);
                let blocks = blocks.iter().filter_map(|block| merging.top_block(block, kind)).collect();
                merged.push(MergedFile { name: file.name.into(), kind, body: file.body.clone(), blocks });
            }
        }
        let mut dropped = merging.dropped;
        dropped.extend(module.dropped.values().cloned());
        for block in merged.iter_mut().flat_map(|file| &mut file.blocks) {
            let address = block.address();
            lost_keys(block, &address, &mut dropped);
            unnamed(block, &address, &mut dropped);
        }
        let order: HashMap<_, _> = merged.iter().map(|file| file.body.span().file).zip(0..).collect();
        dropped.sort_by_key(|dropped| (order.get(&dropped.span.file).copied(), dropped.span));
        dropped.dedup_by_key(|dropped| (dropped.span, dropped.why));
        Self { files: merged, dropped }
    }
}

/// Records the map keys that are lost because an override file replaces the whole map.
fn lost_keys(merged: &MergedBlock, address: &str, dropped: &mut Vec<Dropped>) {
    for argument in &merged.arguments {
        if argument.before.is_empty() {
            continue;
        }
        let counts = argument.counts.expr.as_map().unwrap_or_default();
        let kept: HashSet<_> = counts.iter().filter_map(|(key, _)| key.keyword()).collect();
        for (key, value) in argument.before.iter().filter_map(|before| before.expr.as_map()).flatten() {
            let Some(name) = key.keyword().filter(|name| !kept.contains(name)) else { continue };
            let (span, what) = (key.span().to(value.span), format!("{}.{name}", argument.counts.name));
            dropped.push(Dropped::part(span, what, address, Why::Replaced).by(Some(argument.counts.span)));
        }
    }
    for nested in &merged.blocks {
        lost_keys(&nested.block, address, dropped);
    }
}

/// Removes items that only JSON can express, because their names are not identifiers; the engine refuses them.
fn unnamed(merged: &mut MergedBlock, address: &str, dropped: &mut Vec<Dropped>) {
    let is_unnamed = |argument: &mut Argument| !is_identifier(&argument.counts.name);
    for argument in merged.arguments.extract_if(.., is_unnamed) {
        dropped.push(Dropped::argument(&argument.counts, address, Why::NotAName));
    }
    for nested in merged.blocks.extract_if(.., |nested| !is_identifier(&nested.block.block.kind)) {
        dropped.push(Dropped::block(&nested.block.block, address, Why::NotAName));
    }
    merged.blocks.iter_mut().for_each(|nested| unnamed(&mut nested.block, address, dropped));
}

impl MergedFile {
    /// The same file without any parts of override files.
    #[must_use]
    pub fn as_written(&self, module: &Module) -> Self {
        let blocks = top_blocks(&self.body, &module.features);
        Self {
            name: self.name.clone(),
            kind: self.kind,
            body: self.body.clone(),
            blocks: blocks.iter().map(MergedBlock::as_written).collect(),
        }
    }
}

impl MergedBlock {
    /// A top-level block as written.
    pub fn as_written(block: &Arc<Block>) -> Self {
        Self::whole(block, Place::top(block))
    }

    fn whole(block: &Arc<Block>, place: Place) -> Self {
        let parts = place.parts(&block.body, &Known::default());
        let nested = |block: &Arc<Block>| Nested::alone(Self::whole(block, place.nested(block)));
        Self {
            block: Arc::clone(block),
            blocks: parts.blocks.iter().map(nested).collect(),
            arguments: parts.arguments.into_iter().map(Argument::alone).collect(),
        }
    }

    /// The address of the block: that of [`crate::module::address::block_address`], with the alias of a provider
    /// configuration.
    pub fn address(&self) -> String {
        let address = block_address(&self.block);
        let alias = self.arguments.iter().find(|argument| argument.counts.name == "alias");
        match alias
            .and_then(|alias| crate::value::text(&alias.counts.expr, &Limits::default(), &mut Vec::new()))
        {
            Some(alias) if self.block.kind == "provider" => format!("{address}.{alias}"),
            Some(_) | None => address,
        }
    }

    /// Whether an override file changes the block.
    pub fn is_changed(&self) -> bool {
        let argument = |argument: &Argument| {
            !self.holds(argument.counts.span) || !argument.before.is_empty() || argument.meaning.is_some()
        };
        let nested = |nested: &Nested| {
            let block = &nested.block;
            !self.holds(block.block.header) || !nested.replaces.is_empty() || block.is_changed()
        };
        self.arguments.iter().any(argument) || self.blocks.iter().any(nested)
    }

    /// Whether the block, as written, contains the span.
    pub fn holds(&self, span: Span) -> bool {
        self.block.body.span().overlaps(span)
    }
}

impl Argument {
    fn alone(counts: Arc<Attribute>) -> Self {
        Self { counts, before: Vec::new(), meaning: None }
    }
}

impl Nested {
    fn alone(block: MergedBlock) -> Self {
        Self { block, replaces: Vec::new() }
    }
}

/// The group of a block: blocks of one group replace one another. These are the blocks of one type, and all blocks
/// that configure the storage of the state.
pub(crate) fn group<'b>(parent: &Block, block: &'b Block) -> &'b str {
    match block.makes() {
        "backend" | "cloud" if parent.kind == "terraform" => "backend",
        kind => kind,
    }
}
