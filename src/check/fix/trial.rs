//! Tries fixes and keeps those that succeed.

use std::collections::{BTreeMap, BTreeSet};

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
    ) -> Self {
        Self { snapshot, before, follows, look }
    }

    /// Tries fixes that do not overlap: first all of them. If those of a module fail, half of these are tried, until
    /// the rest succeeds or a single fix fails. The other halves are tried afterwards.
    pub(super) fn run<'v>(&self, fixes: Vec<Found<'v>>) -> Tried {
        let mut tried = Tried::default();
        let mut held: Vec<Found<'v>> = Vec::new();
        let mut waiting = fixes;
        let mut doubtful: Vec<Found<'v>> = Vec::new();
        let mut looks = 0;
        while !waiting.is_empty() {
            let mut groups = by_module(std::mem::take(&mut waiting));
            while !groups.is_empty() {
                looks += 1;
                if looks > MOST_LOOKS {
                    let rest = groups.into_iter().flatten().chain(waiting).chain(doubtful);
                    let words = "too many other fixes failed; fix those first";
                    tried.withheld.extend(rest.map(|(verdict, _)| (verdict.clone(), words.to_owned())));
                    (waiting, doubtful) = (Vec::new(), Vec::new());
                    break;
                }
                let all: Vec<Found<'v>> = held.iter().chain(groups.iter().flatten()).copied().collect();
                let mut snapshot = self.snapshot.edited(&self.texts(&all));
                let outcome = (self.look)(&mut snapshot);
                let objections = self.objections(&all, &outcome);
                if objections.is_empty() {
                    let lesser = super::all(&outcome).filter(|verdict| is_lesser(verdict, &all));
                    tried.lesser.extend(lesser.map(Key::of));
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
        let is_shown = groups.iter().any(|group| objections.iter().any(|other| self.is_near(group, other)));
        if !is_shown && groups.len() > 1 {
            let mut groups = groups;
            let half = groups.split_off(groups.len() / 2);
            waiting.extend(half.into_iter().flatten());
            return groups;
        }
        let near: Vec<Vec<usize>> = groups
            .iter()
            .map(|group| {
                let near = objections.iter().enumerate();
                near.filter(|(_, other)| !is_shown || self.is_near(group, other)).map(|(at, _)| at).collect()
            })
            .collect();
        let is_sole = |at: usize| near.iter().filter(|near| near.contains(&at)).count() == 1;
        let halve = |(mut group, near): (Vec<Found<'v>>, &Vec<usize>)| {
            if near.is_empty() {
                return Some(group);
            }
            if let [found] = group.as_slice() {
                match near.iter().find(|at| is_sole(**at)) {
                    Some(at) => tried.withheld.push((found.0.clone(), objections[*at].words.clone())),
                    None => doubtful.push(*found),
                }
                return None;
            }
            waiting.extend(group.split_off(group.len() / 2));
            Some(group)
        };
        groups.into_iter().zip(&near).filter_map(halve).collect()
    }

    /// Whether an objection is in the module of some fixes or in one that they change.
    fn is_near(&self, fixes: &[Found<'_>], objection: &Objection) -> bool {
        let directory = |edit: &Edit| directory(self.snapshot, edit.span);
        fixes.iter().any(|(verdict, fix)| {
            objection.modules.contains(&verdict.finding.module)
                || fix.edits.iter().any(|edit| objection.modules.contains(directory(edit)))
        })
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
        let is_objection = |verdict: &&Verdict| is_new(&Key::of(verdict)) && !is_lesser(verdict, fixes);
        let new = all(outcome).filter(is_objection).map(|verdict| {
            let Key { rule, module, .. } = Key::of(verdict);
            let place = if module.is_empty() { String::new() } else { format!(" in {module}") };
            let others =
                verdict.finding.related.iter().map(|other| directory(self.snapshot, other.span).into());
            Objection {
                words: format!("the fix would cause a new finding of `{}`{place}", rule.as_str()),
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

/// Whether a finding is a notice, and the findings that some fixes are for are more severe.
fn is_lesser(verdict: &Verdict, fixes: &[Found<'_>]) -> bool {
    verdict.level == Severity::Notice && fixes.iter().all(|(fixed, _)| fixed.level < Severity::Notice)
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
