//! Version constraints of a module tree that exclude each other.

use std::collections::BTreeSet;

use crate::module::address::ProviderAddress;

/// What versions are asked for of: a provider, or, where that is none, the engine itself.
pub type Subject = Option<ProviderAddress>;

/// What a module and all below it ask for together, though no module that it calls does so by itself.
#[derive(Debug, Clone, Default)]
pub struct Conflicts {
    /// Of these there is no version that they ask for.
    pub impossible: BTreeSet<Subject>,
    /// On these there are more conditions than are compared.
    pub uncompared: BTreeSet<Subject>,
}

impl Conflicts {
    pub(super) fn add(&mut self, other: Self) {
        self.impossible.extend(other.impossible);
        self.uncompared.extend(other.uncompared);
    }
}
