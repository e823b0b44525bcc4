//! Turns what is seen of one root module after the other into the address of each state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use smol_str::SmolStr;

use crate::module::StateAddress;
use crate::text::Span;

/// An address, and the block that gives it.
type Noted = (StateAddress, Span);

/// The addresses at which the root modules of a run keep their states, as far as they are known.
#[derive(Debug, Default)]
pub struct States(Mutex<BTreeMap<SmolStr, BTreeSet<Noted>>>);

impl States {
    /// Notes the address of the root module in a directory.
    pub(in crate::rules) fn note(&self, directory: &SmolStr, address: StateAddress, at: Span) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.entry(directory.clone()).or_default().insert((address, at));
    }

    /// By directory: the address, unless Terraform and OpenTofu find different ones.
    pub(in crate::rules) fn certain(self) -> impl Iterator<Item = (SmolStr, Noted)> {
        let noted = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        noted.into_iter().filter_map(|(directory, mut noted)| {
            let only = noted.pop_first()?;
            noted.is_empty().then_some((directory, only))
        })
    }
}
