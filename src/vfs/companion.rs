//! The files that engines read beside those of modules, by directory.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::read::ReadFile;
use super::{Snapshot, ancestors, child, is_under, last_name, parent};
use crate::engine::{self, Companion};
use crate::text::FileId;

/// A file that an engine reads beside those of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanionFile {
    /// The name.
    pub name: SmolStr,
    /// The purpose.
    pub kind: Companion,
    /// The source. `None` if the file cannot be read.
    pub id: Option<FileId>,
    /// Whether it is a symbolic link to nothing.
    pub is_broken_link: bool,
}

impl Snapshot {
    /// The files beside modules with their directories, sorted by path.
    pub fn companions(&self) -> impl Iterator<Item = (&SmolStr, &CompanionFile)> {
        self.companions.iter().flat_map(|(directory, files)| files.iter().map(move |file| (directory, file)))
    }

    /// The number of files in scope of each kind that overrule does not read.
    pub fn unread_kinds(&self) -> BTreeMap<&'static str, usize> {
        let is_asked_for = |path: &str| self.scope.iter().any(|asked| is_under(path, asked));
        let files =
            self.unread_kinds.iter().flat_map(|(path, names)| names.iter().map(move |name| (path, name)));
        let mut counts = BTreeMap::new();
        for (_, name) in files.filter(|(path, name)| is_asked_for(&child(path, name))) {
            if let Some(kind) = engine::unread_kind(name) {
                *counts.entry(kind).or_default() += 1;
            }
        }
        counts
    }

    /// Whether a directory has a file of a kind that overrule does not read.
    pub fn has_unread_kind(&self, directory: &str) -> bool {
        self.unread_kinds.contains_key(directory)
    }

    /// Whether a stack file, which is not read, may call any module.
    pub fn has_stacks(&self) -> bool {
        self.has_stacks
    }

    /// The files beside modules in one directory, sorted by name.
    pub fn companions_in(&self, directory: &str) -> &[CompanionFile] {
        self.companions.get(directory).map(Vec::as_slice).unwrap_or_default()
    }

    /// The module that the files beside modules in a directory belong to: the nearest one at or above it.
    pub fn owner<'p>(&self, directory: &'p str) -> Option<&'p str> {
        let has_module = |path: &&str| self.directory(path).is_some_and(|found| !found.files.is_empty());
        ancestors(directory).find(has_module)
    }

    /// Adds the files beside the modules of a directory.
    pub(super) fn accompanied(&mut self, directory: &str, files: Vec<ReadFile>) {
        let files = files.into_iter().filter_map(|ReadFile { name, source, target, is_broken_link }| {
            let kind = Companion::of(&name)?;
            let id = source.and_then(|source| self.add_file(source, target.as_deref()));
            Some(CompanionFile { name, kind, id, is_broken_link })
        });
        let files = files.collect();
        self.accompany(directory, files);
    }

    pub(super) fn accompany(&mut self, directory: &str, files: Vec<CompanionFile>) {
        if !files.is_empty() {
            self.companions.insert(directory.into(), files);
        }
    }

    /// A file beside a module by its real path.
    pub(super) fn companion_at(&self, path: &str) -> Option<FileId> {
        let name = last_name(path);
        let file =
            self.companions_in(parent(path).unwrap_or_default()).iter().find(|file| file.name == name)?;
        file.id.filter(|id| self.sources.get(*id).name() == path)
    }
}
