//! Finds signs that a tool writes a file before an engine runs.

use std::cell::Cell;

use gix::bstr::ByteSlice;

use super::named_files::{NamedFile, NamedFiles};
use super::{ancestors, child, last_name, parent};

/// The number of bytes that are searched in a step.
const SEARCHED: usize = 1 << 10;

impl NamedFiles {
    /// Whether a `.gitignore` names a module file of a directory by its path, and the file is not there.
    pub fn expects_module_file(&self, directory: &str) -> bool {
        let is_absent = |name: &String| !matches!(self.at(&child(directory, name)), NamedFile::File(_));
        ancestors(directory).any(|around| {
            let inside = directory[around.len()..].trim_start_matches('/');
            self.expected_by(&child(around, ".gitignore")).names_in(inside).any(is_absent)
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
