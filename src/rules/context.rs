//! Turns a run into what a rule may look at beside the modules themselves: texts, comments, and names of files.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Earlier, States};
use crate::engine::{Companion, FileKind, LOCK_FILE, Loaded};
use crate::graph::{AddressChange, Node, ProviderChange};
use crate::limits::Limits;
use crate::module::{Module, top_blocks};
use crate::policy::is_exception;
use crate::syntax::{self, Block, BlockSchema, Comment, Editor, File, Notation, Schema};
use crate::text::{FileId, Sources, Span};
use crate::vfs::{Directory, Names, Snapshot, child, last_name, parent};

/// What a rule may look at beside the tree.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    snapshot: &'c Snapshot,
    files: &'c HashMap<FileId, File>,
    earlier: Option<&'c Earlier>,
    states: &'c States,
}

impl<'c> Context<'c> {
    /// Of a run: `files` holds what was read of each source that is looked at, and `earlier` the state that it is
    /// compared with, if it is. What rules notice about states is noted in `states`.
    pub fn new(
        snapshot: &'c Snapshot,
        files: &'c HashMap<FileId, File>,
        earlier: Option<&'c Earlier>,
        states: &'c States,
    ) -> Self {
        Self { snapshot, files, earlier, states }
    }

    /// What a module was before the change, with the texts of that state; nothing where there was none in its
    /// directory, or where no change is looked at.
    pub fn before(&self, module: &Module) -> Option<(Node<'c>, &'c Sources)> {
        let earlier = self.earlier?;
        Some((earlier.module(module.features.engine, &module.directory)?, earlier.sources()))
    }

    /// What became of the provider configurations of existing resources, as far as the cause is in this module; nothing
    /// where no change is looked at.
    pub fn provider_changes<'t>(&self, node: Node<'t>) -> impl Iterator<Item = &'t ProviderChange> {
        let state = self.earlier.and_then(|earlier| earlier.state(node.graph().engine()));
        let changes = state.map(|state| node.graph().provider_changes(state, self.sources()));
        changes.into_iter().flatten().filter(move |change| change.node == node.id())
    }

    /// What became of the addresses of existing objects, as far as `moved` blocks belong in this module; nothing where no
    /// change is looked at.
    pub fn address_changes<'t>(&self, node: Node<'t>) -> impl Iterator<Item = &'t AddressChange> {
        let state = self.earlier.and_then(|earlier| earlier.state(node.graph().engine()));
        let changes = state.map(|state| node.graph().address_changes(state, self.sources()));
        changes.into_iter().flatten().filter(move |change| change.node == node.id())
    }

    /// Whether the line of a `.gitignore` that keeps the dependency lock file of a directory out of git did so before
    /// the change.
    pub fn was_lock_excluded(&self, directory: &str) -> bool {
        let before = self.earlier.and_then(|earlier| earlier.excluded_lock(directory));
        before.is_some_and(|before| {
            let now = self.snapshot.exclusion(&child(directory, LOCK_FILE));
            now.is_some_and(|now| now.file == before.file && now.pattern == before.pattern)
        })
    }

    /// Where rules note at which address a root module keeps its state.
    pub fn states(&self) -> &'c States {
        self.states
    }

    /// All texts.
    pub fn sources(&self) -> &'c Sources {
        self.snapshot.sources()
    }

    /// Whether what lies above the top of the run is no part of the project.
    pub fn is_repository(&self) -> bool {
        self.snapshot.is_repository()
    }

    /// The names of the repository by the URLs of its remotes.
    pub fn repository_names(&self) -> BTreeSet<SmolStr> {
        self.snapshot.repository_names()
    }

    /// The names of the variables that the module in a directory declares, be it looked at in this batch or not; none
    /// where no module is there.
    pub fn variables(&self, directory: &str) -> Option<BTreeSet<SmolStr>> {
        let files = &self.directory(directory).filter(|directory| !directory.files.is_empty())?.files;
        let mut names = BTreeSet::new();
        for id in files.iter().filter_map(|file| file.id) {
            let source = self.sources().get(id);
            let (file, _) = syntax::parse(id, source, Notation::of(source.name()), &Limits::default());
            let variables = Schema { attributes: &[], blocks: &[BlockSchema::new("variable", &["name"])] };
            let blocks = file.body.partial_content(&variables, &mut Vec::new()).0.blocks;
            names.extend(blocks.iter().filter_map(|block| Some(block.labels.first()?.text.clone())));
        }
        Some(names)
    }

    /// A file of a module as it was read, without regard to what any engine makes of it.
    pub fn file(&self, id: FileId) -> Option<&'c File> {
        self.files.get(&id)
    }

    /// For edits of a file; nothing where there can be none: in JSON, in what could not be read whole, and where there
    /// are bytes that are no text.
    pub fn editor(&self, id: FileId) -> Option<Editor<'c>> {
        let file = self.file(id)?;
        let source = self.sources().get(id);
        let is_text = source.invalid().is_empty() && file.complete && !file.body.is_json();
        is_text.then(|| Editor::new(id, source))
    }

    /// The comments of a file in native syntax, in order. Exceptions are left out: they speak to overrule, and do not
    /// explain the code to a reader.
    pub fn comments(&self, id: FileId) -> impl DoubleEndedIterator<Item = &'c Comment> {
        let comments = self.file(id).map_or(&[][..], |file| &file.comments);
        let source = self.sources().get(id);
        comments
            .iter()
            .filter(|comment| !is_exception(source.text().get(comment.span.range()).unwrap_or_default()))
    }

    /// The directory of a module: the names of its files, and what lies beside them.
    pub fn directory(&self, path: &str) -> Option<&'c Directory> {
        self.snapshot.directory(path)
    }

    /// Whether an override file is here and in no commit.
    pub fn is_uncommitted(&self, path: &str) -> bool {
        self.snapshot.is_uncommitted(path)
    }

    /// The names of all that is in a directory, module files or not.
    pub fn names(&self, directory: &str) -> Names {
        self.snapshot.names(directory)
    }

    /// The header of the first block of a module: in the file at a path, if that is among its files, else in its first
    /// one.
    pub fn first_block(&self, module: &Module, path: Option<&str>) -> Option<Span> {
        let mut files = self.module_files(module);
        files.sort_by_key(|(id, _)| path.is_some_and(|path| self.sources().get(*id).name() != path));
        let first =
            |(id, _): &(FileId, _)| Some(top_blocks(&self.file(*id)?.body, &module.features).first()?.header);
        files.iter().find_map(first)
    }

    /// Whether there are files with tests beside the module, or further up, from where tests can run it too.
    pub fn is_tested(&self, module: &Module) -> bool {
        let is_test = |name: &String| Companion::of(name) == Some(Companion::Test);
        let has_tests = |directory: &str| self.names(directory).files.iter().any(is_test);
        let mut directories =
            std::iter::successors(Some(module.directory.as_str()), |directory| parent(directory));
        directories.any(|directory| {
            let tests = if directory.is_empty() { "tests".to_owned() } else { format!("{directory}/tests") };
            has_tests(directory) || has_tests(&tests)
        })
    }

    /// The name by which a module loads a file: that of a symbolic link, if one leads to it.
    pub fn file_name(&self, module: &Module, id: FileId) -> &'c str {
        let files = self.directory(&module.directory).map_or(&[][..], |directory| &directory.files);
        let file = files.iter().find(|file| file.id == Some(id));
        file.map_or_else(|| last_name(self.sources().get(id).name()), |file| &file.name)
    }

    /// The `terraform` blocks of a module as they are written, whatever the engine finds wrong in them.
    pub fn terraform_blocks(&self, module: &Module) -> Vec<Arc<Block>> {
        let files = self.module_files(module).into_iter().filter_map(|(id, _)| self.file(id));
        let blocks = files.flat_map(|file| top_blocks(&file.body, &module.features));
        blocks.filter(|block| block.kind == "terraform").collect()
    }

    /// The override files of a module that declare something, each with its blocks, in the order in which they are
    /// loaded.
    pub fn override_files(&self, module: &Module) -> Vec<(FileId, Vec<Arc<Block>>)> {
        let files = self.module_files(module).into_iter();
        let overriding = files.filter(|(_, loaded)| loaded.kind == FileKind::Override);
        overriding
            .filter_map(|(id, _)| Some((id, top_blocks(&self.file(id)?.body, &module.features))))
            .filter(|(_, blocks)| !blocks.is_empty())
            .collect()
    }

    /// The files that a module is made of, in the order in which they are loaded, as far as they could be read.
    pub fn module_files(&self, module: &Module) -> Vec<(FileId, Loaded)> {
        let Some(directory) = self.directory(&module.directory) else { return Vec::new() };
        let files = directory.module_files(module.features.engine);
        files.into_iter().filter_map(|(file, loaded)| Some((file.id?, loaded))).collect()
    }
}
