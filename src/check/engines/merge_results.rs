//! Merges the findings of several engines in the same modules.
//!
//! A finding of both products is reported once. A finding of only one product, in a module that is written for both, is
//! a warning that names the product, or an error if there is evidence that both are used. A finding that only says that
//! a product does not know a construct of the other one is dropped. If both products refuse a block for different
//! reasons, both reasons are errors.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use smol_str::SmolStr;

use crate::check::engines::equivalence;
use crate::check::engines::only_syntax::Foreign;
use crate::check::engines::refused::TopBlocks;
use crate::check::engines::result::EngineResult;
use crate::engine::{Engine, Product};
use crate::finding::{Finding, RuleId, Severity};
use crate::session::parse_cache::ParseCache;
use crate::text::Span;
use crate::vfs::Snapshot;

/// The merged findings.
#[derive(Default)]
pub(super) struct MergedResults {
    /// Findings in modules that only one product checks.
    apart: Vec<Finding>,
    /// Findings of both products, in Terraform's words.
    agreed: Vec<Finding>,
    /// Findings of only one product in modules that both check.
    alone: Vec<(Product, Finding)>,
    /// Errors in blocks that both products refuse for different reasons.
    refused: Vec<(Product, Finding)>,
    /// Findings that only say that the engine does not know a construct of the other product.
    foreign: Vec<OwnSyntax>,
}

/// A directory with constructs that only one product has.
#[derive(Debug)]
pub(super) struct OwnSyntax {
    pub(super) directory: SmolStr,
    pub(super) owner: Product,
    /// One of the constructs.
    pub(super) place: Option<Span>,
    /// The engines that do not know the constructs, which may include older versions of the owner.
    pub(super) strangers: BTreeSet<Engine>,
}

/// The findings of one product at one place.
#[derive(Default)]
struct ProductFindings {
    findings: Vec<Finding>,
    /// The hash of each finding's words, because thousands of findings without a location may be at one place.
    words: Vec<u64>,
    /// The engines that report them.
    engines: Vec<Engine>,
}

/// Primary range, rule and module, in this order, because ranges are the cheapest to compare.
type Place = (Option<Span>, RuleId, SmolStr);

/// A hash of the words of a finding.
fn words(finding: &Finding) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&finding.summary, &finding.detail, &finding.address, &finding.related).hash(&mut hasher);
    hasher.finish()
}

impl ProductFindings {
    /// Adds a finding. Two versions of one product may report the same finding at different stages: the earlier one
    /// stays.
    fn add(&mut self, mut finding: Finding) {
        let (words, stage) = (words(&finding), finding.stage);
        for (other, _) in
            self.findings.iter_mut().zip(&self.words).filter(|(_, of_other)| **of_other == words)
        {
            finding.stage = other.stage;
            if *other == finding {
                other.stage = stage.min(other.stage);
                return;
            }
        }
        if self.findings.is_empty() {
            // Most places have one finding. A list that grows has room for four.
            self.findings.reserve_exact(1);
        }
        self.words.push(words);
        self.findings.push(Finding { stage, ..finding });
    }
}

/// Groups the findings of all engines by their locations and by the products that report them.
fn take_by_place(results: &mut [EngineResult]) -> BTreeMap<Place, [ProductFindings; Product::ALL.len()]> {
    let mut by_place: BTreeMap<Place, [ProductFindings; Product::ALL.len()]> = BTreeMap::new();
    for result in results {
        for finding in std::mem::take(&mut result.findings) {
            let place = (finding.primary, finding.rule.clone(), finding.module.clone());
            let of_product = &mut by_place.entry(place).or_default()[result.engine.product as usize];
            if !of_product.engines.contains(&result.engine) {
                of_product.engines.push(result.engine);
            }
            of_product.add(finding);
        }
    }
    by_place
}

impl MergedResults {
    /// Takes the findings of all engines and merges them. `spared` are the directories that an engine skipped, because
    /// it would find the same.
    pub(super) fn of(
        results: &mut [EngineResult],
        spared: &BTreeMap<Engine, BTreeSet<SmolStr>>,
        snapshot: &Snapshot,
        cache: &ParseCache,
    ) -> Self {
        let mut merged = Self::default();
        let is_spared = |directory: &str| spared.values().any(|directories| directories.contains(directory));
        if let [result] = results {
            let findings = std::mem::take(&mut result.findings);
            merged.add_apart(findings, &is_spared);
            return merged;
        }
        let by_place = take_by_place(results);
        let results = &*results;
        // The directories that each product checks.
        let mut checked: BTreeMap<Product, BTreeSet<&str>> = BTreeMap::new();
        for result in results {
            let directories = result.directories().into_iter().map(SmolStr::as_str);
            checked.entry(result.engine.product).or_default().extend(directories);
        }
        let foreign = Foreign::of(results, snapshot);
        let mut unknown: Vec<(Product, Finding, OwnSyntax)> = Vec::new();
        // By module and rule: the findings of only one product.
        let mut left: BTreeMap<(SmolStr, RuleId), [Vec<Finding>; 2]> = BTreeMap::new();
        for ((_, rule, directory), [terraform, opentofu]) in by_place {
            let both = checked.len() > 1
                && checked.values().all(|directories| directories.contains(directory.as_str()));
            if !both {
                let findings = terraform.findings.into_iter().chain(opentofu.findings);
                merged.add_apart(findings, &is_spared);
                continue;
            }
            let engines = [terraform.engines, opentofu.engines];
            let (agreed, alone) = compare(terraform.findings, opentofu.findings, &[&|_, _| true]);
            merged.agreed.extend(agreed);
            let left = left.entry((directory.clone(), rule)).or_default();
            for (((product, strangers), alone), left) in
                Product::ALL.into_iter().zip(engines).zip(alone).zip(left)
            {
                for finding in alone {
                    match foreign.belongs_to_other(product, &finding) {
                        Some(owner) => {
                            let (directory, strangers) =
                                (directory.clone(), strangers.iter().copied().collect());
                            let own = OwnSyntax { directory, owner, place: finding.primary, strangers };
                            unknown.push((product, finding, own));
                        }
                        None => left.push(finding),
                    }
                }
            }
        }
        let blocks = TopBlocks::new(cache);
        let of_one_block = |ours: &Finding, theirs: &Finding| are_of_one_block(ours, theirs, &blocks);
        for [terraform, opentofu] in left.into_values() {
            if terraform.len().saturating_mul(opentofu.len()) > MOST_COMPARED {
                merged.agreed.extend(terraform);
                continue;
            }
            let (agreed, [terraform, opentofu]) = compare(terraform, opentofu, &[&overlap, &of_one_block]);
            merged.agreed.extend(agreed);
            merged.alone.extend(terraform.into_iter().map(|finding| (Product::Terraform, finding)));
            merged.alone.extend(opentofu.into_iter().map(|finding| (Product::OpenTofu, finding)));
        }
        merged.part(unknown, &blocks);
        merged
    }

    /// Adds findings in modules that only one product checks.
    fn add_apart(&mut self, findings: impl IntoIterator<Item = Finding>, is_spared: &dyn Fn(&str) -> bool) {
        for finding in findings {
            if equivalence::is_of_terraform(&finding) && is_spared(&finding.module) {
                self.alone.push((Product::Terraform, finding));
            } else {
                self.apart.push(finding);
            }
        }
    }

    /// Moves findings in blocks that both products refuse from `alone` to `refused`, and findings about constructs of
    /// the other product from `unknown` to `foreign`. A block with a construct of one product is written for it, so what
    /// the other one reports about that construct counts only if the block has constructs of both.
    fn part(&mut self, mut unknown: Vec<(Product, Finding, OwnSyntax)>, blocks: &TopBlocks<'_>) {
        self.alone.extend(blocks.take_unread(&mut unknown));
        let by_both = blocks.refused_by_both(self.alone.iter().map(|(product, finding)| (*product, finding)));
        let is_mixed =
            blocks.refused_by_both(unknown.iter().map(|(product, finding, _)| (*product, finding)));
        for (product, finding) in std::mem::take(&mut self.alone) {
            let mut refused = blocks.refused(&finding).into_iter();
            let is_refused = refused.any(|block| by_both.contains(&block) || is_mixed.contains(&block));
            let list = if is_refused { &mut self.refused } else { &mut self.alone };
            list.push((product, finding));
        }
        for (product, finding, own) in unknown {
            if blocks.refused(&finding).iter().any(|block| is_mixed.contains(block)) {
                self.refused.push((product, finding));
            } else {
                self.foreign.push(own);
            }
        }
    }

    /// The directories with constructs of only one product.
    pub(super) fn in_own_syntax(&self) -> BTreeMap<&str, Vec<&OwnSyntax>> {
        let mut directories: BTreeMap<&str, Vec<&OwnSyntax>> = BTreeMap::new();
        for own in &self.foreign {
            directories.entry(&own.directory).or_default().push(own);
        }
        directories
    }

    /// Returns all findings to report, with the product if only one of two reports it. `positive` says whether there is
    /// evidence that both products are used in a directory.
    pub(super) fn together(self, positive: &dyn Fn(&str) -> bool) -> Vec<(Finding, Option<Product>)> {
        let alone = self.alone.into_iter().map(|(product, finding)| {
            let doubtful = finding.severity == Severity::Error && !positive(&finding.module);
            let severity = if doubtful { Severity::Warning } else { finding.severity };
            (finding.severity(severity), Some(product))
        });
        let refused = self.refused.into_iter().map(|(product, finding)| (finding, Some(product)));
        let by_all = self.apart.into_iter().chain(self.agreed).map(|finding| (finding, None));
        by_all.chain(refused).chain(alone).collect()
    }
}

/// The maximum number of pairs of findings to compare. Where both products report one rule so often in a module, the
/// findings of Terraform represent those of OpenTofu.
const MOST_COMPARED: usize = 1_000_000;

/// Whether two findings may have the same cause.
type Same<'f> = &'f dyn Fn(&Finding, &Finding) -> bool;

/// Pairs the findings of both products that have one rule. Returns those of both, in Terraform's words, and those of
/// only one. The products word some findings differently, so the rest is paired by the functions in `same`, one after
/// the other.
fn compare(
    terraform: Vec<Finding>,
    opentofu: Vec<Finding>,
    same: &[Same<'_>],
) -> (Vec<Finding>, [Vec<Finding>; 2]) {
    let mut agreed = Vec::new();
    let mut alone = terraform;
    let mut opentofu: Vec<Option<Finding>> = opentofu.into_iter().map(Some).collect();
    // Both products mostly report in the same order, so the first candidate mostly fits.
    let mut first = 0;
    let in_same_words = |ours: &Finding, theirs: &Finding| ours.summary == theirs.summary;
    for in_words in [true, false] {
        for may_be_same in same {
            for finding in std::mem::take(&mut alone) {
                let is_twin = |other: &Finding| {
                    may_be_same(&finding, other) && (!in_words || in_same_words(&finding, other))
                };
                let twin = opentofu[first..].iter_mut().find(|other| other.as_ref().is_some_and(is_twin));
                if let Some(other) = twin.and_then(Option::take) {
                    first += opentofu[first..].iter().take_while(|other| other.is_none()).count();
                    // A finding that only one product reports as an error or warning is still an engine finding.
                    agreed.push(if other.category < finding.category { other } else { finding });
                } else {
                    alone.push(finding);
                }
            }
        }
    }
    (agreed, [alone, opentofu.into_iter().flatten().collect()])
}

/// Whether the ranges overlap: the products do not always report the same part of an expression.
fn overlap(ours: &Finding, theirs: &Finding) -> bool {
    ours.primary.zip(theirs.primary).is_some_and(|(ours, theirs)| ours.overlaps(theirs))
}

/// Whether two findings are in one block, or have the same address in a module. All `moved` blocks of a module have one
/// address, and so do similar blocks.
fn are_of_one_block(ours: &Finding, theirs: &Finding, blocks: &TopBlocks<'_>) -> bool {
    let is_unique = || ours.address.contains('.') && !blocks.is_in_test(ours) && !blocks.is_in_test(theirs);
    let is_named = || is_unique() || blocks.of(ours) == blocks.of(theirs);
    let is_of_module = || ours.concern.is_cause() && ours.concern == theirs.concern;
    ours.address == theirs.address && if ours.address.is_empty() { is_of_module() } else { is_named() }
}
