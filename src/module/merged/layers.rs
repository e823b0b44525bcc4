//! Turns a block and those that override files have for it into one block.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::module::Module;
use crate::module::merged::counts::{Counts, Nesting, Subject, why};
use crate::module::merged::parts::{Known, Parts, Place};
use crate::module::merged::{Argument, Dropped, MergedBlock, Nested, whole};
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
        let mut merged: Vec<Argument> = Vec::new();
        let mut seen: Vec<&SmolStr> = Vec::new();
        for name in layers.iter().flat_map(|layer| &layer.parts.arguments).map(|attribute| &attribute.name) {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let of_name = |layer: &Layer| {
                let mut arguments = layer.parts.arguments.iter();
                Some((layer.is_base, Arc::clone(arguments.find(|attribute| attribute.name == *name)?)))
            };
            let written = layers.iter().filter_map(of_name).collect();
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
        let mut merged: Vec<Nested> = Vec::new();
        let mut done: Vec<Arc<Block>> = Vec::new();
        for (number, layer) in layers.iter().enumerate() {
            for block in &layer.parts.blocks {
                if is_among(&done, block) {
                    continue;
                }
                match subject.nested(block.makes()) {
                    Nesting::Merged(subject) => {
                        let mut twins = vec![Arc::clone(block)];
                        for later in &layers[number + 1..] {
                            let is_twin =
                                |other: &&Arc<Block>| is_twin(block, other) && !is_among(&done, other);
                            twins.extend(later.parts.blocks.iter().find(is_twin).cloned());
                        }
                        done.extend(twins.iter().cloned());
                        let block = self.merge(&twins, place.nested(block), subject);
                        merged.extend(
                            (self.is_base(&block.block) || !is_empty(&block)).then_some(Nested::alone(block)),
                        );
                    }
                    Nesting::Base(why) if !layer.is_base => {
                        self.dropped.push(Dropped::block(block, self.address, why));
                    }
                    Nesting::Replaced if number > 0 => {
                        let of_kind = |other: &&Arc<Block>| other.makes() == block.makes();
                        let of_kind: Vec<_> = layer.parts.blocks.iter().filter(of_kind).cloned().collect();
                        let mut replaces = self.replace(&mut merged, &of_kind);
                        for block in &of_kind {
                            let block = whole(block, place.nested(block));
                            merged.push(Nested { block, replaces: std::mem::take(&mut replaces) });
                        }
                        done.extend(of_kind);
                    }
                    Nesting::Base(_) | Nesting::Replaced => {
                        merged.push(Nested::alone(whole(block, place.nested(block))));
                    }
                }
            }
        }
        merged
    }

    /// Takes away all blocks of one kind, and gives them back.
    fn replace(&mut self, merged: &mut Vec<Nested>, by: &[Arc<Block>]) -> Vec<Arc<Block>> {
        let mut replaced = Vec::new();
        for mut nested in merged.extract_if(.., |nested| nested.block.block.makes() == by[0].makes()) {
            let block = nested.block.block;
            self.dropped.push(Dropped::replaced(&block, self.address, by));
            replaced.append(&mut nested.replaces);
            replaced.push(block);
        }
        replaced
    }
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

fn is_among(blocks: &[Arc<Block>], block: &Arc<Block>) -> bool {
    blocks.iter().any(|other| Arc::ptr_eq(other, block))
}

fn is_twin(block: &Block, other: &Block) -> bool {
    let labels = |block: &Block| block.labels.iter().map(|label| label.text.clone()).collect::<Vec<_>>();
    block.kind == other.kind && labels(block) == labels(other)
}
