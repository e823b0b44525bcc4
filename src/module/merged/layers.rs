//! Turns a block and those that override files have for it into one block.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::module::Module;
use crate::module::merged::counts::{Counts, Nesting, Subject, why};
use crate::module::merged::parts::{Known, Parts, Place};
use crate::module::merged::{Argument, Dropped, MergedBlock, Nested, Replacing, whole};
use crate::syntax::{Attribute, Block};
use crate::text::Span;
use crate::value;

/// Blocks on the way into one.
pub(super) struct Layers<'a, 'm> {
    module: &'m Module,
    /// The body of the block at the top of the file that is the base of all.
    base: Span,
    /// The address of that block.
    address: &'a str,
    /// Where goes what does not count.
    dropped: &'a mut Vec<Dropped>,
}

impl<'a, 'm> Layers<'a, 'm> {
    pub(super) fn new(
        module: &'m Module,
        base: &Block,
        address: &'a str,
        dropped: &'a mut Vec<Dropped>,
    ) -> Self {
        Self { module, base: base.body.span(), address, dropped }
    }

    /// Merges a base, which comes first, and its overrides, in the order in which they are.
    pub(super) fn merge(&mut self, blocks: &[Arc<Block>], place: Place, subject: Subject<'m>) -> MergedBlock {
        let known = Known::of(blocks);
        let layers: Vec<Layer> = blocks
            .iter()
            .map(|block| Layer { is_base: self.is_base(block), parts: place.parts(&block.body, &known) })
            .collect();
        MergedBlock {
            block: Arc::clone(&blocks[0]),
            arguments: self.arguments(&layers, subject),
            blocks: self.blocks(&layers, place, subject),
        }
    }

    /// Whether a block is the base, or stands in it.
    fn is_base(&self, block: &Block) -> bool {
        self.base.overlaps(block.body.span())
    }

    fn arguments(&mut self, layers: &[Layer], subject: Subject<'m>) -> Vec<Argument> {
        let mut names: Vec<&SmolStr> = Vec::new();
        let mut written: HashMap<&SmolStr, Vec<(bool, Arc<Attribute>)>> = HashMap::new();
        for layer in layers {
            for attribute in &layer.parts.arguments {
                let of_name = written.entry(&attribute.name).or_insert_with(|| {
                    names.push(&attribute.name);
                    Vec::new()
                });
                of_name.push((layer.is_base, Arc::clone(attribute)));
            }
        }
        let mut merged = Vec::with_capacity(names.len());
        for name in names {
            let written = written.remove(name).unwrap_or_default();
            merged.extend(self.argument(written, subject.argument(name, self.module)));
        }
        merged
    }

    /// Of the arguments of one name, each with whether it stands in the base, the one that counts.
    fn argument(&mut self, written: Vec<(bool, Arc<Attribute>)>, counts: Counts) -> Option<Argument> {
        let base = written.first().filter(|(is_base, _)| *is_base).map(|_| 0);
        let mut written: Vec<_> = written.into_iter().map(|(_, attribute)| attribute).collect();
        let taken = match counts {
            Counts::Last => written.len().checked_sub(1),
            Counts::LastTrue => {
                let is_true = |attribute: &Arc<Attribute>| {
                    value::constant(&attribute.expr, &mut Vec::new()).as_bool() == Some(true)
                };
                written.iter().rposition(is_true).or(written.len().checked_sub(1))
            }
            Counts::At(Some(span)) => {
                written.iter().position(|attribute| attribute.span.overlaps(span)).or(base)
            }
            Counts::At(None) | Counts::Base(_) => base,
        };
        for attribute in written.split_off(taken.map_or(0, |taken| taken + 1)) {
            self.dropped.push(Dropped::argument(&attribute, self.address, why(&attribute, counts)));
        }
        Some(Argument { counts: written.pop()?, before: written, meaning: None })
    }

    fn blocks(&mut self, layers: &[Layer], place: Place, subject: Subject<'m>) -> Vec<Nested> {
        let mut merged = Group::default();
        let mut done: HashSet<Span> = HashSet::new();
        let mut twins: Vec<Twins> = layers.iter().map(|layer| twins_of(&layer.parts.blocks)).collect();
        for (number, layer) in layers.iter().enumerate() {
            let mut of_kind: HashMap<&str, Vec<&Arc<Block>>> = HashMap::new();
            for block in &layer.parts.blocks {
                of_kind.entry(block.makes()).or_default().push(block);
            }
            for block in &layer.parts.blocks {
                if done.contains(&block.body.span()) {
                    continue;
                }
                match subject.nested(block.makes()) {
                    Nesting::Merged(subject) => {
                        let mut same = vec![Arc::clone(block)];
                        for later in &mut twins[number + 1..] {
                            same.extend(next_twin(later, block, &done));
                        }
                        done.extend(same.iter().map(|block| block.body.span()));
                        let block = self.merge(&same, place.nested(block), subject);
                        if self.is_base(&block.block) || !is_empty(&block) {
                            merged.push(Nested::alone(block));
                        }
                    }
                    Nesting::Base(why) if !layer.is_base => {
                        self.dropped.push(Dropped::block(block, self.address, why));
                    }
                    Nesting::Replaced if number > 0 => {
                        let new = of_kind.remove(block.makes()).unwrap_or_default();
                        let mut replaces = self.replace(&mut merged, &new);
                        done.extend(new.iter().map(|block| block.body.span()));
                        for block in new {
                            let block = whole(block, place.nested(block));
                            merged.push(Nested { block, replaces: std::mem::take(&mut replaces) });
                        }
                    }
                    Nesting::Base(_) | Nesting::Replaced => {
                        merged.push(Nested::alone(whole(block, place.nested(block))));
                    }
                }
            }
        }
        merged.blocks.into_iter().flatten().collect()
    }

    /// Takes away all blocks of one kind, and gives them back.
    fn replace(&mut self, merged: &mut Group, by: &[&Arc<Block>]) -> Vec<Arc<Block>> {
        let mut replaced = Vec::new();
        let Some(first) = by.first() else { return replaced };
        let by = Replacing::of(by);
        for number in merged.of_kind.remove(first.makes()).unwrap_or_default() {
            let Some(mut nested) = merged.blocks[number].take() else { continue };
            let block = nested.block.block;
            self.dropped.push(Dropped::replaced(&block, self.address, &by));
            replaced.append(&mut nested.replaces);
            replaced.push(block);
        }
        replaced
    }
}

/// The blocks in a block, as far as they are put together.
#[derive(Default)]
struct Group {
    /// None where one was taken away again.
    blocks: Vec<Option<Nested>>,
    /// Where those are that make one kind.
    of_kind: HashMap<SmolStr, Vec<usize>>,
}

impl Group {
    fn push(&mut self, nested: Nested) {
        let kind = SmolStr::new(nested.block.block.makes());
        self.of_kind.entry(kind).or_default().push(self.blocks.len());
        self.blocks.push(Some(nested));
    }
}

/// Blocks by kind and labels, in order.
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

/// The first block of the kind and the labels of another that nothing was done with yet.
fn next_twin(twins: &mut Twins, block: &Block, done: &HashSet<Span>) -> Option<Arc<Block>> {
    let alike = twins.get_mut(&twin(block))?;
    while let Some(next) = alike.pop_front() {
        if !done.contains(&next.body.span()) {
            return Some(next);
        }
    }
    None
}

/// What one of the blocks holds.
struct Layer {
    /// Whether it is the base, or stands in it.
    is_base: bool,
    parts: Parts,
}

/// Whether nothing in a block of an override file counts, as where all of it was refused.
fn is_empty(merged: &MergedBlock) -> bool {
    merged.arguments.is_empty() && merged.blocks.is_empty() && !merged.block.body.is_empty()
}
