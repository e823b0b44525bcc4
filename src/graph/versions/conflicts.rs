//! Version constraints of a module tree that exclude each other.

use std::collections::BTreeSet;

use crate::module::address::ProviderAddress;

/// What a constraint applies to: a provider, or `None` for the engine itself.
pub type Subject = Option<ProviderAddress>;

/// The conflicts among a module and its descendants that no descendant has by itself.
#[derive(Debug, Clone, Default)]
pub struct Conflicts {
    /// The providers (or the engine) for which no version meets all constraints.
    pub impossible: BTreeSet<Subject>,
    /// The providers (or the engine) with more conditions than overrule compares.
    pub uncompared: BTreeSet<Subject>,
    /// Whether the constraints of some modules were not compared because of a limit.
    pub is_cut: bool,
}

impl Conflicts {
    pub(super) fn add(&mut self, other: Self) {
        self.impossible.extend(other.impossible);
        self.uncompared.extend(other.uncompared);
    }
}
