//! Finds the modules that `init` installed for module calls, by the manifests of root modules.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::engine::{Engine, Features, Product};
use crate::module::declaration::ModuleCall;
use crate::module::manifest::{self, InstalledModule};
use crate::vfs::{DataDirectory, Snapshot, join};

/// The modules that are installed for the calls of a repository.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    /// By the directory of a module and the name of a call: the modules that it leads to, from one root module or several.
    of_calls: BTreeMap<(SmolStr, SmolStr), Vec<(InstalledModule, SmolStr)>>,
    /// Whether installed modules are wanted.
    pub(crate) is_wanted: bool,
}

/// By directory and name of a call: whether an installed module was found for it.
pub(crate) type Coverage = BTreeMap<(SmolStr, SmolStr), bool>;

impl Installed {
    /// Reads the manifests of all root modules and the directories that they name.
    pub(crate) fn read(snapshot: &mut Snapshot, data: &DataDirectory) -> Self {
        let mut installed = Self { of_calls: BTreeMap::new(), is_wanted: true };
        let features = Engine::newest(Product::Terraform).features();
        for found in snapshot.manifests(data) {
            if let Some(modules) = manifest::read(&found.bytes) {
                installed.add(&found.root, &modules, &features, snapshot, data);
            }
        }
        installed
    }

    fn add(
        &mut self,
        root: &SmolStr,
        modules: &BTreeMap<SmolStr, InstalledModule>,
        features: &Features,
        snapshot: &mut Snapshot,
        data: &DataDirectory,
    ) {
        let mut paths = BTreeMap::from([("", root.clone())]);
        // A key comes after those that it starts with, so the path of the caller is known.
        for (key, module) in modules {
            let (caller, call) = key.rsplit_once('.').unwrap_or(("", key));
            let Some(from) = paths.get(caller).filter(|_| !call.is_empty()).cloned() else { continue };
            // A local module outside of packages is part of the repository.
            let path = if module.is_local(features) && !snapshot.is_installed(&from) {
                join(root, &module.directory).map(SmolStr::from)
            } else {
                snapshot.install(root, &module.directory, data)
            };
            let Some(path) = path else { continue };
            paths.insert(key, path.clone());
            self.of_calls.entry((from, call.into())).or_default().push((module.clone(), path));
        }
    }

    /// Returns the directory of the installed module that a call in a directory leads to. `None` if no root module has
    /// one that matches the call, or if several have different versions of it.
    pub(crate) fn find(&self, directory: &SmolStr, call: &ModuleCall, features: &Features) -> Option<&str> {
        let all = self.of_calls.get(&(directory.clone(), call.name.clone()))?;
        let mut matching = all.iter().filter(|(module, _)| module.is_for(call, features));
        let (first, path) = matching.next()?;
        matching.all(|(other, _)| other.version == first.version).then_some(path)
    }
}
