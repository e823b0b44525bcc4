//! Records the state addresses of root modules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use smol_str::SmolStr;

use crate::module::StateAddress;
use crate::text::Span;

/// An address, and the block that sets it.
type Noted = (StateAddress, Span);

/// The known state addresses of the root modules of a run.
#[derive(Debug, Default)]
pub struct States {
    addresses: Mutex<BTreeMap<SmolStr, BTreeSet<Noted>>>,
    outputs: Mutex<BTreeMap<SmolStr, BTreeSet<StateOutputs>>>,
    reads: Mutex<BTreeSet<OutputRead>>,
}

/// The outputs of a root module, and the address at which they are kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::rules) struct StateOutputs {
    pub(in crate::rules) address: StateAddress,
    pub(in crate::rules) names: BTreeSet<SmolStr>,
}

/// An output of another root module that a module reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::rules) struct OutputRead {
    pub(in crate::rules) directory: SmolStr,
    /// The name of the data source.
    pub(in crate::rules) data: SmolStr,
    pub(in crate::rules) address: StateAddress,
    pub(in crate::rules) output: SmolStr,
    pub(in crate::rules) at: Span,
}

impl States {
    /// Records the address of the root module in a directory.
    pub(in crate::rules) fn note(&self, directory: &SmolStr, address: StateAddress, at: Span) {
        let mut noted = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        noted.entry(directory.clone()).or_default().insert((address, at));
    }

    /// Records the outputs of the root module in a directory.
    pub(in crate::rules) fn note_outputs(&self, directory: &SmolStr, outputs: StateOutputs) {
        let mut noted = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        noted.entry(directory.clone()).or_default().insert(outputs);
    }

    /// Records an output that is read from a state.
    pub(in crate::rules) fn note_read(&self, read: OutputRead) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).insert(read);
    }

    /// The address of each directory, unless Terraform and OpenTofu use different ones.
    pub(in crate::rules) fn certain(&self) -> Vec<(SmolStr, Noted)> {
        certain(&self.addresses)
    }

    /// The outputs of each directory, unless they differ between Terraform and OpenTofu.
    pub(in crate::rules) fn outputs(&self) -> Vec<(SmolStr, StateOutputs)> {
        certain(&self.outputs)
    }

    /// All outputs that are read from states.
    pub(in crate::rules) fn reads(&self) -> BTreeSet<OutputRead> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn certain<T: Clone + Ord>(noted: &Mutex<BTreeMap<SmolStr, BTreeSet<T>>>) -> Vec<(SmolStr, T)> {
    let noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
    let only = |(directory, noted): (&SmolStr, &BTreeSet<T>)| {
        let first = noted.first().filter(|_| noted.len() == 1)?;
        Some((directory.clone(), first.clone()))
    };
    noted.iter().filter_map(only).collect()
}
