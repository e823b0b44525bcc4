//! Turns what a check found into what reports print: findings with their severity, their engine and their fingerprint.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::check::location::{in_scope, paths_of, place_of};
use crate::engine::Product;
use crate::finding::{Finding, Severity};
use crate::policy::{Line, Origin};
use crate::text::Sources;

/// What a run came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Sorted by module, file and place.
    pub verdicts: Vec<Verdict>,
    /// What is not reported, because somebody suppressed it; in the same order.
    pub suppressed: Vec<Suppressed>,
    /// How many are not reported, because they are in the baseline.
    pub known: usize,
    /// How many modules were checked.
    pub modules: usize,
    /// How many files were read.
    pub files: usize,
    /// The engines whose rules were applied, as people write them: `terraform@1.11.4`.
    pub engine: String,
}

/// A finding, and what the run makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What was found.
    pub finding: Finding,
    /// How bad it is in this run.
    pub level: Severity,
    /// Who asked for it at that level.
    pub set_by: SetBy,
    /// The engine that alone raises it, where the run asked both.
    pub engine: Option<Product>,
    /// The same for the same fact, wherever it moves and however it is worded.
    pub fingerprint: String,
    /// What it has in common with those whose fingerprint differs in a number alone.
    pub(super) likeness: u128,
    /// If it covers several findings, the fingerprint that each of these would have.
    pub(super) covers: Vec<String>,
}

/// A verdict that is not reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// What was found.
    pub verdict: Verdict,
    /// Why that is all right.
    pub exception: AppliedException,
}

/// Why something may stay as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedException {
    /// In the words of the one who wrote it.
    pub reason: SmolStr,
    /// Whether it stands in a comment beside what it excuses, and not in the policy.
    pub in_source: bool,
}

/// Who asked for a rule at its level.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetBy {
    /// The language: what an engine reports, this program reports.
    Engine,
    /// A line of a policy.
    Policy {
        /// The path of the file from the top of the run.
        file: SmolStr,
        /// Counted from 1.
        line: usize,
    },
    /// A line of a preset.
    Preset {
        /// The file, as people know it.
        file: SmolStr,
        /// Counted from 1.
        line: usize,
    },
}

impl From<Line> for SetBy {
    fn from(Line { file, line, origin }: Line) -> Self {
        match origin {
            Origin::File => Self::Policy { file, line },
            Origin::Preset => Self::Preset { file, line },
        }
    }
}

impl Verdict {
    /// Its fingerprint, or those of the findings that it covers.
    pub(super) fn fingerprints(&self) -> &[String] {
        if self.covers.is_empty() { std::slice::from_ref(&self.fingerprint) } else { &self.covers }
    }

    /// Whether it, or each finding that it covers, is among those with these fingerprints.
    pub(super) fn is_among(&self, existing: &BTreeSet<String>) -> bool {
        self.fingerprints().iter().all(|fingerprint| existing.contains(fingerprint))
    }

    /// Whether it has a place under one of these files and directories; everything does where there are none.
    pub(super) fn reaches(&self, sources: &Sources, scope: &[String]) -> bool {
        let finding = &self.finding;
        let mut places = finding.primary.into_iter().chain(finding.related.iter().map(|place| place.span));
        places.any(|span| paths_of(&finding.module, span.file, sources).any(|path| in_scope(path, scope)))
            || (finding.primary.is_none() && in_scope(place_of(finding, sources), scope))
    }
}
