//! Loads the test files of modules and the mock files that they name.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::{Companion, Engine, Features};
use crate::finding::{EngineRule, Finding, set_module};
use crate::module::test_file::{MockData, TestFile};
use crate::module::values::TestValues;
use crate::session::parse_cache::ParseCache;
use crate::session::test_paths::{in_test_directories, mock_directory, mocks_in};
use crate::session::values_files;
use crate::text::{FileId, Span};
use crate::vfs::{CompanionFile, Reached, Snapshot, TEST_DIRECTORY, child, unreadable};

/// The tests of one module.
#[derive(Debug, Default)]
pub(crate) struct Tests {
    /// The test files that the engine loads, with the values of the files that it loads for them.
    pub(crate) files: Vec<(TestFile, Arc<TestValues>)>,
    /// The findings in these files and their mock files that do not depend on other files.
    pub(crate) findings: Vec<Finding>,
}

impl Tests {
    /// Loads the tests of the module in a directory. `reached` returns what a path leads to.
    pub(crate) fn of(
        snapshot: &Snapshot,
        cache: &ParseCache,
        directory: &str,
        engine: Engine,
        reached: &dyn Fn(&str) -> Option<Reached>,
    ) -> Self {
        let mut tests = Self::default();
        let places = in_test_directories(snapshot, directory);
        if places.iter().all(|(_, files)| files.is_empty()) {
            return tests;
        }
        let (features, limits) = (engine.features(), cache.limits());
        let mut values = TestValues::default();
        for (path, files) in &places {
            let of_values = files.iter().filter(|file| file.kind == Companion::Values);
            values = values.with(of_values.map(|file| {
                values_files::read(&SmolStr::new(child(path, &file.name)), file.id?, snapshot, cache)
            }));
            let values = Arc::new(values.clone());
            let ids: BTreeMap<&str, Option<FileId>> =
                files.iter().map(|file| (file.name.as_str(), file.id)).collect();
            let names: Vec<&str> = ids.keys().copied().collect();
            for name in engine.test_files(&names) {
                if let Some((id, file)) = ids[name].and_then(|id| Some((id, cache.file(id)?))) {
                    tests.findings.extend(cache.syntax_errors(id).cloned());
                    let path = child(path, name);
                    let file = TestFile::read(path, file, &features, limits, &mut tests.findings);
                    tests.files.push((file, Arc::clone(&values)));
                }
            }
        }
        if may_be_for_a_module_above(directory) {
            // The command line decides which module such a file tests, so only the file itself is checked.
            tests.files.clear();
        }
        tests.mocks(snapshot, cache, directory, &features, reached);
        set_module(&mut tests.findings, &directory.into());
        tests
    }

    /// Loads the mock files that the tests name, each directory once.
    fn mocks(
        &mut self,
        snapshot: &Snapshot,
        cache: &ParseCache,
        directory: &str,
        features: &Features,
        reached: &dyn Fn(&str) -> Option<Reached>,
    ) {
        let mut named: BTreeMap<String, Vec<(SmolStr, Span)>> = BTreeMap::new();
        for (source, header) in self.files.iter().flat_map(|(file, _)| file.mock_directories()) {
            if let Some(path) = mock_directory(directory, source) {
                named.entry(path).or_default().push((source.clone(), header));
            }
        }
        for (path, blocks) in named {
            if reached(&path) == Some(Reached::Missing) {
                self.findings.extend(blocks.iter().map(|(source, header)| no_directory(source, *header)));
                continue;
            }
            for file in mocks_in(snapshot, &path).filter(|file| file.is_broken_link) {
                self.findings.push(unreadable(&child(&path, &file.name), "there is no such file"));
            }
            self.read_mocks(mocks_in(snapshot, &path), cache, features);
        }
    }

    /// Reads the mock files of a directory.
    fn read_mocks<'s>(
        &mut self,
        files: impl Iterator<Item = &'s CompanionFile>,
        cache: &ParseCache,
        features: &Features,
    ) {
        let mut data: Option<MockData> = None;
        for (id, file) in files.filter_map(|file| Some((file.id?, cache.file(file.id?)?))) {
            self.findings.extend(cache.syntax_errors(id).cloned());
            let read = MockData::read(file, features, cache.limits(), &mut self.findings);
            match &mut data {
                Some(data) => data.add(read, &mut self.findings),
                None => data = Some(read),
            }
        }
    }
}

/// Whether the tests in a directory may belong to a module above it, as with `-test-directory=tests/unit`.
fn may_be_for_a_module_above(directory: &str) -> bool {
    directory.split('/').any(|name| ["test", TEST_DIRECTORY].contains(&name))
}

fn no_directory(source: &str, header: Span) -> Finding {
    Finding::language(EngineRule::UnreadableFile, "Failed to read mock data directory")
        .detail(format!("There is no directory {source:?} relative to the directory of the root module."))
        .at(header)
        .help(
            "correct `source`: it starts from the directory of the module under test, not from the test file",
        )
}
