//! The names of all entries of a directory, module files or not.

use std::collections::BTreeSet;
use std::fs;

use super::path::child;
use super::top_directory::Top;
use super::{Origin, Snapshot, parent};
use crate::engine::Companion;
use crate::text::file_name::{decode_os, encode_os};

/// The entries of a directory, sorted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Names {
    /// Files, and links to files of the repository.
    pub files: BTreeSet<String>,
    /// Directories, and links to directories of the repository.
    pub directories: BTreeSet<String>,
}

impl Snapshot {
    /// The entries of the directory at a path, relative to the top. Empty if it cannot be read.
    pub fn names(&self, directory: &str) -> Names {
        match &self.origin {
            Origin::Disk(top) => on_disk(top, directory),
            Origin::Git { git_tree, .. } => git_tree.read().names(directory),
            Origin::Memory { directories, others } => {
                let mut names = Names::default();
                let modules = self.sources.iter().map(|(_, source)| source.name());
                names.files.extend(
                    modules
                        .chain(others.keys().map(String::as_str))
                        .filter_map(|path| name_in(directory, path)),
                );
                names.directories.extend(directories.iter().filter_map(|path| name_in(directory, path)));
                names
            }
        }
    }

    /// Whether there are test files directly in a directory.
    pub fn has_tests(&self, directory: &str) -> bool {
        let is_test = |name: &String| Companion::of(name) == Some(Companion::Test);
        self.tested.get(directory, || self.names(directory).files.iter().any(is_test))
    }
}

fn on_disk(top: &Top, directory: &str) -> Names {
    let mut names = Names::default();
    let Ok(entries) = fs::read_dir(top.path().join(encode_os(directory))) else { return names };
    for entry in entries.filter_map(Result::ok) {
        let name = decode_os(&entry.file_name()).into_owned();
        let Ok(mut kind) = entry.file_type() else { continue };
        if kind.is_symlink() {
            let real = fs::canonicalize(top.path().join(encode_os(&child(directory, &name))));
            let Some(real) = real.ok().filter(|real| top.holds(real)) else { continue };
            let Ok(metadata) = fs::metadata(real) else { continue };
            kind = metadata.file_type();
        }
        if kind.is_file() {
            names.files.insert(name);
        } else if kind.is_dir() {
            names.directories.insert(name);
        }
    }
    names
}

/// The name at the end of a path, if it is directly in this directory.
fn name_in(directory: &str, path: &str) -> Option<String> {
    let name = path.rsplit('/').next().filter(|name| !name.is_empty())?;
    (parent(path).unwrap_or_default() == directory).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_names() {
        let files = ["main.tf", "README.md", "a/b/x.tf", "a/notes.txt"];
        let snapshot =
            Snapshot::of_files(files.iter().map(|name| ((*name).to_owned(), Vec::new())).collect());
        let reported = |directory: &str| {
            let Names { files, directories } = snapshot.names(directory);
            (
                files.into_iter().collect::<Vec<_>>().join(" "),
                directories.into_iter().collect::<Vec<_>>().join(" "),
            )
        };
        assert_eq!(reported(""), ("README.md main.tf".to_owned(), "a".to_owned()));
        assert_eq!(reported("a"), ("notes.txt".to_owned(), "b".to_owned()));
        assert_eq!(reported("c"), (String::new(), String::new()));
    }
}
