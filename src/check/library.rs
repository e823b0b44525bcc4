//! Turns the files of a work tree into syntax trees, each read once, and folders into modules.

use rayon::prelude::*;

use crate::engine::{Engine, Loaded};
use crate::finding::{Finding, Severity};
use crate::module::{Module, ModuleFile};
use crate::source::{Folder, Worktree};
use crate::syntax::{self, File};
use crate::text::{FileId, Source};

/// What was read of every file so far.
#[derive(Debug, Default)]
pub(super) struct Library {
    files: Vec<File>,
    /// What is wrong with each.
    wrong: Vec<Vec<Finding>>,
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
    /// Reads the files that were added since the last time.
    pub(super) fn catch_up(&mut self, worktree: &Worktree) {
        let sources = worktree.sources();
        let (more, wrong): (Vec<_>, Vec<_>) = (self.files.len()..sources.len())
            .into_par_iter()
            .map(|number| {
                let id = FileId::new(number);
                let source = sources.get(id);
                // What is of no module is read by those who ask for it, and here stands for nothing.
                let nothing = Source::new("", Vec::new());
                let is_of_module = source.name().strip_suffix(".hcl").is_none();
                let source = if is_of_module { source } else { &nothing };
                let notation = if source.name().strip_suffix(".json").is_some() {
                    syntax::Notation::Json
                } else {
                    syntax::Notation::Native
                };
                syntax::parse(id, source, notation)
            })
            .unzip();
        self.files.extend(more);
        self.wrong.extend(wrong);
    }

    /// Every file that was read, by the number of its [`FileId`].
    pub(super) fn files(&self) -> &[File] {
        &self.files
    }

    /// The files of a folder that an engine reads, in its order; none of those that could not be read at all.
    pub(super) fn module_files<'s>(&'s self, folder: &'s Folder, engine: Engine) -> Vec<ModuleFile<'s>> {
        let files = folder.module_files(engine).into_iter();
        let file = |(file, loaded): (&'s crate::source::File, Loaded)| {
            let read = self.files.get(file.id?.number())?;
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
            findings.extend(self.wrong[file.body.span().file.number()].iter().cloned());
        }
        // Why a file could not be read is among the findings of the work tree.
        let complete = files.len() == folder.module_files(engine).len();
        let mut module = Module::build(folder.path.clone(), &files, &engine.features(), &mut findings);
        module.complete &= complete;
        for finding in &mut findings {
            finding.module.clone_from(&folder.path);
        }
        Built { module, findings }
    }
}
