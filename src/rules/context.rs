//! The information that rules use in addition to the modules: texts, comments, and names of files.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::{Earlier, ReadOutputsOfModules, States};
use crate::engine::{FileKind, LOCK_FILE, Loaded};
use crate::graph::{AddressChange, Node, ProviderChange, State};
use crate::limits::Limits;
use crate::module::{Module, top_blocks};
use crate::policy::is_exception;
use crate::syntax::{self, Block, BlockSchema, Comment, Editor, Expr, File, Notation, Schema};
use crate::text::{FileId, Sources, Span};
use crate::value::{Budget, Value};
use crate::vfs::{Directory, Names, Snapshot, TEST_DIRECTORY, ancestors, child, last_name};

/// The information that rules use in addition to the graph.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    snapshot: &'c Snapshot,
    files: &'c HashMap<FileId, File>,
    earlier: Option<&'c Earlier>,
    states: &'c States,
    /// The outputs of its child modules that each module reads, as far as a rule asked for them.
    pub(super) read_outputs: &'c ReadOutputsOfModules,
    /// What the rules of the module that is being checked share.
    shared: Option<&'c Shared>,
}

/// What the rules that check one module share.
#[derive(Debug)]
pub struct Shared {
    /// The steps of custom rules so far.
    pub steps: AtomicUsize,
    values: Mutex<KeptValues>,
}

/// The values that custom rules asked for, each computed once and all within the evaluation steps of the module.
#[derive(Debug)]
struct KeptValues {
    work: Budget,
    by_place: HashMap<Span, Value>,
}

impl Shared {
    /// The start, before the first rule.
    pub fn of(module: &Module) -> Self {
        let values = KeptValues { work: Budget::of(module.evaluation_steps()), by_place: HashMap::new() };
        Self { steps: AtomicUsize::new(0), values: Mutex::new(values) }
    }

    fn value(&self, node: Node<'_>, expr: &Expr) -> Value {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let KeptValues { work, by_place } = &mut *values;
        by_place.entry(expr.span).or_insert_with(|| node.value_within(work, expr)).clone()
    }
}

impl<'c> Context<'c> {
    /// The context of a run. `files` has the parsed files of each source, `earlier` the state before the change, if
    /// there is one. Rules record the states of root modules in `states`, and in `read_outputs` what the modules of the
    /// graph read.
    pub fn new(
        snapshot: &'c Snapshot,
        files: &'c HashMap<FileId, File>,
        earlier: Option<&'c Earlier>,
        states: &'c States,
        read_outputs: &'c ReadOutputsOfModules,
    ) -> Self {
        Self { snapshot, files, earlier, states, read_outputs, shared: None }
    }

    /// The same context, for all rules that check a module.
    #[must_use]
    pub fn sharing(self, shared: &'c Shared) -> Self {
        Self { shared: Some(shared), ..self }
    }

    /// The value of an expression of a module, without marks, as far as it is known before planning.
    pub(super) fn value(&self, node: Node<'_>, expr: &Expr) -> Value {
        self.shared.map_or_else(|| node.values().of(expr), |shared| shared.value(node, expr))
    }

    /// Counts steps of a custom rule. A step looks at a block or a part of a value.
    pub(super) fn step(&self, number: usize) {
        if let Some(shared) = self.shared {
            shared.steps.fetch_add(number, Ordering::Relaxed);
        }
    }

    /// Whether a file that is not read may refer to anything in the module, such as a query.
    pub fn may_have_other_references(&self, module: &Module) -> bool {
        self.snapshot.has_unread_kind(&module.directory)
    }

    /// Whether a file that is not read may set variables of any module: a stack file.
    pub fn may_have_other_callers(&self) -> bool {
        self.snapshot.has_stacks()
    }

    /// The module in the same directory before the change, with the texts of that state. Returns `None` if there was
    /// none, or if no change is checked.
    pub fn before(&self, module: &Module) -> Option<(Node<'c>, &'c Sources)> {
        let earlier = self.earlier?;
        Some((earlier.module(module.features.engine, &module.directory)?, earlier.sources()))
    }

    /// The providers and addresses before the change, as the engine of a module sees them.
    fn state(&self, node: Node<'_>) -> Option<State<'c>> {
        self.earlier.and_then(|earlier| earlier.state(node.graph().engine()))
    }

    /// Whether this is the first root module with too many resources for [`Context::provider_changes`] to compare
    /// them all.
    pub fn lacks_provider_changes(&self, node: Node<'_>) -> bool {
        self.state(node).is_some_and(|state| {
            node.graph().provider_changes(state, self.sources()).incomplete_from == Some(node.id())
        })
    }

    /// The changes to the provider configurations of existing resources whose cause is in this module. Empty if no
    /// change is checked.
    pub fn provider_changes<'t>(&self, node: Node<'t>) -> impl Iterator<Item = &'t ProviderChange> {
        let changes = self.state(node).map(|state| node.graph().provider_changes(state, self.sources()));
        let changes = changes.into_iter().flat_map(|changes| &changes.changes);
        changes.filter(move |change| change.node == node.id())
    }

    /// The changes to the addresses of existing objects for which `moved` blocks belong in this module. Empty if no
    /// change is checked.
    pub fn address_changes<'t>(&self, node: Node<'t>) -> impl Iterator<Item = &'t AddressChange> {
        let changes = self.state(node).map(|state| node.graph().address_changes(state, self.sources()));
        changes.into_iter().flatten().filter(move |change| change.node == node.id())
    }

    /// Whether the line of a `.gitignore` that excludes the dependency lock file of a directory existed before the
    /// change.
    pub fn was_lock_excluded(&self, directory: &str) -> bool {
        let before = self.earlier.and_then(|earlier| earlier.excluded_lock(directory));
        before.is_some_and(|before| {
            let now = self.snapshot.exclusion(&child(directory, LOCK_FILE));
            now.is_some_and(|now| now.file == before.file && now.pattern == before.pattern)
        })
    }

    /// The record of the state addresses of root modules.
    pub fn states(&self) -> &'c States {
        self.states
    }

    /// All texts.
    pub fn sources(&self) -> &'c Sources {
        self.snapshot.sources()
    }

    /// Whether the run covers a repository, so that nothing above its top directory belongs to the project.
    pub fn is_repository(&self) -> bool {
        self.snapshot.is_repository()
    }

    /// The names of the repository, from the URLs of its remotes.
    pub fn repository_names(&self) -> BTreeSet<SmolStr> {
        self.snapshot.repository_names()
    }

    /// The names of the variables that the module in a directory declares, even if the module is in another batch.
    /// Returns `None` if there is no module.
    pub fn variables(&self, directory: &str) -> Option<BTreeSet<SmolStr>> {
        let files = &self.directory(directory).filter(|directory| !directory.files.is_empty())?.files;
        let mut names = BTreeSet::new();
        for id in files.iter().filter_map(|file| file.id) {
            let source = self.sources().get(id);
            let (file, _) = syntax::parse(id, source, Notation::of(source.name()), &Limits::default());
            let variables = Schema { attributes: &[], blocks: &[BlockSchema::new("variable", &["name"])] };
            let blocks = file.body.matching(&variables).blocks;
            names.extend(blocks.iter().filter_map(|block| Some(block.labels.first()?.text.clone())));
        }
        Some(names)
    }

    /// A parsed file of a module, independent of any engine.
    pub fn file(&self, id: FileId) -> Option<&'c File> {
        self.files.get(&id)
    }

    /// An editor for a file. Returns `None` for files that cannot be edited: JSON, files with syntax errors, and
    /// files that are not UTF-8.
    pub fn editor(&self, id: FileId) -> Option<Editor<'c>> {
        let file = self.file(id)?;
        let source = self.sources().get(id);
        let is_text = source.invalid().is_empty() && file.complete && !file.body.is_json();
        is_text.then(|| Editor::new(id, source))
    }

    /// The comments of a file in native syntax, in source order, without exceptions: these are for overrule and do
    /// not explain the code.
    pub fn comments(&self, id: FileId) -> impl DoubleEndedIterator<Item = &'c Comment> {
        self.comments_before(id, u32::MAX)
    }

    /// Like [`Self::comments`], those that start before an offset.
    pub fn comments_before(&self, id: FileId, end: u32) -> impl DoubleEndedIterator<Item = &'c Comment> {
        let comments = self.file(id).map_or(&[][..], |file| &file.comments);
        let source = self.sources().get(id);
        comments[..comments.partition_point(|comment| comment.span.start < end)]
            .iter()
            .filter(|comment| !is_exception(source.text().get(comment.span.range()).unwrap_or_default()))
    }

    /// The directory of a module: the names of its files, and the other files in it.
    pub fn directory(&self, path: &str) -> Option<&'c Directory> {
        self.snapshot.directory(path)
    }

    /// Whether the path is an override file that is in no commit.
    pub fn is_uncommitted(&self, path: &str) -> bool {
        self.snapshot.is_uncommitted(path)
    }

    /// The names of all entries of a directory.
    pub fn names(&self, directory: &str) -> Names {
        self.snapshot.names(directory)
    }

    /// The header of the first block of a module: in the file at `path`, if that is a file of the module, else in its
    /// first file.
    pub fn first_block(&self, module: &Module, path: Option<&str>) -> Option<Span> {
        let mut files = self.module_files(module);
        files.sort_by_key(|(id, _)| path.is_some_and(|path| self.sources().get(*id).name() != path));
        let first =
            |(id, _): &(FileId, _)| Some(top_blocks(&self.file(*id)?.body, &module.features).first()?.header);
        files.iter().find_map(first)
    }

    /// Whether there are test files in the directory of the module or a parent, from where tests can run it.
    pub fn is_tested(&self, module: &Module) -> bool {
        let mut directories = ancestors(module.directory.as_str());
        directories.any(|directory| {
            self.snapshot.has_tests(directory) || self.snapshot.has_tests(&child(directory, TEST_DIRECTORY))
        })
    }

    /// The name under which a module loads a file: that of the symbolic link, if there is one.
    pub fn file_name(&self, module: &Module, id: FileId) -> &'c str {
        let files = self.directory(&module.directory).map_or(&[][..], |directory| &directory.files);
        let own_name = last_name(self.sources().get(id).name());
        match files.binary_search_by(|file| file.name.as_str().cmp(own_name)) {
            Ok(at) if files[at].id == Some(id) => own_name,
            _ => files.iter().find(|file| file.id == Some(id)).map_or(own_name, |file| &file.name),
        }
    }

    /// The `terraform` blocks of a module as written, even those with errors.
    pub fn terraform_blocks(&self, module: &Module) -> Vec<Arc<Block>> {
        let files = self.module_files(module).into_iter().filter_map(|(id, _)| self.file(id));
        let blocks = files.flat_map(|file| top_blocks(&file.body, &module.features));
        blocks.filter(|block| block.kind == "terraform").collect()
    }

    /// The override files of a module with at least one block, each with its blocks, in load order.
    pub fn override_files(&self, module: &Module) -> Vec<(FileId, Vec<Arc<Block>>)> {
        let files = self.module_files(module).into_iter();
        let overriding = files.filter(|(_, loaded)| loaded.kind == FileKind::Override);
        overriding
            .filter_map(|(id, _)| Some((id, top_blocks(&self.file(id)?.body, &module.features))))
            .filter(|(_, blocks)| !blocks.is_empty())
            .collect()
    }

    /// The files of a module that could be read, in load order.
    pub fn module_files(&self, module: &Module) -> Vec<(FileId, Loaded)> {
        let Some(directory) = self.directory(&module.directory) else { return Vec::new() };
        let files = directory.module_files(module.features.engine);
        files.into_iter().filter_map(|(file, loaded)| Some((file.id?, loaded))).collect()
    }
}
