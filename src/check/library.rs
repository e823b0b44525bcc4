//! Turns the files of a work tree into syntax trees, each read once, and folders into modules.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

use super::fragments;
use crate::engine::{Engine, Loaded};
use crate::finding::{Finding, Severity};
use crate::limits::Limits;
use crate::module::{Module, ModuleFile};
use crate::source::{Folder, Worktree};
use crate::syntax::{self, File, Notation};
use crate::text::FileId;
use crate::tree::Role;

/// What was read of files, as far as it is at hand.
#[derive(Debug, Default)]
pub(super) struct Library {
    /// What holds in the run.
    limits: Limits,
    files: HashMap<FileId, File>,
    /// What is wrong with files.
    wrong: HashMap<FileId, Vec<Finding>>,
    /// Files that were read, and not understood whole.
    incomplete: BTreeSet<FileId>,
    /// Files in which a syntax error is at a placeholder of a template.
    templates: BTreeSet<FileId>,
    /// Whether some directory of the repository shows that an engine is run there.
    pub(super) has_root: bool,
    /// By directory: the roles that modules had before a change that must not choose them.
    pub(super) former_roles: Arc<HashMap<SmolStr, Role>>,
}

/// A module, and what is wrong with its files taken by themselves.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) module: Module,
    pub(super) findings: Vec<Finding>,
}

impl Built {
    /// Whether the engine goes no further with it.
    pub(super) fn is_broken(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

impl Library {
    /// Nothing read yet.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Reads the module files of some folders, unless they are at hand.
    pub(super) fn read(&mut self, worktree: &Worktree, folders: &[usize]) {
        let sources = worktree.sources();
        let of_folders = folders.iter().flat_map(|folder| &worktree.folder_at(*folder).files);
        let ids: Vec<FileId> =
            of_folders.filter_map(|file| file.id).filter(|id| !self.files.contains_key(id)).collect();
        let parse = |id: &FileId| {
            let source = sources.get(*id);
            syntax::parse(*id, source, Notation::of(source.name()), &self.limits)
        };
        let read: Vec<_> = ids.par_iter().map(parse).collect();
        for (id, (file, wrong)) in ids.into_iter().zip(read) {
            if !file.complete {
                self.incomplete.insert(id);
            }
            self.files.insert(id, file);
            if !wrong.is_empty() {
                if fragments::has_placeholder(sources.get(id), &wrong) {
                    self.templates.insert(id);
                }
                self.wrong.insert(id, wrong);
            }
        }
    }

    /// One that holds to the same limits, with nothing read yet.
    pub(super) fn another(&self) -> Self {
        Self { has_root: self.has_root, former_roles: self.former_roles.clone(), ..Self::new(self.limits) }
    }

    /// Puts away what was read, but for files that are `wanted` later.
    pub(super) fn put_away(&mut self, wanted: impl Fn(FileId) -> bool + Sync) {
        let files = std::mem::take(&mut self.files);
        self.files = files.into_par_iter().filter(|(id, _)| wanted(*id)).collect();
        self.wrong = HashMap::new();
    }

    /// Takes over what another one holds.
    pub(super) fn take(&mut self, other: Self) {
        self.files.extend(other.files);
        self.incomplete.extend(other.incomplete);
    }

    /// What is at hand of files.
    pub(super) fn files(&self) -> &HashMap<FileId, File> {
        &self.files
    }

    /// A file, if it is at hand.
    pub(super) fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(&id)
    }

    /// Whether a file was understood whole.
    pub(super) fn is_complete(&self, id: FileId) -> bool {
        !self.incomplete.contains(&id)
    }

    /// The files of a folder that an engine reads, in its order; none of those that could not be read at all.
    pub(super) fn module_files<'s>(&'s self, folder: &'s Folder, engine: Engine) -> Vec<ModuleFile<'s>> {
        let files = folder.module_files(engine).into_iter();
        let file = |(file, loaded): (&'s crate::source::File, Loaded)| {
            let read = self.file(file.id?)?;
            Some(ModuleFile {
                name: &file.name,
                body: &read.body,
                kind: loaded.kind,
                complete: read.complete,
            })
        };
        files.filter_map(file).collect()
    }

    /// The module of a folder as an engine sees it.
    pub(super) fn build(&self, folder: &Folder, engine: Engine) -> Built {
        let mut findings = Vec::new();
        let files = self.module_files(folder, engine);
        for file in &files {
            findings.extend(self.wrong.get(&file.body.span().file).into_iter().flatten().cloned());
        }
        // Why a file could not be read is among the findings of the work tree.
        let complete = files.len() == folder.module_files(engine).len() && !folder.lacks_rendered_files;
        let mut module =
            Module::build(folder.path.clone(), &files, &engine.features(), &self.limits, &mut findings);
        module.complete &= complete;
        if let Some(finding) =
            fragments::finding(folder, files.len(), &findings, |file| self.templates.contains(&file))
        {
            module.complete = false;
            module.excluded = true;
            findings = vec![finding];
        }
        for finding in &mut findings {
            finding.module.clone_from(&folder.path);
        }
        Built { module, findings }
    }
}
