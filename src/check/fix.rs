//! Applies the fixes of findings and checks the result.
//!
//! Fixes are tried before they are applied: the run is repeated with them. The findings that they fix must be gone, and
//! no module may have a new one, except one that a fixed finding hid ([`Rule::REVEALS`](crate::rules::Rule::REVEALS)).
//! A fix that fails is withheld, and the reason is reported.

mod apply;
mod trial;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::check::fingerprint::Fingerprints;
use crate::check::run::{Comparison, collect};
use crate::check::{Baseline, Outcome, Settings, Verdict};
use crate::finding::{Fix, Safety};
use crate::limits::Limits;
use crate::policy::{Globs, is_exception};
use crate::rules::{self, Earlier};
use crate::session::terragrunt::Units;
use crate::session::threads::discard;
use crate::syntax::{self, Notation};
use crate::text::{FileId, Span};
use crate::vfs::Snapshot;
pub(super) use apply::apply;
use hashbrown::HashMap;
use trial::{Counts, Key, Look, Trials};

/// The result of fixing.
#[derive(Debug, Default)]
pub struct Fixed {
    /// The snapshot with all fixes applied.
    pub snapshot: Snapshot,
    /// The changed files with their new content, sorted by name.
    pub files: Vec<FileId>,
    /// The findings that are fixed.
    pub resolved: Vec<Verdict>,
    /// The findings that remain or were hidden by others, as reported in the new content.
    pub left: Vec<Verdict>,
    /// The findings whose fix was withheld, each with the reason in one lower-case line.
    pub withheld: Vec<(Verdict, String)>,
}

/// The maximum number of rounds. A fix can make another one possible.
const MOST_ROUNDS: usize = 50;

/// The maximum number of bytes that all rounds check together, unless that is less than [`FEWEST_LOOKS`] checks.
const MOST_BYTES: usize = 12_000_000;

/// The number of bytes that a file counts as, in addition to its content.
const OF_FILE: usize = 500;

/// The number of checks that are possible in any repository.
const FEWEST_LOOKS: usize = 8;

/// Fixes what a run reported in the content of its snapshot. Nothing is written.
///
/// `earlier` is the state before the change, if a change was checked. `standing` returns why a file may not be changed,
/// if so.
pub fn fix(
    snapshot: &Snapshot,
    earlier: Option<&Earlier>,
    reported: &[Verdict],
    settings: &Settings,
    safety: Safety,
    standing: &mut dyn FnMut(FileId) -> Option<String>,
) -> Fixed {
    let mut policy = settings.policy.without_excludes();
    settings.select.iter().for_each(|rule| policy.turn_on(rule.as_str()));
    // New findings count whatever was selected.
    let of_all = Settings {
        select: Vec::new(),
        ignore: Vec::new(),
        exclude: Globs::default(),
        baseline: Baseline::default(),
        policy,
        ..settings.clone()
    };
    let mut snapshot = snapshot.clone();
    let units = Arc::new(Units::of(&snapshot));
    let look = |snapshot: &mut Snapshot| {
        let comparison = earlier.map_or(Comparison::None, Comparison::With);
        collect(snapshot, &units, &of_all, Fingerprints::default(), comparison)
    };
    let now = look(&mut snapshot);
    let wanted = reported.iter().map(Key::of).collect();
    let before = Counts::of(all(&now));
    let fixing = Fixing { reported, wanted, settings, before, safety, standing, look: &look };
    fixing.run(snapshot, now)
}

/// The state of a run that fixes findings.
struct Fixing<'f> {
    reported: &'f [Verdict],
    wanted: BTreeSet<Key>,
    settings: &'f Settings,
    /// The findings before any fix.
    before: Counts,
    safety: Safety,
    standing: &'f mut dyn FnMut(FileId) -> Option<String>,
    look: Look<'f>,
}

impl Fixing<'_> {
    /// Applies fixes in rounds until no further fix succeeds. `now` has all findings of the snapshot.
    fn run(mut self, mut snapshot: Snapshot, mut now: Outcome) -> Fixed {
        let mut fixed = Fixed::default();
        let looks = Cell::new(most_looks(&snapshot));
        // Only findings that were reported are fixed, so those above a limit are left for the next run.
        let rounds = if self.before.are_complete() { MOST_ROUNDS } else { 1 };
        for _ in 0..rounds {
            if looks.get() == 0 {
                break;
            }
            // Each round tries all remaining fixes, so that a second run has nothing to do.
            let (chosen, withheld) = self.choose(&now, &snapshot);
            fixed.withheld = withheld;
            let trials = Trials::new(&snapshot, Counts::of(all(&now)), self.look, &looks);
            let tried = trials.run(chosen.fixes);
            fixed.withheld.extend(tried.withheld);
            let Some((after, outcome)) = tried.after else { break };
            fixed.files.extend(tried.files);
            discard(std::mem::replace(&mut now, outcome));
            snapshot = after;
        }
        let is_left = |verdict: &&Verdict| self.is_reported(verdict, &snapshot);
        fixed.left = now.verdicts.iter().filter(is_left).cloned().collect();
        fixed.withheld = self.standing_now(fixed.withheld, &fixed.left, &snapshot);
        fixed.resolved = resolved(self.reported, &fixed.left);
        fixed.withheld.extend(in_json(&fixed.left, self.safety, &snapshot));
        discard(now);
        fixed.files.sort_by_key(|id| snapshot.sources().get(*id).name());
        fixed.files.dedup();
        fixed.snapshot = snapshot;
        fixed
    }

    /// Whether a finding is one of those to fix, or was hidden by one of them.
    fn is_reported(&self, verdict: &Verdict, snapshot: &Snapshot) -> bool {
        let key = Key::of(verdict);
        let is_new = || !self.before.has(&key) && self.settings.wants(&verdict.finding, snapshot.sources());
        (self.wanted.contains(&key) || is_new()) && !self.settings.baseline.has(verdict)
    }

    /// The fixes of one round: of reported findings and of those that they hid. Also returns the fixes that
    /// would change a file that may not be changed, each with the reason.
    fn choose<'v>(&mut self, now: &'v Outcome, snapshot: &Snapshot) -> (Chosen<'v>, Vec<(Verdict, String)>) {
        let (mut chosen, mut withheld) = (Chosen::default(), Vec::new());
        let mut comments = Comments::default();
        for verdict in &now.verdicts {
            let Some(fix) = verdict.finding.fix.as_deref().filter(|fix| fix.safety <= self.safety) else {
                continue;
            };
            if !self.is_reported(verdict, snapshot) {
                continue;
            }
            match self.refusal(verdict, fix, &mut comments, snapshot) {
                Some(why) => withheld.push((verdict.clone(), why)),
                None => chosen.add(verdict, fix),
            }
        }
        (chosen, withheld)
    }

    /// Returns why a fix is not tried.
    fn refusal(
        &mut self,
        verdict: &Verdict,
        fix: &Fix,
        comments: &mut Comments,
        snapshot: &Snapshot,
    ) -> Option<String> {
        self.unchangeable(verdict, fix, snapshot).or_else(|| comments.lost(verdict, fix, snapshot))
    }

    /// Returns why a file that a fix changes may not be changed.
    fn unchangeable(&mut self, verdict: &Verdict, fix: &Fix, snapshot: &Snapshot) -> Option<String> {
        fix.edits.iter().find_map(|edit| {
            let why = (self.standing)(edit.span.file)?;
            let is_elsewhere = verdict.finding.primary.is_none_or(|at| at.file != edit.span.file);
            let name = snapshot.sources().get(edit.span.file).name();
            Some(if is_elsewhere { format!("{name}: {why}") } else { why })
        })
    }

    /// The withheld fixes with their locations in the new content, without those whose finding is fixed. A comment that
    /// a fix would remove may be in another line of the new content.
    fn standing_now(
        &mut self,
        withheld: Vec<(Verdict, String)>,
        left: &[Verdict],
        snapshot: &Snapshot,
    ) -> Vec<(Verdict, String)> {
        let mut comments = Comments::default();
        let mut by_key: BTreeMap<Key, VecDeque<&Verdict>> = BTreeMap::new();
        for verdict in left {
            by_key.entry(Key::of(verdict)).or_default().push_back(verdict);
        }
        let now = |(verdict, why)| {
            let verdict = by_key.get_mut(&Key::of(&verdict))?.pop_front()?.clone();
            let fix = verdict.finding.fix.as_deref();
            let refusal = fix.and_then(|fix| self.refusal(&verdict, fix, &mut comments, snapshot));
            Some((verdict, refusal.unwrap_or(why)))
        };
        withheld.into_iter().filter_map(now).collect()
    }
}

/// The comments of the files that fixes change. Each file is read once in a round.
#[derive(Default)]
struct Comments(HashMap<FileId, Vec<Span>>);

impl Comments {
    /// Returns why a fix is not applied if it would remove a comment. The comment may be an instruction to another
    /// tool, or a reason that a person should read first.
    fn lost(&mut self, verdict: &Verdict, fix: &Fix, snapshot: &Snapshot) -> Option<String> {
        fix.edits.iter().find_map(|edit| {
            let source = snapshot.sources().get(edit.span.file);
            let comments = self.0.entry(edit.span.file).or_insert_with(|| {
                let (file, _) = syntax::parse(edit.span.file, source, Notation::Native, &Limits::default());
                file.comments.iter().map(|comment| comment.span).collect()
            });
            let first = comments.partition_point(|comment| comment.start < edit.span.start);
            let inside = comments[first..].iter().take_while(|comment| comment.end <= edit.span.end);
            let mut lost = inside.filter(|comment| {
                let text = source.text()[comment.range()].trim();
                // An exception comment is removed with its code.
                !edit.text.contains(text) && !is_exception(text)
            });
            let line = source.position(lost.next()?.start).line;
            let is_elsewhere = verdict.finding.primary.is_none_or(|at| at.file != edit.span.file);
            let place = if is_elsewhere { format!(" of {}", source.name()) } else { String::new() };
            Some(format!(
                "the fix would remove the comment in line {line}{place}; move it or delete it first"
            ))
        })
    }
}

/// The fixes of one round. No two of them change the same place.
#[derive(Default)]
struct Chosen<'v> {
    fixes: Vec<(&'v Verdict, &'v Fix)>,
    taken: BTreeMap<FileId, BTreeMap<u32, u32>>,
}

impl<'v> Chosen<'v> {
    /// Adds a fix, unless it overlaps another one. It is then tried in a later round.
    fn add(&mut self, verdict: &'v Verdict, fix: &'v Fix) {
        let is_free = fix.edits.iter().all(|edit| {
            let Some(taken) = self.taken.get(&edit.span.file) else { return true };
            let Span { start, end, .. } = edit.span;
            let mut near = taken.range(..=end).rev().take_while(|(_, other)| **other >= start);
            // Two adjacent removals do not conflict, but an insertion next to a change does.
            near.all(|(from, to)| (*to == start || *from == end) && from < to && start < end)
        });
        if is_free {
            for edit in &fix.edits {
                self.taken.entry(edit.span.file).or_default().insert(edit.span.start, edit.span.end);
            }
            self.fixes.push((verdict, fix));
        }
    }
}

/// The reported findings that are fixed.
fn resolved(reported: &[Verdict], left: &[Verdict]) -> Vec<Verdict> {
    let mut left = Counts::of(left);
    reported.iter().filter(|verdict| !left.take(&Key::of(verdict))).cloned().collect()
}

/// The findings that have no fix because their file is JSON.
fn in_json(left: &[Verdict], safety: Safety, snapshot: &Snapshot) -> Vec<(Verdict, String)> {
    let is_fixable = |verdict: &Verdict| {
        let entry = rules::entry(verdict.finding.rule.as_str());
        entry.is_some_and(|entry| entry.fixes.iter().any(|of_rule| *of_rule <= safety))
    };
    let mut found = Vec::new();
    for verdict in left.iter().filter(|verdict| verdict.finding.fix.is_none() && is_fixable(verdict)) {
        let Some(at) = verdict.finding.primary else { continue };
        let name = snapshot.sources().get(at.file).name();
        if name.strip_suffix(".json").is_some() {
            found.push((verdict.clone(), "overrule does not fix JSON files".to_owned()));
        }
    }
    found
}

/// The number of checks for the fixes of all rounds.
fn most_looks(snapshot: &Snapshot) -> usize {
    let bytes: usize = snapshot.sources().iter().map(|(_, source)| source.text().len() + OF_FILE).sum();
    (MOST_BYTES / bytes.max(1)).max(FEWEST_LOOKS)
}

/// All findings of a state, as fixing counts them.
fn all(outcome: &Outcome) -> impl Iterator<Item = &Verdict> {
    outcome.verdicts.iter().chain(outcome.suppressed.iter().map(|suppressed| &suppressed.verdict))
}
