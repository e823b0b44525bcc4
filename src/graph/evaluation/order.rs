//! The evaluation order of local values.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::graph::Node;
use crate::graph::dependency_cycles::components;
use crate::module::address::{Subject, reference};
use crate::module::declaration::Local;

/// A local value in evaluation order.
pub(super) enum Ordered<'t> {
    Local(&'t Local),
    InCycle(&'t Local),
}

/// The local values of a module, each after the local values that it refers to.
pub(super) fn in_order(node: Node<'_>) -> Vec<Ordered<'_>> {
    let module = node.module();
    let locals: Vec<&Local> = module.locals.values().collect();
    let numbers: BTreeMap<&SmolStr, usize> =
        locals.iter().enumerate().map(|(number, local)| (&local.name, number)).collect();
    let edges: Vec<Vec<usize>> = locals
        .iter()
        .map(|local| {
            let mut edges = Vec::new();
            local.attribute.expr.for_each_variable(|traversal| {
                if traversal.root == "local"
                    && let Ok(reference) = reference(traversal, &module.features)
                    && let Subject::Local(name) = &reference.subject
                {
                    edges.extend(numbers.get(name));
                }
            });
            edges
        })
        .collect();
    let order = components(&edges).into_iter();
    order
        .flat_map(|component| {
            let in_cycle = component.len() > 1 || component.iter().any(|local| edges[*local].contains(local));
            let ordered = |local: usize| {
                if in_cycle { Ordered::InCycle(locals[local]) } else { Ordered::Local(locals[local]) }
            };
            component.into_iter().map(ordered).collect::<Vec<_>>()
        })
        .collect()
}
