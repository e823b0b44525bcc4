//! Tries fixes and keeps those that succeed.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::all;
use super::apply::apply;
use crate::check::{Outcome, Verdict};
use crate::finding::{Code, Concern, Edit, EngineRule, Fix, RuleId, Severity};
use crate::rules;
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

    /// Whether a later state has more findings with a key, as far as that is known.
    fn lack(&self, key: &Key, later: &Self) -> bool {
        later.get(key) > self.get(key) && self.knows(key)
    }

    /// Whether the number of findings with a key is certain. The errors of engines are the last to be left out.
    fn knows(&self, key: &Key) -> bool {
        let has_more = |rule: Option<RuleId>| self.left_out.contains(&(key.module.clone(), rule));
        self.are_complete()
            || !has_more(Some(key.rule.clone()))
                && (!has_more(None) || EngineRule::named(key.rule.as_str()).is_some())
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
}

/// A module and the address of a declaration in it.
type Declaration = (SmolStr, String);

/// The reason why some fixes fail: a new or remaining finding.
struct Objection {
    words: String,
    /// The declaration of the finding.
    about: Option<Declaration>,
    /// The modules of the finding and of its related locations.
    modules: BTreeSet<SmolStr>,
}

impl<'t> Trials<'t> {
    pub(super) fn new(
        snapshot: &'t Snapshot,
        before: Counts,
        look: Look<'t>,
        looks: &'t Cell<usize>,
    ) -> Self {
        Self { snapshot, before, look, looks }
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
                    let words = "not tried, because many others failed; run the command again";
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

    /// Withholds the fixes of declarations with objections. Without any, defers half of the fixes of each module with
    /// objections. A single fix is withheld, unless it is near others and may not be the cause. An objection that is
    /// near no fix counts against all.
    fn without<'v>(
        &self,
        groups: Vec<Vec<Found<'v>>>,
        objections: &[Objection],
        waiting: &mut Vec<Found<'v>>,
        doubtful: &mut Vec<Found<'v>>,
        tried: &mut Tried,
    ) -> Vec<Vec<Found<'v>>> {
        let groups = match failed(&groups, objections) {
            failed if failed.is_empty() => groups,
            failed => return withhold(groups, &failed, tried),
        };
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
            waiting.extend(group.split_off(middle(&group)));
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

    /// The objections to some fixes after they are applied.
    fn objections(&self, fixes: &[Found<'_>], outcome: &Outcome) -> Vec<Objection> {
        let after = Counts::of(all(outcome));
        let revealed = revealed(fixes);
        let are_severe = are_severe(fixes);
        let is_allowed = |verdict: &Verdict| {
            let most_severe = revealed.get(verdict.finding.rule.as_str());
            are_severe && is_notice(verdict) || most_severe.is_some_and(|level| verdict.level >= *level)
        };
        let is_objection =
            |verdict: &&Verdict| self.before.lack(&Key::of(verdict), &after) && !is_allowed(verdict);
        let new = all(outcome).filter(is_objection).map(|verdict| {
            let Key { rule, module, .. } = Key::of(verdict);
            let declaration = declaration(&module, &verdict.finding.address);
            let about = declaration.as_ref().map(|(_, address)| format!(" about `{address}`"));
            let about = about.unwrap_or_default();
            let file = verdict.finding.primary.map(|at| self.snapshot.sources().get(at.file).name());
            let place = file.map_or_else(String::new, |file| format!(" in {file}"));
            let others =
                verdict.finding.related.iter().map(|other| directory(self.snapshot, other.span).into());
            Objection {
                words: format!("the fix would cause a new finding of `{}`{about}{place}", rule.as_str()),
                about: declaration,
                modules: others.chain([module]).collect(),
            }
        });
        let resolved = Counts::of(fixes.iter().map(|(verdict, _)| *verdict));
        let stays = |(key, number): &(&Key, &usize)| {
            self.before.knows(key) && after.get(key) + **number > self.before.get(key)
        };
        let staying = resolved.numbers.iter().filter(stays).map(|(key, _)| Objection {
            words: "the fix would not remove the finding".to_owned(),
            about: declaration(&key.module, &key.address),
            modules: BTreeSet::from([key.module.clone()]),
        });
        new.chain(staying).collect()
    }
}

/// The declaration with an address in a module. `None` for the address of the module itself.
fn declaration(module: &SmolStr, address: &str) -> Option<Declaration> {
    address.contains('.').then(|| (module.clone(), address.to_owned()))
}

/// The declaration that a finding is about.
fn declaration_of(verdict: &Verdict) -> Option<Declaration> {
    declaration(&verdict.finding.module, &verdict.finding.address)
}

/// The fixes that fail, each with the reason: the only ones of a declaration with an objection.
fn failed<'o>(groups: &[Vec<Found<'_>>], objections: &'o [Objection]) -> HashMap<Declaration, &'o str> {
    let mut numbers: HashMap<Declaration, usize> = HashMap::new();
    for declaration in groups.iter().flatten().filter_map(|(verdict, _)| declaration_of(verdict)) {
        *numbers.entry(declaration).or_default() += 1;
    }
    let about = |objection: &'o Objection| Some((objection.about.clone()?, objection.words.as_str()));
    objections.iter().filter_map(about).filter(|(about, _)| numbers.get(about) == Some(&1)).collect()
}

/// Withholds the fixes of declarations, each with a reason. Returns the rest.
fn withhold<'v>(
    groups: Vec<Vec<Found<'v>>>,
    failed: &HashMap<Declaration, &str>,
    tried: &mut Tried,
) -> Vec<Vec<Found<'v>>> {
    let mut is_withheld = |found: &Found<'v>| {
        let verdict = found.0;
        let words = declaration_of(verdict).and_then(|declaration| failed.get(&declaration));
        words.map(|words| tried.withheld.push((verdict.clone(), (*words).to_owned()))).is_some()
    };
    let rest = |group: Vec<Found<'v>>| group.into_iter().filter(|found| !is_withheld(found)).collect();
    groups.into_iter().map(rest).filter(|group: &Vec<Found<'v>>| !group.is_empty()).collect()
}

/// The rules that may report something new after some fixes, each with the most severe level.
fn revealed(fixes: &[Found<'_>]) -> HashMap<&'static str, Severity> {
    let mut levels: HashMap<&str, Severity> = HashMap::new();
    for (verdict, _) in fixes {
        let entry = rules::entry(verdict.finding.rule.as_str());
        for rule in entry.into_iter().flat_map(|entry| entry.reveals) {
            let level = levels.entry(*rule).or_insert(verdict.level);
            *level = (*level).min(verdict.level);
        }
    }
    levels
}

/// Where a group is divided: between two rules, if it has several, so that the failures of one do not affect others.
fn middle(group: &[Found<'_>]) -> usize {
    let half = group.len() / 2;
    let rule = |at: usize| &group[at].0.finding.rule;
    let between = (1..group.len()).filter(|at| rule(at - 1) != rule(*at));
    between.min_by_key(|at| at.abs_diff(half)).unwrap_or(half)
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

/// Fixes by the module that they change, those of a rule together.
fn by_module(fixes: Vec<Found<'_>>) -> Vec<Vec<Found<'_>>> {
    let mut groups: BTreeMap<SmolStr, Vec<Found<'_>>> = BTreeMap::new();
    for found in fixes {
        groups.entry(found.0.finding.module.clone()).or_default().push(found);
    }
    let by_rule = |mut group: Vec<_>| {
        group.sort_by(|(a, _): &Found<'_>, (b, _)| a.finding.rule.cmp(&b.finding.rule));
        group
    };
    groups.into_values().map(by_rule).collect()
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
        let is_new = |before: &Counts| after.numbers.keys().any(|key| before.lack(key, &after));
        assert!(is_new(&counts(std::slice::from_ref(&known))));
        assert!(!is_new(&counts(&[known.clone(), left_out(Some(EngineRule::InvalidName))])));
        assert!(is_new(&counts(&[known.clone(), left_out(Some(EngineRule::InvalidValue))])));
        // The limit of a run leaves out the errors of engines last.
        assert!(is_new(&counts(&[known, left_out(None)])));
    }
}
