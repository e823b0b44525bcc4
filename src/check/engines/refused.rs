//! Finds blocks that both Terraform and OpenTofu refuse, for different reasons.
//!
//! A finding of only one product may not concern a module that is written for the other one. If the other one refuses
//! the same block too, it does: the module fails with both.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;

use crate::engine::{Engine, Product};
use crate::finding::{Category, Finding, Severity};
use crate::module::top_blocks;
use crate::session::parse_cache::ParseCache;
use crate::syntax::Block;
use crate::text::{FileId, Span};

/// The top-level blocks of files, as both products read them.
pub(super) struct TopBlocks<'l> {
    cache: &'l ParseCache,
    files: RefCell<BTreeMap<FileId, Parts>>,
}

/// The parts of blocks, by their start.
type Parts = BTreeMap<u32, Part>;

/// A part of a block.
#[derive(Clone, Copy)]
struct Part {
    span: Span,
    /// The whole block.
    block: Span,
    /// Whether the block declares something in a module, so that its address is unique. Blocks of tests do not.
    is_declaration: bool,
}

impl<'l> TopBlocks<'l> {
    pub(super) fn new(cache: &'l ParseCache) -> Self {
        Self { cache, files: RefCell::default() }
    }

    /// Returns the block that a finding is in.
    pub(super) fn of(&self, finding: &Finding) -> Option<Span> {
        self.part(finding.primary?).map(|part| part.block)
    }

    /// Returns whether a finding is in a block of a test, whose address is not unique in the module.
    pub(super) fn is_in_test(&self, finding: &Finding) -> bool {
        finding.primary.and_then(|place| self.part(place)).is_some_and(|part| !part.is_declaration)
    }

    fn part(&self, place: Span) -> Option<Part> {
        let mut files = self.files.borrow_mut();
        let parts = files.entry(place.file).or_insert_with(|| parts(self.cache, place.file));
        let (_, part) = parts.range(..=place.start.max(place.end.saturating_sub(1))).next_back()?;
        part.span.overlaps(place).then_some(*part)
    }

    /// Returns the blocks that a finding refuses, if it is an error of an engine: the one it is in, and those that it
    /// relates to, since the products may report contradictory blocks in different ones.
    pub(super) fn refused(&self, finding: &Finding) -> BTreeSet<Span> {
        if finding.category != Category::Language || finding.severity != Severity::Error {
            return BTreeSet::new();
        }
        let places = finding.primary.into_iter().chain(finding.related.iter().map(|related| related.span));
        places.filter_map(|place| self.part(place)).map(|part| part.block).collect()
    }

    /// Removes findings of one product about constructs that the other one seems to know, in blocks of a type that only
    /// the first one knows, so that the other one does not read them.
    pub(super) fn take_unread<T>(&self, unknown: &mut Vec<(Product, Finding, T)>) -> Vec<(Product, Finding)> {
        let is_header = |finding: &Finding| {
            finding.primary.is_some_and(|at| self.of(finding).is_some_and(|block| block.start == at.start))
        };
        let headers = unknown.iter().filter(|(_, finding, _)| is_header(finding));
        let of_other: HashSet<(Product, Span)> =
            headers.filter_map(|(product, finding, _)| Some((*product, self.of(finding)?))).collect();
        let is_unread = |(product, finding, _): &mut (Product, Finding, T)| {
            let block = self.of(finding);
            let is_of = |other: &Product| block.is_some_and(|block| of_other.contains(&(*other, block)));
            Product::ALL.iter().any(|other| other != product && is_of(other))
        };
        let unread = unknown.extract_if(.., is_unread);
        unread.map(|(product, finding, _)| (product, finding)).collect()
    }

    /// Returns the blocks that both products refuse, by findings of only one product each.
    pub(super) fn refused_by_both<'f>(
        &self,
        found: impl Iterator<Item = (Product, &'f Finding)>,
    ) -> BTreeSet<Span> {
        let mut refused: [BTreeSet<Span>; Product::ALL.len()] = Default::default();
        for (product, finding) in found {
            refused[product as usize].extend(self.refused(finding));
        }
        let [terraform, opentofu] = refused;
        terraform.intersection(&opentofu).copied().collect()
    }
}

fn parts(cache: &ParseCache, file: FileId) -> Parts {
    let mut parts = Parts::new();
    let Some(file) = cache.file(file) else { return parts };
    for engine in Product::ALL.map(Engine::newest) {
        for block in top_blocks(&file.body, &engine.features()) {
            add(&mut parts, &block, true);
        }
    }
    for block in file.body.any_blocks() {
        add(&mut parts, &block, false);
    }
    parts
}

fn add(parts: &mut Parts, of: &Block, is_declaration: bool) {
    let block = of.header.to(of.body.span());
    // In JSON the labels are not next to the body.
    let labels = of.labels.iter().map(|label| label.span);
    for span in labels.filter(|label| !label.overlaps(block)).chain([block]) {
        parts.entry(span.start).or_insert(Part { span, block, is_declaration });
    }
}
