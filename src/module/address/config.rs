//! Addresses in a configuration.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Bound;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::module::address::{ModuleStep, ResourceAddress};

/// The address of a resource or a module call with all its instances, relative to a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigAddress {
    /// The names of the module calls. Without a `resource`, the last one is the object itself.
    pub path: Vec<SmolStr>,
    /// The resource, if the object is one.
    pub resource: Option<ResourceAddress>,
}

/// Whether one of these module paths is this one, or leads below it.
pub(crate) fn leads_below(paths: &BTreeSet<Vec<SmolStr>>, path: &[SmolStr]) -> bool {
    let from_here = (Bound::Included(path), Bound::Unbounded);
    paths.range::<[SmolStr], _>(from_here).next().is_some_and(|first| first.starts_with(path))
}

impl ConfigAddress {
    /// The address of the object with these steps and resource, without instance keys.
    pub fn of(path: &[ModuleStep], resource: Option<&ResourceAddress>) -> Self {
        Self { path: path.iter().map(|step| step.name.clone()).collect(), resource: resource.cloned() }
    }

    /// The address relative to the caller of the module.
    #[must_use]
    pub fn in_caller(&self, call: &SmolStr) -> Self {
        let path = std::iter::once(call).chain(&self.path).cloned().collect();
        Self { path, resource: self.resource.clone() }
    }

    /// Whether the object, or a module that contains it, is among some objects.
    pub fn is_in(&self, objects: &HashSet<Self>) -> bool {
        let module = |length: usize| Self { path: self.path[..length].to_vec(), resource: None };
        !objects.is_empty()
            && (objects.contains(self)
                || (1..=self.path.len()).any(|length| objects.contains(&module(length))))
    }
}

impl fmt::Display for ConfigAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for call in &self.path {
            write!(f, "{between}module.{call}")?;
            between = ".";
        }
        self.resource.iter().try_for_each(|resource| write!(f, "{between}{resource}"))
    }
}
