//! Reads the modules that `init` installed.

use std::fs;
use std::path::{Path, PathBuf};

use smol_str::{SmolStr, ToSmolStr};

use super::read::{self, Reader};
use super::top_directory::{Top, slashed};
use super::{Directory, Origin, Snapshot, ancestors, listing};
use crate::limits::Limit;
use crate::text::file_name::encode_os;

/// The directory in which an engine keeps its data, unless the environment names another one.
const DATA_DIRECTORY: &str = ".terraform";

/// The manifest of installed modules, in the data directory.
const MANIFEST: &str = "modules/modules.json";

/// The directory in which an engine keeps the data of a root module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataDirectory(Option<PathBuf>);

impl DataDirectory {
    /// Takes the value of `TF_DATA_DIR`. An empty one has no effect.
    pub fn of_variable(value: Option<PathBuf>) -> Self {
        Self(value.filter(|value| !value.as_os_str().is_empty()))
    }

    /// The data directory of a root module, without symbolic links. Only the environment may name one outside the
    /// repository: whoever writes the repository chooses its links.
    fn real(&self, root: &Path, top: &Top) -> Option<PathBuf> {
        let path = self.0.as_deref().unwrap_or(Path::new(DATA_DIRECTORY));
        let real = fs::canonicalize(root.join(path)).ok()?;
        (self.0.is_some() || top.holds(&real)).then_some(real)
    }
}

/// A manifest of installed modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The directory of the root module.
    pub root: SmolStr,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Snapshot {
    /// Reads the manifest of each root module that has one.
    pub fn manifests(&self, data: &DataDirectory) -> Vec<Manifest> {
        let Origin::Disk(top) = &self.origin else { return Vec::new() };
        let limit = self.limits.get(Limit::FileSize);
        let manifest = |directory: &Directory| {
            let data = data.real(&top.path().join(encode_os(&directory.path)), top)?;
            let file = fs::canonicalize(data.join(MANIFEST)).ok().filter(|file| file.starts_with(&data))?;
            let bytes = read::regular(&file, limit).ok()?;
            Some(Manifest { root: directory.path.clone(), bytes })
        };
        let own = self.directories.iter().filter(|directory| !self.is_installed(&directory.path));
        own.filter_map(manifest).collect()
    }

    /// Reads a directory that the manifest of a root module names, and returns its path. `None` if it does not exist, or
    /// is neither in the data directory nor in the repository.
    pub fn install(&mut self, root: &str, named: &str, data: &DataDirectory) -> Option<SmolStr> {
        let Origin::Disk(top) = self.origin.clone() else { return None };
        let from = top.path().join(encode_os(root));
        let real = fs::canonicalize(from.join(encode_os(named))).ok()?;
        let data = data.real(&from, &top);
        let is_allowed = data.as_ref().is_some_and(|data| real.starts_with(data)) || top.holds(&real);
        if !is_allowed || !real.is_dir() {
            return None;
        }
        let path = named_from(&top, &real)?;
        if self.directory(&path).is_none() {
            let files = listing::list(&real).ok()?.files;
            let mut content = Reader::new(&top, &self.limits).directory(&path, &real, &files);
            // An engine reads only the module files of a called module.
            content.companions.clear();
            content.misnamed.clear();
            content.signals.clear();
            content.lock = None;
            let directory =
                Directory { has_lock_file: false, has_values: false, ..Directory::of(&path, &files) };
            if let Some(package) = data.as_deref().and_then(|data| package(data, &real)) {
                self.installed.entry(named_from(&top, &package)?).or_default();
            }
            self.installed.entry(path.clone()).or_default();
            self.put(directory, content, false);
        }
        if let Some(roots) = self.installed.get_mut(&path) {
            roots.insert(root.into());
        }
        Some(path)
    }

    /// Reports whether a file or directory belongs to an installed module.
    pub fn is_installed(&self, path: &str) -> bool {
        !self.installed.is_empty() && ancestors(path).any(|path| self.installed.contains_key(path))
    }

    /// Returns the number of the directory at a path.
    pub fn directory_number(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Returns the directories of the root modules that a directory is installed for.
    pub fn installed_for(&self, path: &str) -> impl Iterator<Item = &SmolStr> {
        self.installed.get(path).into_iter().flatten()
    }
}

/// The path of a directory relative to the top, or its absolute path if it is outside.
fn named_from(top: &Top, real: &Path) -> Option<SmolStr> {
    match real.strip_prefix(top.path()) {
        Ok(inside) => Some(slashed(inside).to_smolstr()),
        Err(_) => Some(real.to_str()?.to_smolstr()),
    }
}

/// The directory of the package that a directory belongs to, in a data directory.
fn package(data: &Path, real: &Path) -> Option<PathBuf> {
    let packages = data.join("modules");
    Some(packages.join(real.strip_prefix(&packages).ok()?.components().next()?))
}
