//! The calls in the later state of a change, from the call index.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::graph::is_aside;
use crate::session::call_index::{self, CallIndex, CallsOf};
use crate::session::calls::Calls;
use crate::session::reads::{self, Paths};
use crate::vfs::{Change, Content, Error, State, ancestors};

/// The later state of a change, as far as the call index shows it without reading files.
#[derive(Debug, Default)]
pub(super) struct Known<'c> {
    pub(super) call_index: CallIndex,
    pub(super) directories: Vec<(&'c str, Content, Option<CallsOf>)>,
    /// The calls of modules whose files could not all be read.
    pub(super) unread: Vec<(&'c str, Calls)>,
    /// Whether that is because the clone does not have them.
    is_partial: bool,
}

impl<'c> Known<'c> {
    /// Scans all directories, and reads those that are not in the call index.
    pub(super) fn of(change: &'c Change) -> Result<Self, Error> {
        let cached = change.cached(call_index::NAME, call_index::MAX_BYTES);
        let mut call_index = cached.as_deref().and_then(CallIndex::read).unwrap_or_default();
        let directories = change.directories()?;
        let mut directories: Vec<(&str, Content, Option<CallsOf>)> = directories
            .into_iter()
            .map(|(path, content)| (path, content, call_index.place(content)))
            .collect();
        let unknown: Vec<&str> =
            directories.iter().filter(|(_, _, calls)| calls.is_none()).map(|(path, ..)| *path).collect();
        let (mut unread, mut is_partial) = (Vec::new(), false);
        if !unknown.is_empty() {
            let (seen, has_missed) =
                change.without_all(|| change.map_directories(State::Now, &unknown, Calls::of));
            is_partial = has_missed;
            let mut new = Vec::new();
            let of_unknown = directories.iter().filter(|(_, _, calls)| calls.is_none());
            for ((path, content, _), calls) in of_unknown.zip(seen) {
                if calls.complete {
                    new.push((*content, calls));
                } else {
                    unread.push((*path, calls));
                }
            }
            call_index.keep(new);
            for (_, content, calls) in directories.iter_mut().filter(|(_, _, calls)| calls.is_none()) {
                *calls = call_index.place(*content);
            }
        }
        Ok(Self { call_index, directories, unread, is_partial })
    }

    /// The number of directories whose files are not all in the clone.
    pub(super) fn absent(&self) -> usize {
        if self.is_partial { self.unread.len() } else { 0 }
    }

    /// Whether a directory, other than an example or test, shows that it is a root module.
    pub(super) fn has_root(&self, change: &Change) -> bool {
        let read = self
            .directories
            .iter()
            .map(|(path, _, calls)| (path, calls.is_some_and(|calls| calls.shows_root)));
        let unread = self.unread.iter().map(|(path, calls)| (path, calls.shows_root));
        let is_wanted = |path: &str| !is_aside(path);
        read.chain(unread).any(|(path, shows_root)| shows_root && is_wanted(path))
            || change.has_root_files(is_wanted)
    }

    /// The directories of the modules whose functions may read a file that the change alters, each with the first such
    /// file. `has_units`: whether Terragrunt may run modules in other directories than their own.
    pub(super) fn readers(&self, change: &Change, has_units: bool) -> BTreeMap<String, String> {
        let paths: Paths = change.paths().collect();
        let is_near = |path: &&String| has_units || ancestors(path).any(|it| self.is_directory(it));
        // A path about which nothing is known is relative to a root module.
        let near: Paths = paths.all.iter().filter(is_near).cloned().collect();
        // A pattern that is not relative to its module matches the same everywhere.
        let mut seen: HashMap<&str, Option<&String>> = HashMap::new();
        let reads_one = |pattern: &str, path: &str| {
            let paths = if reads::is_any(pattern) { &near } else { &paths };
            reads::first_match(pattern, path, paths)
        };
        let mut readers = BTreeMap::new();
        for (path, _, calls) in &self.directories {
            let mut patterns = calls.iter().flat_map(|calls| self.call_index.patterns(*calls));
            let concerns = |pattern| {
                if reads::is_relative_to_module(pattern) {
                    reads_one(pattern, path)
                } else {
                    *seen.entry(pattern).or_insert_with(|| reads_one(pattern, path))
                }
            };
            if let Some(file) = patterns.find_map(concerns) {
                readers.insert((*path).to_owned(), file.clone());
            }
        }
        for (path, calls) in &self.unread {
            if let Some(file) = calls.reads.iter().find_map(|pattern| reads_one(pattern, path)) {
                readers.insert((*path).to_owned(), file.clone());
            }
        }
        readers
    }

    fn is_directory(&self, path: &str) -> bool {
        self.directories.binary_search_by(|(other, ..)| (*other).cmp(path)).is_ok()
            || self.unread.iter().any(|(other, _)| *other == path)
    }

    /// The patterns of the files that functions of the module in a directory may read.
    pub(super) fn reads(&self, directory: &str) -> Vec<&str> {
        let at = self.directories.binary_search_by(|(path, ..)| (*path).cmp(directory)).ok();
        let calls = at.and_then(|at| self.directories[at].2);
        let read = calls.into_iter().flat_map(|calls| self.call_index.patterns(calls));
        let unread = self.unread.iter().filter(|(path, _)| *path == directory);
        let unread = unread.flat_map(|(_, calls)| calls.reads.iter().map(SmolStr::as_str));
        read.chain(unread).collect()
    }

    /// The name and content of the cache file of the call index, if it has new entries.
    pub(super) fn new_cache(&self) -> Option<(&'static str, Vec<u8>)> {
        let used = || self.directories.iter().map(|(_, content, _)| *content).collect();
        let bytes = self.call_index.has_new_entries.then(|| self.call_index.write(&used()))?;
        Some((call_index::NAME, bytes?))
    }
}
