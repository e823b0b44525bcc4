//! What a change touches, as far as the call index and the changed paths show it.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::change::known::Known;
use crate::session::terragrunt::ChangedUnits;
use crate::vfs::{Change, Error};

/// The first look at a change, which reads only files that the call index does not know.
pub(super) struct Survey<'c> {
    /// The Terragrunt units.
    pub(super) units: ChangedUnits,
    /// The calls of the later state.
    pub(super) known: Known<'c>,
    /// The directories of modules whose own files the change alters.
    pub(super) touched: BTreeSet<String>,
    /// The directories of modules whose functions may read a file that the change alters, each with the first such
    /// file.
    pub(super) readers: BTreeMap<String, String>,
}

impl<'c> Survey<'c> {
    /// Takes the first look at a change. An empty change needs no calls.
    pub(super) fn of(change: &'c Change) -> Result<Self, Error> {
        Self::with(change, !change.is_empty())
    }

    /// Like [`Self::of`], with the calls of the later state in any case.
    pub(super) fn with_calls(change: &'c Change) -> Result<Self, Error> {
        Self::with(change, true)
    }

    fn with(change: &'c Change, needs_calls: bool) -> Result<Self, Error> {
        let units = ChangedUnits::of(change);
        let known = if needs_calls { Known::of(change)? } else { Known::default() };
        let readers = known.readers(change, !units.now.is_empty());
        Ok(Self { units, known, touched: change.touched()?, readers })
    }
}
