//! Finds signs that a tool writes a file before an engine runs.

use std::cell::Cell;

use gix::bstr::ByteSlice;

use super::named_files::{NamedFile, NamedFiles};
use super::{ancestors, child, last_name, parent};
use crate::engine::{is_module_file, is_override_file};

/// The number of bytes that are searched in a step.
const SEARCHED: usize = 1 << 10;

impl NamedFiles {
    /// Whether a `.gitignore` names a module file of a directory by its path, and the file is not there.
    pub fn expects_module_file(&self, directory: &str) -> bool {
        ancestors(directory).any(|around| {
            let read = |bytes: &[u8]| {
                let named = bytes.lines().filter_map(|line| file_named(line.to_str().ok()?.trim()));
                named.map(str::to_owned).collect()
            };
            self.generated_by(&child(around, ".gitignore"), read).iter().any(|path| {
                let is_here = has_segments(directory, parent(&child(around, path)).unwrap_or_default());
                is_here && !matches!(self.at(&child(directory, last_name(path))), NamedFile::File(_))
            })
        })
    }

    /// Whether a module file beside a path contains the name of its file, and may write it. Adds to the steps of the
    /// search.
    pub fn is_mentioned_beside(&self, path: &str, searched: &Cell<usize>) -> bool {
        let directory = parent(path).unwrap_or_default();
        if matches!(self.at(directory), NamedFile::File(_)) {
            return false;
        }
        let mentions = |name: &String| match self.at(&child(directory, name)) {
            NamedFile::File(Some(text)) => {
                searched.update(|steps| steps + text.len() / SEARCHED);
                text.contains_str(last_name(path))
            }
            NamedFile::File(None) => true,
            _ => false,
        };
        let Some(listing) = self.listing(directory) else { return true };
        listing.module_files.iter().any(mentions)
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
