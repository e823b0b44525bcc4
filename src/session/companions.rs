//! Finds the module that each file with variable values belongs to.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::engine::{Companion, is_automatic_values_file};
use crate::text::FileId;
use crate::vfs::{Snapshot, child};

/// The files with variable values of each module.
#[derive(Debug, Default)]
pub(crate) struct Companions {
    /// By directory of a module: its files, by path.
    values: BTreeMap<SmolStr, Vec<(SmolStr, FileId)>>,
}

impl Companions {
    /// Finds the module of each such file in a snapshot.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let mut companions = Self::default();
        for (directory, file) in snapshot.companions().filter(|(_, file)| file.kind == Companion::Values) {
            let (Some(owner), Some(id)) = (snapshot.owner(directory), file.id) else { continue };
            let is_automatic = is_automatic_values_file(&file.name);
            let path = SmolStr::new(child(directory, &file.name));
            // A file that symbolic links lead to may belong to several modules.
            let is_link = snapshot.sources().get(id).name() != path.as_str();
            let is_elsewhere = owner != directory.as_str();
            if is_automatic && is_elsewhere || !is_automatic && is_link {
                continue;
            }
            companions.values.entry(owner.into()).or_default().push((path, id));
        }
        companions
    }

    /// The files of the module in a directory.
    pub(crate) fn ids(&self, directory: &str) -> impl Iterator<Item = FileId> {
        self.of_module(directory).iter().map(|(_, id)| *id)
    }

    /// The files of the module in a directory with their paths.
    pub(crate) fn of_module(&self, directory: &str) -> &[(SmolStr, FileId)] {
        self.values.get(directory).map(Vec::as_slice).unwrap_or_default()
    }
}
