//! The evaluation order of local values.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::graph::Node;
use crate::graph::dependency_cycles::components;
use crate::module::address::{Subject, reference};
use crate::module::declaration::Local;

/// The local values of a module, each after the local values that it refers to, without those in a dependency cycle.
pub(super) fn in_order(node: Node<'_>) -> Vec<&Local> {
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
    let alone = order.filter_map(|component| match component[..] {
        [local] if !edges[local].contains(&local) => Some(locals[local]),
        _ => None,
    });
    alone.collect()
}
