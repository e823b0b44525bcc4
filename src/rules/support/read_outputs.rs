//! The outputs of its child modules that a module reads.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::graph::NodeId;
use crate::vfs::Memo;

/// The outputs that each module of a graph reads; searched on first use.
#[derive(Debug, Default)]
pub struct ReadOutputsOfModules(Memo<NodeId, Arc<ReadOutputs>>);

impl ReadOutputsOfModules {
    /// The outputs that a module reads, from `find` if it was not asked for before.
    pub(in crate::rules) fn get(
        &self,
        module: NodeId,
        find: impl FnOnce() -> ReadOutputs,
    ) -> Arc<ReadOutputs> {
        self.0.get(&module, || Arc::new(find()))
    }
}

/// The outputs that a module reads, by call. Under `None`, the call is not known.
#[derive(Debug, Default)]
pub(in crate::rules) struct ReadOutputs(HashMap<Option<SmolStr>, OfCall>);

/// The outputs that are read of one call.
#[derive(Debug, Default)]
struct OfCall {
    named: HashSet<SmolStr>,
    /// Whether any of them may be read.
    is_whole: bool,
}

impl ReadOutputs {
    /// Adds an output of a call, or all of them.
    pub(in crate::rules) fn add(&mut self, call: Option<&SmolStr>, output: Option<&SmolStr>) {
        let of_call = self.0.entry(call.cloned()).or_default();
        match output {
            Some(output) => drop(of_call.named.insert(output.clone())),
            None => of_call.is_whole = true,
        }
    }

    /// Whether a call with this name may read an output.
    pub(in crate::rules) fn has(&self, call: &SmolStr, output: &SmolStr) -> bool {
        let may_read = |of_call: &OfCall| of_call.is_whole || of_call.named.contains(output);
        [Some(call.clone()), None].iter().any(|call| self.0.get(call).is_some_and(may_read))
    }
}
