//! Turns what several engines say of the same modules into one list.
//!
//! What both report is reported once. What one alone reports of a module that is for both is doubtful, so it is a
//! warning that names the engine, unless there is evidence that both are used. That one of them does not know what
//! belongs to the other is not reported. In a block that both refuse, each for a reason of its own, both reasons are
//! errors.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use smol_str::SmolStr;

use crate::check::engines::only_syntax::Foreign;
use crate::check::engines::refused::TopBlocks;
use crate::check::engines::result::EngineResult;
use crate::engine::{Engine, Product};
use crate::finding::{Finding, RuleId, Severity};
use crate::session::parse_cache::ParseCache;
use crate::text::Span;
use crate::vfs::Snapshot;

/// All that the engines report.
#[derive(Default)]
pub(super) struct MergedResults {
    /// Of modules that one product looks at.
    apart: Vec<Finding>,
    /// What both products say, in Terraform's words.
    agreed: Vec<Finding>,
    /// What one alone says of a module that both look at.
    alone: Vec<(Product, Finding)>,
    /// Errors in blocks that both products refuse, each for a reason of its own.
    refused: Vec<(Product, Finding)>,
    /// What some engines say only because they do not know what belongs to the other product.
    foreign: Vec<OwnSyntax>,
}

/// A directory that is written in what belongs to one product alone.
#[derive(Debug)]
pub(super) struct OwnSyntax {
    pub(super) directory: SmolStr,
    pub(super) owner: Product,
    /// The engines that do not understand it: not every version of the other product has to.
    pub(super) strangers: BTreeSet<Engine>,
}

/// What one product says of one rule at one place.
#[derive(Default)]
struct ProductFindings {
    findings: Vec<Finding>,
    /// A number for the words of each: what has no place may be reported thousands of times in other words.
    words: Vec<u64>,
    /// In which versions.
    engines: Vec<Engine>,
}

/// Primary place, rule and module: the first tells most of them apart, and is compared in no time.
type Place = (Option<Span>, RuleId, SmolStr);

/// A number for what a finding says; what says something else rarely has the same.
fn words(finding: &Finding) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&finding.summary, &finding.detail, &finding.address).hash(&mut hasher);
    hasher.finish()
}

impl ProductFindings {
    /// Adds what is not there yet: two versions of one engine report much the same, if at another stage.
    fn add(&mut self, finding: Finding) {
        let words = words(&finding);
        let at = |stage| Finding { stage, ..finding.clone() };
        let known = (0..self.words.len()).find(|known| {
            self.words[*known] == words && self.findings[*known] == at(self.findings[*known].stage)
        });
        if let Some(other) = known.map(|known| &mut self.findings[known]) {
            other.stage = other.stage.min(finding.stage);
        } else {
            self.words.push(words);
            self.findings.push(finding);
        }
    }
}

impl MergedResults {
    /// Listens to all engines, and takes what they found.
    pub(super) fn of(results: &mut [EngineResult], snapshot: &Snapshot, cache: &ParseCache) -> Self {
        let mut merged = Self::default();
        if let [result] = results {
            merged.apart = std::mem::take(&mut result.findings);
            return merged;
        }
        // The directories that each product looks at, and what it says.
        let mut looked: BTreeMap<Product, BTreeSet<&str>> = BTreeMap::new();
        let mut by_place: BTreeMap<Place, [ProductFindings; Product::ALL.len()]> = BTreeMap::new();
        let found: Vec<_> = results.iter_mut().map(|result| std::mem::take(&mut result.findings)).collect();
        let results = &*results;
        for (result, findings) in results.iter().zip(found) {
            let product = result.engine.product;
            looked.entry(product).or_default().extend(result.directories().into_iter().map(SmolStr::as_str));
            for finding in findings {
                let place = (finding.primary, finding.rule.clone(), finding.module.clone());
                let of_product = &mut by_place.entry(place).or_default()[product as usize];
                if !of_product.engines.contains(&result.engine) {
                    of_product.engines.push(result.engine);
                }
                of_product.add(finding);
            }
        }
        let foreign = Foreign::of(results, snapshot);
        let mut unknown: Vec<(Product, Finding, OwnSyntax)> = Vec::new();
        // By module and rule: what one of the engines alone says at its place.
        let mut left: BTreeMap<(SmolStr, RuleId), [Vec<Finding>; 2]> = BTreeMap::new();
        for ((_, rule, directory), [terraform, opentofu]) in by_place {
            let both = looked.len() > 1
                && looked.values().all(|directories| directories.contains(directory.as_str()));
            if !both {
                merged.apart.extend(terraform.findings.into_iter().chain(opentofu.findings));
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
                            unknown.push((product, finding, OwnSyntax { directory, owner, strangers }));
                        }
                        None => left.push(finding),
                    }
                }
            }
        }
        let blocks = TopBlocks::new(cache);
        let of_one_block = |ours: &Finding, theirs: &Finding| are_of_one_block(ours, theirs, &blocks);
        for [terraform, opentofu] in left.into_values() {
            let (agreed, [terraform, opentofu]) = compare(terraform, opentofu, &[&overlap, &of_one_block]);
            merged.agreed.extend(agreed);
            merged.alone.extend(terraform.into_iter().map(|finding| (Product::Terraform, finding)));
            merged.alone.extend(opentofu.into_iter().map(|finding| (Product::OpenTofu, finding)));
        }
        merged.part(unknown, &blocks);
        merged
    }

    /// Takes what lies in blocks that both products refuse out of what one alone reports, and out of what it reports
    /// only because it does not know the syntax of the other one.
    fn part(&mut self, unknown: Vec<(Product, Finding, OwnSyntax)>, blocks: &TopBlocks<'_>) {
        let alone = self.alone.iter().map(|(product, finding)| (*product, finding));
        let found: Vec<_> =
            alone.chain(unknown.iter().map(|(product, finding, _)| (*product, finding))).collect();
        let mut by_both = blocks.refused_by_both(&found).into_iter();
        for ((product, finding), by_both) in std::mem::take(&mut self.alone).into_iter().zip(&mut by_both) {
            let list = if by_both { &mut self.refused } else { &mut self.alone };
            list.push((product, finding));
        }
        for ((product, finding, own), by_both) in unknown.into_iter().zip(by_both) {
            if by_both {
                self.refused.push((product, finding));
            } else {
                self.foreign.push(own);
            }
        }
    }

    /// What is written in what belongs to one product alone, by directory.
    pub(super) fn in_own_syntax(&self) -> BTreeMap<&str, Vec<&OwnSyntax>> {
        let mut directories: BTreeMap<&str, Vec<&OwnSyntax>> = BTreeMap::new();
        for own in &self.foreign {
            directories.entry(&own.directory).or_default().push(own);
        }
        directories
    }

    /// Everything that is worth saying, with the engine where only one of two says so; `positive` tells of a directory
    /// whether there is evidence that both engines are used on it.
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

/// When two findings may be about one thing.
type Same<'f> = &'f dyn Fn(&Finding, &Finding) -> bool;

/// Of what Terraform and OpenTofu say of one rule: what they agree on, in Terraform's words, and what each says alone.
/// They may word it differently, so what is left on both sides is taken for the same where one of `same`, asked in
/// turn, says so.
fn compare(
    terraform: Vec<Finding>,
    opentofu: Vec<Finding>,
    same: &[Same<'_>],
) -> (Vec<Finding>, [Vec<Finding>; 2]) {
    let mut agreed = Vec::new();
    let mut alone = terraform;
    let mut opentofu: Vec<Option<Finding>> = opentofu.into_iter().map(Some).collect();
    // Both mostly say it in the same order, so what is taken is mostly the first.
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
                    // What one of them reports is a finding of the language, though the other lets it through.
                    agreed.push(if other.category < finding.category { other } else { finding });
                } else {
                    alone.push(finding);
                }
            }
        }
    }
    (agreed, [alone, opentofu.into_iter().flatten().collect()])
}

/// Whether two findings are about parts of each other: the engines do not always point at the same part of a thing.
fn overlap(ours: &Finding, theirs: &Finding) -> bool {
    ours.primary.zip(theirs.primary).is_some_and(|(ours, theirs)| ours.overlaps(theirs))
}

/// Whether two findings are about one block, or about the same of their module. The address of a `moved` block and the
/// like is that of all of them.
fn are_of_one_block(ours: &Finding, theirs: &Finding, blocks: &TopBlocks<'_>) -> bool {
    let is_named = || ours.address.contains('.') || blocks.of(ours) == blocks.of(theirs);
    let is_of_module = || ours.concern.is_cause() && ours.concern == theirs.concern;
    ours.address == theirs.address && if ours.address.is_empty() { is_of_module() } else { is_named() }
}
