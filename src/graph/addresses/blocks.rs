//! The objects that `moved`, `removed` and `import` blocks handle.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::matching::Pair;
use super::object::Object;
use crate::graph::Node;
use crate::module::address::{ConfigAddress, ImportTarget, MoveEndpoint};
use crate::module::declaration::ModuleCall;

/// The blocks of a module after a change.
pub(super) struct Blocks<'t> {
    pub(super) node: Node<'t>,
    /// The new name of each call that a block renames in the module, by its old name.
    moved_calls: BTreeMap<&'t SmolStr, &'t SmolStr>,
    /// The new names of these calls.
    new_names: BTreeSet<&'t SmolStr>,
    /// The addresses to which the blocks move objects.
    targets: HashSet<ConfigAddress>,
}

impl<'t> Blocks<'t> {
    pub(super) fn of(node: Node<'t>) -> Self {
        let call = |end: &'t Option<MoveEndpoint>| match end {
            Some(MoveEndpoint { path, resource: None, .. }) => match &path[..] {
                [step] => Some(&step.name),
                _ => None,
            },
            _ => None,
        };
        let moved_calls = node.module().moved.iter();
        let moved_calls: BTreeMap<_, _> =
            moved_calls.filter_map(|moved| Some((call(&moved.from)?, call(&moved.to)?))).collect();
        let new_names = moved_calls.values().copied().collect();
        Self { node, moved_calls, new_names, targets: targets(node) }
    }

    /// The call that corresponds to a call before the change: the one of the same name, else the one to which a block
    /// moves it.
    pub(super) fn successor(&self, name: &SmolStr) -> Option<&'t ModuleCall> {
        let calls = &self.node.module().calls;
        let moved = || calls.get(*self.moved_calls.get(name)?);
        calls.get(name).or_else(moved).map(|call| &**call)
    }

    /// Whether no block handles the earlier address of an object.
    pub(super) fn leave(&self, object: &Object<'t>) -> bool {
        // A block for a call moves the objects that stay in the module of the call, and not those that leave or enter
        // it.
        let is_moved = object.path.first().is_some_and(|(_, call)| self.moved_calls.contains_key(&call.name));
        !is_left(self.node, object) || is_moved && !self.node.module().names_itself(&object.address())
    }

    /// Whether no block moves an object to its new address.
    pub(super) fn leave_new(&self, object: &Object<'t>) -> bool {
        let is_moved = object.path.first().is_some_and(|(_, call)| self.new_names.contains(&call.name));
        !object.address().is_in(&self.targets) || is_moved && !self.targets.contains(&object.address())
    }

    /// Whether both objects are in the module of the same call, which has compared them already.
    pub(super) fn is_in_one_call(&self, (from, to): &Pair<'t>) -> bool {
        let calls = from.path.first().zip(to.path.first());
        calls.is_some_and(|((was, before), (is, now))| {
            let directory = |child: Option<Node<'t>>| child.map(|child| &child.module().directory);
            self.successor(&before.name).is_some_and(|successor| successor.name == now.name)
                && directory(was.child(&before.name)) == directory(is.child(&now.name))
        })
    }
}

/// Whether a block in this module or in a caller handles an object.
pub(super) fn is_left(node: Node<'_>, object: &Object<'_>) -> bool {
    let address = object.address();
    node.module().is_left(&address) || node.is_left_by_callers(&address)
}

/// The addresses to which the blocks of a module move or import objects.
pub(super) fn targets(node: Node<'_>) -> HashSet<ConfigAddress> {
    let moved = node.module().moved.iter().filter_map(|moved| moved.to.as_ref());
    let imported = node.module().imports.iter().filter_map(|import| import.target.as_ref());
    moved.map(MoveEndpoint::config).chain(imported.map(ImportTarget::config)).collect()
}
