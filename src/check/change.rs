//! Turns a change into what a run over the modules that it can affect comes to, and what of that is new.
//!
//! Both states are checked in the same excerpt, with the policy of the later one. The modules that the change touches,
//! and all that lead to them, are judged as in a look at the whole repository. Of what these call it is not known who
//! else calls it; where something about such a module seems to be new, it counts as affected too, and the look is
//! repeated with more of the repository. What the others call is the same in both states, so it can hide nothing that
//! is new.
//!
//! A module whose callers see nothing of the change, as of a comment, is checked without its callers; they are checked
//! only if the findings of the module change.

mod affected_modules;
mod affected_roots;
mod comparison;
mod interfaces;
mod match_findings;
mod removed_module_hint;
mod unseen;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use smol_str::SmolStr;

pub use affected_roots::{Affected, AffectedModule, AffectedUnit, affected};
pub use interfaces::{ModuleChange, interface_changes};

use crate::check::change::affected_modules::{Impact, Known};
use crate::check::change::match_findings::Side;
use crate::check::fingerprint::Fingerprints;
use crate::check::fingerprint::renames;
use crate::check::location::real_directory;
use crate::check::run::{Comparison, collect};
use crate::check::{Outcome, Settings, Verdict};
use crate::engine::Companion;
use crate::rules::Earlier;
use crate::session::call_index::{self, CallIndex};
use crate::session::terragrunt::ChangedUnits;
use crate::session::threads::discard;
use crate::text::Sources;
use crate::vfs::{Change, Error, Excerpt, Snapshot, State, last_name, parent};

/// A change that was checked.
#[derive(Debug)]
pub struct Checked {
    /// What was read of the later state.
    pub snapshot: Snapshot,
    /// What the run came to.
    pub outcome: Outcome,
    /// The modules that it was about.
    pub affected: BTreeSet<SmolStr>,
    /// How many directories there are of which this clone does not hold all files, so that what they call is not known.
    pub absent: usize,
    /// The state before the change, if it was looked at.
    pub earlier: Option<Earlier>,
    /// What makes a later run faster, and the name to keep it under; nothing where that is kept already.
    pub memory: Option<(&'static str, Vec<u8>)>,
}

/// Checks the modules that a change can affect; `policy` holds the sources that the policy of the settings is made of.
///
/// What was found before the change too is counted as known, unless `all` is to be reported.
pub fn run_change(
    change: &Change,
    policy: &Sources,
    settings: &Settings,
    scope: &[String],
    all: bool,
) -> Result<Checked, Error> {
    let units = ChangedUnits::of(change);
    let mut touched_otherwise = units.touched.clone();
    if is_about_names(settings) {
        touched_otherwise.extend(change.with_other_names());
    }
    let mut memory = remembered(change);
    let known = if change.is_empty() { Known::default() } else { Known::of(change, &mut memory)? };
    touched_otherwise.extend(known.readers(change, &memory));
    let mut touched = change.touched()?;
    touched.extend(touched_otherwise.iter().cloned());
    if touched.is_empty() {
        // Most commits touch no module.
        let mut snapshot = change.open(State::Now, &Excerpt::default(), &settings.policy.limits(), policy);
        let collected =
            collect(&mut snapshot, &units.now, settings, Fingerprints::default(), Comparison::None);
        let outcome = collected.outcome(&snapshot, settings, &|_| false);
        let memory = news(&memory, &known);
        return Ok(Checked {
            snapshot,
            outcome,
            affected: BTreeSet::new(),
            absent: 0,
            earlier: None,
            memory,
        });
    }
    let impact = Impact::of(change, &touched, &known, &memory);
    let renamed: BTreeMap<SmolStr, SmolStr> =
        change.renamed()?.into_iter().map(|(new, old)| (old.into(), new.into())).collect();
    let mut unseen = unseen::modules(change, &touched_otherwise);
    unseen.retain(|directory| touched.contains(directory.as_str()));
    let mut affected = impact.affected_without(&unseen);
    if all {
        // What is found in a module may depend on its callers.
        affected.append(&mut unseen);
    }
    let (snapshot, now, before, earlier) = loop {
        unseen.retain(|directory| !affected.contains(directory));
        let excerpt = impact.excerpt_with(&affected, &unseen);
        let mut earlier = change.open(State::Before, &excerpt, &settings.policy.limits(), policy);
        let mut snapshot = change.open(State::Now, &excerpt, &settings.policy.limits(), policy).within(scope);
        let names = Fingerprints::ahead(renamed.clone(), renames::of(&earlier, &snapshot, &renamed));
        let mut was = collect(&mut earlier, &units.before, settings, names, Comparison::Keep);
        let (mut reported, mut suppressed) = (mem::take(&mut was.verdicts), mem::take(&mut was.suppressed));
        let modules = earlier.directories().iter().map(|directory| directory.path.clone()).collect();
        let earlier = was.earlier(earlier, renamed.clone());
        let against = Comparison::With(&earlier);
        let mut now = collect(&mut snapshot, &units.now, settings, Fingerprints::default(), against);
        change.is_whole(&excerpt)?;
        match_findings::number(
            Side { sources: earlier.sources(), reported: &mut reported, suppressed: &mut suppressed },
            Side {
                sources: snapshot.sources(),
                reported: &mut now.verdicts,
                suppressed: &mut now.suppressed,
            },
            &renamed,
        );
        removed_module_hint::explain(&mut now.verdicts, snapshot.sources(), &modules, &renamed);
        let before: BTreeSet<String> =
            reported.iter().flat_map(|verdict| verdict.fingerprints().iter().cloned()).collect();
        let new = now.verdicts.iter().filter(|verdict| !verdict.is_among(&before));
        // What is found behind a link that is new may have existed in the directory that it leads to.
        let modules = |verdict: &Verdict| {
            let real = real_directory(&verdict.finding, snapshot.sources()).map(SmolStr::new);
            real.into_iter().chain([verdict.finding.module.clone()])
        };
        let mut more: BTreeSet<SmolStr> = new.flat_map(modules).collect();
        let seen_again =
            |directory: &&SmolStr| of_module(&reported, directory) != of_module(&now.verdicts, directory);
        let seen_again: BTreeSet<SmolStr> = unseen.iter().filter(seen_again).cloned().collect();
        more.extend(impact.above(seen_again));
        if more.is_subset(&affected) {
            break (snapshot, now, before, earlier);
        }
        discard(earlier);
        affected.extend(more);
    };
    affected.append(&mut unseen);
    let mut outcome = now.outcome(&snapshot, settings, &|module| affected.contains(module));
    if !all {
        let found = outcome.verdicts.len();
        outcome.verdicts.retain(|verdict| !verdict.is_among(&before));
        outcome.known += found - outcome.verdicts.len();
    }
    let (absent, memory) = (known.absent(), news(&memory, &known));
    Ok(Checked { snapshot, outcome, affected, absent, earlier: Some(earlier), memory })
}

/// The fingerprints of what is reported about a module.
fn of_module<'v>(verdicts: &'v [Verdict], directory: &str) -> BTreeSet<&'v String> {
    let of_module = verdicts.iter().filter(|verdict| verdict.finding.module == directory);
    of_module.flat_map(Verdict::fingerprints).collect()
}

/// The directories of modules whose functions may read a file that a change alters.
pub(crate) fn readers(change: &Change) -> Result<BTreeSet<String>, Error> {
    let mut memory = remembered(change);
    Ok(Known::of(change, &mut memory)?.readers(change, &memory))
}

/// Checks the modules of some files and directories as they are now, and tells all that is found there.
pub fn run_named(
    change: &Change,
    policy: &Sources,
    settings: &Settings,
    paths: &[String],
) -> Result<Checked, Error> {
    let mut memory = remembered(change);
    let known = Known::of(change, &mut memory)?;
    let impact = Impact::of(change, &BTreeSet::new(), &known, &memory);
    let mut named = impact.modules_of(paths);
    named.extend(owners(change, paths));
    let excerpt = impact.excerpt(&named);
    let mut snapshot = change.open(State::Now, &excerpt, &settings.policy.limits(), policy);
    let units = ChangedUnits::of(change).now;
    let collected = collect(&mut snapshot, &units, settings, Fingerprints::default(), Comparison::None);
    let outcome = collected.outcome(&snapshot, settings, &|module| named.contains(module));
    change.is_whole(&excerpt)?;
    let (absent, memory) = (known.absent(), news(&memory, &known));
    Ok(Checked { snapshot, outcome, affected: named, absent, earlier: None, memory })
}

/// The modules that files beside them are for.
fn owners<'c>(change: &'c Change, paths: &'c [String]) -> impl Iterator<Item = SmolStr> {
    let companions = paths.iter().filter(|path| Companion::of(last_name(path)).is_some());
    companions.filter_map(|path| change.owner(parent(path).unwrap_or_default())).map(SmolStr::new)
}

/// Whether a rule of the policy wants files that are of no module.
fn is_about_names(settings: &Settings) -> bool {
    settings.policy.own_rules().any(|(_, definition)| definition.template == "required-file")
}

/// What an earlier run kept, as far as it is sound.
fn remembered(change: &Change) -> CallIndex {
    let bytes = change.remembered(call_index::NAME, call_index::MAX_BYTES);
    bytes.as_deref().and_then(CallIndex::read).unwrap_or_default()
}

/// What is to be kept, if that is not what is kept already.
fn news(memory: &CallIndex, known: &Known<'_>) -> Option<(&'static str, Vec<u8>)> {
    let bytes = memory.has_new_entries().then(|| memory.write(&known.contents()))?;
    Some((call_index::NAME, bytes?))
}
