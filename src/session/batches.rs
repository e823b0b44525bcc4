//! Turns a working tree into batches of modules that have nothing to do with those of other batches.
//!
//! Modules take many times the memory of their files. A run over many of them looks at one batch after the other, in
//! each thread, and what it has built goes with the batch. What is said of a module depends on those that it calls and
//! on those that call it, so that all that are connected by calls stay together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use memchr::memmem;
use rayon::prelude::*;
use smol_str::SmolStr;

use crate::session::test_paths;
use crate::text::Sources;
use crate::vfs::{Directory, Reached, Snapshot, join};

/// Of how many bytes of files there are modules at a time, in all threads together, unless those that are connected
/// have more. What is built of so little stays in the caches of a processor: with a megabyte a run takes a tenth
/// longer.
const BYTES_AT_A_TIME: usize = 1 << 18;

/// How many bytes of files make up a batch where so many threads look at one each.
pub(crate) fn batch_bytes(threads: usize) -> usize {
    BYTES_AT_A_TIME / threads.max(1)
}

/// Modules that no module of another batch calls, nor is called by.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The numbers of their directories, ascending.
    pub(crate) directories: Vec<usize>,
    /// How many directories were known when the batch was begun: what was found later belongs to it.
    known: usize,
    /// Those of them that need not be looked at unless a call leads there.
    spared: BTreeSet<usize>,
    /// What there is at paths that could not be told without reading more.
    reached: BTreeMap<String, Reached>,
}

/// Why a batch cannot be looked at as it is.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// A call leads from one batch to another: what shows of it in the text was not enough to see that.
    Crossing,
    /// Calls lead to what is still to be read.
    Unread(BTreeSet<String>),
}

/// See [`Obstacle::Crossing`].
#[derive(Debug)]
pub(crate) struct Crossing;

impl Batch {
    /// All modules in one.
    pub(crate) fn whole(snapshot: &Snapshot) -> Self {
        let known = snapshot.directories().len();
        Self::of((0..known).collect(), known)
    }

    fn of(directories: Vec<usize>, known: usize) -> Self {
        Self { directories, known, spared: BTreeSet::new(), reached: BTreeMap::new() }
    }

    /// All of a working tree, in the order of their first modules, each of about so many bytes; there is always one.
    pub(crate) fn all(snapshot: &Snapshot, wanted: usize) -> Vec<Self> {
        let known = snapshot.directories().len();
        let mut batches = Vec::new();
        let mut next = Vec::new();
        let mut bytes = 0;
        for connected in connected(snapshot) {
            bytes += connected
                .iter()
                .map(|directory| size(snapshot.directory_at(*directory), snapshot.sources()))
                .sum::<usize>();
            next.extend(connected);
            if bytes >= wanted {
                batches.push(std::mem::take(&mut next));
                bytes = 0;
            }
        }
        if batches.is_empty() || !next.is_empty() {
            batches.push(next);
        }
        batches
            .into_iter()
            .map(|mut directories| {
                directories.sort_unstable();
                Self::of(directories, known)
            })
            .collect()
    }

    /// Looks at a batch, and reads what that asks for. What is found from now on belongs to it.
    pub(crate) fn look<T>(
        &mut self,
        snapshot: &mut Snapshot,
        mut look: impl FnMut(&Snapshot, &Self) -> Result<T, Obstacle>,
    ) -> Result<T, Crossing> {
        self.known = snapshot.directories().len();
        loop {
            match look(snapshot, self) {
                Ok(seen) => return Ok(seen),
                Err(Obstacle::Crossing) => return Err(Crossing),
                Err(Obstacle::Unread(paths)) => {
                    for path in paths {
                        let reached = snapshot.reach(&path);
                        self.reached.insert(path, reached);
                    }
                }
            }
        }
    }

    /// What there is at a path that a call names; nothing is known of what is still to be read.
    pub(crate) fn reached(&self, path: &str, snapshot: &Snapshot) -> Option<Reached> {
        self.reached.get(path).copied().or_else(|| snapshot.reached(path))
    }

    /// The same, but that some directories need not be looked at unless a call leads there.
    pub(crate) fn sparing(&self, paths: &BTreeSet<SmolStr>, snapshot: &Snapshot) -> Self {
        let spared = self.directories(snapshot).into_iter();
        let spared = spared.filter(|number| paths.contains(&snapshot.directory_at(*number).path)).collect();
        Self { spared, reached: self.reached.clone(), ..Self::of(self.directories.clone(), self.known) }
    }

    /// The numbers of its directories that are to be looked at, with those that were found since it began.
    pub(crate) fn directories(&self, snapshot: &Snapshot) -> Vec<usize> {
        let all = self.directories.iter().copied().chain(self.known..snapshot.directories().len());
        all.filter(|number| !self.spared.contains(number)).collect()
    }

    /// Whether a directory belongs to it.
    pub(crate) fn has(&self, directory: usize) -> bool {
        directory >= self.known || self.directories.binary_search(&directory).is_ok()
    }
}

fn size(directory: &Directory, sources: &Sources) -> usize {
    directory.files.iter().filter_map(|file| file.id).map(|id| sources.get(id).text().len()).sum()
}

/// The numbers of directories that calls connect, as far as the text shows.
fn connected(snapshot: &Snapshot) -> Vec<Vec<usize>> {
    let directories = snapshot.directories();
    let named: Vec<Vec<String>> =
        directories.par_iter().map(|directory| named(directory, snapshot)).collect();
    let mut numbers: HashMap<&str, usize> =
        directories.iter().enumerate().map(|(number, directory)| (directory.path.as_str(), number)).collect();
    let mut groups = Groups::default();
    for (number, (directory, named)) in directories.iter().zip(&named).enumerate() {
        for path in named.iter().map(String::as_str).chain([directory.real.as_str()]) {
            // What is in no directory that is known yet may be so called by several, and be found later.
            let next = numbers.len();
            let other = *numbers.entry(path).or_insert(next);
            groups.join(number, other);
        }
    }
    let mut of_group: HashMap<usize, usize> = HashMap::new();
    let mut connected: Vec<Vec<usize>> = Vec::new();
    for number in 0..directories.len() {
        let group = *of_group.entry(groups.first(number)).or_insert_with(|| {
            connected.push(Vec::new());
            connected.len() - 1
        });
        connected[group].push(number);
    }
    connected
}

/// The paths, from the top of the run, of all that strings of a directory's files name relative to it.
fn named(directory: &Directory, snapshot: &Snapshot) -> Vec<String> {
    let files = directory.files.iter().filter_map(|file| file.id);
    let texts =
        files.chain(test_paths::ids(snapshot, &directory.path)).map(|id| snapshot.sources().get(id).text());
    let of_text = |text: &str| -> Vec<String> {
        let strings = memmem::find_iter(text.as_bytes(), b"\".").map(|quote| &text[quote + 1..]);
        let strings =
            strings.filter(|rest| ["./", "../", ".\\", "..\\"].iter().any(|start| rest.starts_with(start)));
        let ends = strings.filter_map(|rest| Some(&rest[..rest.find(['"', '\n', '$', '%'])?]));
        ends.filter_map(|path| join(&directory.path, &path.replace('\\', "/"))).collect()
    };
    let mut named: Vec<String> = texts.flat_map(of_text).collect();
    named.sort_unstable();
    named.dedup();
    named
}

/// Numbers that belong together.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// By number: another one of its group, with a lower number, or itself.
    above: Vec<usize>,
}

impl Groups {
    /// From now on two numbers belong together.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.above[one.max(other)] = one.min(other);
    }

    /// The lowest number of a group.
    pub(crate) fn first(&mut self, number: usize) -> usize {
        self.above.extend(self.above.len()..=number);
        let mut first = number;
        while self.above[first] != first {
            // The way is shorter the next time.
            self.above[first] = self.above[self.above[first]];
            first = self.above[first];
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let snapshot = Snapshot::of_files(files.collect());
        let paths = |batch: Batch| {
            batch.directories.iter().map(|it| snapshot.directory_at(*it).path.to_string()).collect()
        };
        Batch::all(&snapshot, 1).into_iter().map(paths).collect()
    }

    #[test]
    fn modules_that_calls_connect_are_together() {
        let files = [
            ("a/main.tf", "module \"m\" {\n  source = \"../net\"\n}\n"),
            ("alone/main.tf", "# about ../net\nlocals {}\n"),
            ("b/main.tf.json", "{\"module\": {\"m\": {\"source\": \"..\\\\net//\"}}}"),
            ("net/main.tf", "module \"m\" {\n  source = \"./sub/../sub\"\n}\n"),
            ("net/sub/main.tf", "locals {}\n"),
        ];
        assert_eq!(batches(&files), [vec!["a", "b", "net", "net/sub"], vec!["alone"]]);
    }

    #[test]
    fn modules_that_call_what_is_not_known_yet_are_together() {
        let call = "module \"m\" {\n  source = \"../ignored\"\n}\n";
        assert_eq!(
            batches(&[("a/main.tf", call), ("b/main.tf", call), ("c/main.tf", "")]),
            [vec!["a", "b"], vec!["c"]]
        );
    }

    #[test]
    fn of_nothing_there_is_one() {
        assert_eq!(batches(&[]), [Vec::<String>::new()]);
    }
}
