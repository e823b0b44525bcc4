//! Finds override files that are not committed.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::ByteSlice;
use gix::index::State;

use super::git::excluded::{Exclusions, RulesByDirectory};
use super::last_name;
use super::path::child;
use super::walk::{Rules, Walk};
use crate::engine::is_override_file;
use crate::text::file_name::encode;

impl Rules<'_, '_> {
    /// The override files that git ignores, or does not track although it tracks other files of the directory. A
    /// directory without tracked files is probably about to be added.
    pub(super) fn uncommitted(&mut self, walk: &Walk, index: &State) -> BTreeSet<String> {
        let Some((tracked, ignored)) = &mut self.git else { return BTreeSet::new() };
        let overrides = walk.listed.iter().flat_map(|directory| {
            let names = directory.listing.modules.iter().map(|entry| entry.name.as_str());
            names
                .filter(|name| is_override_file(name))
                .map(|name| (&directory.path, child(&directory.path, name)))
        });
        let is_in_index = |path: &str| index.entry_range(encode(path).as_bstr()).is_some();
        let is_left_out =
            |(directory, path): &(&String, String)| tracked.has_file_of(directory) || ignored.file(path);
        let overrides = overrides.filter(|(_, path)| !is_in_index(path)).filter(is_left_out);
        overrides.map(|(_, path)| path).collect()
    }
}

/// The override files that a `.gitignore` among the given files excludes, as if all other files were committed.
pub(super) fn ignored(files: &BTreeMap<&str, &[u8]>) -> BTreeSet<String> {
    let read = |path: &str| files.get(path).map(|content| content.to_vec());
    let rules = RulesByDirectory::default();
    let mut exclusions = Exclusions::new(&read, &rules);
    let overrides = files.keys().filter(|path| is_override_file(last_name(path)));
    overrides.filter(|path| exclusions.of(path).is_some()).map(|path| (*path).to_owned()).collect()
}
