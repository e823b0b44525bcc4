//! Numbers equal findings before and after a change, so that they can be matched: a finding on an unchanged line gets
//! the same number in both states.

use std::collections::{BTreeMap, BTreeSet};

use similar::{DiffOp, DiffTag};
use smol_str::SmolStr;

use crate::check::fingerprint;
use crate::check::verdict::{Suppressed, Verdict};
use crate::text::{Source, Sources, lines};
use crate::vfs::parent;

/// In longer files, equal findings are numbered by position, without comparing lines.
const MOST_LINES: usize = 4_000;

/// One state of a change: its texts and its findings.
pub(super) struct StateFindings<'s> {
    pub(super) sources: &'s Sources,
    pub(super) reported: &'s mut [Verdict],
    pub(super) suppressed: &'s mut [Suppressed],
}

/// Numbers equal findings on both sides; `renamed` has the later paths of renamed directories.
pub(super) fn number(
    mut before: StateFindings<'_>,
    mut now: StateFindings<'_>,
    renamed: &BTreeMap<SmolStr, SmolStr>,
) {
    let several: BTreeSet<u128> = before.several().union(&now.several()).copied().collect();
    if several.is_empty() {
        return;
    }
    let later = |path: &str| match renamed.get(parent(path).unwrap_or_default()) {
        Some(directory) => SmolStr::new(path.replacen(parent(path).unwrap_or_default(), directory, 1)),
        None => SmolStr::new(path),
    };
    let olds = by_name(before.sources, later);
    let news = by_name(now.sources, |path| SmolStr::new(path));
    let mut lines: BTreeMap<SmolStr, Lines> = BTreeMap::new();
    let mut is_altered = |name: SmolStr, is_in: &dyn Fn(&Lines) -> bool| {
        let compare = || Lines::between(olds.get(&name).copied(), news.get(&name).copied());
        is_in(lines.entry(name.clone()).or_insert_with(compare))
    };
    let (old_names, new_names) = (before.sources, now.sources);
    before.number(&several, &mut |verdict| {
        let Some(at) = verdict.finding.primary else { return false };
        let source = old_names.get(at.file);
        let line = source.position(at.start).line;
        is_altered(later(source.name()), &|lines| lines.removed.contains(&line))
    });
    now.number(&several, &mut |verdict| {
        let Some(at) = verdict.finding.primary else { return false };
        let source = new_names.get(at.file);
        let line = source.position(at.start).line;
        is_altered(source.name().into(), &|lines| lines.added.contains(&line))
    });
}

impl StateFindings<'_> {
    /// The keys that several findings share.
    fn several(&self) -> BTreeSet<u128> {
        let (mut seen, mut several) = (BTreeSet::new(), BTreeSet::new());
        let suppressed = self.suppressed.iter().map(|suppressed| &suppressed.verdict);
        for verdict in self.reported.iter().chain(suppressed) {
            if !seen.insert(verdict.likeness) {
                several.insert(verdict.likeness);
            }
        }
        several
    }

    fn number(&mut self, several: &BTreeSet<u128>, is_altered: &mut dyn FnMut(&Verdict) -> bool) {
        let suppressed = self.suppressed.iter_mut().map(|suppressed| &mut suppressed.verdict);
        let mut alike: BTreeMap<u128, Vec<(bool, &mut Verdict)>> = BTreeMap::new();
        for verdict in self.reported.iter_mut().chain(suppressed) {
            if several.contains(&verdict.likeness) {
                alike.entry(verdict.likeness).or_default().push((is_altered(verdict), verdict));
            }
        }
        for (likeness, mut verdicts) in alike {
            let place = |verdict: &Verdict| {
                let at = verdict.finding.primary;
                at.map(|at| (self.sources.get(at.file).name(), at.start))
            };
            verdicts.sort_by_key(|(is_altered, verdict)| (*is_altered, place(verdict)));
            for (number, (_, verdict)) in (0..).zip(verdicts) {
                verdict.fingerprint = fingerprint::numbered(likeness, number);
            }
        }
    }
}

/// The lines of a file, counted from 1, that only one state has.
#[derive(Debug, Default)]
struct Lines {
    removed: BTreeSet<usize>,
    added: BTreeSet<usize>,
}

impl Lines {
    fn between(old: Option<&Source>, new: Option<&Source>) -> Self {
        let [old, new] =
            [old, new].map(|source| source.map(|source| lines::split(source.text())).unwrap_or_default());
        if old == new || old.len().max(new.len()) > MOST_LINES {
            return Self::default();
        }
        let steps = lines::difference(&old, &new);
        let changed = || steps.iter().filter(|step| step.tag() != DiffTag::Equal);
        Self {
            removed: changed().flat_map(DiffOp::old_range).map(|index| index + 1).collect(),
            added: changed().flat_map(DiffOp::new_range).map(|index| index + 1).collect(),
        }
    }
}

fn by_name(sources: &Sources, name: impl Fn(&str) -> SmolStr) -> BTreeMap<SmolStr, &Source> {
    sources.iter().map(|(_, source)| (name(source.name()), source)).collect()
}
