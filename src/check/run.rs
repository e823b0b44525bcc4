//! Turns a working tree into what a run came to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::check::active_rules::ActiveRules;
use crate::check::engines::{self, Question};
use crate::check::fingerprint::Fingerprints;
use crate::check::judge::{merge, once_in_each_file, weigh};
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
use crate::rules::{Earlier, States, shared_states};
use crate::session::batches::batch_bytes;
use crate::session::companions::Companions;
use crate::session::parse_cache::ParseCache;
use crate::session::terragrunt::Units;
use crate::session::threads::discard;
use crate::session::values_files;
use crate::vfs::{Snapshot, child};

/// Checks every module of a working tree, and tells what has a place in its scope.
pub fn run(snapshot: &mut Snapshot, settings: &Settings) -> Outcome {
    let units = Arc::new(Units::of(snapshot));
    let collected = collect(snapshot, &units, settings, Fingerprints::default(), Against::Nothing);
    collected.outcome(snapshot, settings, &|_| true)
}

/// Everything that can be reported of a working tree.
#[derive(Debug)]
pub(super) struct Collected {
    pub(super) verdicts: Vec<Verdict>,
    pub(super) suppressed: Vec<Suppressed>,
    pub(super) engines: Vec<Engine>,
    /// By engine: the modules as it saw them, where something is to be held against them.
    trees: BTreeMap<Engine, ModuleGraph>,
}

/// What a run is held against.
#[derive(Debug, Clone, Copy)]
pub(super) enum Against<'e> {
    /// Nothing.
    Nothing,
    /// What it all was before a change.
    Earlier(&'e Earlier),
    /// Nothing, but another run will be held against it, which takes its modules.
    Later,
}

/// Checks every module of a working tree, which `units` of Terragrunt may run; `fingerprints` names what is found.
pub(super) fn collect(
    snapshot: &mut Snapshot,
    units: &Arc<Units>,
    settings: &Settings,
    mut fingerprints: Fingerprints,
    against: Against<'_>,
) -> Collected {
    let mut policy = settings.policy.clone();
    settings.select.iter().for_each(|rule| policy.turn_on(rule.as_str()));
    // Whether an exception is of use shows only where every rule looks.
    let about_exceptions =
        settings.select.iter().any(|rule| [UNUSED_EXCEPTION, EXPIRED_EXCEPTION].contains(rule));
    let select = if about_exceptions { Vec::new() } else { settings.select.clone() };
    let asked = settings.select.as_slice();
    let settings = &Settings { policy, select, ..settings.clone() };
    let mut mistakes = Vec::new();
    let active_rules = ActiveRules::new(&settings.policy, &settings.select, &mut mistakes);
    if active_rules.asks_for_excluded_locks() {
        snapshot.find_excluded_locks();
    }
    let named_files = Arc::new(snapshot.named_files());
    let mut cache = ParseCache::new(settings.policy.limits(), units.clone(), named_files);
    cache.companions = Arc::new(Companions::of(snapshot));
    if let Against::Earlier(earlier) = against
        && !settings.trusts_change
    {
        cache.former_roles = Arc::new(earlier.roles());
    }
    let choice = settings.engines.as_ref().or(settings.policy.engine());
    let (earlier, keep) = match against {
        Against::Nothing => (None, false),
        Against::Earlier(earlier) => (Some(earlier), false),
        Against::Later => (None, true),
    };
    let batch = batch_bytes(rayon::current_num_threads());
    let states = States::default();
    let counts = &settings.counts;
    let question =
        Question { choice, active_rules: &active_rules, earlier, states: &states, keep, batch, counts };
    let seen = engines::look(snapshot, &mut cache, &question);
    let snapshot = &*snapshot;
    let sources = snapshot.sources();
    let beside = values_files::check(snapshot, &settings.policy.limits(), &mut cache, may_excuse);

    let found =
        snapshot.findings().iter().cloned().chain(beside).chain(mistakes).map(|finding| (finding, None));
    let is_for_role = |finding: &Finding| settings.is_for_role(finding, sources, &seen.roles, &seen.looked);
    let shared = shared_states(states, snapshot).into_iter().map(|finding| (finding, None));
    let found = found.chain(seen.findings).chain(shared).filter(|(finding, _)| is_for_role(finding));
    let verdicts = weigh(found.collect(), sources, settings, &mut fingerprints);
    let exceptions = Exceptions::gather(snapshot, &cache, &seen.looked, settings);
    discard(cache);
    let Parted { mut reported, mut suppressed, findings } = exceptions.part(verdicts);
    let wrong = findings.into_iter().filter(is_for_role).map(|finding| (finding, None)).collect();
    merge(&mut reported, weigh(wrong, sources, settings, &mut fingerprints), sources);
    let is_module =
        |directory: &str| seen.looked.contains_key(directory) && !seen.set_aside.contains(directory);
    linked::settle(&mut reported, sources, &is_module);
    once_in_each_file(&mut reported, |verdict| verdict, sources);
    once_in_each_file(&mut suppressed, |suppressed| &suppressed.verdict, sources);
    if about_exceptions {
        reported
            .retain(|verdict| asked.contains(&verdict.finding.rule) || !can_be_off(&verdict.finding.rule));
    }
    Collected {
        verdicts: reported,
        suppressed,
        engines: seen.engines.into_iter().collect(),
        trees: seen.trees,
    }
}

impl Collected {
    /// What it was that was looked at, for a run over what became of it.
    pub(super) fn earlier(self, snapshot: Snapshot, renamed: BTreeMap<SmolStr, SmolStr>) -> Earlier {
        Earlier::new(snapshot, self.trees.into_values(), renamed)
    }

    /// What a run over a working tree comes to: what has a place in the scope of that, as far as it is about `wanted`
    /// modules.
    pub(super) fn outcome(
        mut self,
        snapshot: &Snapshot,
        settings: &Settings,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Outcome {
        discard(self.trees);
        let (sources, scope) = (snapshot.sources(), snapshot.scope());
        let is_asked_for =
            |verdict: &Verdict| wanted(&verdict.finding.module) && verdict.reaches(sources, scope);
        self.verdicts.retain(is_asked_for);
        self.suppressed.retain(|suppressed| is_asked_for(&suppressed.verdict));
        let before = self.verdicts.len();
        self.verdicts.retain(|verdict| !settings.baseline.has(verdict));
        let (modules, files) = extent(snapshot, &self.engines, wanted);
        let engines: Vec<String> = self.engines.iter().map(|engine| engine.word().to_string()).collect();
        Outcome {
            known: before - self.verdicts.len(),
            verdicts: self.verdicts,
            suppressed: self.suppressed,
            modules,
            files,
            engine: engines.join(", "),
        }
    }
}

/// How many modules, and how many of their files, lie in the scope of a run.
fn extent(snapshot: &Snapshot, engines: &[Engine], wanted: &dyn Fn(&str) -> bool) -> (usize, usize) {
    let (mut modules, mut files) = (0, 0);
    for directory in snapshot.directories().iter().filter(|directory| wanted(&directory.path)) {
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
