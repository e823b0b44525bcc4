//! The blocks of a module after all override files, each part with what it replaced.
//!
//! What an override has no effect on is decided where the module is built: `merge` records it in
//! [`Module::dropped`]. Everything else replaces what base files have.

mod history;
mod merging;
mod settings;
mod strings;
mod variable;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::FileKind;
use crate::limits::Limits;
use crate::module::address::{block_address, valid_identifier};
use crate::module::dropped::{Dropped, Why};
use crate::module::merged::merging::Merging;
use crate::module::parts::{Known, Place};
use crate::module::{Module, ModuleFile, top_blocks};
use crate::syntax::{Attribute, Block, Body};
use crate::text::Span;
use crate::value::{Constraint, Value};

pub(crate) use history::lost;
pub use history::{History, Replacement};
pub use strings::Strings;

/// A module after all its override files.
#[derive(Debug)]
pub struct Merged {
    /// What each file gives: primary files first, in the order in which they are read, then override files.
    pub files: Vec<MergedFile>,
    /// What is not among it, by where it is written.
    pub dropped: Vec<Dropped>,
}

/// What a file gives to its module.
#[derive(Debug)]
pub struct MergedFile {
    /// Its name within the directory.
    pub name: SmolStr,
    /// Whether it is an override file.
    pub kind: FileKind,
    /// All that is written in it.
    pub body: Body,
    /// Its blocks in the order of the source; of an override file, those that no primary file has.
    pub blocks: Vec<MergedBlock>,
}

/// A block with what counts in it.
#[derive(Debug)]
pub struct MergedBlock {
    /// Where its header and its layout come from.
    pub block: Arc<Block>,
    /// Its arguments: those of the base in the order of the source, then those that override files bring along.
    pub arguments: Vec<Argument>,
    /// The blocks in it, in the same order.
    pub blocks: Vec<Nested>,
}

/// An argument.
#[derive(Debug)]
pub struct Argument {
    /// The one that counts.
    pub counts: Arc<Attribute>,
    /// Those that it has replaced, the base's first.
    pub before: Vec<Arc<Attribute>>,
    /// What it means, where its text alone would mean something else.
    pub meaning: Option<Meaning>,
}

/// What an argument means to the engine once it is merged.
#[derive(Debug)]
pub enum Meaning {
    /// A default that was converted to the type in the base before it was converted to the one of an override.
    Value(Value),
    /// A type with the defaults of the base: those of an override are never used.
    Type(Constraint),
}

/// A block in a block.
#[derive(Debug)]
pub struct Nested {
    /// The block.
    pub block: MergedBlock,
    /// The blocks that it, and others of its kind behind it, have replaced.
    pub replaces: Vec<Arc<Block>>,
}

/// What is around a module, as far as merging asks for it.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// The modules that its calls lead to, by the name of the call, where they are known.
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

/// Notes which keys of maps are gone because an override file has another map in their place.
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

/// Takes away what only JSON can write, because what it is called is no name; no engine takes it.
fn unnamed(merged: &mut MergedBlock, address: &str, dropped: &mut Vec<Dropped>) {
    let is_unnamed = |argument: &mut Argument| !valid_identifier(&argument.counts.name);
    for argument in merged.arguments.extract_if(.., is_unnamed) {
        dropped.push(Dropped::argument(&argument.counts, address, Why::NotAName));
    }
    for nested in merged.blocks.extract_if(.., |nested| !valid_identifier(&nested.block.block.kind)) {
        dropped.push(Dropped::block(&nested.block.block, address, Why::NotAName));
    }
    merged.blocks.iter_mut().for_each(|nested| unnamed(&mut nested.block, address, dropped));
}

impl MergedFile {
    /// The same file without anything from override files.
    #[must_use]
    pub fn as_written(&self, module: &Module) -> Self {
        let blocks = top_blocks(&self.body, &module.features);
        Self {
            name: self.name.clone(),
            kind: self.kind,
            body: self.body.clone(),
            blocks: blocks.iter().map(|block| whole(block, Place::top(block))).collect(),
        }
    }
}

impl MergedBlock {
    /// The address that people know it by: as [`crate::module::address::block_address`] has it, with the alias of a
    /// provider configuration.
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

    /// Whether override files have a say in it.
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

    /// Whether something stands in the block as it is written.
    pub fn holds(&self, span: Span) -> bool {
        self.block.body.span().overlaps(span)
    }
}

/// A block as it is written.
fn whole(block: &Arc<Block>, place: Place) -> MergedBlock {
    let parts = place.parts(&block.body, &Known::default());
    let nested = |block: &Arc<Block>| Nested::alone(whole(block, place.nested(block)));
    MergedBlock {
        block: Arc::clone(block),
        blocks: parts.blocks.iter().map(nested).collect(),
        arguments: parts.arguments.into_iter().map(Argument::alone).collect(),
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

/// Blocks of one group replace one another: those of one type, and all that configure where the state is kept.
pub(crate) fn group<'b>(parent: &Block, block: &'b Block) -> &'b str {
    match block.makes() {
        "backend" | "cloud" if parent.kind == "terraform" => "backend",
        kind => kind,
    }
}
