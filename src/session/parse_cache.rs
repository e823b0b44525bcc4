//! Turns the files of a working tree into syntax trees, each read once, and directories into modules.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::engine::{Engine, Loaded};
use crate::finding::{Finding, Severity};
use crate::graph::Role;
use crate::limits::Limits;
use crate::module::terragrunt::{Generated, RunBy};
use crate::module::{Module, ModuleFile};
use crate::session::companions::Companions;
use crate::session::fragments;
use crate::session::terragrunt::Units;
use crate::session::test_paths;
use crate::syntax::{self, File, Notation};
use crate::text::{FileId, Sources};
use crate::vfs::{Directory, NamedFiles, Snapshot};

/// What was read of files, as far as it is at hand.
#[derive(Debug, Default)]
pub(crate) struct ParseCache {
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
    pub(crate) has_root: bool,
    /// By directory: the roles that modules had before a change that must not choose them.
    pub(crate) former_roles: Arc<HashMap<SmolStr, Role>>,
    /// The units of Terragrunt in the repository.
    pub(crate) units: Arc<Units>,
    /// The files beside modules.
    pub(crate) companions: Arc<Companions>,
    /// The files that functions can read.
    pub(crate) named_files: Arc<NamedFiles>,
}

/// A module, and what is wrong with its files taken by themselves.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) module: Module,
    pub(crate) findings: Vec<Finding>,
    /// The units of Terragrunt that run it.
    pub(crate) run_by: RunBy,
}

impl Built {
    /// Whether the engine goes no further with it.
    pub(crate) fn is_broken(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

impl ParseCache {
    /// Nothing read yet.
    pub(crate) fn new(limits: Limits, units: Arc<Units>, named_files: Arc<NamedFiles>) -> Self {
        Self { limits, units, named_files, ..Self::default() }
    }

    /// Reads the module files of some directories, unless they are at hand.
    pub(crate) fn read(&mut self, snapshot: &Snapshot, directories: &[usize]) {
        let sources = snapshot.sources();
        let of_directories =
            directories.iter().flat_map(|directory| &snapshot.directory_at(*directory).files);
        let ids: Vec<FileId> =
            of_directories.filter_map(|file| file.id).filter(|id| !self.files.contains_key(id)).collect();
        self.parse(sources, ids);
        self.read_tests(snapshot, directories);
        let companions = Arc::clone(&self.companions);
        let paths = directories.iter().map(|number| snapshot.directory_at(*number).path.as_str());
        self.parse_new(sources, paths.flat_map(|path| companions.ids(path)));
    }

    /// Reads the test files of the modules in directories, and then the mock files that they name.
    fn read_tests(&mut self, snapshot: &Snapshot, directories: &[usize]) {
        let paths = directories.iter().map(|number| snapshot.directory_at(*number).path.as_str());
        let tests: Vec<(&str, FileId)> = paths
            .flat_map(|path| test_paths::ids(snapshot, path).into_iter().map(move |id| (path, id)))
            .collect();
        if tests.is_empty() {
            return;
        }
        self.parse_new(snapshot.sources(), tests.iter().map(|(_, id)| *id));
        let files = tests.iter().filter_map(|(path, id)| Some((path, self.files.get(id)?)));
        let mocks: Vec<FileId> =
            files.flat_map(|(path, file)| test_paths::mock_ids(snapshot, path, file)).collect();
        self.parse_new(snapshot.sources(), mocks.into_iter());
    }

    /// Parses files that are not at hand.
    fn parse_new(&mut self, sources: &Sources, ids: impl Iterator<Item = FileId>) {
        let ids: BTreeSet<FileId> = ids.filter(|id| !self.files.contains_key(id)).collect();
        self.parse(sources, ids.into_iter().collect());
    }

    fn parse(&mut self, sources: &Sources, ids: Vec<FileId>) {
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

    /// Shares what a run may compute among the modules of a snapshot.
    pub(crate) fn share_among(&mut self, snapshot: &Snapshot) {
        self.limits = self.limits.among(snapshot.directories().len());
    }

    /// Takes in a file that was parsed elsewhere.
    pub(crate) fn keep(&mut self, id: FileId, file: File) {
        self.files.insert(id, file);
    }

    /// One that holds to the same limits, with nothing read yet.
    pub(crate) fn another(&self) -> Self {
        let (former_roles, companions) = (self.former_roles.clone(), self.companions.clone());
        let another = Self::new(self.limits, self.units.clone(), self.named_files.clone());
        Self { has_root: self.has_root, former_roles, companions, ..another }
    }

    /// Puts away what was read, but for files that are `wanted` later.
    pub(crate) fn put_away(&mut self, wanted: impl Fn(FileId) -> bool + Sync) {
        let files = std::mem::take(&mut self.files);
        self.files = files.into_par_iter().filter(|(id, _)| wanted(*id)).collect();
        self.wrong = HashMap::new();
    }

    /// Takes over what another one holds.
    pub(crate) fn take(&mut self, other: Self) {
        self.files.extend(other.files);
        self.incomplete.extend(other.incomplete);
    }

    /// What is at hand of files.
    pub(crate) fn files(&self) -> &HashMap<FileId, File> {
        &self.files
    }

    /// A file, if it is at hand.
    pub(crate) fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(&id)
    }

    /// What is wrong with the text of a file.
    pub(crate) fn wrong(&self, id: FileId) -> impl Iterator<Item = &Finding> {
        self.wrong.get(&id).into_iter().flatten()
    }

    /// What holds in the run.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether a file was understood whole.
    pub(crate) fn is_complete(&self, id: FileId) -> bool {
        !self.incomplete.contains(&id)
    }

    /// The files of a directory that an engine reads, in its order; none of those that could not be read at all.
    pub(crate) fn module_files<'s>(
        &'s self,
        directory: &'s Directory,
        engine: Engine,
    ) -> Vec<ModuleFile<'s>> {
        let files = directory.module_files(engine).into_iter();
        let file = |(file, loaded): (&'s crate::vfs::File, Loaded)| {
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

    /// The module of a directory as an engine sees it.
    pub(crate) fn build(&self, directory: &Directory, engine: Engine) -> Built {
        let mut findings = Vec::new();
        let files = self.module_files(directory, engine);
        let run_by = self.units.that_run(&directory.path);
        for file in &files {
            findings.extend(self.wrong.get(&file.body.span().file).into_iter().flatten().cloned());
        }
        // Why a file could not be read is among the findings of the working tree.
        let complete = files.len() == directory.module_files(engine).len();
        let unknown = directory.lacks_rendered_files.then(Generated::unknown);
        let mut module = Module::build_beside(
            unknown.as_ref().unwrap_or(&run_by.generated),
            directory.path.clone(),
            &files,
            &engine.features(),
            &self.limits,
            &mut findings,
        );
        module.complete &= complete;
        if let Some(finding) =
            fragments::finding(directory, files.len(), &findings, |file| self.templates.contains(&file))
        {
            module.complete = false;
            module.excluded = true;
            findings = vec![finding];
        }
        for finding in &mut findings {
            finding.module.clone_from(&directory.path);
        }
        Built { module, findings, run_by }
    }
}
