//! Finds the modules that a change alters without altering their interface.
//!
//! Such a module is checked with the modules that it calls. Its callers are checked only if its findings turn out to
//! differ.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::suppress::exceptions::may_contain_exceptions;
use crate::engine::{Companion, LOCK_FILE, Notation, Signal, is_module_file};
use crate::limits::Limits;
use crate::module::canonical::seen_by_callers;
use crate::syntax;
use crate::text::{FileId, Source};
use crate::vfs::{Change, State, last_name, parent};

/// Returns the directories whose modules have the same interface as before. `other` are directories that the change
/// touches by something else than their own files.
pub(super) fn modules(change: &Change, other: &BTreeSet<String>) -> BTreeSet<SmolStr> {
    let mut directories: BTreeSet<String> = BTreeSet::new();
    for path in change.paths() {
        let name = last_name(&path);
        if is_module_file(name) {
            directories.insert(parent(&path).unwrap_or_default().to_owned());
        } else if Companion::of(name).is_some() || name == LOCK_FILE || Signal::may_be_in(name) {
            return BTreeSet::new();
        }
    }
    let candidates: Vec<&str> = directories.difference(other).map(String::as_str).collect();
    let seen = |state| change.map_directories(state, &candidates, seen_in);
    let (before, now) = (seen(State::Before), seen(State::Now));
    let is_same = |(_, (was, is)): &(_, (Option<Seen>, Option<Seen>))| is.is_some() && was == is;
    let same = candidates.iter().zip(before.into_iter().zip(now)).filter(is_same);
    same.map(|(directory, _)| SmolStr::new(directory)).collect()
}

/// By file name: the interface of a module.
type Seen = BTreeMap<SmolStr, Vec<String>>;

/// Returns the interface of the module with these files; nothing if one of them cannot be read completely, or if its
/// comments may suppress findings about other modules.
fn seen_in(files: &[(SmolStr, Option<Source>)]) -> Option<Seen> {
    let seen = |(name, source): &(SmolStr, Option<Source>)| {
        let source = source.as_ref().filter(|source| !may_contain_exceptions(source))?;
        let notation = Notation::of(source.name());
        let (file, findings) = syntax::parse(FileId::new(0), source, notation, &Limits::default());
        let is_whole = file.complete && findings.is_empty();
        is_whole.then(|| (name.clone(), seen_by_callers(&file.body, source)))
    };
    let seen: Option<Seen> = files.iter().map(seen).collect();
    seen.filter(|seen| !seen.is_empty())
}
