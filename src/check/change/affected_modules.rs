//! Finds the modules that a change can affect, and the directories that must be read to check them.
//!
//! The affected modules are those that the change touches and their callers, at every level. A caller that still
//! names a removed directory is one of them. To give the same findings as a check of the whole repository, everything
//! below each module that leads to an affected one is read; nothing else influences their findings.
//!
//! A repository has many modules and a change affects few, so at first there is no complete graph of calls. Each of the
//! first queries scans all calls for those whose address ends in the name of a searched directory.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::check::change::known::Known;
use crate::graph::is_aside;
use crate::module::StateAddress;
use crate::session::call_index::{CallIndex, CallsOf};
use crate::session::calls::Calls;
use crate::session::test_calls;
use crate::vfs::{Change, Content, Excerpt, State, ancestors, join, last_name, parent};

/// The calls between modules, before and after a change.
#[derive(Debug)]
pub(super) struct Impact<'c> {
    call_index: &'c CallIndex,
    /// Every directory that contains a part of a module, sorted by path, with the numbers of the addresses that it
    /// calls.
    directories: Vec<(&'c str, &'c [u32])>,
    /// Those of them that may keep a state, and the numbers of its addresses.
    stores: Vec<(&'c str, &'c [u32])>,
    touched: BTreeSet<SmolStr>,
    /// Touched directories whose modules keep their state at other addresses than before.
    restated: BTreeSet<SmolStr>,
    /// Directories that contained a part of a module only before the change.
    removed: BTreeSet<SmolStr>,
    /// Calls from before the change, calls of modules that are not in the call index, and the targets of symbolic
    /// links.
    further: BTreeMap<SmolStr, BTreeSet<SmolStr>>,
    /// The paths through symbolic links by which modules are called, each with its real path; without one if nothing
    /// is there.
    linked: BTreeMap<SmolStr, Option<SmolStr>>,
    /// The addresses of the same calls, as written in the directories.
    written: BTreeMap<SmolStr, BTreeSet<SmolStr>>,
    /// Whether a directory, other than an example or test, shows that it is a root module.
    has_root: bool,
    /// The number of queries so far.
    queries: Cell<usize>,
    /// The callers of each module, after [`FEW_QUERIES`].
    callers: OnceCell<HashMap<SmolStr, Vec<SmolStr>>>,
    /// The number of modules that [`Impact::leading_to`] can still visit.
    visits: Cell<usize>,
}

/// So many queries cost less than a list of the callers of all modules.
const FEW_QUERIES: usize = 20;

/// The number of modules that [`Impact::leading_to`] visits, for all modules together.
const MOST_VISITS: usize = 2_000_000;

impl<'c> Impact<'c> {
    /// Builds the impact of touching some directories.
    pub(super) fn of(change: &Change, touched: &BTreeSet<String>, known: &'c Known<'c>) -> Self {
        let call_index = &known.call_index;
        let calls_of =
            |calls: Option<CallsOf>| calls.map(|calls| call_index.calls(calls)).unwrap_or_default();
        let stores = |(path, _, calls): &(&'c str, Content, Option<CallsOf>)| {
            Some((*path, call_index.states((*calls)?))).filter(|(_, states)| !states.is_empty())
        };
        let mut impact = Self {
            call_index,
            directories: known.directories.iter().map(|(path, _, calls)| (*path, calls_of(*calls))).collect(),
            stores: known.directories.iter().filter_map(stores).collect(),
            touched: touched.iter().map(SmolStr::new).collect(),
            restated: BTreeSet::new(),
            removed: BTreeSet::new(),
            further: BTreeMap::new(),
            linked: BTreeMap::new(),
            written: BTreeMap::new(),
            has_root: known.has_root(change),
            queries: Cell::new(0),
            callers: OnceCell::new(),
            visits: Cell::new(MOST_VISITS),
        };
        for (path, calls) in &known.unread {
            impact.add(path, calls.addresses.clone());
        }
        let paths: Vec<&str> = touched.iter().map(String::as_str).collect();
        let earlier =
            change.map_directories(State::Before, &paths, |files| (!files.is_empty(), Calls::of(files)));
        for (path, (was_module, calls)) in paths.into_iter().zip(earlier) {
            if was_module && !impact.is_directory(path) {
                impact.removed.insert(path.into());
            }
            if impact.states(path) != calls.states {
                impact.restated.insert(path.into());
            }
            impact.add(path, calls.addresses);
        }
        for state in [State::Before, State::Now] {
            for (path, addresses) in test_calls::of(change, state) {
                impact.add(&path, addresses);
            }
        }
        impact.follow_links(change);
        impact
    }

    /// The directories of all affected modules, including removed ones.
    pub(super) fn affected(&self) -> BTreeSet<SmolStr> {
        self.affected_without(&BTreeSet::new())
    }

    /// The touched modules that are called through symbolic links, each with its real path.
    pub(super) fn touched_links(&self) -> impl Iterator<Item = (&SmolStr, Option<&SmolStr>)> {
        let touched = self.linked.iter().filter(|(path, _)| self.touched.contains(*path));
        touched.map(|(path, real)| (path, real.as_ref()))
    }

    /// Like [`Self::affected`], without some of the touched modules, unless another one affects them.
    pub(super) fn affected_without(&self, unseen: &BTreeSet<SmolStr>) -> BTreeSet<SmolStr> {
        self.above(&self.touched.difference(unseen).cloned().collect())
    }

    /// These modules and their callers at every level, each with the module through which it is reached by the
    /// shortest chain. `passes_on` returns whether a change to the second module affects the first, which calls it.
    pub(super) fn reached<'m>(
        &self,
        modules: impl Iterator<Item = &'m SmolStr>,
        passes_on: &dyn Fn(&str, &str) -> bool,
    ) -> BTreeMap<SmolStr, Option<SmolStr>> {
        let mut reached: BTreeMap<SmolStr, Option<SmolStr>> =
            modules.map(|module| (module.clone(), None)).collect();
        let mut level: BTreeSet<SmolStr> = reached.keys().cloned().collect();
        while !level.is_empty() {
            let mut callers: BTreeMap<SmolStr, SmolStr> = BTreeMap::new();
            self.for_each_caller(&level, &mut |caller, module| {
                if reached.contains_key(caller) || !passes_on(caller, module) {
                    return;
                }
                let through = callers.entry(caller.into()).or_insert_with(|| module.clone());
                if *module < *through {
                    through.clone_from(module);
                }
            });
            level = callers.keys().cloned().collect();
            reached.extend(callers.into_iter().map(|(caller, module)| (caller, Some(module))));
        }
        reached
    }

    /// The modules that the paths belong to: for a file, the module of its directory; for a directory, all modules in
    /// it.
    pub(super) fn modules_of(&self, paths: &[String]) -> BTreeSet<SmolStr> {
        let known: BTreeSet<&str> = self.directories.iter().flat_map(|(path, _)| ancestors(path)).collect();
        let (directories, files): (BTreeSet<&str>, BTreeSet<&str>) =
            paths.iter().map(String::as_str).partition(|path| known.contains(path));
        let of_files: BTreeSet<&str> = files.into_iter().filter_map(parent).collect();
        let is_meant =
            |path: &&str| of_files.contains(path) || ancestors(path).any(|path| directories.contains(path));
        self.directories.iter().map(|(path, _)| *path).filter(is_meant).map(SmolStr::new).collect()
    }

    /// The directories to read so that these modules get all their findings.
    pub(super) fn excerpt(&self, modules: &BTreeSet<SmolStr>) -> Excerpt {
        self.excerpt_of(&self.with_shared_states(modules, modules), &BTreeSet::new())
    }

    /// Like [`Self::excerpt`], but without directories that only existing findings need: modules that shared a state
    /// before the change cannot show that anew. `unseen` are further modules, which are read without their callers.
    pub(super) fn excerpt_of_new(&self, modules: &BTreeSet<SmolStr>, unseen: &BTreeSet<SmolStr>) -> Excerpt {
        let restated = modules.intersection(&self.restated).cloned().collect();
        self.excerpt_of(&self.with_shared_states(modules, &restated), unseen)
    }

    fn excerpt_of(&self, modules: &BTreeSet<SmolStr>, unseen: &BTreeSet<SmolStr>) -> Excerpt {
        let mut read = self.above(modules);
        read.extend(unseen.iter().cloned());
        let read = self.below(read);
        let (called, used) = self.called_from_elsewhere(&read);
        let is_there = |path: &&SmolStr| self.is_directory(path) || self.removed.contains(*path);
        let directories = read.iter().filter(is_there).cloned().collect();
        Excerpt { directories, called, used, has_root: self.has_root }
    }

    /// These modules and all that may keep their state at the same address as one of `sharing`.
    fn with_shared_states(
        &self,
        modules: &BTreeSet<SmolStr>,
        sharing: &BTreeSet<SmolStr>,
    ) -> BTreeSet<SmolStr> {
        let addresses = |(path, states): (&'c str, &'c [u32])| {
            self.call_index
                .texts(states)
                .filter_map(move |address| StateAddress::text_from_top(address, path))
        };
        let stores = || self.stores.iter().copied();
        let of_sharing = stores().filter(|(path, _)| sharing.contains(*path));
        let wanted: HashSet<Cow<'_, str>> = of_sharing.flat_map(addresses).collect();
        let mut all = modules.clone();
        if !wanted.is_empty() {
            let same = stores().filter(|store| addresses(*store).any(|address| wanted.contains(&address)));
            all.extend(same.map(|(path, _)| SmolStr::new(path)));
        }
        all
    }

    /// These modules and their callers at every level.
    pub(super) fn above(&self, modules: &BTreeSet<SmolStr>) -> BTreeSet<SmolStr> {
        self.reached(modules.iter(), &|_, _| true).into_keys().collect()
    }

    /// A module and its callers at every level. `None` after very many visits: then any module may call it.
    pub(super) fn leading_to(&self, module: &str) -> Option<BTreeSet<SmolStr>> {
        if self.visits.get() == 0 {
            return None;
        }
        let above = self.above(&BTreeSet::from([module.into()]));
        self.visits.set(self.visits.get().saturating_sub(above.len()));
        Some(above)
    }

    /// These modules and the modules that they call, at every level.
    fn below(&self, modules: BTreeSet<SmolStr>) -> BTreeSet<SmolStr> {
        let mut waiting: Vec<SmolStr> = modules.iter().cloned().collect();
        let mut below = modules;
        while let Some(path) = waiting.pop() {
            for callee in self.callees(&path) {
                if below.insert(callee.clone()) {
                    waiting.push(callee);
                }
            }
        }
        below
    }

    /// Those of these modules that have callers, and those that have callers other than examples and tests.
    fn called_from_elsewhere(&self, modules: &BTreeSet<SmolStr>) -> (BTreeSet<SmolStr>, BTreeSet<SmolStr>) {
        let (mut called, mut used) = (BTreeSet::new(), BTreeSet::new());
        self.for_each_caller(modules, &mut |caller, module| {
            if !modules.contains(caller) {
                called.insert(module.clone());
                if !is_aside(caller) {
                    used.insert(module.clone());
                }
            }
        });
        (called, used)
    }

    /// Calls `visit` with the caller and the child module of each call of these modules.
    pub(super) fn for_each_caller(&self, modules: &BTreeSet<SmolStr>, visit: &mut dyn FnMut(&str, &SmolStr)) {
        self.queries.set(self.queries.get() + 1);
        if self.queries.get() > FEW_QUERIES {
            let callers = self.callers.get_or_init(|| self.all_callers());
            for module in modules {
                callers.get(module).into_iter().flatten().for_each(|caller| visit(caller, module));
            }
            return;
        }
        let names: HashSet<&str> = modules.iter().map(|path| last_name(path)).collect();
        let may_lead_there: Vec<bool> =
            self.call_index.texts.iter().map(|address| ends_in_one_of(address, &names)).collect();
        for (path, calls) in &self.directories {
            for number in calls.iter().filter(|number| may_lead_there[**number as usize]) {
                let callee = join(path, self.call_index.text(*number));
                if let Some(module) = callee.and_then(|callee| modules.get(callee.as_str())) {
                    visit(path, module);
                }
            }
        }
        for (path, callees) in &self.further {
            callees.intersection(modules).for_each(|module| visit(path, module));
        }
    }

    /// The callers of every module.
    fn all_callers(&self) -> HashMap<SmolStr, Vec<SmolStr>> {
        let mut callers: HashMap<SmolStr, Vec<SmolStr>> = HashMap::new();
        let directories = self.directories.iter().map(|(path, _)| SmolStr::new(path));
        let further = self.further.keys().filter(|path| !self.is_directory(path)).cloned();
        for path in directories.chain(further) {
            for callee in self.callees(&path) {
                callers.entry(callee).or_default().push(path.clone());
            }
        }
        callers
    }

    fn callees(&self, path: &str) -> Vec<SmolStr> {
        let further = self.further.get(path).into_iter().flatten().cloned();
        self.indexed(path).filter_map(|address| Some(join(path, address)?.into())).chain(further).collect()
    }

    /// The addresses in the calls of the module in a directory, from the call index.
    fn indexed(&self, directory: &str) -> impl Iterator<Item = &'c SmolStr> {
        let calls = self.place(directory).map(|at| self.directories[at].1).unwrap_or_default();
        self.call_index.texts(calls)
    }

    /// The addresses at which the module in a directory keeps its state, according to the call index.
    fn states(&self, directory: &str) -> BTreeSet<SmolStr> {
        let at = self.stores.binary_search_by(|(other, _)| (*other).cmp(directory));
        let states = at.map(|at| self.stores[at].1).unwrap_or_default();
        self.call_index.texts(states).cloned().collect()
    }

    pub(super) fn is_directory(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    fn place(&self, path: &str) -> Option<usize> {
        self.directories.binary_search_by(|(other, _)| (*other).cmp(path)).ok()
    }

    /// Adds calls that are not among those of the directories.
    fn add(&mut self, path: &str, addresses: BTreeSet<SmolStr>) {
        let callees = addresses.iter().filter_map(|address| Some(join(path, address)?.into()));
        self.further.entry(path.into()).or_default().extend(callees);
        self.written.entry(path.into()).or_default().extend(addresses);
    }

    /// Resolves calls that lead through symbolic links to directories. The calls of such a module are relative to the
    /// path by which it is called.
    fn follow_links(&mut self, change: &Change) {
        let links = change.links_to_directories();
        if links.is_empty() {
            return;
        }
        let leads_through_one = |path: &SmolStr| ancestors(path).any(|path| links.contains(path));
        let of_directories = self.directories.iter().flat_map(|(path, _)| self.callees(path));
        let further = self.further.values().flatten().cloned();
        let mut waiting: Vec<SmolStr> = of_directories.chain(further).filter(leads_through_one).collect();
        let mut seen = BTreeSet::new();
        while let Some(path) = waiting.pop() {
            if seen.insert(path.clone()) {
                waiting.extend(self.follow_link(&path, change).into_iter().filter(leads_through_one));
            }
        }
    }

    /// The calls of the module at a path through links.
    fn follow_link(&mut self, path: &SmolStr, change: &Change) -> Vec<SmolStr> {
        let states = [State::Before, State::Now].map(|state| change.reached(state, path));
        let real = states.iter().rev().flatten().map(|(_, real)| real.into()).next();
        self.linked.insert(path.clone(), real);
        let is_touched = |path: &str| self.touched.contains(path);
        if states[0] != states[1]
            || ancestors(path).any(is_touched)
            || states.iter().flatten().any(|(_, real)| is_touched(real))
        {
            self.touched.insert(path.clone());
        }
        for (settled, real) in states.into_iter().flatten() {
            if settled == *path {
                let written = self.written.get(real.as_str()).into_iter().flatten();
                let addresses = self.indexed(&real).chain(written).cloned().collect();
                self.add(path, addresses);
            } else {
                self.further.entry(path.clone()).or_default().insert(settled.into());
            }
        }
        self.further.get(path).into_iter().flatten().cloned().collect()
    }
}

/// Whether an address may lead to a directory with one of these names. An address that ends in `.`, `..` or `/` may
/// lead to any.
fn ends_in_one_of(address: &str, names: &HashSet<&str>) -> bool {
    let last = last_name(address);
    last == ".." || last == "." || last.is_empty() || names.contains(last)
}
