//! Turns a change into the modules that it can affect, and those into what has to be read to judge them.
//!
//! Affected are the modules that the change touches, and whoever calls them, up every chain: a caller that still names a
//! folder which is gone is one of these. To say of them what a look at the whole repository would say, everything is
//! read that lies below anything that leads to them; nothing else has a say in it.

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;

use super::calls::Calls;
use super::memory::Memory;
use crate::source::{Change, Error, Excerpt, State, join, parent};

/// Who calls whom, before a change or after it.
#[derive(Debug, Default)]
pub(super) struct Impact {
    /// Every folder with a module, and everything that is called like one.
    places: Vec<Place>,
    numbers: HashMap<SmolStr, usize>,
    touched: BTreeSet<usize>,
}

#[derive(Debug, Default)]
struct Place {
    path: SmolStr,
    /// Whether a module lies there, under no other path.
    is_module: bool,
    /// Whether one did before the change.
    was_module: bool,
    /// What it calls, as it is written there.
    addresses: BTreeSet<SmolStr>,
    calls: Vec<usize>,
    callers: Vec<usize>,
}

impl Impact {
    /// Finds out what a change touches, and how all modules hang together. What had to be looked up goes into `memory`.
    pub(super) fn of(change: &Change, memory: &mut Memory) -> Result<Self, Error> {
        let touched = change.touched()?;
        // Most commits touch no module.
        if touched.is_empty() { Ok(Self::default()) } else { Self::around(change, &touched, memory) }
    }

    /// Finds out how all modules hang together, where these folders are touched.
    pub(super) fn around(
        change: &Change,
        touched: &BTreeSet<String>,
        memory: &mut Memory,
    ) -> Result<Self, Error> {
        let mut impact = Self::default();
        let folders = change.folders()?;
        let unknown: Vec<_> =
            folders.iter().filter(|(_, content)| memory.calls(*content).is_none()).collect();
        let paths: Vec<&str> = unknown.iter().map(|(path, _)| *path).collect();
        let mut unread: HashMap<&str, Calls> = HashMap::new();
        for ((path, content), calls) in unknown.into_iter().zip(change.survey(State::Now, &paths, Calls::of))
        {
            if calls.complete {
                memory.keep(*content, calls.addresses.into_iter().collect());
            } else {
                unread.insert(path, calls);
            }
        }
        for (path, content) in &folders {
            let number = impact.number(path);
            impact.places[number].is_module = true;
            match unread.get(path) {
                Some(calls) => impact.add_calls(number, &calls.addresses),
                None => impact.add_calls(number, memory.calls(*content).unwrap_or_default()),
            }
        }
        impact.add_earlier(change, touched);
        if change.has_links() {
            impact.follow_links(change, touched);
        }
        memory
            .forget_others(&folders.iter().map(|(_, content)| *content).collect(), 2 * folders.len() + 1000);
        Ok(impact)
    }

    /// Everything that the change can affect, as runs call it; some of it may not be there any more.
    pub(super) fn affected(&self) -> BTreeSet<SmolStr> {
        let affected = self.spread(self.touched.iter().copied(), |place| &place.callers);
        affected.into_iter().map(|number| self.places[number].path.clone()).collect()
    }

    /// The modules that files and folders belong to: of a file the one around it, of a folder all that lie in it.
    pub(super) fn modules_of(&self, paths: &[String]) -> BTreeSet<SmolStr> {
        let modules = || self.places.iter().filter(|place| place.is_module);
        let known: BTreeSet<&str> = modules().flat_map(|place| above(place.path.as_str())).collect();
        let (folders, files): (BTreeSet<&str>, BTreeSet<&str>) =
            paths.iter().map(String::as_str).partition(|path| known.contains(path));
        let around: BTreeSet<&str> = files.into_iter().filter_map(parent).collect();
        let is_meant = |place: &&Place| {
            around.contains(place.path.as_str()) || above(&place.path).any(|path| folders.contains(path))
        };
        modules().filter(is_meant).map(|place| place.path.clone()).collect()
    }

    /// What has to be read so that everything is known that has a say in these modules.
    pub(super) fn excerpt(&self, modules: &BTreeSet<SmolStr>) -> Excerpt {
        let modules = modules.iter().filter_map(|path| self.numbers.get(path).copied());
        let above = self.spread(modules, |place| &place.callers);
        let read = self.spread(above.into_iter(), |place| &place.calls);
        let path = |number: &usize| self.places[*number].path.clone();
        let is_called =
            |number: &&usize| self.places[**number].callers.iter().any(|caller| !read.contains(caller));
        Excerpt {
            folders: read
                .iter()
                .filter(|number| self.places[**number].is_or_was_module())
                .map(path)
                .collect(),
            called: read.iter().filter(is_called).map(path).collect(),
        }
    }

    /// All that some places lead to, themselves included.
    fn spread(
        &self,
        from: impl Iterator<Item = usize>,
        next: impl Fn(&Place) -> &Vec<usize>,
    ) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<usize> = from.collect();
        while let Some(number) = waiting.pop() {
            if seen.insert(number) {
                waiting.extend(next(&self.places[number]));
            }
        }
        seen
    }

    /// Adds the calls that were there before the change.
    fn add_earlier(&mut self, change: &Change, touched: &BTreeSet<String>) {
        let folders: Vec<&str> = touched.iter().map(String::as_str).collect();
        let earlier = change.survey(State::Before, &folders, |files| (!files.is_empty(), Calls::of(files)));
        for (path, (was_module, calls)) in folders.into_iter().zip(earlier) {
            let number = self.number(path);
            self.touched.insert(number);
            self.places[number].was_module = was_module;
            self.add_calls(number, &calls.addresses);
        }
    }

    /// Finds what is meant by paths that lead through symbolic links. A module behind one has calls of its own: they lead
    /// on from the path by which it is called.
    fn follow_links(&mut self, change: &Change, touched: &BTreeSet<String>) {
        let mut number = 0;
        while let Some(place) = self.places.get(number) {
            if !place.is_module {
                self.follow_link(number, change, touched);
            }
            number += 1;
        }
    }

    fn follow_link(&mut self, number: usize, change: &Change, touched: &BTreeSet<String>) {
        let path = self.places[number].path.clone();
        let states = [State::Before, State::Now].map(|state| change.reached(state, &path));
        let real = states.iter().flatten().map(|(_, real)| real);
        if states[0] != states[1]
            || above(&path).any(|path| touched.contains(path))
            || real.into_iter().any(|real| touched.contains(real))
        {
            self.touched.insert(number);
        }
        for (settled, real) in states.into_iter().flatten() {
            if settled != path {
                let other = self.number(&settled);
                self.link(number, other);
            } else if let Some(module) = self.numbers.get(real.as_str()) {
                let addresses = self.places[*module].addresses.clone();
                self.add_calls(number, &addresses);
            }
        }
    }

    /// Adds calls of the module at a place.
    fn add_calls<'a>(&mut self, number: usize, addresses: impl IntoIterator<Item = &'a SmolStr>) {
        for address in addresses {
            if self.places[number].addresses.insert(address.clone())
                && let Some(path) = join(&self.places[number].path, address)
            {
                let callee = self.number(&path);
                self.link(number, callee);
            }
        }
    }

    fn link(&mut self, from: usize, to: usize) {
        self.places[from].calls.push(to);
        self.places[to].callers.push(from);
    }

    fn number(&mut self, path: &str) -> usize {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        let number = self.places.len();
        self.places.push(Place { path: path.into(), ..Place::default() });
        self.numbers.insert(path.into(), number);
        number
    }
}

/// A path, and those of the folders around it.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| parent(path))
}

impl Place {
    fn is_or_was_module(&self) -> bool {
        self.is_module || self.was_module
    }
}
