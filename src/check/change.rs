//! Checks the modules that a change can affect, and reports the new findings.
//!
//! Both states are checked with the same directories and the policy of the later state. The modules that the change
//! touches, and their callers at every level, get the same findings as in a check of the whole repository. Other
//! callers of the modules that they call are not read. If a finding about such a module seems to be new, the module
//! counts as affected too, and the check is repeated with more directories. Its other callers are equal in both states,
//! so no new finding is missed.
//!
//! If callers cannot see the change to a module, for example to a comment, the module is checked without its callers.
//! They are checked only if the findings of the module change.

mod affected_modules;
mod affected_roots;
mod call_path;
mod comparison;
mod effects;
mod interfaces;
mod known;
mod match_findings;
mod removed_module_hint;
mod side;
mod survey;
mod unseen;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

pub use affected_roots::{Affected, AffectedModule, AffectedUnit, affected};
pub use interfaces::{ModuleChange, interface_changes};
pub use side::Asked;

use crate::check::change::affected_modules::Impact;
use crate::check::change::match_findings::StateFindings;
use crate::check::change::survey::Survey;
use crate::check::fingerprint::Fingerprints;
use crate::check::fingerprint::renames;
use crate::check::location::real_directory;
use crate::check::run::{Against, collect};
use crate::check::{Outcome, Settings, Verdict};
use crate::engine::Companion;
use crate::rules::Earlier;
use crate::session::terragrunt::ChangedUnits;
use crate::session::threads::discard;
use crate::text::Sources;
use crate::vfs::{Change, Error, Excerpt, Snapshot, State, last_name, parent};

/// The result of checking a change.
#[derive(Debug)]
pub struct Checked {
    /// The files of the later state that were read.
    pub snapshot: Snapshot,
    /// The result of the run.
    pub outcome: Outcome,
    /// The checked modules.
    pub affected: BTreeSet<SmolStr>,
    /// The number of directories whose files are not all in the clone, so that their calls are unknown.
    pub absent: usize,
    /// The state before the change, if it was read.
    pub earlier: Option<Earlier>,
    /// The name and content of the cache for later runs, unless it is unchanged.
    pub cache: Option<(&'static str, Vec<u8>)>,
}

/// Checks the modules that a change can affect; `policy` has the sources of the policy.
///
/// Findings that existed before the change count as existing ones, unless `all` is set.
pub fn run_change(
    change: &Change,
    policy: &Sources,
    settings: &Settings,
    scope: &[String],
    all: bool,
) -> Result<Checked, Error> {
    let Survey { units, known, touched, readers } = Survey::of(change)?;
    let mut touched_otherwise = units.touched.clone();
    if is_about_names(settings) {
        touched_otherwise.extend(change.with_other_names());
    }
    touched_otherwise.extend(readers.into_keys());
    let touched: BTreeSet<String> = touched.union(&touched_otherwise).cloned().collect();
    if touched.is_empty() {
        // Most commits touch no module.
        let mut snapshot = change.open(State::Now, &Excerpt::default(), &settings.policy.limits(), policy);
        let fingerprints = Fingerprints::default();
        let outcome = collect(&mut snapshot, &units.now, settings, fingerprints, Against::None);
        let outcome = outcome.within_scope(&snapshot, settings, &|_| false);
        let (affected, cache) = (BTreeSet::new(), known.new_cache());
        return Ok(Checked { snapshot, outcome, affected, absent: 0, earlier: None, cache });
    }
    let impact = Impact::of(change, &touched, &known);
    let renamed: BTreeMap<SmolStr, SmolStr> =
        change.renamed()?.into_iter().map(|(new, old)| (old.into(), new.into())).collect();
    let mut unseen = unseen::modules(change, &touched_otherwise);
    unseen.retain(|directory| touched.contains(directory.as_str()));
    let mut affected = impact.affected_without(&unseen);
    if all {
        // The findings in a module may depend on its callers.
        affected.append(&mut unseen);
    }
    let compared = loop {
        unseen.retain(|directory| !affected.contains(directory));
        let excerpt = if all { impact.excerpt(&affected) } else { impact.excerpt_of_new(&affected, &unseen) };
        let compared = compare(change, &excerpt, policy, settings, scope, &units, &renamed)?;
        let mut more = compared.with_new_findings();
        more.extend(impact.above(&compared.with_other_findings(&unseen)));
        if more.is_subset(&affected) {
            break compared;
        }
        discard(compared);
        affected.extend(more);
    };
    affected.append(&mut unseen);
    let Compared { snapshot, now, earlier, before, .. } = compared;
    let mut outcome = now.within_scope(&snapshot, settings, &|module| affected.contains(module));
    if !all {
        let found = outcome.verdicts.len();
        outcome.verdicts.retain(|verdict| !verdict.is_among(&before));
        outcome.known += found - outcome.verdicts.len();
    }
    let (absent, cache) = (known.absent(), known.new_cache());
    Ok(Checked { snapshot, outcome, affected, absent, earlier: Some(earlier), cache })
}

/// The findings of both states in a part of the repository.
struct Compared {
    snapshot: Snapshot,
    now: Outcome,
    earlier: Earlier,
    /// The findings before the change.
    reported: Vec<Verdict>,
    /// Their fingerprints.
    before: BTreeSet<String>,
}

/// Checks a part of the repository before and after a change. `renamed` has the directories that the change renames.
fn compare(
    change: &Change,
    excerpt: &Excerpt,
    policy: &Sources,
    settings: &Settings,
    scope: &[String],
    units: &ChangedUnits,
    renamed: &BTreeMap<SmolStr, SmolStr>,
) -> Result<Compared, Error> {
    let open = |state| change.open(state, excerpt, &settings.policy.limits(), policy);
    let (mut earlier, mut snapshot) = (open(State::Before), open(State::Now).within(scope));
    let names = Fingerprints::ahead(renamed.clone(), renames::of(&earlier, &snapshot, renamed));
    let was = collect(&mut earlier, &units.before, settings, names, Against::Keep);
    let Outcome { verdicts: mut reported, mut suppressed, graphs, .. } = was;
    let modules = earlier.directories().iter().map(|directory| directory.path.clone()).collect();
    let earlier = Earlier::new(earlier, graphs.into_values(), renamed.clone());
    let against = Against::With(&earlier);
    let mut now = collect(&mut snapshot, &units.now, settings, Fingerprints::default(), against);
    change.is_whole(excerpt)?;
    match_findings::number(
        StateFindings { sources: earlier.sources(), reported: &mut reported, suppressed: &mut suppressed },
        StateFindings {
            sources: snapshot.sources(),
            reported: &mut now.verdicts,
            suppressed: &mut now.suppressed,
        },
        renamed,
    );
    removed_module_hint::explain(&mut now.verdicts, snapshot.sources(), &modules, renamed);
    let before = reported.iter().flat_map(|verdict| verdict.fingerprints().iter().cloned()).collect();
    Ok(Compared { snapshot, now, earlier, reported, before })
}

impl Compared {
    /// The modules with new findings.
    fn with_new_findings(&self) -> BTreeSet<SmolStr> {
        let new = self.now.verdicts.iter().filter(|verdict| !verdict.is_among(&self.before));
        // Findings in the target of a new link may have existed before.
        let modules = |verdict: &Verdict| {
            let real = real_directory(&verdict.finding, self.snapshot.sources()).map(SmolStr::new);
            real.into_iter().chain([verdict.finding.module.clone()])
        };
        new.flat_map(modules).collect()
    }

    /// Those of some modules whose findings differ between the states.
    fn with_other_findings(&self, modules: &BTreeSet<SmolStr>) -> BTreeSet<SmolStr> {
        let differ = |directory: &&SmolStr| {
            of_module(&self.reported, directory) != of_module(&self.now.verdicts, directory)
        };
        modules.iter().filter(differ).cloned().collect()
    }
}

/// The fingerprints of the findings in a module.
fn of_module<'v>(verdicts: &'v [Verdict], directory: &str) -> BTreeSet<&'v String> {
    let of_module = verdicts.iter().filter(|verdict| verdict.finding.module == directory);
    of_module.flat_map(Verdict::fingerprints).collect()
}

/// The directories of modules whose functions may read a file that a change alters, each with the first such file.
pub(crate) fn readers(change: &Change) -> Result<BTreeMap<String, String>, Error> {
    Ok(Survey::of(change)?.readers)
}

/// Checks the modules of some files and directories in their current state, and reports all findings.
pub fn run_named(
    change: &Change,
    policy: &Sources,
    settings: &Settings,
    paths: &[String],
) -> Result<Checked, Error> {
    let Survey { units, known, .. } = Survey::with_calls(change)?;
    let impact = Impact::of(change, &BTreeSet::new(), &known);
    let mut named = impact.modules_of(paths);
    named.extend(owners(change, paths));
    let excerpt = impact.excerpt(&named);
    let mut snapshot = change.open(State::Now, &excerpt, &settings.policy.limits(), policy);
    let outcome = collect(&mut snapshot, &units.now, settings, Fingerprints::default(), Against::None);
    let outcome = outcome.within_scope(&snapshot, settings, &|module| named.contains(module));
    change.is_whole(&excerpt)?;
    let (absent, cache) = (known.absent(), known.new_cache());
    Ok(Checked { snapshot, outcome, affected: named, absent, earlier: None, cache })
}

/// The modules that variable definitions, lock and test files are for.
fn owners<'c>(change: &'c Change, paths: &'c [String]) -> impl Iterator<Item = SmolStr> {
    let companions = paths.iter().filter(|path| Companion::of(last_name(path)).is_some());
    companions.filter_map(|path| change.owner(parent(path).unwrap_or_default())).map(SmolStr::new)
}

/// Whether a rule of the policy needs files that belong to no module.
fn is_about_names(settings: &Settings) -> bool {
    settings.policy.custom_rules().any(|(_, definition)| definition.template == "required-file")
}
