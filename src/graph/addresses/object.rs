//! Resources and module calls with their addresses.

use smol_str::SmolStr;

use super::keys;
use super::repetition::Repetition;
use crate::graph::Node;
use crate::module::address::{ConfigAddress, Mode};
use crate::module::declaration::{ModuleCall, Origin, Repeated, Resource};
use crate::text::Sources;

/// A managed resource or a module call, with its address relative to the compared module.
#[derive(Debug, Clone)]
pub(super) struct Object<'t> {
    /// The calls of the module path, each with the module that contains it.
    pub(super) path: Vec<(Node<'t>, &'t ModuleCall)>,
    /// The module that declares it.
    pub(super) node: Node<'t>,
    pub(super) declared: Declared<'t>,
    /// The texts of its state.
    pub(super) sources: &'t Sources,
    /// Whether it is added or removed together with a call of its module, or of an ancestor.
    pub(super) is_with_call: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Declared<'t> {
    Resource(&'t Resource),
    Call(&'t ModuleCall),
}

impl<'t> Object<'t> {
    /// The managed resources and the module calls of a module; `sources` has the texts of its state.
    pub(super) fn declared_by(node: Node<'t>, sources: &'t Sources) -> impl Iterator<Item = Self> {
        let resources = node.module().resources.values().map(|resource| &**resource);
        let managed = resources.filter(|resource| resource.address.mode == Mode::Managed);
        let calls = node.module().calls.values().map(|call| Declared::Call(call));
        managed.map(Declared::Resource).chain(calls).map(move |declared| Self {
            path: Vec::new(),
            node,
            declared,
            sources,
            is_with_call: false,
        })
    }

    pub(super) fn origin(&self) -> &'t Origin {
        match self.declared {
            Declared::Resource(resource) => &resource.origin,
            Declared::Call(call) => &call.origin,
        }
    }

    /// The names of the calls in the module path.
    pub(super) fn names(&self) -> Vec<&'t SmolStr> {
        self.path.iter().map(|(_, call)| &call.name).collect()
    }

    pub(super) fn name(&self) -> &'t SmolStr {
        match self.declared {
            Declared::Resource(resource) => &resource.address.name,
            Declared::Call(call) => &call.name,
        }
    }

    /// The resource type; empty for a module call.
    pub(super) fn kind(&self) -> &'t str {
        match self.declared {
            Declared::Resource(resource) => &resource.address.kind,
            Declared::Call(_) => "",
        }
    }

    pub(super) fn address(&self) -> ConfigAddress {
        let calls = self.names().into_iter();
        match self.declared {
            Declared::Resource(resource) => {
                ConfigAddress { path: calls.cloned().collect(), resource: Some(resource.address.clone()) }
            }
            Declared::Call(call) => {
                ConfigAddress { path: calls.chain([&call.name]).cloned().collect(), resource: None }
            }
        }
    }

    /// The address in the module that declares it.
    pub(super) fn local_address(&self) -> String {
        match self.declared {
            Declared::Resource(resource) => resource.address.to_string(),
            Declared::Call(call) => format!("module.{}", call.name),
        }
    }

    /// The address, without instance keys.
    pub(super) fn written(&self) -> String {
        self.address().to_string()
    }

    /// `count` and `for_each`.
    pub(super) fn repeated(&self) -> Repeated<'t> {
        match self.declared {
            Declared::Resource(resource) => resource.repeated(),
            Declared::Call(call) => call.repeated(),
        }
    }

    pub(super) fn repetition(&self) -> Repetition {
        let (count, for_each) = self.repeated();
        Repetition::of(count, for_each)
    }

    /// The key of the only likely instance. Returns `None` if another one may be meant.
    pub(super) fn key(&self) -> Option<String> {
        keys::only(self.node, self.repeated())
    }

    /// Whether there are no instances of it, or of a call in its module path.
    pub(super) fn has_no_instances(&self) -> bool {
        let is_empty = |(node, call): &(Node<'_>, &ModuleCall)| node.has_no_instances(call.repeated());
        self.node.has_no_instances(self.repeated()) || self.path.iter().any(is_empty)
    }

    /// Whether there are certainly instances besides the one that [`Self::end`] names.
    pub(super) fn has_other_instances(&self, with_key: bool) -> bool {
        let are_several = |(node, call): &(Node<'_>, &ModuleCall)| keys::are_several(*node, call.repeated());
        with_key && keys::are_several(self.node, self.repeated()) || self.path.iter().any(are_several)
    }

    /// The address for an endpoint of a `moved` block; `with_key` is true if it needs an instance key.
    pub(super) fn end(&self, with_key: bool) -> Option<String> {
        let mut written = String::new();
        for (node, call) in &self.path {
            let key = keys::only(*node, call.repeated())?;
            written.push_str(&format!("module.{}{key}.", call.name));
        }
        written.push_str(&self.local_address());
        if with_key {
            written.push_str(&self.key()?);
        }
        Some(written)
    }
}
