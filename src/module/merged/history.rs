//! Merges a block with its override blocks and records what each part replaced.
//!
//! An argument replaces an argument, and nested blocks replace all earlier ones of their type, except for block types
//! that are merged with one another. Parts that `merge` dropped are left out.

use std::collections::VecDeque;
use std::slice;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::finding::Finding;
use crate::module::Module;
use crate::module::declaration::Origin;
use crate::module::dropped::{Dropped, Why, header};
use crate::module::merged::{Argument, MergedBlock, Nested, group};
use crate::module::parts::{Known, Parts, Place};
use crate::syntax::{Attribute, Block};
use crate::text::Span;
use crate::value;

/// The merge history of a declaration.
#[derive(Debug)]
pub struct History {
    /// The merged block.
    pub block: MergedBlock,
    /// The replaced nested blocks, in the order of the overrides.
    pub replacements: Vec<Replacement>,
}

/// The nested blocks of one type in an override block, and the blocks that they replaced.
#[derive(Debug)]
pub struct Replacement {
    /// The new blocks, at least one.
    pub by: Vec<Arc<Block>>,
    /// The replaced blocks, at least one.
    pub replaced: Vec<Arc<Block>>,
}

impl Module {
    /// The history of a declaration.
    pub fn history(&self, origin: &Origin) -> History {
        let blocks: Vec<_> = origin.blocks().cloned().collect();
        let mut layers = Layers::new(self, &origin.base);
        let block = layers.merge(&blocks, Place::top(&origin.base), false);
        History { block, replacements: layers.replacements }
    }
}

impl Replacement {
    /// The arguments and nested blocks of the replaced blocks that the new ones do not have.
    pub fn lost(&self) -> Vec<SmolStr> {
        lost(&self.replaced, &all_names(&self.by))
    }

    /// Adds the replaced blocks to a finding about the new ones.
    pub fn related(&self, finding: Finding) -> Finding {
        finding.related_all(self.replaced.iter().map(|block| block.header), "is replaced")
    }

    /// A record for each replaced block, as part of the block with this address.
    pub(super) fn dropped(&self, address: &str) -> impl Iterator<Item = Dropped> {
        let expected = header(&self.by[0]);
        // Nothing is missing if a block of another type, or with other labels, replaces it.
        let is_uniform = self.by.iter().all(|block| header(block) == expected);
        let kept = if is_uniform { all_names(&self.by) } else { HashSet::new() };
        self.replaced.iter().map(move |block| {
            let is_comparable = is_uniform && header(block) == expected;
            Dropped {
                lost: if is_comparable { lost(slice::from_ref(block), &kept) } else { Vec::new() },
                ..Dropped::block(block, address, Why::Replaced).by(Some(self.by[0].header))
            }
        })
    }
}

/// The names in blocks that are not kept.
pub(crate) fn lost(replaced: &[Arc<Block>], kept: &HashSet<SmolStr>) -> Vec<SmolStr> {
    let names = replaced.iter().flat_map(|block| names(block));
    names.filter(|name| name != "//" && !kept.contains(name)).collect()
}

/// The names of all arguments and nested blocks of some blocks.
pub(crate) fn all_names(blocks: &[Arc<Block>]) -> HashSet<SmolStr> {
    blocks.iter().flat_map(|block| names(block)).collect()
}

/// The names of all arguments and nested blocks of a block, or of the blocks that a `dynamic` block makes.
fn names(block: &Block) -> Vec<SmolStr> {
    if block.kind != "dynamic" {
        return block.body.names();
    }
    block.blocks("content", &[]).iter().flat_map(|content| content.body.names()).collect()
}

/// Merges the blocks of one declaration.
pub(super) struct Layers<'m> {
    module: &'m Module,
    /// The body of the top-level base block.
    base: Span,
    pub(super) replacements: Vec<Replacement>,
    /// The arguments that merging dropped.
    pub(super) dropped: Vec<Arc<Attribute>>,
}

impl<'m> Layers<'m> {
    pub(super) fn new(module: &'m Module, base: &Block) -> Self {
        Self { module, base: base.body.span(), replacements: Vec::new(), dropped: Vec::new() }
    }

    /// Merges a base and its overrides, in this order. In `encryption`, blocks are merged at every depth.
    fn merge(&mut self, blocks: &[Arc<Block>], place: Place, in_encryption: bool) -> MergedBlock {
        let known = Known::of(blocks);
        let layers = blocks.iter().map(|block| place.parts(&block.body, &known)).collect();
        self.merge_parts(&blocks[0], layers, place, in_encryption)
    }

    /// Merges the remaining parts of a base and its overrides; `block` is the base.
    pub(super) fn merge_parts(
        &mut self,
        block: &Arc<Block>,
        mut layers: Vec<Parts>,
        place: Place,
        in_encryption: bool,
    ) -> MergedBlock {
        for layer in &mut layers {
            layer.without_dropped(self.module);
        }
        let in_encryption = in_encryption || block.kind == "encryption";
        MergedBlock {
            block: Arc::clone(block),
            arguments: self.arguments(&layers, in_encryption),
            blocks: self.blocks(block, &layers, place, in_encryption),
        }
    }

    fn arguments(&mut self, layers: &[Parts], in_encryption: bool) -> Vec<Argument> {
        let mut places: HashMap<&SmolStr, usize> = HashMap::new();
        let mut written: Vec<Vec<Arc<Attribute>>> = Vec::new();
        for attribute in layers.iter().flat_map(|layer| &layer.arguments) {
            let place = *places.entry(&attribute.name).or_insert(written.len());
            if place == written.len() {
                written.push(Vec::new());
            }
            written[place].push(Arc::clone(attribute));
        }
        written.into_iter().filter_map(|written| self.argument(written, in_encryption)).collect()
    }

    /// Selects the argument in effect among those of one name.
    fn argument(&mut self, mut written: Vec<Arc<Attribute>>, in_encryption: bool) -> Option<Argument> {
        if in_encryption && written[0].name == "enforced" {
            let is_true = |attribute: &Arc<Attribute>| {
                value::constant(&attribute.expr, &mut Vec::new()).as_bool() == Some(true)
            };
            let last = written.iter().rposition(is_true).map_or(written.len(), |at| at + 1);
            self.dropped.extend(written.drain(last..));
        }
        let counts = written.pop().filter(|counts| !self.module.dropped.contains_key(&counts.span))?;
        Some(Argument { counts, before: written, meaning: None })
    }

    fn blocks(&mut self, parent: &Block, layers: &[Parts], place: Place, in_encryption: bool) -> Vec<Nested> {
        let mut merged = Group::default();
        let mut done: HashSet<Span> = HashSet::new();
        let mut twins: Vec<Twins> = layers.iter().map(|layer| twins_of(&layer.blocks)).collect();
        for (number, layer) in layers.iter().enumerate() {
            let mut of_type: HashMap<&str, Vec<Arc<Block>>> = HashMap::new();
            for block in &layer.blocks {
                of_type.entry(group(parent, block)).or_default().push(Arc::clone(block));
            }
            for block in &layer.blocks {
                if done.contains(&block.body.span()) {
                    continue;
                }
                if in_encryption || is_merged(parent, block.makes()) {
                    let mut same = vec![Arc::clone(block)];
                    for later in &mut twins[number + 1..] {
                        same.extend(next_twin(later, block, &done));
                    }
                    done.extend(same.iter().map(|block| block.body.span()));
                    let block = self.merge(&same, place.nested(block), in_encryption);
                    if self.base.overlaps(block.block.body.span()) || !is_empty(&block) {
                        merged.push(parent, Nested::alone(block));
                    }
                } else if number > 0 {
                    let by = of_type.remove(group(parent, block)).unwrap_or_default();
                    done.extend(by.iter().map(|block| block.body.span()));
                    self.replace(&mut merged, parent, by, place);
                } else {
                    merged.push(parent, Nested::alone(MergedBlock::whole(block, place.nested(block))));
                }
            }
        }
        merged.blocks.into_iter().flatten().collect()
    }

    /// Replaces all blocks of one type.
    fn replace(&mut self, merged: &mut Group, parent: &Block, by: Vec<Arc<Block>>, place: Place) {
        let (mut history, mut replaced) = (Vec::new(), Vec::new());
        for number in merged.of_type.remove(group(parent, &by[0])).unwrap_or_default() {
            let Some(mut nested) = merged.blocks[number].take() else { continue };
            history.append(&mut nested.replaces);
            history.push(Arc::clone(&nested.block.block));
            replaced.push(nested.block.block);
        }
        for block in &by {
            let block = MergedBlock::whole(block, place.nested(block));
            merged.push(parent, Nested { block, replaces: std::mem::take(&mut history) });
        }
        if !replaced.is_empty() {
            self.replacements.push(Replacement { by, replaced });
        }
    }
}

/// Whether nested blocks of a type are merged, each with the block of the same labels.
fn is_merged(parent: &Block, kind: &str) -> bool {
    match parent.kind.as_str() {
        "terraform" => ["required_providers", "encryption"].contains(&kind),
        "action" => kind == "config",
        "resource" | "data" | "ephemeral" | "module" => ["lifecycle", "_"].contains(&kind),
        _ => kind == "_",
    }
}

impl Parts {
    /// Removes the parts that the merge dropped. A dropped `for_each` still replaces others.
    pub(super) fn without_dropped(&mut self, module: &Module) {
        if !module.dropped.is_empty() {
            self.arguments.retain(|argument| {
                module.dropped.get(&argument.span).is_none_or(|dropped| dropped.why == Why::CountWins)
            });
            self.blocks.retain(|block| !module.dropped.contains_key(&block.header));
        }
    }
}

/// The nested blocks merged so far.
#[derive(Default)]
struct Group {
    /// The blocks; `None` for a replaced one.
    blocks: Vec<Option<Nested>>,
    /// The indexes of the blocks of each type.
    of_type: HashMap<SmolStr, Vec<usize>>,
}

impl Group {
    fn push(&mut self, parent: &Block, nested: Nested) {
        let kind = SmolStr::new(group(parent, &nested.block.block));
        self.of_type.entry(kind).or_default().push(self.blocks.len());
        self.blocks.push(Some(nested));
    }
}

/// Blocks by type and labels, in order.
type Twins = HashMap<(SmolStr, Vec<SmolStr>), VecDeque<Arc<Block>>>;

fn twins_of(blocks: &[Arc<Block>]) -> Twins {
    let mut twins = Twins::new();
    for block in blocks {
        twins.entry(twin(block)).or_default().push_back(Arc::clone(block));
    }
    twins
}

fn twin(block: &Block) -> (SmolStr, Vec<SmolStr>) {
    (block.kind.clone(), block.labels.iter().map(|label| label.text.clone()).collect())
}

/// Takes the first block with the type and labels of another one that is not merged yet.
fn next_twin(twins: &mut Twins, block: &Block, done: &HashSet<Span>) -> Option<Arc<Block>> {
    let alike = twins.get_mut(&twin(block))?;
    std::iter::from_fn(|| alike.pop_front()).find(|next| !done.contains(&next.body.span()))
}

/// Whether no part of a block is in the module, for example because all of it was refused.
fn is_empty(merged: &MergedBlock) -> bool {
    merged.arguments.is_empty() && merged.blocks.is_empty() && !merged.block.body.is_empty()
}
