//! Finds the variables of child modules that a check of calls needs.

use std::rc::Rc;

use hashbrown::HashMap;

use crate::graph::{Node, NodeId};
use crate::module::declaration::Variable;

/// The variables of child modules with one property. Many calls may lead to one large module, so each module is
/// searched once.
pub(super) struct ChildVariables<'t> {
    is_wanted: fn(&Variable) -> bool,
    of_child: HashMap<NodeId, Rc<[&'t Variable]>>,
}

impl<'t> ChildVariables<'t> {
    /// The variables with a property.
    pub(super) fn with(is_wanted: fn(&Variable) -> bool) -> Self {
        Self { is_wanted, of_child: HashMap::new() }
    }

    /// Returns those of a child module, sorted by name.
    pub(super) fn of(&mut self, child: Node<'t>) -> Rc<[&'t Variable]> {
        let search = || {
            let variables = child.module().variables.values().map(|variable| &**variable);
            variables.filter(|variable| (self.is_wanted)(variable)).collect()
        };
        Rc::clone(self.of_child.entry(child.id()).or_insert_with(search))
    }
}
