//! The content of reports: findings with their level, their engine and their fingerprint.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::location::{in_scope, paths_of, place_of};
use crate::engine::{Engine, Product};
use crate::finding::{Finding, Severity};
use crate::graph::ModuleGraph;
use crate::policy::{Line, Origin};
use crate::text::{Sources, Span};

/// The result of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Sorted by module, file and place.
    pub verdicts: Vec<Verdict>,
    /// Findings that an exception or a comment suppresses, in the same order.
    pub suppressed: Vec<Suppressed>,
    /// The number of findings that are not reported because they existed before: in the baseline or before a change.
    pub known: usize,
    /// The number of checked modules.
    pub modules: usize,
    /// The number of their files.
    pub files: usize,
    /// With [`Settings::installed`](crate::check::Settings::installed): each call of a module from another repository, by
    /// directory and name, and whether an installed module was found for it.
    pub installed: Option<BTreeMap<(SmolStr, SmolStr), bool>>,
    /// Outside a repository, the number of module calls that lead out of the given directories.
    pub unread_calls: usize,
    /// The engines that the modules were checked for, Terraform first.
    pub engines: BTreeSet<Engine>,
    /// By directory of a root module that is checked for one product because of its syntax: the product, and a construct
    /// that only this product has.
    pub assumed: BTreeMap<SmolStr, (Product, Span)>,
    /// The graph of each engine, if a later check compares with them.
    pub graphs: BTreeMap<Engine, ModuleGraph>,
}

/// A finding with its level in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The finding.
    pub finding: Finding,
    /// Its level in this run.
    pub level: Severity,
    /// What set the level.
    pub set_by: SetBy,
    /// The product that reports it, if the run checked for both and only one does.
    pub product: Option<Product>,
    /// A number that stays the same when the code around the finding moves or the words of the finding change.
    pub fingerprint: String,
    /// Like the fingerprint, but equal for findings whose fingerprints differ only in their number.
    pub(super) likeness: u128,
    /// The fingerprint of each finding that it represents, if it represents several.
    pub(super) covers: Vec<String>,
}

/// A suppressed finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// The finding.
    pub verdict: Verdict,
    /// What suppresses it.
    pub exception: AppliedException,
}

/// The exception or comment that suppresses a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedException {
    /// The reason that its author gives.
    pub reason: SmolStr,
    /// Whether it is a comment in the code, not an exception in the policy.
    pub in_source: bool,
}

/// What set the level of a finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetBy {
    /// The engine: its errors and warnings keep their level.
    Engine,
    /// A line of a policy.
    Policy {
        /// The path of the file, relative to the top of the repository.
        file: SmolStr,
        /// The line, from 1.
        line: usize,
    },
    /// A line of a preset.
    Preset {
        /// The file name of the preset.
        file: SmolStr,
        /// The line, from 1.
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
    /// Its fingerprint, or those of the findings that it represents.
    pub(super) fn fingerprints(&self) -> &[String] {
        if self.covers.is_empty() { std::slice::from_ref(&self.fingerprint) } else { &self.covers }
    }

    /// Whether it, or each finding that it represents, has one of these fingerprints.
    pub(super) fn is_among(&self, existing: &BTreeSet<String>) -> bool {
        self.fingerprints().iter().all(|fingerprint| existing.contains(fingerprint))
    }

    /// Whether it has a location in one of these files and directories. Every finding does if the list is empty.
    pub(super) fn is_in_scope(&self, sources: &Sources, scope: &[String]) -> bool {
        let finding = &self.finding;
        let mut places = finding.primary.into_iter().chain(finding.related.iter().map(|place| place.span));
        places.any(|span| paths_of(&finding.module, span.file, sources).any(|path| in_scope(path, scope)))
            || (finding.primary.is_none() && in_scope(place_of(finding, sources), scope))
    }
}
