//! Finds the Terragrunt unit files among the listed ones, and reads the files that they name on demand.

use gix::bstr::ByteSlice;
use rayon::prelude::*;
use smol_str::SmolStr;

use super::read::{self, Failure};
use super::unit_file::{in_use, is_unit_file};
use super::{Origin, Snapshot, child};
use crate::engine;
use crate::limits::Limit;
use crate::text::file_name::{encode, encode_os};
use crate::text::{FileId, Source};

impl Snapshot {
    /// The unit files of the repository, sorted by path.
    pub fn unit_files(&self) -> &[SmolStr] {
        &self.unit_files
    }

    /// Reads files by their paths relative to the top, except those that cannot be read.
    pub fn read_files(&self, paths: &[SmolStr]) -> Vec<Option<Source>> {
        let limit = self.limits.get(Limit::FileSize);
        let source = |path: &SmolStr, bytes: Result<Vec<u8>, Failure>| {
            bytes.ok().map(|bytes| Source::new(path.clone(), bytes))
        };
        match &self.origin {
            Origin::Memory { others, .. } => {
                let text = |path: &SmolStr| {
                    let of_module = self.sources.iter().find(|(_, source)| source.name() == path.as_str());
                    let text = of_module.map(|(_, source)| source.text().as_bytes().to_vec());
                    text.or_else(|| others.get(path.as_str()).cloned())
                };
                paths.iter().map(|path| Some(Source::new(path.clone(), text(path)?))).collect()
            }
            Origin::Disk(top) => {
                paths.par_iter().map(|path| source(path, read::inside(top, path, limit))).collect()
            }
            Origin::Git { git_tree, .. } => {
                let reading = |path| source(path, git_tree.read_quietly().content(path, limit));
                paths.par_iter().map(reading).collect()
            }
        }
    }

    /// Adds a file that belongs to no module to the sources, so that a finding can refer to it.
    pub fn show(&mut self, path: &SmolStr) -> Option<FileId> {
        let source = self.read_files(std::slice::from_ref(path)).pop().flatten()?;
        Some(self.sources.push(source))
    }

    /// Whether a file or directory exists at a path, relative to the top.
    pub fn is_there(&self, path: &str) -> bool {
        match &self.origin {
            Origin::Memory { directories, others } => {
                directories.contains(path)
                    || others.contains_key(path)
                    || self.sources.iter().any(|(_, source)| source.name() == path)
            }
            Origin::Disk(top) => top.path().join(encode_os(path)).exists(),
            Origin::Git { git_tree, .. } => {
                git_tree.read().item(encode(path).as_bstr()).is_ok_and(|item| item.is_some())
            }
        }
    }

    /// Whether a directory has module files.
    pub fn holds_module(&self, directory: &str) -> bool {
        match self.directory(directory) {
            Some(directory) => !directory.files.is_empty(),
            None if self.is_whole() && self.unread.is_none() => false,
            None => self.names(directory).files.iter().any(|name| engine::is_module_file(name)),
        }
    }

    /// The unit files of listed directories: `(directory, name)`.
    pub(super) fn find_units<'n>(&mut self, names: impl Iterator<Item = (&'n str, &'n SmolStr)>) {
        let units = names.filter(|(_, name)| is_unit_file(name.as_bytes()));
        self.unit_files = in_use(units.map(|(directory, name)| child(directory, name).into()).collect());
    }
}
