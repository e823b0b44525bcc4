//! Decides what to report in files that several modules load through symbolic links.
//!
//! Such a file belongs to all of these modules. One of them may have a part that another one lacks, such as a use of a
//! provider, and an edit changes all of them.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::Verdict;
use crate::finding::RuleId;
use crate::rules;
use crate::text::{FileId, Sources, Span};
use crate::vfs::{Memo, parent};

/// The key of a finding that several modules have in one file.
type Key = (RuleId, Span, String);

/// Drops findings that not all modules of a file have, if their rule requires that, and fixes that would change other
/// modules. `is_module` says which directories are checked as modules.
pub(super) fn settle(verdicts: &mut Vec<Verdict>, sources: &Sources, is_module: &dyn Fn(&str) -> bool) {
    let sharing = |file: FileId| {
        let links = sources.links(file).iter().map(SmolStr::as_str);
        let paths = links.chain([sources.get(file).name()]);
        let directories = paths.map(|path| parent(path).unwrap_or_default());
        directories.filter(|directory| is_module(directory))
    };
    let is_linked = |file: FileId| !sources.links(file).is_empty();
    let mut modules: BTreeMap<Key, BTreeSet<SmolStr>> = BTreeMap::new();
    for verdict in verdicts.iter() {
        if let Some(key) = key(verdict).filter(|(_, at, _)| is_linked(at.file)) {
            modules.entry(key).or_default().insert(verdict.finding.module.clone());
        }
    }
    // Many modules can share a file, and each can have the same finding in it.
    let known: Memo<(Key, FileId), bool> = Memo::default();
    let holds_for = |verdict: &Verdict, file: FileId| {
        let found = key(verdict).and_then(|key| modules.get(&key).map(|modules| (key, modules)));
        match found {
            Some((key, modules)) => {
                known.get(&(key, file), || sharing(file).all(|directory| modules.contains(directory)))
            }
            None => sharing(file).all(|directory| directory == verdict.finding.module),
        }
    };
    let mut reported = BTreeSet::new();
    verdicts.retain(|verdict| match key(verdict).filter(|(_, at, _)| is_linked(at.file)) {
        Some((rule, at, address)) if asks_for_all(&rule) => {
            holds_for(verdict, at.file) && reported.insert((rule, at, address))
        }
        Some(_) | None => true,
    });
    for verdict in verdicts {
        let files = verdict.finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span.file);
        let mut files = files.filter(|file| is_linked(*file));
        if files.any(|file| !holds_for(verdict, file)) {
            verdict.finding.fix = None;
        }
    }
}

fn key(verdict: &Verdict) -> Option<Key> {
    let finding = &verdict.finding;
    Some((finding.rule.clone(), finding.primary?, finding.address.clone()))
}

fn asks_for_all(rule: &RuleId) -> bool {
    rules::entry(rule.as_str()).is_some_and(|entry| entry.asks_for_all_sharers)
}
