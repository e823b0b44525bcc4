//! Finds renamed directories among changed paths.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;

use super::difference::Difference;
use crate::engine;
use crate::text::file_name::decode;
use crate::vfs::git::tree::{Item, ItemKind, Reading};
use crate::vfs::read::Failure;
use crate::vfs::{Memo, last_name, parent};

/// A file in more directories than this is a copy that identifies none of them.
const MANY: usize = 16;

/// Directories without a module in the later state, by the new directory that has at least half of their files
/// unchanged.
pub(super) fn renamed(
    differences: &[Difference],
    before: &Reading<'_>,
    now: &Reading<'_>,
) -> Result<BTreeMap<String, String>, Failure> {
    let mut removed: BTreeMap<ObjectId, BTreeSet<String>> = BTreeMap::new();
    for (directory, file) in module_files(differences, |difference| (&difference.was, &difference.is)) {
        removed.entry(file).or_default().insert(directory);
    }
    let mut shared: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (directory, file) in module_files(differences, |difference| (&difference.is, &difference.was)) {
        // A file in many directories identifies none of them.
        for old in removed.get(&file).into_iter().filter(|directories| directories.len() <= MANY).flatten() {
            *shared.entry((directory.clone(), old.clone())).or_default() += 1;
        }
    }
    let mut likely: Vec<_> = shared.into_iter().collect();
    // The sort is stable.
    likely.sort_by_key(|(_, files)| Reverse(*files));
    let (mut renamed, mut taken) = (BTreeMap::new(), BTreeSet::new());
    let (before, now) = (ModuleFiles::of(before), ModuleFiles::of(now));
    for ((new, old), files) in likely {
        if !renamed.contains_key(&new)
            && !taken.contains(&old)
            && files * 2 >= before.count(&old)?
            && before.count(&new)? == 0
            && now.count(&old)? == 0
        {
            taken.insert(old.clone());
            renamed.insert(new, old);
        }
    }
    Ok(renamed)
}

/// The number of module files in the directories of a state, each counted once.
struct ModuleFiles<'r> {
    state: &'r Reading<'r>,
    known: Memo<String, usize>,
}

impl<'r> ModuleFiles<'r> {
    fn of(state: &'r Reading<'r>) -> Self {
        Self { state, known: Memo::default() }
    }

    fn count(&self, directory: &str) -> Result<usize, Failure> {
        self.known.try_get(directory, || Ok(self.state.list(directory)?.modules.len()))
    }
}

/// The module files of only one state: directory and content.
fn module_files<'d>(
    differences: &'d [Difference],
    sides: impl Fn(&'d Difference) -> (&'d Option<Item>, &'d Option<Item>),
) -> Vec<(String, ObjectId)> {
    let files = differences.iter().filter_map(|difference| {
        let (Some(Item { kind: ItemKind::File, id, .. }), None) = sides(difference) else { return None };
        let path = decode(&difference.path);
        engine::is_module_file(last_name(&path)).then(|| (parent(&path).unwrap_or_default().to_owned(), *id))
    });
    files.collect()
}
