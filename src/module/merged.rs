//! Turns a module and its files back into blocks, as they are after all override files: what counts in each of them,
//! what that has replaced, and what override files say in vain.
//!
//! What counts is not decided here a second time: it is read off the module that `merge` has built.

mod counts;
mod layers;
mod parts;
mod settings;
mod strings;
mod variable;
mod work;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::FileKind;
use crate::limits::Limits;
use crate::module::address::{block_address, valid_identifier};
use crate::module::merged::parts::{Known, Place};
use crate::module::merged::work::Work;
use crate::module::{Module, ModuleFile, top_blocks};
use crate::syntax::{Attribute, Block, Body};
use crate::text::Span;
use crate::value::{Constraint, Value};

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

/// Something that is written in a module and is no part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Where it stands: an argument, or the header of a block.
    pub span: Span,
    /// The name of an argument, or the header of a block with plain labels.
    pub what: String,
    /// The address of the block that it stands in or is about; the same as `what` where that is at the top of a file.
    pub address: String,
    /// Why it is no part.
    pub why: Why,
    /// Of a block that was replaced: what stands in it and in none that has replaced it.
    pub lost: Vec<SmolStr>,
}

/// Why something that is written in a module is no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// An override file has something else in its place, that stands at this span.
    Replaced(Span),
    /// The engine reads it in an override file, and merges it into nothing.
    Ignored,
    /// It is empty, and what is empty replaces nothing.
    Empty,
    /// A list under `ignore_changes` does not replace `all`.
    AllStays,
    /// A `false` does not replace the `true` of `enforced`.
    TrueStays,
    /// The engine refuses it in an override file.
    Refused,
    /// There is nothing in primary files that it could be merged into.
    NoBase,
    /// It is `for_each` beside a `count` of another file, and `count` alone counts.
    CountWins,
    /// The module that is called has no such variable; of a call with an override the engine does not say so.
    UnknownVariable,
    /// Not gone, but without effect on who may call the module: once an override file is merged into a provider block,
    /// the engine takes it for an empty one.
    TakenForEmpty,
    /// It stands in JSON, under what is no name in the native syntax.
    NotAName,
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
    /// Looks at a module and the files that it was built from, in the same order.
    pub fn of(module: &Module, files: &[ModuleFile<'_>], around: &Around<'_>) -> Self {
        let mut work = Work::new(module, files, around);
        let mut merged = Vec::new();
        for kind in [FileKind::Primary, FileKind::Override] {
            for file in files.iter().filter(|file| file.kind == kind) {
                let blocks = top_blocks(file.body, &module.features);
                let blocks = blocks.iter().filter_map(|block| work.block(block, kind)).collect();
                merged.push(MergedFile { name: file.name.into(), kind, body: file.body.clone(), blocks });
            }
        }
        let mut dropped = work.into_dropped();
        for block in merged.iter_mut().flat_map(|file| &mut file.blocks) {
            let address = block.address();
            lost_keys(block, &address, &mut dropped);
            unnamed(block, &address, &mut dropped);
        }
        let order: HashMap<_, _> = merged.iter().map(|file| file.body.span().file).zip(0..).collect();
        dropped.sort_by_key(|dropped| (order.get(&dropped.span.file).copied(), dropped.span));
        dropped.dedup();
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
            dropped.push(Dropped {
                span: key.span().to(value.span),
                what: format!("{}.{name}", argument.counts.name),
                address: address.to_owned(),
                why: Why::Replaced(argument.counts.span),
                lost: Vec::new(),
            });
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

impl Dropped {
    fn argument(attribute: &Attribute, address: &str, why: Why) -> Self {
        let (what, address) = (attribute.name.to_string(), address.to_owned());
        Self { span: attribute.span, what, address, why, lost: Vec::new() }
    }

    fn block(block: &Block, address: &str, why: Why) -> Self {
        Self { span: block.header, what: header(block), address: address.to_owned(), why, lost: Vec::new() }
    }

    /// A block that others have replaced.
    fn replaced(block: &Block, address: &str, by: &Replacing) -> Self {
        let mut lost = names(block);
        // Where another kind of thing has come in its place, nothing else was to be expected.
        let is_alike = by.header.as_ref().is_some_and(|header| *header == self::header(block));
        lost.retain(|name| is_alike && name != "//" && !by.names.contains(name));
        Self { lost, ..Self::block(block, address, Why::Replaced(by.span)) }
    }
}

/// Blocks that replace others.
struct Replacing {
    /// The header of the first.
    span: Span,
    /// Kind and labels, if all have the same.
    header: Option<String>,
    /// The names of all that stands in them.
    names: HashSet<SmolStr>,
}

impl Replacing {
    fn of(blocks: &[&Arc<Block>]) -> Self {
        let first = header(blocks[0]);
        Self {
            span: blocks[0].header,
            names: blocks.iter().flat_map(|block| names(block)).collect(),
            header: blocks.iter().all(|block| header(block) == first).then_some(first),
        }
    }
}

/// The names of all that stands in a block, or in those that a `dynamic` makes.
fn names(block: &Block) -> Vec<SmolStr> {
    if block.kind != "dynamic" {
        return block.body.names();
    }
    block.blocks("content", &[]).iter().flat_map(|content| content.body.names()).collect()
}

/// Kind and labels, as in `provisioner "local-exec"`.
fn header(block: &Block) -> String {
    let labels = block.labels.iter().map(|label| format!("{:?}", label.text.as_str()));
    std::iter::once(block.kind.to_string()).chain(labels).collect::<Vec<_>>().join(" ")
}
