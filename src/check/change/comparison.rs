//! Compares both states of a change, and finds the modules that it affects, with the reason for each.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::check::change::affected_modules::Impact;
use crate::check::change::effects::reading::of_user;
use crate::check::change::effects::{Altered, Effects};
use crate::check::change::side::{Asked, Side};
use crate::check::change::survey::Survey;
use crate::engine::{Companion, LOCK_FILE, Notation, Signal, is_module_file};
use crate::graph::{User, for_each_user};
use crate::module::canonical::NamedValue;
use crate::session::reads::{self, Paths};
use crate::session::terragrunt::Units;
use crate::vfs::{self, Change, Error, ancestors, child, last_name, parent};

/// Both states of a change.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) before: Side,
    pub(super) now: Side,
    /// Renamed directories: the new path, and the old one.
    pub(super) renamed: BTreeMap<SmolStr, SmolStr>,
    /// The modules whose plan the change itself can alter, each with the first changed path.
    pub(super) causes: BTreeMap<SmolStr, SmolStr>,
    /// What the change alters in each of them.
    altered: BTreeMap<SmolStr, Altered>,
    /// These modules and their callers at every level.
    concerned: BTreeSet<SmolStr>,
    /// The modules whose plan or outputs can differ, each with the module through which the change reaches it.
    pub(super) reached: BTreeMap<SmolStr, Option<SmolStr>>,
    /// The changed paths.
    pub(super) paths: BTreeSet<SmolStr>,
    /// Whether all of them are module files.
    are_of_modules: bool,
    pub(super) units: Arc<Units>,
}

/// If a change alters more values of a module, it counts as a change of everything.
const MOST_VALUES: usize = 1_000;

/// The values of a module that may read a changed file.
#[derive(Debug, Default)]
struct Readers {
    certain: BTreeSet<NamedValue>,
    /// Those that may read one outside the module, depending on what its callers pass to it.
    elsewhere: BTreeSet<NamedValue>,
}

impl Comparison {
    /// Loads both states of a change.
    pub(super) fn of(change: &Change, asked: Asked<'_>) -> Result<Self, Error> {
        let Survey { units, known, touched: own, readers } = Survey::of(change)?;
        let touched: BTreeSet<String> = own.iter().chain(readers.keys()).cloned().collect();
        let impact = Impact::of(change, &touched, &known);
        let affected = impact.affected();
        let [before, now] = [vfs::State::Before, vfs::State::Now]
            .map(|state| Side::open(change, state, &impact, &affected, asked));
        change.is_whole(&impact.excerpt(&affected))?;
        let paths: BTreeSet<SmolStr> = change.paths().map(SmolStr::from).collect();
        let mut comparison = Self {
            before,
            now,
            renamed: change.renamed()?.into_iter().map(|(new, old)| (new.into(), old.into())).collect(),
            causes: BTreeMap::new(),
            altered: BTreeMap::new(),
            concerned: BTreeSet::new(),
            reached: BTreeMap::new(),
            are_of_modules: paths.iter().all(|path| is_module_file(last_name(path))),
            paths,
            units: units.now,
        };
        let paths: Paths = change.paths().collect();
        let read = |directory: &String| {
            let near = || comparison.near(directory, &impact, &paths);
            read_file(directory, &known.reads(directory), &paths, near)
        };
        let mut read: BTreeMap<String, String> = readers
            .into_keys()
            .filter_map(|directory| Some((directory.clone(), read(&directory)?)))
            .collect();
        let mut by_module = by_module(change, &comparison.paths);
        let mut touched: BTreeSet<String> = own.into_iter().chain(read.keys().cloned()).collect();
        for (caller, path) in values_for_callers(change, &comparison.paths, &impact) {
            touched.insert(caller.to_string());
            by_module.entry(caller).or_default().push(path);
        }
        let mut reading: BTreeMap<SmolStr, Option<Readers>> = read
            .keys()
            .map(|directory| {
                let near = comparison.near(directory, &impact, &paths);
                (directory.into(), comparison.reading(directory, &paths, &near))
            })
            .collect();
        for (linked, real) in impact.touched_links() {
            touched.insert(linked.to_string());
            let link = ancestors(linked).find_map(|it| comparison.paths.get(it));
            let differing = real.and_then(|real| by_module.get(real)).into_iter().flatten().copied();
            let differing = differing.chain(link).collect();
            by_module.insert(linked.clone(), differing);
            // It is unknown which values read the file by the path through the link.
            if let Some(file) = real.and_then(|real| read.get(real.as_str())).cloned() {
                read.insert(linked.to_string(), file);
                reading.insert(linked.clone(), None);
            }
        }
        let causes = touched.into_iter().filter_map(|directory| {
            let differing = by_module.get(directory.as_str()).map(Vec::as_slice).unwrap_or_default();
            let read = read.get(&directory).map(SmolStr::from);
            Some((SmolStr::from(&directory), comparison.cause(&directory, differing, read)?))
        });
        comparison.causes = causes.collect();
        comparison.altered = comparison.alterations(&by_module, reading, &impact);
        comparison.concerned = impact.above(&comparison.altered.keys().cloned().collect());
        let mut effects = comparison.effects();
        let causes: Vec<&SmolStr> = comparison.causes.keys().filter(|cause| effects.reach(cause)).collect();
        let effects = RefCell::new(effects);
        let passes_on = |caller: &str, module: &str| effects.borrow_mut().pass_on(caller, module);
        let reached = impact.reached(causes.into_iter(), &passes_on);
        drop(effects);
        comparison.reached = reached;
        Ok(comparison)
    }

    /// The consequences of the change.
    pub(super) fn effects(&self) -> Effects<'_> {
        Effects::new((&self.before, &self.now), &self.altered, (&self.concerned, &self.paths))
    }

    /// What differs in each module that the change touches.
    fn alterations(
        &self,
        by_module: &BTreeMap<SmolStr, Vec<&SmolStr>>,
        mut reading: BTreeMap<SmolStr, Option<Readers>>,
        impact: &Impact<'_>,
    ) -> BTreeMap<SmolStr, Altered> {
        let of_module = |directory: &SmolStr| {
            let differing = by_module.get(directory).map(Vec::as_slice).unwrap_or_default();
            // Functions may read a module file, too.
            let altered = match reading.remove(directory) {
                Some(None) => None,
                reading => self.altered_values(directory, differing, reading.flatten()),
            };
            (directory.clone(), altered.unwrap_or(Altered::Everything))
        };
        let mut altered: BTreeMap<SmolStr, Altered> = self.causes.keys().map(of_module).collect();
        altered.extend(self.unlinked_callers(impact).into_iter().map(|caller| (caller, Altered::Everything)));
        altered
    }

    /// The paths in a module, its callers at every level and the units that run it: those that a path relative to a
    /// root module can name.
    fn near(&self, directory: &str, impact: &Impact<'_>, paths: &Paths) -> Paths {
        // Functions do not read module files by such paths.
        let is_other = |path: &&String| !is_module_file(last_name(path));
        let others = paths.all.iter().filter(is_other);
        // With very many callers, all paths count.
        let Some(above) = impact.leading_to(directory) else { return others.cloned().collect() };
        let run_by: Vec<_> = above.iter().map(|module| self.units.that_run(module)).collect();
        let units = run_by.iter().flat_map(|run_by| &run_by.units);
        let mut directories: BTreeSet<&str> = units.filter_map(|unit| parent(unit)).collect();
        directories.extend(above.iter().map(SmolStr::as_str));
        let may_be_anywhere = run_by.iter().any(|run_by| run_by.may_be_run && run_by.units.is_empty());
        if may_be_anywhere {
            return others.cloned().collect();
        }
        let below = |directory: &str| {
            let start = child(directory, "");
            let from = paths.all.range(start.clone()..);
            from.take_while(move |path| path.starts_with(&start)).chain(paths.all.get(directory))
        };
        directories.into_iter().flat_map(below).filter(is_other).cloned().collect()
    }

    /// The first changed path that can alter a plan of the module in a directory. Returns `None` if there is none.
    /// `differing` are the paths that belong to the module, and `read` is a path that its functions may read.
    fn cause(&self, directory: &str, differing: &[&SmolStr], read: Option<SmolStr>) -> Option<SmolStr> {
        let name = |path: &SmolStr| last_name(path).to_owned();
        if let Some(path) = differing.iter().find(|path| is_module_file(&name(path)))
            && !self.is_same(directory)
        {
            return Some((*path).clone());
        }
        let is_aside =
            |path: &SmolStr| matches!(Companion::of(&name(path)), Some(Companion::Test | Companion::Mock));
        let is_same_value = |path: &SmolStr| {
            Companion::of(&name(path)) == Some(Companion::Values)
                && self.now.values(path).is_some_and(|now| self.before.values(path) == Some(now))
        };
        let is_other =
            |path: &SmolStr| !is_module_file(&name(path)) && !is_aside(path) && !is_same_value(path);
        let other = differing.iter().find(|path| is_other(path));
        // If the module itself does not differ, the target of a link does.
        let is_same_module = || self.are_of_modules && self.is_same(directory);
        let of_link = || (differing.is_empty() && !is_same_module()).then(|| directory.into());
        // A file that functions read belongs to what callers see, other than variable values and lock files.
        read.or_else(|| other.map(|path| (*path).clone())).or_else(of_link)
    }

    /// Whether the content of a module is equal before and after the change.
    fn is_same(&self, directory: &str) -> bool {
        let before = self.renamed.get(directory).map_or(directory, SmolStr::as_str);
        let (was, is) = (self.before.meanings(before), self.now.meanings(directory));
        was == is && !is.is_empty() && is.iter().all(Option::is_some)
    }

    /// The values of a module that may read a changed file. Returns `None` if something else may. `near` are the paths
    /// that a path relative to a root module can name.
    fn reading(&self, directory: &str, paths: &Paths, near: &Paths) -> Option<Readers> {
        let (mut readers, mut is_certain) = (Readers::default(), true);
        for (view, node) in self.now.nodes(directory) {
            for_each_user(node, &view.files(node, &self.now.snapshot), &mut |expr, user| {
                let source = self.now.snapshot.sources().get(expr.span.file);
                let text = &source.text()[expr.span.range()];
                let mut patterns = BTreeSet::new();
                reads::patterns(text, Notation::of(source.name()) == Notation::Json, &mut patterns);
                let (any, patterns): (Vec<&str>, Vec<&str>) =
                    patterns.iter().map(SmolStr::as_str).partition(|pattern| reads::is_any(pattern));
                let is_read = |patterns| read_file(directory, patterns, paths, || near).is_some();
                if is_read(&patterns) {
                    match of_user(user).filter(|_| !matches!(user, User::Repetition(_))) {
                        Some(value) => drop(readers.certain.insert(value)),
                        None => is_certain = false,
                    }
                } else if is_read(&any) {
                    match of_user(user) {
                        Some(value) => drop(readers.elsewhere.insert(value)),
                        None => is_certain = false,
                    }
                }
            });
        }
        let is_any = !readers.certain.is_empty() || !readers.elsewhere.is_empty();
        (is_certain && is_any).then_some(readers)
    }

    /// The values that the change alters in a module, if it alters nothing else. `differing` are the changed paths
    /// that belong to the module, and `reading` the values that may read a changed file.
    fn altered_values(
        &self,
        directory: &str,
        differing: &[&SmolStr],
        reading: Option<Readers>,
    ) -> Option<Altered> {
        let is_of_module = |path: &SmolStr| is_module_file(last_name(path));
        // Without changed paths of its own, the module differs by the target of a symbolic link.
        let is_same = || reading.is_some() && self.is_same(directory);
        if self.renamed.contains_key(directory) || differing.is_empty() && !self.are_of_modules && !is_same()
        {
            return None;
        }
        let (mut values, mut set) = (BTreeSet::new(), BTreeSet::new());
        for path in differing {
            match Companion::of(last_name(path)) {
                Some(Companion::Test | Companion::Mock) => {}
                Some(Companion::Values) => set.extend(self.altered_variables(path)?),
                None if is_of_module(path) => {}
                _ => return None,
            }
        }
        if differing.iter().any(|path| is_of_module(path)) || differing.is_empty() && !is_same() {
            let (before, now) = (self.before.parts(directory)?, self.now.parts(directory)?);
            if now.is_empty() || !before.keys().eq(now.keys()) {
                return None;
            }
            for (before, now) in before.values().zip(now.values()) {
                let differing: BTreeSet<NamedValue> = before.differing(now)?;
                values.extend(differing);
            }
        }
        if values.len() > MOST_VALUES {
            return None;
        }
        let Readers { certain, elsewhere } = reading.unwrap_or_default();
        Some(Altered::Values { values, set, reading: certain, reading_elsewhere: elsewhere })
    }

    /// The variables whose values differ in a variable definitions file in native syntax.
    fn altered_variables(&self, path: &SmolStr) -> Option<Vec<SmolStr>> {
        if Notation::of(path) != Notation::Native {
            return None;
        }
        let [before, now] = [&self.before, &self.now].map(|side| side.values(path));
        let (before, now) = (BTreeSet::from_iter(before?), BTreeSet::from_iter(now?));
        let name = |text: &String| Some(SmolStr::new(text.split_once(" = ")?.0));
        before.symmetric_difference(&now).map(name).collect()
    }

    /// The callers of modules that the change may affect which do not call them as linked here: through symbolic
    /// links, in test files, or before the change.
    fn unlinked_callers(&self, impact: &Impact<'_>) -> BTreeSet<SmolStr> {
        let above = impact.above(&self.causes.keys().cloned().collect());
        let calls = self.now.states().flat_map(|state| state.graph.nodes()).flat_map(|caller| {
            let children = caller.child_calls().map(|(_, child)| child.module().directory.as_str());
            children.map(move |child| (caller.module().directory.as_str(), child))
        });
        let linked: HashSet<(&str, &str)> = calls.collect();
        let mut unlinked = BTreeSet::new();
        impact.for_each_caller(&above, &mut |caller, module| {
            if !linked.contains(&(caller, module.as_str())) {
                unlinked.insert(caller.into());
            }
        });
        unlinked
    }
}

/// The first of the changed paths that functions of a module may read. Of paths with an unknown start, only those that
/// are `near` the module count.
fn read_file<P: Borrow<Paths>>(
    directory: &str,
    patterns: &[&str],
    paths: &Paths,
    near: impl FnOnce() -> P,
) -> Option<String> {
    let (open, known): (Vec<&str>, Vec<&str>) =
        patterns.iter().copied().partition(|pattern| reads::is_open(pattern));
    let first = |patterns: &[&str], paths: &Paths| {
        patterns.iter().find_map(|pattern| reads::first_match(pattern, directory, paths)).cloned()
    };
    first(&known, paths).or_else(|| (!open.is_empty()).then(|| first(&open, near().borrow()))?)
}

/// The variable definitions files that belong to a called module, each with a caller in a directory around it. No
/// one runs the module, so they may be meant for the caller.
fn values_for_callers<'p>(
    change: &Change,
    paths: &'p BTreeSet<SmolStr>,
    impact: &Impact<'_>,
) -> Vec<(SmolStr, &'p SmolStr)> {
    let mut found = Vec::new();
    for path in paths.iter().filter(|it| Companion::of(last_name(it)) == Some(Companion::Values)) {
        let directory = parent(path).unwrap_or_default();
        let Some(owner) = change.owner(directory) else { continue };
        let around: Vec<&str> =
            ancestors(owner).filter(|it| *it != owner && impact.is_directory(it)).collect();
        if around.is_empty() {
            continue;
        }
        // With very many callers, all modules around it count.
        let callers = impact.leading_to(owner);
        let calls_it = |it: &&str| callers.as_ref().is_none_or(|callers| callers.contains(*it));
        found.extend(around.into_iter().filter(calls_it).map(|caller| (caller.into(), path)));
    }
    found
}

/// The changed paths of each module: files in its directory that an engine reads, and files of the module in other
/// directories.
fn by_module<'p>(change: &Change, paths: &'p BTreeSet<SmolStr>) -> BTreeMap<SmolStr, Vec<&'p SmolStr>> {
    let mut by_module: BTreeMap<SmolStr, Vec<&SmolStr>> = BTreeMap::new();
    for path in paths {
        let directory = parent(path).unwrap_or_default();
        let owner = match Companion::of(last_name(path)) {
            Some(_) => change.owner(directory).unwrap_or(directory),
            None if is_read(last_name(path)) => directory,
            None => continue,
        };
        by_module.entry(owner.into()).or_default().push(path);
    }
    by_module
}

/// Whether an engine reads a file with this name in the directory of a module.
fn is_read(name: &str) -> bool {
    is_module_file(name) || name == LOCK_FILE || Signal::may_be_in(name)
}
