//! Runs a check: from a snapshot to an outcome.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::check::active_rules::ActiveRules;
use crate::check::engines::capped::{Reported, cap};
use crate::check::engines::{self, BatchResult, EngineCheck};
use crate::check::fingerprint::Fingerprints;
use crate::check::judge::{all_verdicts, merge, once_in_each_file};
use crate::check::linked;
use crate::check::location::in_scope;
use crate::check::suppress::exceptions::{
    EXPIRED_EXCEPTION, Exceptions, UNUSED_EXCEPTION, may_contain_exceptions,
};
use crate::check::{Outcome, Settings, Verdict};
use crate::engine::{Companion, Engine};
use crate::finding::Finding;
use crate::policy::can_be_off;
use crate::rules::{Earlier, States, across_batches};
use crate::session::batches::batch_bytes;
use crate::session::companions::Companions;
use crate::session::installed::Installed;
use crate::session::parse_cache::ParseCache;
use crate::session::terragrunt::Units;
use crate::session::threads::discard;
use crate::session::values_files;
use crate::vfs::{Snapshot, child, last_name, parent};

/// Checks every module of a snapshot. The outcome has the findings in its scope.
pub fn run(snapshot: &mut Snapshot, settings: &Settings) -> Outcome {
    let units = Arc::new(Units::of(snapshot));
    let outcome = collect(snapshot, &units, settings, Fingerprints::default(), Against::None);
    outcome.within_scope(snapshot, settings, &|_| true)
}

/// What a check compares with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Against<'e> {
    /// Nothing.
    None,
    /// The repository before the change.
    With(&'e Earlier),
    /// Nothing. The result keeps its graphs, so that a later check can compare with them.
    Keep,
}

impl<'e> Against<'e> {
    fn earlier(self) -> Option<&'e Earlier> {
        match self {
            Self::With(earlier) => Some(earlier),
            Self::None | Self::Keep => None,
        }
    }
}

/// Checks every module of a snapshot. The outcome has all findings, before the scope and the baseline remove some.
/// `units` are the Terragrunt units that may run the modules, and `fingerprints` numbers findings that are otherwise
/// alike.
pub(super) fn collect(
    snapshot: &mut Snapshot,
    units: &Arc<Units>,
    settings: &Settings,
    fingerprints: Fingerprints,
    against: Against<'_>,
) -> Outcome {
    let selected = settings.select.as_slice();
    let about_exceptions = selected.iter().any(|rule| [UNUSED_EXCEPTION, EXPIRED_EXCEPTION].contains(rule));
    let settings = &with_selected_rules(settings, about_exceptions);
    let mut mistakes = Vec::new();
    let active_rules = ActiveRules::new(&settings.policy, &settings.select, &mut mistakes);
    if active_rules.asks_for_excluded_locks() {
        mistakes.extend(snapshot.find_excluded_locks());
    }
    let mut cache = new_cache(snapshot, units, settings, against);
    let states = States::default();
    let request = EngineCheck {
        settings,
        active_rules: &active_rules,
        earlier: against.earlier(),
        states: &states,
        keeps_graphs: matches!(against, Against::Keep),
        batch_bytes: batch_bytes(rayon::current_num_threads()),
    };
    let (result, mut findings) = engines::check_all(snapshot, &mut cache, &request);
    let mut of_no_engine = snapshot.findings().to_vec();
    of_no_engine.extend(values_files::check(
        snapshot,
        &settings.policy.limits(),
        &mut cache,
        may_contain_exceptions,
    ));
    of_no_engine.append(&mut mistakes);
    // It is about the repository, not about a change.
    if matches!(against, Against::None) {
        let modules = result.checked_by.keys().filter(|directory| !result.not_modules.contains(*directory));
        of_no_engine.extend(units.notice(modules.map(SmolStr::as_str), snapshot));
    }
    of_no_engine.extend(across_batches(&states, snapshot));
    findings.add(of_no_engine.into_iter().map(|finding| (finding, None)), snapshot.sources());
    let findings = findings.finish(snapshot.sources());
    let mut outcome = judged(snapshot, cache, result, findings, settings, fingerprints);
    if about_exceptions {
        outcome
            .verdicts
            .retain(|verdict| selected.contains(&verdict.finding.rule) || !can_be_off(&verdict.finding.rule));
    }
    outcome
}

/// Gives the findings their severities, and applies exceptions.
fn judged(
    snapshot: &Snapshot,
    cache: ParseCache,
    result: BatchResult,
    findings: Vec<Reported>,
    settings: &Settings,
    mut fingerprints: Fingerprints,
) -> Outcome {
    let BatchResult {
        engines, checked_by, assumed, roles, not_modules, coverage, unread_calls, graphs, ..
    } = result;
    let sources = snapshot.sources();
    let is_for_role = |finding: &Finding| settings.is_for_role(finding, sources, &roles, &checked_by);
    let mut verdicts = |findings: Vec<Reported>| {
        let findings = findings.into_iter().filter(|(finding, _)| is_for_role(finding)).collect();
        all_verdicts(findings, sources, settings, &mut fingerprints)
    };
    let all = verdicts(findings);
    let exceptions = Exceptions::gather(snapshot, &cache, &checked_by, settings);
    discard(cache);
    let installed = settings.installed.is_some().then_some(coverage);
    let mut outcome = Outcome {
        installed,
        unread_calls: unread_calls.len(),
        engines,
        assumed,
        graphs,
        ..Outcome::default()
    };
    let mut about_exceptions = exceptions.split(all, &mut outcome);
    cap(&mut about_exceptions);
    let about_exceptions = verdicts(about_exceptions.into_iter().map(|finding| (finding, None)).collect());
    let Outcome { verdicts: reported, suppressed, .. } = &mut outcome;
    merge(reported, about_exceptions, sources);
    let is_module = |directory: &str| checked_by.contains_key(directory) && !not_modules.contains(directory);
    linked::settle(reported, sources, &is_module);
    once_in_each_file(reported, |verdict| verdict, sources);
    once_in_each_file(suppressed, |suppressed| &suppressed.verdict, sources);
    outcome
}

/// The settings with the selected rules turned on. Only a run of all rules shows whether an exception has an effect, so
/// none is selected if the run is about exceptions.
fn with_selected_rules(settings: &Settings, about_exceptions: bool) -> Settings {
    let mut settings = settings.clone();
    settings.select.iter().for_each(|rule| settings.policy.turn_on(rule.as_str()));
    if about_exceptions {
        settings.select.clear();
    }
    settings
}

/// A parse cache with the facts about the repository that do not come from its modules.
fn new_cache(
    snapshot: &mut Snapshot,
    units: &Arc<Units>,
    settings: &Settings,
    against: Against<'_>,
) -> ParseCache {
    let named_files = Arc::new(snapshot.named_files());
    let mut cache = ParseCache::new(settings.policy.limits(), units.clone(), named_files);
    cache.companions = Arc::new(Companions::of(snapshot));
    if let Some(data) = &settings.installed {
        cache.installed = Arc::new(Installed::read(snapshot, data));
    }
    if let Some(earlier) = against.earlier().filter(|_| !settings.trusts_change) {
        cache.former_roles = Arc::new(earlier.roles());
    }
    cache
}

impl Outcome {
    /// Keeps the findings of `wanted` modules that are in the scope of the snapshot and not in the baseline.
    pub(super) fn within_scope(
        mut self,
        snapshot: &Snapshot,
        settings: &Settings,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Self {
        discard(std::mem::take(&mut self.graphs));
        let (sources, scope) = (snapshot.sources(), snapshot.scope());
        let is_wanted =
            |verdict: &Verdict| wanted(&verdict.finding.module) && verdict.is_in_scope(sources, scope);
        self.verdicts.retain(is_wanted);
        self.suppressed.retain(|suppressed| is_wanted(&suppressed.verdict));
        let before = self.verdicts.len();
        self.verdicts.retain(|verdict| !settings.baseline.has(verdict));
        self.known = before - self.verdicts.len();
        (self.modules, self.files) = extent(snapshot, &self.engines, wanted);
        let is_asked_for = |caller: &str| {
            let has_file = |path: &String| snapshot.directory(path).is_none() && parent(path) == Some(caller);
            in_scope(caller, scope) || scope.iter().any(has_file)
        };
        self.assumed.retain(|directory, _| wanted(directory) && in_scope(directory, scope));
        self.installed.iter_mut().for_each(|calls| calls.retain(|(caller, _), _| is_asked_for(caller)));
        self
    }
}

/// Counts the modules and their files in the scope of a snapshot. A file beside a module counts if a path names it.
fn extent(snapshot: &Snapshot, engines: &BTreeSet<Engine>, wanted: &dyn Fn(&str) -> bool) -> (usize, usize) {
    let (mut modules, mut files) = (BTreeSet::new(), 0);
    let is_wanted = |path: &str| wanted(path) && !snapshot.is_installed(path);
    for directory in snapshot.directories().iter().filter(|directory| is_wanted(&directory.path)) {
        let is_whole = in_scope(&directory.path, snapshot.scope());
        let names: BTreeSet<&str> = engines
            .iter()
            .flat_map(|engine| directory.module_files(*engine))
            .map(|(file, _)| file.name.as_str())
            .filter(|name| is_whole || in_scope(&child(&directory.path, name), snapshot.scope()))
            .collect();
        if !names.is_empty() {
            modules.insert(directory.path.as_str());
        }
        files += names.len();
    }
    for (directory, number) in snapshot.scope().iter().filter_map(|path| beside(snapshot, path)) {
        if is_wanted(directory) {
            modules.insert(directory);
            files += number;
        }
    }
    (modules.len(), files)
}

/// The module of a variable definition file or test file at a path, or of those in the directory `tests` at a path, and
/// their number.
fn beside<'p>(snapshot: &Snapshot, path: &'p str) -> Option<(&'p str, usize)> {
    let is_module = |directory: &&str| snapshot.directory(directory).is_some();
    if is_module(&path) {
        return None;
    }
    let above = |directory: &'p str| {
        let parent = parent(directory).filter(|_| last_name(directory) == "tests");
        Some(directory).filter(is_module).or(parent.filter(is_module))
    };
    if Companion::of(last_name(path)).is_some() {
        return Some((above(parent(path)?)?, 1));
    }
    let names = snapshot.names(path).files;
    let number = names.iter().filter(|name| Companion::of(name).is_some()).count();
    Some((above(path)?, number)).filter(|_| number > 0)
}
