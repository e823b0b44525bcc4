//! Finds the root modules whose plans a change can affect, each with the chain of reasons.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::check::change::comparison::Comparison;
use crate::check::change::side::Asked;
use crate::engine::{Companion, Product};
use crate::graph::{Reason, Role};
use crate::limits::Limits;
use crate::session::reads::Paths;
use crate::session::terragrunt;
use crate::text::Sources;
use crate::vfs::{Change, Error, Excerpt, State, ancestors, last_name, parent};

/// The modules, units and tests that a change can affect.
#[derive(Debug, Default)]
pub struct Affected {
    /// Root modules, sorted by directory.
    pub modules: Vec<AffectedModule>,
    /// Terragrunt units, sorted by path.
    pub units: Vec<AffectedUnit>,
    /// Test files of the affected modules, sorted by path.
    pub tests: Vec<SmolStr>,
    /// The number of affected modules that count as shared only because the repository shows no root module.
    pub in_library: usize,
}

/// A module whose plan a change can affect.
#[derive(Debug, PartialEq, Eq)]
pub struct AffectedModule {
    /// The directory, relative to the top of the repository; empty for the top itself.
    pub directory: SmolStr,
    /// The role of the module.
    pub role: Role,
    /// Terraform or OpenTofu, whichever the module is read for.
    pub product: Product,
    /// Whether the change deletes it.
    pub is_deleted: bool,
    /// The reason: the modules on the call path to the cause, and then the changed file.
    pub chain: Vec<SmolStr>,
}

/// A Terragrunt unit whose plan a change can affect.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AffectedUnit {
    /// The path of its file.
    pub path: SmolStr,
    /// The reason: the module that it runs, and so on. Only the unit file itself if the change alters it.
    pub chain: Vec<SmolStr>,
}

/// Finds the modules, units and tests that a change can affect.
pub fn affected(change: &Change, asked: Asked<'_>) -> Result<Affected, Error> {
    let comparison = Comparison::of(change, asked)?;
    let mut affected = Affected::default();
    let links = Links::of(change);
    let naming = units_that_name_one(change, &links);
    let mut units: BTreeSet<AffectedUnit> = comparison.changed_units(naming).collect();
    let mut listed: HashSet<SmolStr> = units.iter().map(|unit| unit.path.clone()).collect();
    let mut effects = comparison.effects();
    for directory in comparison.reached.keys() {
        let run_by = comparison.units.that_run(directory);
        let now = comparison.now.module(directory);
        let is_run = !run_by.units.is_empty() || now.is_none_or(|node| !node.is_called());
        if !is_run || !effects.reach_root(directory) {
            continue;
        }
        let chain = comparison.chain(directory);
        let was = || {
            let before = comparison.renamed.get(directory).unwrap_or(directory);
            comparison.before.module(before)
        };
        for path in run_by.units {
            if listed.insert(path.clone()) {
                let chain = [vec![directory.clone()], chain.clone()].concat();
                units.insert(AffectedUnit { path, chain });
            }
        }
        let Some(node) = now.or_else(was) else { continue };
        let is_deleted = now.is_none();
        // A module that Terragrunt runs is planned by its units.
        if node.role() != Role::Shared && !node.is_called() && !run_by.may_be_run {
            let directory = directory.clone();
            let (role, product) = (node.role(), node.module().features.engine.product);
            affected.modules.push(AffectedModule { directory, role, product, is_deleted, chain });
        }
        affected.in_library += usize::from(node.role_with_reason().1 == Reason::Library);
    }
    let linked = units.iter().flat_map(|unit| {
        let chain = &unit.chain;
        links.to(&unit.path).into_iter().map(|path| AffectedUnit { path, chain: chain.clone() })
    });
    let linked: Vec<AffectedUnit> = linked.filter(|unit| !listed.contains(&unit.path)).collect();
    units.extend(linked);
    affected.units = units.into_iter().collect();
    affected.tests = comparison.tests();
    Ok(affected)
}

/// The units of the later state whose configuration names a changed path, each with that path.
fn units_that_name_one(change: &Change, links: &Links) -> BTreeMap<SmolStr, SmolStr> {
    let paths: Paths = change.paths().collect();
    let open = |state| change.open(state, &Excerpt::default(), &Limits::default(), &Sources::default());
    let now = open(State::Now);
    let linked = now.unit_files().iter().flat_map(|unit| links.to(unit));
    let units: Vec<SmolStr> = now.unit_files().iter().cloned().chain(linked).collect();
    let mut naming = terragrunt::that_name_one(&now, &units, &paths);
    // Only the earlier state shows which units a removed file was for.
    let removed: Paths = paths.all.iter().filter(|path| !now.is_there(path)).cloned().collect();
    if !removed.all.is_empty() {
        naming.extend(terragrunt::that_name_one(&open(State::Before), &units, &removed));
    }
    naming
}

/// The symbolic links to directories of the later state, by the real path of the directory.
struct Links(BTreeMap<String, Vec<String>>);

impl Links {
    fn of(change: &Change) -> Self {
        let mut links: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for link in change.links_to_directories() {
            let Some((_, real)) = change.reached(State::Now, &link) else { continue };
            // A link to a directory around it leads to no other unit.
            if !ancestors(&link).any(|above| above == real) {
                links.entry(real).or_default().push(link);
            }
        }
        Self(links)
    }

    /// The paths of a file through a link.
    fn to(&self, path: &str) -> Vec<SmolStr> {
        let mut linked = Vec::new();
        // The top of the repository is around each link.
        for directory in ancestors(path).filter(|directory| !directory.is_empty()) {
            let links = self.0.get(directory).into_iter().flatten();
            linked.extend(links.map(|link| SmolStr::from(format!("{link}{}", &path[directory.len()..]))));
        }
        linked
    }
}

impl Comparison {
    /// The reason why a module is affected: the modules on the call path, and the changed path.
    fn chain(&self, directory: &SmolStr) -> Vec<SmolStr> {
        let mut chain = Vec::new();
        let mut at = directory;
        while let Some(Some(through)) = self.reached.get(at) {
            chain.push(through.clone());
            at = through;
        }
        chain.extend(self.causes.get(at).cloned());
        chain
    }

    /// The units whose own files the change alters, and those that name a changed file.
    fn changed_units(&self, mut units: BTreeMap<SmolStr, SmolStr>) -> impl Iterator<Item = AffectedUnit> {
        for path in &self.paths {
            for unit in self.units.that_read(path) {
                if unit == *path {
                    units.insert(unit, path.clone());
                } else {
                    units.entry(unit).or_insert_with(|| path.clone());
                }
            }
        }
        units.into_iter().map(|(path, file)| AffectedUnit { path, chain: vec![file] })
    }

    /// The test files of the affected modules, and those that the change alters.
    fn tests(&self) -> Vec<SmolStr> {
        let snapshot = &self.now.snapshot;
        let mut tests = BTreeSet::new();
        let mocks = self.paths.iter().filter(|path| Companion::of(last_name(path)) == Some(Companion::Mock));
        let have_changed_mocks: HashSet<&str> = mocks.filter_map(|path| parent(path)).collect();
        for (directory, file) in snapshot.companions().filter(|(_, file)| file.kind == Companion::Test) {
            let path: SmolStr = crate::vfs::child(directory, &file.name).into();
            let is_of_reached = snapshot
                .owner(directory)
                .is_some_and(|owner| self.reached.contains_key(owner) || self.causes.contains_key(owner));
            if is_of_reached || self.paths.contains(&path) || have_changed_mocks.contains(directory.as_str())
            {
                tests.insert(path);
            }
        }
        tests.into_iter().collect()
    }
}
