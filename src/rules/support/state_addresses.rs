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
pub struct States(Mutex<BTreeMap<SmolStr, BTreeSet<Noted>>>);

impl States {
    /// Records the address of the root module in a directory.
    pub(in crate::rules) fn note(&self, directory: &SmolStr, address: StateAddress, at: Span) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.entry(directory.clone()).or_default().insert((address, at));
    }

    /// The address of each directory, unless Terraform and OpenTofu use different ones.
    pub(in crate::rules) fn certain(self) -> impl Iterator<Item = (SmolStr, Noted)> {
        let noted = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        noted.into_iter().filter_map(|(directory, mut noted)| {
            let only = noted.pop_first()?;
            noted.is_empty().then_some((directory, only))
        })
    }
}
