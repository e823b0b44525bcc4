//! The module files that a `.gitignore` names: a tool writes them before an engine runs.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::ByteSlice;

use super::{last_name, parent};
use crate::engine::{is_module_file, is_override_file};

/// The module files that the lines of a `.gitignore` name, by their directories.
#[derive(Debug, Default)]
pub(super) struct Expected {
    in_directories: BTreeMap<String, BTreeSet<String>>,
    /// By patterns in which `*` stands for a directory.
    in_patterns: BTreeMap<String, BTreeSet<String>>,
}

impl Expected {
    /// Those of the content of a `.gitignore`.
    pub(super) fn of(content: &[u8]) -> Self {
        let mut all = Self::default();
        for path in content.lines().filter_map(|line| file_named(line.to_str().ok()?.trim())) {
            let directory = parent(path).unwrap_or_default();
            let is_pattern = directory.contains('*');
            let names = if is_pattern { &mut all.in_patterns } else { &mut all.in_directories };
            names.entry(directory.to_owned()).or_default().insert(last_name(path).to_owned());
        }
        all
    }

    /// The names of those in a directory, whose path is relative to that of the `.gitignore`.
    pub(super) fn names_in(&self, directory: &str) -> impl Iterator<Item = &String> {
        let patterns = self.in_patterns.iter().filter(move |(pattern, _)| has_segments(directory, pattern));
        self.in_directories.get(directory).into_iter().chain(patterns.map(|(_, names)| names)).flatten()
    }
}

/// Whether a path has the segments of a pattern, in which `*` stands for any one.
fn has_segments(path: &str, pattern: &str) -> bool {
    path.split('/').count() == pattern.split('/').count()
        && path.split('/').zip(pattern.split('/')).all(|(segment, wanted)| wanted == "*" || wanted == segment)
}

/// The module file that a line of a `.gitignore` names by its path, in which `*` may stand for a directory. Another
/// pattern, a name in any directory, an override file and the file that only configures the storage of the state do not
/// count.
fn file_named(line: &str) -> Option<&str> {
    let path = line.strip_prefix('/').unwrap_or(line);
    let name = last_name(path);
    let is_literal = |part: &str| part == "*" || !part.contains(['*', '?', '[', '\\']);
    let is_path = line.contains('/') && !line.starts_with(['#', '!']) && path.split('/').all(is_literal);
    (is_path && is_module_file(name) && !is_override_file(name) && name != "backend.tf").then_some(path)
}
