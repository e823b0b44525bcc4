//! Divides the modules of a snapshot into batches that are checked one after the other in each thread.
//!
//! A module takes many times the memory of its files, so a run drops the modules of a batch before it loads the next.
//! The findings in a module depend on its callers and its child modules, so modules that calls connect are in one
//! batch.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use memchr::memmem;
use rayon::prelude::*;
use smol_str::SmolStr;

use crate::session::test_paths;
use crate::text::Sources;
use crate::vfs::{Directory, Reached, Snapshot, join};

/// The bytes of files whose modules are in memory at a time, in all threads together, unless connected modules have
/// more. Modules of so few files fit into the caches of a processor: with a megabyte, a run takes a tenth longer.
const BYTES_AT_A_TIME: usize = 1 << 18;

/// Returns the size of a batch in bytes of files, if each thread checks one.
pub(crate) fn batch_bytes(threads: usize) -> usize {
    BYTES_AT_A_TIME / threads.max(1)
}

/// Modules that neither call modules of other batches nor are called by them.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The numbers of their directories, ascending.
    pub(crate) directories: Vec<usize>,
    /// The number of directories when the check of the batch began. Those that are found later belong to it.
    known: usize,
    /// Directories that are loaded only if a call leads to them.
    spared: BTreeSet<usize>,
    /// The modules that need not be checked again. They count in the limits of a run all the same.
    pub(crate) checked: Checked,
    /// What paths lead to that were unknown until more files were read.
    reached: BTreeMap<String, Reached>,
}

/// Modules that another engine has checked for this one too.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checked {
    /// The number of modules.
    pub(crate) modules: usize,
    /// The size of their files, in bytes.
    pub(crate) bytes: usize,
}

/// Why a batch cannot be checked yet.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// A call leads to another batch. The search of the text for paths missed it.
    Crossing,
    /// Calls lead to directories that are not read yet.
    Unread(BTreeSet<String>),
}

/// See [`Obstacle::Crossing`].
#[derive(Debug)]
pub(crate) struct Crossing;

impl Batch {
    /// Creates one batch of all modules.
    pub(crate) fn whole(snapshot: &Snapshot) -> Self {
        let known = snapshot.directories().len();
        Self::of((0..known).collect(), known).sparing_installed(snapshot)
    }

    fn of(directories: Vec<usize>, known: usize) -> Self {
        Self {
            directories,
            known,
            spared: BTreeSet::new(),
            checked: Checked::default(),
            reached: BTreeMap::new(),
        }
    }

    /// Divides all modules into batches of about `bytes_wanted` bytes of files, ordered by their first module. There is always
    /// one.
    pub(crate) fn all(snapshot: &Snapshot, bytes_wanted: usize) -> Vec<Self> {
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
            if bytes >= bytes_wanted {
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
                Self::of(directories, known).sparing_installed(snapshot)
            })
            .collect()
    }

    /// Runs a function on the batch, and again after reading the files that it lacks. Directories that are found from
    /// now on belong to the batch.
    pub(crate) fn retry<T>(
        &mut self,
        snapshot: &mut Snapshot,
        mut run: impl FnMut(&Snapshot, &Self) -> Result<T, Obstacle>,
    ) -> Result<T, Crossing> {
        self.known = snapshot.directories().len();
        loop {
            match run(snapshot, self) {
                Ok(result) => return Ok(result),
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

    /// Returns what a path leads to. `None` if that is not read yet.
    pub(crate) fn reached(&self, path: &str, snapshot: &Snapshot) -> Option<Reached> {
        self.reached.get(path).copied().or_else(|| snapshot.reached(path))
    }

    /// Returns the batch without installed modules, which are loaded only if a call leads to them.
    fn sparing_installed(self, snapshot: &Snapshot) -> Self {
        let is_installed = |number: &usize| snapshot.is_installed(&snapshot.directory_at(*number).path);
        let spared = self.directories.iter().copied().filter(is_installed).collect();
        Self { spared, ..self }
    }

    /// Returns the batch without some modules that need not be checked again.
    pub(crate) fn sparing(&self, paths: &BTreeSet<SmolStr>, snapshot: &Snapshot) -> Self {
        let mut spared = self.directories(snapshot);
        spared.retain(|number| paths.contains(&snapshot.directory_at(*number).path));
        let of_spared = |number: &usize| size(snapshot.directory_at(*number), snapshot.sources());
        let checked = Checked { modules: spared.len(), bytes: spared.iter().map(of_spared).sum() };
        let spared = spared.into_iter().chain(self.spared.iter().copied()).collect();
        Self {
            spared,
            checked,
            reached: self.reached.clone(),
            ..Self::of(self.directories.clone(), self.known)
        }
    }

    /// The numbers of the directories to load, with those that were found since the check began.
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

/// Groups the numbers of directories that calls connect, by a search of the text for paths.
fn connected(snapshot: &Snapshot) -> Vec<Vec<usize>> {
    let directories = snapshot.directories();
    let named: Vec<Vec<String>> =
        directories.par_iter().map(|directory| named(directory, snapshot)).collect();
    let mut numbers: HashMap<&str, usize> =
        directories.iter().enumerate().map(|(number, directory)| (directory.path.as_str(), number)).collect();
    let mut groups = DisjointSets::default();
    for (number, (directory, named)) in directories.iter().zip(&named).enumerate() {
        let roots = snapshot.installed_for(&directory.path).map(SmolStr::as_str);
        for path in named.iter().map(String::as_str).chain([directory.real.as_str()]).chain(roots) {
            // Several modules may call a directory that is not read yet.
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

/// Returns the paths that relative paths in the strings of a directory's files lead to.
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

/// A disjoint-set forest of numbers.
#[derive(Debug, Default)]
pub(crate) struct DisjointSets {
    /// For each number a lower one of its group, or itself if it is the lowest.
    parents: Vec<usize>,
}

impl DisjointSets {
    /// Joins the groups of two numbers.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.parents[one.max(other)] = one.min(other);
    }

    /// Returns the lowest number of the group of a number.
    pub(crate) fn first(&mut self, number: usize) -> usize {
        self.parents.extend(self.parents.len()..=number);
        let mut first = number;
        while self.parents[first] != first {
            // Path halving.
            self.parents[first] = self.parents[self.parents[first]];
            first = self.parents[first];
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
    fn modules_that_call_an_unread_directory_are_together() {
        let call = "module \"m\" {\n  source = \"../ignored\"\n}\n";
        assert_eq!(
            batches(&[("a/main.tf", call), ("b/main.tf", call), ("c/main.tf", "")]),
            [vec!["a", "b"], vec!["c"]]
        );
    }

    #[test]
    fn no_directories_make_one_empty_batch() {
        assert_eq!(batches(&[]), [Vec::<String>::new()]);
    }
}
