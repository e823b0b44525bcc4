//! Files and directories that suggest another backend of a root module than its files set.

use std::collections::BTreeMap;

use crate::engine::is_module_file;
use crate::vfs::{Snapshot, child, parent};

/// A file or directory that suggests another backend, or other arguments of it, than the files of a root module set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackendReplacement {
    /// A unit of Terragrunt, which may generate another backend. The path of `terragrunt.hcl` in the directory of the
    /// module or above; `None` if a unit elsewhere runs the module.
    Terragrunt(Option<String>),
    /// A file or directory for `init -backend-config`.
    BackendConfig(String),
}

/// Searches the directories of root modules for [`BackendReplacement`]s.
#[derive(Debug)]
pub struct BackendEvidence<'s> {
    snapshot: &'s Snapshot,
    /// For each directory, the `terragrunt.hcl` in it or the nearest parent.
    terragrunt: BTreeMap<String, Option<String>>,
}

impl<'s> BackendEvidence<'s> {
    /// In the files of a run.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, terragrunt: BTreeMap::new() }
    }

    /// The file or directory that may replace the backend of the root module in a directory, or its arguments.
    pub fn replacement(&mut self, directory: &str) -> Option<BackendReplacement> {
        let below = self.snapshot.names(directory).directories;
        let below = below.iter().map(|name| child(directory, name));
        let mut places = std::iter::once(directory.to_owned()).chain(below);
        places
            .find_map(|place| self.configuration(&place))
            .map(BackendReplacement::BackendConfig)
            .or_else(|| self.terragrunt(directory).map(|unit| BackendReplacement::Terragrunt(Some(unit))))
    }

    /// The first file or directory whose name contains `backend`, other than a file of the module.
    fn configuration(&self, directory: &str) -> Option<String> {
        let names = self.snapshot.names(directory);
        let mut names = names.files.iter().chain(&names.directories);
        let is_about_backends = |name: &&String| name.contains("backend") && !is_module_file(name);
        names.find(is_about_backends).map(|name| child(directory, name))
    }

    fn terragrunt(&mut self, directory: &str) -> Option<String> {
        const UNIT: &str = "terragrunt.hcl";
        if let Some(known) = self.terragrunt.get(directory) {
            return known.clone();
        }
        let found = if self.snapshot.names(directory).files.contains(UNIT) {
            Some(child(directory, UNIT))
        } else {
            parent(directory).and_then(|around| self.terragrunt(around))
        };
        self.terragrunt.insert(directory.to_owned(), found.clone());
        found
    }
}
