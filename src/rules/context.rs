//! Turns a run into what a rule may look at beside the modules themselves: texts, comments, and names of files.

use crate::engine::Loaded;
use crate::module::Module;
use crate::source::{Folder, Names, Worktree};
use crate::syntax::{Comment, File};
use crate::text::{FileId, Sources};

/// What a rule may look at beside the tree.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    worktree: &'c Worktree,
    files: &'c [File],
}

impl<'c> Context<'c> {
    /// Of a run: `files` holds what was read of each source, by number.
    pub fn new(worktree: &'c Worktree, files: &'c [File]) -> Self {
        Self { worktree, files }
    }

    /// All texts.
    pub fn sources(&self) -> &'c Sources {
        self.worktree.sources()
    }

    /// Whether what lies above the top of the run is no part of the project.
    pub fn is_repository(&self) -> bool {
        self.worktree.is_repository()
    }

    /// A file as it was read, without regard to what any engine makes of it.
    pub fn file(&self, id: FileId) -> Option<&'c File> {
        self.files.get(id.number())
    }

    /// The comments of a file of the native syntax, in order.
    pub fn comments(&self, id: FileId) -> &'c [Comment] {
        self.file(id).map_or(&[], |file| &file.comments)
    }

    /// The folder of a module: the names of its files, and what lies beside them.
    pub fn folder(&self, path: &str) -> Option<&'c Folder> {
        self.worktree.folder(path)
    }

    /// The names of all that is in a folder, module files or not.
    pub fn names(&self, folder: &str) -> Names {
        self.worktree.names(folder)
    }

    /// The files that a module is made of, in the order in which they are loaded, as far as they could be read.
    pub fn module_files(&self, module: &Module) -> Vec<(FileId, Loaded)> {
        let Some(folder) = self.folder(&module.folder) else { return Vec::new() };
        let files = folder.module_files(module.features.engine);
        files.into_iter().filter_map(|(file, loaded)| Some((file.id?, loaded))).collect()
    }
}
