//! Finds the test files and mock files of a module by their paths.

use std::collections::BTreeSet;

use crate::engine::{Companion, is_automatic_values_file};
use crate::syntax::{BlockSchema, File, Schema};
use crate::text::FileId;
use crate::value;
use crate::vfs::{CompanionFile, Snapshot, TEST_DIRECTORY, child, join};

/// The test files that an engine loads for the module in a directory, and the automatic variable definitions files for
/// them.
pub(crate) fn ids(snapshot: &Snapshot, directory: &str) -> Vec<FileId> {
    let files: Vec<&CompanionFile> =
        in_test_directories(snapshot, directory).into_iter().flat_map(|(_, files)| files).collect();
    if files.iter().all(|file| file.kind != Companion::Test) {
        return Vec::new();
    }
    let is_loaded = |file: &&&CompanionFile| match file.kind {
        Companion::Test => true,
        Companion::Values => is_automatic_values_file(&file.name),
        Companion::Mock => false,
    };
    files.iter().filter(is_loaded).filter_map(|file| file.id).collect()
}

/// The mock files in the directories that a test file names.
pub(crate) fn mock_ids(snapshot: &Snapshot, directory: &str, test: &File) -> Vec<FileId> {
    let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("mock_provider", &["name"])] };
    let blocks = test.body.matching(&schema).blocks;
    let sources = blocks.iter().filter_map(|block| block.attribute("source"));
    let directories: BTreeSet<String> = sources
        .filter_map(|source| {
            let value = value::constant(&source.expr, &mut Vec::new());
            mock_directory(directory, value.as_str()?)
        })
        .collect();
    directories.iter().flat_map(|path| mocks_in(snapshot, path)).filter_map(|file| file.id).collect()
}

/// The test files of the same module, by directory.
pub(super) fn in_test_directories<'s>(
    snapshot: &'s Snapshot,
    directory: &str,
) -> [(String, Vec<&'s CompanionFile>); 2] {
    let of = |path: String| {
        let files = snapshot.companions_in(&path).iter().collect();
        (path, files)
    };
    [of(directory.to_owned()), of(child(directory, TEST_DIRECTORY))]
}

/// Resolves the `source` of a `mock_provider`, which is relative to the directory of the root module.
pub(super) fn mock_directory(module: &str, source: &str) -> Option<String> {
    if source.is_empty() || source.starts_with('/') { None } else { join(module, source) }
}

pub(super) fn mocks_in<'s>(
    snapshot: &'s Snapshot,
    path: &str,
) -> impl Iterator<Item = &'s CompanionFile> + use<'s> {
    snapshot.companions_in(path).iter().filter(|file| file.kind == Companion::Mock)
}
