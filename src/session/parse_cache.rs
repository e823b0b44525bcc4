//! The parsed files of a snapshot, each parsed once, and the modules that they make.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;
use rayon::prelude::*;
use smol_str::SmolStr;

use crate::engine::{Engine, Features, Loaded};
use crate::finding::{Finding, has_errors, set_module};
use crate::graph::Role;
use crate::limits::Limits;
use crate::module::terragrunt::{Generated, RunBy};
use crate::module::{Module, ModuleFile};
use crate::session::companions::Companions;
use crate::session::fragments::templates::has_placeholder;
use crate::session::installed::Installed;
use crate::session::terragrunt::Units;
use crate::session::test_paths;
use crate::session::{fragments, terraspace};
use crate::syntax::{self, File, Notation};
use crate::text::{FileId, Sources};
use crate::vfs::{Directory, NamedFiles, Snapshot};

/// The parsed files, until they are evicted.
#[derive(Debug, Default)]
pub(crate) struct ParseCache {
    /// The limits of the run.
    limits: Limits,
    files: HashMap<FileId, File>,
    /// The syntax errors of files.
    syntax_errors: HashMap<FileId, Vec<Finding>>,
    /// Files with syntax errors that hide part of the content.
    incomplete: BTreeSet<FileId>,
    /// Files with a syntax error at a placeholder, as in `x.tf.j2`.
    templates: BTreeSet<FileId>,
    /// Whether the repository has a root module by the evidence of its files.
    pub(crate) has_root: bool,
    /// The roles of modules before the change, by directory, if the change must not make them less strict.
    pub(crate) former_roles: Arc<HashMap<SmolStr, Role>>,
    /// The Terragrunt units of the repository.
    pub(crate) units: Arc<Units>,
    /// The files beside modules.
    pub(crate) companions: Arc<Companions>,
    /// The files that functions can read.
    pub(crate) named_files: Arc<NamedFiles>,
    /// The modules that `init` installed.
    pub(crate) installed: Arc<Installed>,
}

/// A module with the findings in its files that do not depend on other modules.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) module: Box<Module>,
    pub(crate) findings: Vec<Finding>,
    /// The Terragrunt units that run it.
    pub(crate) run_by: RunBy,
}

impl Built {
    /// Whether the engine stops at an error in these files.
    pub(crate) fn is_broken(&self) -> bool {
        has_errors(&self.findings)
    }
}

impl ParseCache {
    /// Creates an empty cache.
    pub(crate) fn new(limits: Limits, units: Arc<Units>, named_files: Arc<NamedFiles>) -> Self {
        Self { limits, units, named_files, ..Self::default() }
    }

    /// Parses the module files, test files and companions of directories, unless they are parsed already.
    pub(crate) fn read(&mut self, snapshot: &Snapshot, directories: &[usize]) {
        let sources = snapshot.sources();
        let files = directories.iter().flat_map(|directory| &snapshot.directory_at(*directory).files);
        self.parse(sources, files.filter_map(|file| file.id));
        self.read_tests(snapshot, directories);
        let companions = Arc::clone(&self.companions);
        let paths = directories.iter().map(|number| snapshot.directory_at(*number).path.as_str());
        self.parse(sources, paths.flat_map(|path| companions.ids(path)));
    }

    /// Parses the test files of modules, and then the mock files that they name.
    fn read_tests(&mut self, snapshot: &Snapshot, directories: &[usize]) {
        let paths = directories.iter().map(|number| snapshot.directory_at(*number).path.as_str());
        let tests: Vec<(&str, FileId)> = paths
            .flat_map(|path| test_paths::ids(snapshot, path).into_iter().map(move |id| (path, id)))
            .collect();
        if tests.is_empty() {
            return;
        }
        self.parse(snapshot.sources(), tests.iter().map(|(_, id)| *id));
        let files = tests.iter().filter_map(|(path, id)| Some((path, self.files.get(id)?)));
        let mocks: Vec<FileId> =
            files.flat_map(|(path, file)| test_paths::mock_ids(snapshot, path, file)).collect();
        self.parse(snapshot.sources(), mocks.into_iter());
    }

    /// Parses files that are not parsed yet.
    fn parse(&mut self, sources: &Sources, ids: impl Iterator<Item = FileId>) {
        let ids: BTreeSet<FileId> = ids.filter(|id| !self.files.contains_key(id)).collect();
        let parse = |id: &FileId| {
            let source = sources.get(*id);
            syntax::parse(*id, source, Notation::of(source.name()), &self.limits)
        };
        let read: Vec<_> = ids.par_iter().map(parse).collect();
        for (id, (file, errors)) in ids.into_iter().zip(read) {
            if !file.complete {
                self.incomplete.insert(id);
            }
            self.files.insert(id, file);
            if !errors.is_empty() {
                if has_placeholder(sources.get(id), &errors) {
                    self.templates.insert(id);
                }
                self.syntax_errors.insert(id, errors);
            }
        }
    }

    /// Divides the limits of the run among the modules of a snapshot.
    pub(crate) fn share_among(&mut self, snapshot: &Snapshot) {
        self.limits = self.limits.among(snapshot.directories().len());
    }

    /// Adds a file that was parsed elsewhere.
    pub(crate) fn keep(&mut self, id: FileId, file: File) {
        self.files.insert(id, file);
    }

    /// Creates an empty cache with the same limits.
    pub(crate) fn fork(&self) -> Self {
        let (former_roles, companions) = (self.former_roles.clone(), self.companions.clone());
        let fork = Self::new(self.limits, self.units.clone(), self.named_files.clone());
        let installed = self.installed.clone();
        Self { has_root: self.has_root, former_roles, companions, installed, ..fork }
    }

    /// Takes out all parsed files but those that are `wanted` later.
    pub(crate) fn evict(&mut self, wanted: impl Fn(FileId) -> bool + Sync) -> Vec<(FileId, File)> {
        let files = std::mem::take(&mut self.files);
        let (wanted, evicted) = files.into_par_iter().partition(|(id, _)| wanted(*id));
        self.files = wanted;
        self.syntax_errors = HashMap::new();
        evicted
    }

    /// Adds the files of another cache.
    pub(crate) fn join(&mut self, other: Self) {
        self.files.extend(other.files);
        self.incomplete.extend(other.incomplete);
    }

    /// All parsed files.
    pub(crate) fn files(&self) -> &HashMap<FileId, File> {
        &self.files
    }

    /// A parsed file.
    pub(crate) fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(&id)
    }

    /// The syntax errors of a file.
    pub(crate) fn syntax_errors(&self, id: FileId) -> impl Iterator<Item = &Finding> {
        self.syntax_errors.get(&id).into_iter().flatten()
    }

    /// The limits of the run.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether no syntax error hides part of a file.
    pub(crate) fn is_complete(&self, id: FileId) -> bool {
        !self.incomplete.contains(&id)
    }

    /// The files of a directory that an engine loads, in its order, without those that could not be read.
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

    /// Builds the module of a directory as an engine with these features loads it.
    pub(crate) fn build(&self, directory: &Directory, features: &Arc<Features>) -> Built {
        let engine = features.engine;
        let mut findings = Vec::new();
        let files = self.module_files(directory, engine);
        let run_by = self.units.that_run(&directory.path);
        for file in &files {
            findings.extend(self.syntax_errors.get(&file.body.span().file).into_iter().flatten().cloned());
        }
        // The snapshot reports files that could not be read.
        let complete = files.len() == directory.module_files(engine).len();
        let lacks_base_file = self.named_files.expects_module_file(&directory.path);
        let lacks_others =
            directory.lacks_rendered_files || terraspace::is_joined(&directory.path, &self.named_files);
        let unknown = (lacks_base_file || lacks_others).then(Generated::unknown);
        let mut module = Box::new(Module::build_beside(
            unknown.as_ref().unwrap_or(&run_by.generated),
            directory.path.clone(),
            &files,
            features,
            &self.limits,
            &mut findings,
        ));
        module.complete &= complete;
        let is_rest_known = complete
            && files.iter().all(|file| file.complete)
            && !lacks_others
            && !run_by.generated.may_change(files.iter().map(|file| file.name));
        module.lacks_base_file = (lacks_base_file || run_by.generated.is_unknown) && is_rest_known;
        if let Some(finding) =
            fragments::finding(directory, files.len(), &findings, |file| self.templates.contains(&file))
        {
            module.complete = false;
            module.excluded = true;
            findings = vec![finding];
        }
        set_module(&mut findings, &directory.path);
        Built { module, findings, run_by }
    }
}
