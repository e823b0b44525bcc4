//! Propagates required versions that overrule does not model from modules to the modules that only they call.

use crate::finding::{Finding, has_errors};
use crate::graph::{ModuleGraph, NodeId};
use crate::module::Unmodelled;

impl ModuleGraph {
    /// The modules whose callers all require versions that are not modelled, so that they are for these versions,
    /// too. Callers come before the modules that they call. A module with a caller for modelled versions is not
    /// included.
    pub fn bound_by_callers(&self) -> Vec<(NodeId, Unmodelled)> {
        let mut versions: Vec<Option<Unmodelled>> =
            self.nodes.iter().map(|node| node.module.unmodelled.clone()).collect();
        // The number of calls of each module by modules for modelled versions.
        let mut modelled: Vec<usize> =
            self.nodes.iter().map(|node| node.callers.len() + node.named_by.len()).collect();
        let mut bound = Vec::new();
        let mut next: Vec<usize> = (0..versions.len()).filter(|number| versions[*number].is_some()).collect();
        while let Some(caller) = next.pop() {
            for NodeId(child) in self.node(NodeId(caller)).children() {
                modelled[child] -= 1;
                if modelled[child] > 0 || versions[child].is_some() {
                    continue;
                }
                let Some(of_child) = self.agreed(child, &versions) else { continue };
                bound.push((NodeId(child), of_child.clone()));
                versions[child] = Some(of_child);
                next.push(child);
            }
        }
        bound
    }

    /// Marks a module as one for versions that are not modelled. Only findings that hold in all of these versions
    /// stay.
    pub fn bind(&mut self, id: NodeId, versions: Unmodelled, findings: &mut Vec<Finding>) {
        let node = &mut self.nodes[id.0];
        node.module.bind(versions, findings);
        node.broken = has_errors(findings);
        self.forget();
    }

    /// The required versions for a module whose callers all require unmodelled ones: those of the first caller,
    /// unless its own `required_version` excludes those of some caller. Of several callers, the one that confirms the
    /// fewest findings counts.
    fn agreed(&self, child: usize, versions: &[Option<Unmodelled>]) -> Option<Unmodelled> {
        let node = &self.nodes[child];
        let callers = node.callers.iter().map(|(caller, _)| caller).chain(&node.named_by);
        let of_callers: Option<Vec<Unmodelled>> =
            callers.map(|caller| versions[caller.0].as_ref()?.of_callee(&node.module)).collect();
        of_callers?.into_iter().min_by_key(Unmodelled::is_hcl2)
    }
}
