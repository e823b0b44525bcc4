//! Finds the blocks that Terraform and OpenTofu both refuse, each for a reason of its own.
//!
//! What one engine alone reports is doubtful where a module may be for the other one. In a block that the other one
//! refuses too, it is not: whichever engine runs the module, it fails there.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{Engine, Product};
use crate::finding::{Category, Finding, Severity};
use crate::module::top_blocks;
use crate::session::parse_cache::ParseCache;
use crate::text::{FileId, Span};

/// The blocks at the top of files, as both products know them.
pub(super) struct TopBlocks<'l> {
    cache: &'l ParseCache,
    files: RefCell<BTreeMap<FileId, Parts>>,
}

/// By where it starts: a part of a block, and the whole of it.
type Parts = BTreeMap<u32, (Span, Span)>;

impl<'l> TopBlocks<'l> {
    pub(super) fn new(cache: &'l ParseCache) -> Self {
        Self { cache, files: RefCell::default() }
    }

    /// The block that a finding is in.
    pub(super) fn of(&self, finding: &Finding) -> Option<Span> {
        let place = finding.primary?;
        let mut files = self.files.borrow_mut();
        let parts = files.entry(place.file).or_insert_with(|| parts(self.cache, place.file));
        let (_, (part, whole)) = parts.range(..=place.start.max(place.end.saturating_sub(1))).next_back()?;
        part.overlaps(place).then_some(*whole)
    }

    /// Whether each of these findings, which one product alone reports, is an error in a block that both refuse.
    pub(super) fn refused_by_both(&self, found: &[(Product, &Finding)]) -> Vec<bool> {
        let is_refusal =
            |finding: &Finding| finding.category == Category::Language && finding.severity == Severity::Error;
        let block = |finding: &Finding| self.of(finding).filter(|_| is_refusal(finding));
        let blocks: Vec<_> = found.iter().map(|(_, finding)| block(finding)).collect();
        let mut refused: [BTreeSet<Span>; Product::ALL.len()] = Default::default();
        for ((product, _), block) in found.iter().zip(&blocks) {
            refused[*product as usize].extend(*block);
        }
        let is_by_both = |block: &Span| refused.iter().all(|blocks| blocks.contains(block));
        blocks.iter().map(|block| block.as_ref().is_some_and(is_by_both)).collect()
    }
}

fn parts(cache: &ParseCache, file: FileId) -> Parts {
    let mut parts = Parts::new();
    let Some(file) = cache.file(file) else { return parts };
    for engine in Product::ALL.map(Engine::newest) {
        for block in top_blocks(&file.body, &engine.features()) {
            let whole = block.header.to(block.body.span());
            // In JSON the labels stand apart from the rest.
            let labels = block.labels.iter().map(|label| label.span);
            for part in labels.filter(|label| !label.overlaps(whole)).chain([whole]) {
                parts.entry(part.start).or_insert((part, whole));
            }
        }
    }
    parts
}
