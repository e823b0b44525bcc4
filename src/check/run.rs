//! Runs a check: from a snapshot to an outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::check::active_rules::ActiveRules;
use crate::check::engines::{self, CheckRequest};
use crate::check::fingerprint::Fingerprints;
use crate::check::judge::{all_verdicts, merge, once_in_each_file};
use crate::check::linked;
use crate::check::location::in_scope;
use crate::check::suppress::exceptions::{
    EXPIRED_EXCEPTION, Exceptions, Parted, UNUSED_EXCEPTION, may_excuse,
};
use crate::check::{Outcome, Settings, Suppressed, Verdict};
use crate::engine::Engine;
use crate::finding::Finding;
use crate::graph::ModuleGraph;
use crate::policy::can_be_off;
use crate::rules::{Earlier, States, across_batches};
use crate::session::batches::batch_bytes;
use crate::session::companions::Companions;
use crate::session::installed::{Coverage, Installed};
use crate::session::parse_cache::ParseCache;
use crate::session::terragrunt::Units;
use crate::session::threads::discard;
use crate::session::values_files;
use crate::vfs::{Snapshot, child, parent};

/// Checks every module of a snapshot. The outcome has the findings in its scope.
pub fn run(snapshot: &mut Snapshot, settings: &Settings) -> Outcome {
    let units = Arc::new(Units::of(snapshot));
    let collected = collect(snapshot, &units, settings, Fingerprints::default(), Comparison::None);
    collected.outcome(snapshot, settings, &|_| true)
}

/// All findings in a snapshot, before the scope and the baseline remove some.
#[derive(Debug)]
pub(super) struct Collected {
    pub(super) verdicts: Vec<Verdict>,
    pub(super) suppressed: Vec<Suppressed>,
    pub(super) engines: Vec<Engine>,
    /// The calls of modules from other repositories, with [`Settings::installed`].
    coverage: Coverage,
    /// The graph of each engine, with [`Comparison::Keep`].
    graphs: BTreeMap<Engine, ModuleGraph>,
}

/// What a check compares with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Comparison<'e> {
    /// Nothing.
    None,
    /// The repository before the change.
    With(&'e Earlier),
    /// Nothing. The result keeps its graphs, so that a later check can compare with them.
    Keep,
}

impl<'e> Comparison<'e> {
    fn earlier(self) -> Option<&'e Earlier> {
        match self {
            Self::With(earlier) => Some(earlier),
            Self::None | Self::Keep => None,
        }
    }
}

/// Checks every module of a snapshot. `units` are the Terragrunt units that may run them, and `fingerprints` numbers
/// findings that are otherwise alike.
pub(super) fn collect(
    snapshot: &mut Snapshot,
    units: &Arc<Units>,
    settings: &Settings,
    mut fingerprints: Fingerprints,
    comparison: Comparison<'_>,
) -> Collected {
    let selected = settings.select.as_slice();
    let about_exceptions = selected.iter().any(|rule| [UNUSED_EXCEPTION, EXPIRED_EXCEPTION].contains(rule));
    let settings = &with_selected_rules(settings, about_exceptions);
    let mut mistakes = Vec::new();
    let active_rules = ActiveRules::new(&settings.policy, &settings.select, &mut mistakes);
    if active_rules.asks_for_excluded_locks() {
        snapshot.find_excluded_locks();
    }
    let mut cache = new_cache(snapshot, units, settings, comparison);
    let states = States::default();
    let request = CheckRequest {
        choice: settings.engines.as_ref().or(settings.policy.engine()),
        active_rules: &active_rules,
        earlier: comparison.earlier(),
        states: &states,
        keeps_graphs: matches!(comparison, Comparison::Keep),
        batch_bytes: batch_bytes(rayon::current_num_threads()),
        counts: &settings.counts,
    };
    let result = engines::check_all(snapshot, &mut cache, &request);
    let snapshot = &*snapshot;
    let sources = snapshot.sources();
    let in_values_files = values_files::check(snapshot, &settings.policy.limits(), &mut cache, may_excuse);

    let of_no_engine = snapshot.findings().iter().cloned().chain(in_values_files).chain(mistakes);
    let is_for_role =
        |finding: &Finding| settings.is_for_role(finding, sources, &result.roles, &result.checked_by);
    let of_no_engine = of_no_engine.chain(across_batches(&states, snapshot)).map(|finding| (finding, None));
    let found = result.findings.into_iter().chain(of_no_engine).filter(|(finding, _)| is_for_role(finding));
    let verdicts = all_verdicts(found.collect(), sources, settings, &mut fingerprints);
    let exceptions = Exceptions::gather(snapshot, &cache, &result.checked_by, settings);
    discard(cache);
    let Parted { mut reported, mut suppressed, findings } = exceptions.part(verdicts);
    let about_exceptions_found =
        findings.into_iter().filter(is_for_role).map(|finding| (finding, None)).collect();
    merge(&mut reported, all_verdicts(about_exceptions_found, sources, settings, &mut fingerprints), sources);
    let is_module = |directory: &str| {
        result.checked_by.contains_key(directory) && !result.not_modules.contains(directory)
    };
    linked::settle(&mut reported, sources, &is_module);
    once_in_each_file(&mut reported, |verdict| verdict, sources);
    once_in_each_file(&mut suppressed, |suppressed| &suppressed.verdict, sources);
    if about_exceptions {
        reported
            .retain(|verdict| selected.contains(&verdict.finding.rule) || !can_be_off(&verdict.finding.rule));
    }
    Collected {
        verdicts: reported,
        suppressed,
        engines: result.engines.into_iter().collect(),
        coverage: result.coverage,
        graphs: result.graphs,
    }
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
    comparison: Comparison<'_>,
) -> ParseCache {
    let named_files = Arc::new(snapshot.named_files());
    let mut cache = ParseCache::new(settings.policy.limits(), units.clone(), named_files);
    cache.companions = Arc::new(Companions::of(snapshot));
    if let Some(data) = &settings.installed {
        cache.installed = Arc::new(Installed::read(snapshot, data));
    }
    if let Some(earlier) = comparison.earlier().filter(|_| !settings.trusts_change) {
        cache.former_roles = Arc::new(earlier.roles());
    }
    cache
}

impl Collected {
    /// Converts the result into the state before a change, for the check of the state after it.
    pub(super) fn earlier(self, snapshot: Snapshot, renamed: BTreeMap<SmolStr, SmolStr>) -> Earlier {
        Earlier::new(snapshot, self.graphs.into_values(), renamed)
    }

    /// Returns the findings of `wanted` modules that are in the scope of the snapshot and not in the baseline.
    pub(super) fn outcome(
        mut self,
        snapshot: &Snapshot,
        settings: &Settings,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Outcome {
        discard(self.graphs);
        let (sources, scope) = (snapshot.sources(), snapshot.scope());
        let is_wanted =
            |verdict: &Verdict| wanted(&verdict.finding.module) && verdict.is_in_scope(sources, scope);
        self.verdicts.retain(is_wanted);
        self.suppressed.retain(|suppressed| is_wanted(&suppressed.verdict));
        let before = self.verdicts.len();
        self.verdicts.retain(|verdict| !settings.baseline.has(verdict));
        let (modules, files) = extent(snapshot, &self.engines, wanted);
        let is_asked_for = |caller: &str| {
            let has_file = |path: &String| snapshot.directory(path).is_none() && parent(path) == Some(caller);
            in_scope(caller, scope) || scope.iter().any(has_file)
        };
        let coverage = self.coverage.into_iter().filter(|((caller, _), _)| is_asked_for(caller));
        let coverage: Vec<bool> = coverage.map(|(_, is_covered)| is_covered).collect();
        let covered = coverage.iter().filter(|is_covered| **is_covered).count();
        let installed = settings.installed.as_ref().map(|_| (covered, coverage.len() - covered));
        let engines: Vec<String> = self.engines.iter().map(|engine| engine.word().to_string()).collect();
        Outcome {
            known: before - self.verdicts.len(),
            verdicts: self.verdicts,
            suppressed: self.suppressed,
            modules,
            files,
            installed,
            engine: engines.join(", "),
        }
    }
}

/// Counts the modules and their files in the scope of a snapshot.
fn extent(snapshot: &Snapshot, engines: &[Engine], wanted: &dyn Fn(&str) -> bool) -> (usize, usize) {
    let (mut modules, mut files) = (0, 0);
    let is_wanted = |path: &str| wanted(path) && !snapshot.is_installed(path);
    for directory in snapshot.directories().iter().filter(|directory| is_wanted(&directory.path)) {
        let is_whole = in_scope(&directory.path, snapshot.scope());
        let names: BTreeSet<&str> = engines
            .iter()
            .flat_map(|engine| directory.module_files(*engine))
            .map(|(file, _)| file.name.as_str())
            .filter(|name| is_whole || in_scope(&child(&directory.path, name), snapshot.scope()))
            .collect();
        modules += usize::from(!names.is_empty());
        files += names.len();
    }
    (modules, files)
}
