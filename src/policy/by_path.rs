//! Entries that apply at some paths, where a later one takes precedence.

use std::sync::Arc;

use hashbrown::HashMap;

use super::Globs;
use crate::vfs::{Memo, ancestors};

/// An entry with patterns of paths.
pub(super) trait AtPaths {
    /// The paths. `None` for all.
    fn paths(&self) -> Option<&Globs>;
}

/// Entries in order of precedence, the last one first.
#[derive(Debug, Clone)]
pub(super) struct ByPath<T> {
    entries: Vec<T>,
    /// The last entry without paths.
    everywhere: Option<usize>,
    /// The entries with paths, by the directories in which their patterns match.
    by_directory: HashMap<String, Vec<usize>>,
    /// The results for the paths that had many entries to compare.
    known: Arc<Memo<String, Option<usize>>>,
}

/// Results are remembered if some directory has more entries than this.
const FEW: usize = 8;

/// The maximum number of entries whose patterns start in the same directory. Each is compared with all paths there.
pub(super) const MOST_IN_DIRECTORY: usize = 500;

impl<T: AtPaths> ByPath<T> {
    pub(super) fn entries(&self) -> &[T] {
        &self.entries
    }

    /// Adds an entry that takes precedence over the others.
    pub(super) fn push(&mut self, entry: T) {
        let number = self.entries.len();
        match entry.paths() {
            Some(paths) => {
                for directory in paths.directories() {
                    self.by_directory.entry_ref(directory.as_str()).or_default().push(number);
                }
                self.known = Arc::default();
            }
            None => self.everywhere = Some(number),
        }
        self.entries.push(entry);
    }

    /// The last entry that applies at all paths.
    pub(super) fn everywhere(&self) -> Option<&T> {
        self.everywhere.map(|number| &self.entries[number])
    }

    /// The entries that apply at some path: those after the last one without paths, and that one.
    pub(super) fn effective(&self) -> &[T] {
        &self.entries[self.everywhere.unwrap_or_default()..]
    }

    /// The entry that applies at a path, with its index.
    pub(super) fn at(&self, path: &str) -> Option<(usize, &T)> {
        if self.by_directory.is_empty() {
            return self.everywhere.map(|number| (number, &self.entries[number]));
        }
        let near = || ancestors(path).filter_map(|directory| self.by_directory.get(directory));
        let number = if near().all(|numbers| numbers.len() <= FEW) {
            self.search(path, near())
        } else {
            self.known.get(path, || self.search(path, near()))
        };
        let number = number.max(self.everywhere)?;
        Some((number, &self.entries[number]))
    }

    fn search<'n>(&self, path: &str, near: impl Iterator<Item = &'n Vec<usize>>) -> Option<usize> {
        let holds = |number: &&usize| self.entries[**number].paths().is_none_or(|paths| paths.has(path));
        near.filter_map(|numbers| numbers.iter().rfind(holds)).max().copied()
    }

    /// Whether so many patterns start in the same directory that they are not compared with all paths.
    pub(super) fn is_too_large(&self) -> bool {
        self.by_directory.values().any(|numbers| numbers.len() > MOST_IN_DIRECTORY)
    }
}

impl<T> Default for ByPath<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), everywhere: None, by_directory: HashMap::new(), known: Arc::default() }
    }
}

impl<T: AtPaths> Extend<T> for ByPath<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

impl<T> IntoIterator for ByPath<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl AtPaths for Option<Globs> {
        fn paths(&self) -> Option<&Globs> {
            self.as_ref()
        }
    }

    fn list(patterns: &[&[&str]]) -> ByPath<Option<Globs>> {
        let mut list = ByPath::default();
        let globs = |patterns: &&[&str]| {
            (!patterns.is_empty()).then(|| Globs::new(patterns.iter().copied()).expect("patterns"))
        };
        list.extend(patterns.iter().map(globs));
        list
    }

    #[test]
    fn the_last_entry_that_matches_applies() {
        let patterns: [&[&str]; 6] = [
            &["."],
            &["live"],
            &[],
            &["live/eu/*.tf", "**/old"],
            &["live/*", "!live/eu"],
            &["{a,b}/c", "x\\*y", "/"],
        ];
        for entries in [&patterns[..], &patterns.repeat(FEW)] {
            let list = list(entries);
            for path in ["live/eu/main.tf", "live/us/main.tf", "a/old/x", "b/c/main.tf", "x*y/a", "", "other"]
            {
                let holds = |globs: &Option<Globs>| globs.as_ref().is_none_or(|globs| globs.has(path));
                let expected = list.entries().iter().rposition(holds);
                assert_eq!(list.at(path).map(|(number, _)| number), expected, "{path}");
            }
        }
    }

    #[test]
    fn very_many_patterns_in_one_directory_are_refused() {
        let of = |number: usize, pattern: &dyn Fn(usize) -> String| {
            let mut list = ByPath::default();
            list.extend((0..number).map(|number| Some(Globs::new([&*pattern(number)]).expect("a pattern"))));
            list
        };
        let own = of(2 * MOST_IN_DIRECTORY, &|number| format!("m{number}/*.tf"));
        assert!(!own.is_too_large());
        assert_eq!(own.at("m7/main.tf").map(|(number, _)| number), Some(7));
        assert!(of(MOST_IN_DIRECTORY + 1, &|number| format!("*{number}")).is_too_large());
    }
}
