//! Collects the addresses that `moved` and `removed` blocks move away from.

use std::collections::HashSet;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::module::Module;
use crate::module::address::{ModuleStep, ResourceAddress};

/// Addresses as call names and a resource. Instance keys are ignored.
type Addresses = HashSet<(Vec<SmolStr>, Option<ResourceAddress>)>;

/// The `from` addresses of the `moved` and `removed` blocks of a module.
#[derive(Debug, Default)]
pub(crate) struct LeftBehind {
    moved: Addresses,
    removed: Addresses,
}

impl Module {
    /// Whether a `moved` block names this address, or a module that contains it.
    pub(crate) fn is_moved(&self, path: &[ModuleStep], resource: Option<&ResourceAddress>) -> bool {
        !self.moved.is_empty() && has(&self.left_behind().moved, path, resource)
    }

    /// Whether a `moved` or `removed` block names this address, or a module that contains it.
    pub(crate) fn is_left(&self, path: &[ModuleStep], resource: Option<&ResourceAddress>) -> bool {
        self.is_moved(path, resource)
            || !self.removed.is_empty() && has(&self.left_behind().removed, path, resource)
    }

    fn left_behind(&self) -> &LeftBehind {
        self.left_behind.get_or_init(|| {
            let moved = self.moved.iter().filter_map(|moved| moved.from.as_ref()).map(|from| {
                let names = from.path.iter().map(|step| step.name.clone()).collect();
                (names, from.resource.as_ref().map(|resource| resource.resource.clone()))
            });
            let removed = self.removed.iter().filter_map(|removed| removed.from.as_ref());
            let removed = removed.map(|from| (from.path.clone(), from.resource.clone()));
            Arc::new(LeftBehind { moved: moved.collect(), removed: removed.collect() })
        })
    }
}

fn has(addresses: &Addresses, path: &[ModuleStep], resource: Option<&ResourceAddress>) -> bool {
    let mut names = Vec::with_capacity(path.len());
    for step in path {
        names.push(step.name.clone());
        let module = (names, None);
        if addresses.contains(&module) {
            return true;
        }
        names = module.0;
    }
    resource.is_some() && addresses.contains(&(names, resource.cloned()))
}
