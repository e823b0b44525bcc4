//! Tries fixes and keeps those that succeed.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::all;
use super::apply::apply;
use crate::check::{Outcome, Verdict};
use crate::finding::{Code, Concern, Edit, EngineRule, Fix, RuleId, Safety, Severity};
use crate::text::{FileId, Span};
use crate::vfs::{Snapshot, parent};

/// The key by which findings of two states are compared: rule, module, address, and the cause if there is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    rule: RuleId,
    module: SmolStr,
    address: String,
    cause: Option<Concern>,
}

impl Key {
    pub(super) fn of(verdict: &Verdict) -> Self {
        let finding = &verdict.finding;
        Self {
            rule: finding.rule.clone(),
            module: finding.module.clone(),
            address: finding.address.clone(),
            cause: Some(&finding.concern).filter(|concern| concern.is_cause()).cloned(),
        }
    }
}

/// The number of findings with each key.
#[derive(Default)]
pub(super) struct Counts {
    numbers: BTreeMap<Key, usize>,
    /// The modules that have more findings, above a limit: of this rule, or of any rule.
    left_out: BTreeSet<(SmolStr, Option<RuleId>)>,
}

impl Counts {
    pub(super) fn of<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *counts.numbers.entry(Key::of(verdict)).or_insert(0) += 1;
            if let Some(Code::FindingsLeftOut(rule)) = &verdict.finding.code {
                counts.left_out.insert((verdict.finding.module.clone(), rule.clone()));
            }
        }
        counts
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.numbers.contains_key(key)
    }

    /// Whether no findings were left out because of a limit.
    pub(super) fn are_complete(&self) -> bool {
        self.left_out.is_empty()
    }

    /// Whether a key occurs more often than in another state, as far as that is known.
    pub(super) fn exceed(&self, other: &Self) -> bool {
        self.numbers.iter().any(|(key, number)| other.knows(key) && *number > other.get(key))
    }

    /// Whether the number of findings with a key is certain. The errors of engines are the last to be left out.
    fn knows(&self, key: &Key) -> bool {
        let has_more = |rule: Option<RuleId>| self.left_out.contains(&(key.module.clone(), rule));
        self.are_complete()
            || !has_more(Some(key.rule.clone()))
                && (!has_more(None) || EngineRule::ALL.iter().any(|rule| rule.id() == key.rule))
    }

    /// Takes one of the findings with a key away. Returns whether there was one.
    pub(super) fn take(&mut self, key: &Key) -> bool {
        self.numbers.get_mut(key).filter(|number| **number > 0).map(|number| *number -= 1).is_some()
    }

    fn get(&self, key: &Key) -> usize {
        self.numbers.get(key).copied().unwrap_or_default()
    }
}

/// A finding with its fix.
type Found<'v> = (&'v Verdict, &'v Fix);

/// Runs a check on a snapshot.
pub(super) type Look<'t> = &'t dyn Fn(&mut Snapshot) -> Outcome;

/// The maximum number of checks for the fixes of one round. Fixes that were not decided by then are withheld.
const MOST_LOOKS: usize = 100;

/// Tries fixes on a snapshot.
pub(super) struct Trials<'t> {
    snapshot: &'t Snapshot,
    before: Counts,
    /// The fixes that may follow others, if any.
    follows: Option<Safety>,
    look: Look<'t>,
    /// The number of checks that remain for all rounds.
    looks: &'t Cell<usize>,
}

/// The result of a trial.
#[derive(Default)]
pub(super) struct Tried {
    /// The snapshot with the successful fixes, and its findings. `None` without any.
    pub(super) after: Option<(Snapshot, Outcome)>,
    pub(super) files: BTreeSet<FileId>,
    pub(super) withheld: Vec<(Verdict, String)>,
    /// The notices that the successful fixes may cause, because they fix more severe findings.
    pub(super) lesser: BTreeSet<Key>,
}

/// The reason why some fixes fail.
struct Objection {
    words: String,
    /// The modules with the new or remaining findings.
    modules: BTreeSet<SmolStr>,
}

impl<'t> Trials<'t> {
    pub(super) fn new(
        snapshot: &'t Snapshot,
        before: Counts,
        follows: Option<Safety>,
        look: Look<'t>,
        looks: &'t Cell<usize>,
    ) -> Self {
        Self { snapshot, before, follows, look, looks }
    }

    /// Tries fixes that do not overlap: first all of them. If those of a module fail, half of these are tried, until
    /// the rest succeeds or a single fix fails. The other halves are tried afterwards.
    pub(super) fn run<'v>(&self, fixes: Vec<Found<'v>>) -> Tried {
        let mut tried = Tried::default();
        let mut held: Vec<Found<'v>> = Vec::new();
        let mut waiting = fixes;
        let mut doubtful: Vec<Found<'v>> = Vec::new();
        let mut left = self.looks.get().min(MOST_LOOKS);
        while !waiting.is_empty() {
            let mut groups = by_module(std::mem::take(&mut waiting));
            while !groups.is_empty() {
                if left == 0 {
                    let rest = groups.into_iter().flatten().chain(waiting).chain(doubtful);
                    let words = "too many other fixes failed; fix those first";
                    tried.withheld.extend(rest.map(|(verdict, _)| (verdict.clone(), words.to_owned())));
                    (waiting, doubtful) = (Vec::new(), Vec::new());
                    break;
                }
                left -= 1;
                self.looks.set(self.looks.get() - 1);
                let all: Vec<Found<'v>> = held.iter().chain(groups.iter().flatten()).copied().collect();
                let mut snapshot = self.snapshot.edited(&self.texts(&all));
                let outcome = (self.look)(&mut snapshot);
                let objections = self.objections(&all, &outcome);
                if objections.is_empty() {
                    if are_severe(&all) {
                        let lesser = super::all(&outcome).filter(|verdict| is_notice(verdict));
                        tried.lesser.extend(lesser.map(Key::of));
                    }
                    held = all;
                    tried.after = Some((snapshot, outcome));
                    break;
                }
                groups = self.without(groups, &objections, &mut waiting, &mut doubtful, &mut tried);
            }
            if waiting.is_empty() {
                // A fix whose objection another one may have caused is tried alone.
                waiting.extend(doubtful.pop());
            }
        }
        tried.files = held.iter().flat_map(|(_, fix)| &fix.edits).map(|edit| edit.span.file).collect();
        tried
    }

    /// Defers half of the fixes of each module with objections. A single fix is withheld, unless it is near others and
    /// may not be the cause. An objection that is near no fix counts against all.
    fn without<'v>(
        &self,
        groups: Vec<Vec<Found<'v>>>,
        objections: &[Objection],
        waiting: &mut Vec<Found<'v>>,
        doubtful: &mut Vec<Found<'v>>,
        tried: &mut Tried,
    ) -> Vec<Vec<Found<'v>>> {
        let mut near = self.near(&groups, objections);
        let is_shown = near.iter().any(|near| !near.is_empty());
        if !is_shown && groups.len() > 1 {
            let mut groups = groups;
            let half = groups.split_off(groups.len() / 2);
            waiting.extend(half.into_iter().flatten());
            return groups;
        }
        if !is_shown {
            near = vec![(0..objections.len()).collect(); groups.len()];
        }
        let mut groups_near = vec![0_usize; objections.len()];
        near.iter().flatten().for_each(|at| groups_near[*at] += 1);
        let halve = |(mut group, near): (Vec<Found<'v>>, BTreeSet<usize>)| {
            if near.is_empty() {
                return Some(group);
            }
            if let [found] = group.as_slice() {
                match near.iter().find(|at| groups_near[**at] == 1) {
                    Some(at) => tried.withheld.push((found.0.clone(), objections[*at].words.clone())),
                    None => doubtful.push(*found),
                }
                return None;
            }
            waiting.extend(group.split_off(group.len() / 2));
            Some(group)
        };
        groups.into_iter().zip(near).filter_map(halve).collect()
    }

    /// For each group of fixes, the objections in their module or in one that they change.
    fn near(&self, groups: &[Vec<Found<'_>>], objections: &[Objection]) -> Vec<BTreeSet<usize>> {
        let mut by_module: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, objection) in objections.iter().enumerate() {
            objection.modules.iter().for_each(|module| by_module.entry(module).or_default().push(at));
        }
        let near = |group: &Vec<Found<'_>>| {
            let mut modules: BTreeSet<&str> = BTreeSet::new();
            for (verdict, fix) in group {
                modules.insert(&verdict.finding.module);
                modules.extend(fix.edits.iter().map(|edit| directory(self.snapshot, edit.span)));
            }
            modules.into_iter().filter_map(|module| by_module.get(module)).flatten().copied().collect()
        };
        groups.iter().map(near).collect()
    }

    fn texts(&self, fixes: &[Found<'_>]) -> BTreeMap<FileId, String> {
        let mut edits: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
        for edit in fixes.iter().flat_map(|(_, fix)| &fix.edits) {
            edits.entry(edit.span.file).or_default().push(edit);
        }
        let text = |file: FileId| self.snapshot.sources().get(file).text();
        edits.into_iter().map(|(file, edits)| (file, apply(text(file), &edits))).collect()
    }

    /// Whether a finding can be fixed in a later round.
    fn is_followed(&self, verdict: &Verdict) -> bool {
        let fix = verdict.finding.fix.as_ref();
        fix.zip(self.follows).is_some_and(|(fix, follows)| fix.safety <= follows)
    }

    /// The objections to some fixes after they are applied.
    fn objections(&self, fixes: &[Found<'_>], outcome: &Outcome) -> Vec<Objection> {
        let after = Counts::of(all(outcome));
        let rules: BTreeSet<&RuleId> = fixes.iter().map(|(verdict, _)| &verdict.finding.rule).collect();
        let followed: BTreeSet<Key> =
            outcome.verdicts.iter().filter(|verdict| self.is_followed(verdict)).map(Key::of).collect();
        let is_new = |key: &Key| {
            let is_followed = rules.contains(&key.rule) && !self.before.has(key) && followed.contains(key);
            after.get(key) > self.before.get(key) && self.before.knows(key) && !is_followed
        };
        let are_severe = are_severe(fixes);
        let is_objection =
            |verdict: &&Verdict| is_new(&Key::of(verdict)) && !(are_severe && is_notice(verdict));
        let new = all(outcome).filter(is_objection).map(|verdict| {
            let Key { rule, module, .. } = Key::of(verdict);
            let address = &verdict.finding.address;
            let is_declaration = address.contains('.');
            let about = if is_declaration { format!(" about `{address}`") } else { String::new() };
            let place = if module.is_empty() { String::new() } else { format!(" in {module}") };
            let others =
                verdict.finding.related.iter().map(|other| directory(self.snapshot, other.span).into());
            Objection {
                words: format!("the fix would cause a new finding of `{}`{about}{place}", rule.as_str()),
                modules: others.chain([module]).collect(),
            }
        });
        let resolved = Counts::of(fixes.iter().map(|(verdict, _)| *verdict));
        let stays = |(key, number): &(&Key, &usize)| {
            self.before.knows(key) && after.get(key) + **number > self.before.get(key)
        };
        let staying = resolved.numbers.iter().filter(stays).map(|(key, _)| Objection {
            words: "the fix would not remove the finding".to_owned(),
            modules: BTreeSet::from([key.module.clone()]),
        });
        new.chain(staying).collect()
    }
}

fn is_notice(verdict: &Verdict) -> bool {
    verdict.level == Severity::Notice
}

/// Whether the findings that some fixes are for are more severe than notices.
fn are_severe(fixes: &[Found<'_>]) -> bool {
    fixes.iter().all(|(fixed, _)| fixed.level < Severity::Notice)
}

fn directory(snapshot: &Snapshot, span: Span) -> &str {
    parent(snapshot.sources().get(span.file).name()).unwrap_or_default()
}

/// Fixes by the module that they change.
fn by_module(fixes: Vec<Found<'_>>) -> Vec<Vec<Found<'_>>> {
    let mut groups: BTreeMap<SmolStr, Vec<Found<'_>>> = BTreeMap::new();
    for found in fixes {
        groups.entry(found.0.finding.module.clone()).or_default().push(found);
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Settings, judge};
    use crate::finding::Finding;
    use crate::text::Sources;

    #[test]
    fn findings_above_a_limit_are_not_new() {
        let of = |rule: EngineRule, address: &str| Finding::language(rule, "Summary").address(address);
        let left_out = |rule: Option<EngineRule>| {
            let code = Code::FindingsLeftOut(rule.map(EngineRule::id));
            of(EngineRule::LimitReached, "").code(code)
        };
        let counts = |findings: &[Finding]| {
            let findings = findings.iter().map(|finding| (finding.clone(), None)).collect();
            Counts::of(&judge(findings, &Sources::default(), &[], &Settings::default()))
        };
        let known = of(EngineRule::InvalidName, "a");
        let after = counts(&[known.clone(), of(EngineRule::InvalidName, "b")]);
        assert!(after.exceed(&counts(std::slice::from_ref(&known))));
        assert!(!after.exceed(&counts(&[known.clone(), left_out(Some(EngineRule::InvalidName))])));
        assert!(after.exceed(&counts(&[known.clone(), left_out(Some(EngineRule::InvalidValue))])));
        // The limit of a run leaves out the errors of engines last.
        assert!(after.exceed(&counts(&[known, left_out(None)])));
    }
}
