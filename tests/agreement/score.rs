//! Compares two answers for each case: recall, precision, and a list of differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::answer::{Answer, Diagnostic, Stage};
use crate::case::Case;
use crate::gaps::Gap;
use crate::program::Checked;

/// The number of cases listed for each difference.
const NAMED: usize = 6;

/// The sum over many cases.
#[derive(Debug)]
pub(crate) struct Score {
    /// The compared part of the engine.
    stage: Stage,
    cases: usize,
    exact: usize,
    both: usize,
    missing: usize,
    extra: usize,
    /// Every difference.
    gaps: BTreeSet<Gap>,
    /// The missing and extra diagnostics, with the cases that show them.
    causes: BTreeMap<String, Vec<String>>,
}

impl Score {
    /// A score without cases.
    pub(crate) fn of(stage: Stage) -> Self {
        Self {
            stage,
            cases: 0,
            exact: 0,
            both: 0,
            missing: 0,
            extra: 0,
            gaps: BTreeSet::new(),
            causes: BTreeMap::new(),
        }
    }

    /// Adds a case, compared with the most similar recorded answer.
    pub(crate) fn add(&mut self, case: &Case, said: &Checked) {
        let nearest = case
            .answers
            .iter()
            .map(|answer| Difference::new(answer, said).of(self.stage))
            .min_by_key(Difference::size);
        let Some(difference) = nearest else { return };
        self.cases += 1;
        if difference.size() == 0 {
            self.exact += 1;
        }
        self.gaps.extend(difference.lines().map(|line| Gap { case: case.name.clone(), line }));
        self.both += difference.both.len();
        self.missing += difference.missing.len();
        self.extra += difference.extra.len();
        let missing = difference.missing.iter().map(|one| ("missing", one));
        for (kind, one) in missing.chain(difference.extra.iter().map(|one| ("extra", one))) {
            let severity = if one.is_error { "error" } else { "warning" };
            let what = format!("{kind} {severity}: {}", one.summary);
            self.causes.entry(what).or_default().push(format!("{} ({}:{})", case.name, one.file, one.line));
        }
    }

    /// Every difference between the two.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.gaps.iter()
    }

    /// The share of the engine's diagnostics that the checker reports.
    fn recall(&self) -> f64 {
        ratio(self.both, self.both + self.missing)
    }

    /// The share of the checker's findings that the engine reports.
    fn precision(&self) -> f64 {
        ratio(self.both, self.both + self.extra)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{} of {} cases agree; {} diagnostics in both, {} missing, {} extra: recall {:.4}, precision {:.4}",
            self.exact,
            self.cases,
            self.both,
            self.missing,
            self.extra,
            self.recall(),
            self.precision()
        )?;
        let mut causes: Vec<_> = self.causes.iter().collect();
        causes.sort_by_key(|(cause, cases)| (std::cmp::Reverse(cases.len()), cause.as_str()));
        for (cause, cases) in causes {
            writeln!(out, "{:5} {cause}: {}", cases.len(), cases[..cases.len().min(NAMED)].join(", "))?;
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "some thousands of diagnostics, counted exactly")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The diagnostics of an answer that the checker does not report, and the reverse.
pub(crate) struct Difference {
    both: BTreeSet<Diagnostic>,
    pub(crate) missing: BTreeSet<Diagnostic>,
    pub(crate) extra: BTreeSet<Diagnostic>,
}

impl Difference {
    pub(crate) fn new(answer: &Answer, said: &Checked) -> Self {
        let ours = said.within(answer);
        Self {
            both: ours.intersection(&answer.diagnostics).cloned().collect(),
            missing: answer.diagnostics.difference(&ours).cloned().collect(),
            extra: ours.difference(&answer.diagnostics).cloned().collect(),
        }
    }

    /// The differences as lines: `-` for diagnostics of the engine only, `+` for findings of the checker only.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let missing = self.missing.iter().map(|one| format!("- {one}"));
        missing.chain(self.extra.iter().map(|one| format!("+ {one}")))
    }

    /// The part of the differences that belongs to one stage.
    fn of(mut self, stage: Stage) -> Self {
        for diagnostics in [&mut self.both, &mut self.missing, &mut self.extra] {
            diagnostics.retain(|one| one.stage == stage);
        }
        self
    }

    fn size(&self) -> usize {
        self.missing.len() + self.extra.len()
    }
}
