//! Turns a place in the language into what the strings of a JSON file mean there.

use crate::engine::{Features, ModuleAddress};

/// What the strings of an expression are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strings {
    /// Texts that may hold interpolations.
    Templates,
    /// Texts as they stand: the engine asks for a constant, and does not look for interpolations in them.
    Literals,
    /// Addresses, types or keywords.
    Addresses,
    /// Texts as they stand, but the elements of lists are addresses (`configuration_aliases`).
    AddressesInLists,
}

impl Strings {
    /// Those under an argument of a kind of block.
    pub fn of(kind: &str, argument: &str, features: &Features) -> Self {
        // OpenTofu knows variables where the state is kept.
        let is_static = features.module_address == ModuleAddress::StaticAfterMerge;
        match (kind, argument) {
            ("variable" | "output", "type")
            | ("resource" | "data" | "ephemeral" | "action" | "import", "provider")
            | ("moved", "from" | "to")
            | ("import", "to")
            | ("removed", "from")
            | ("provisioner", "when" | "on_failure")
            | ("dynamic", "iterator")
            | ("resource" | "data" | "ephemeral" | "module" | "output", "depends_on")
            | ("module", "providers")
            | ("lifecycle", "ignore_changes" | "replace_triggered_by")
            | ("action_trigger", "events" | "actions")
            | ("terraform", "experiments" | "language") => Self::Addresses,
            ("required_providers", _) => Self::AddressesInLists,
            ("variable" | "terraform" | "provider_meta", _)
            | ("output", "description" | "sensitive" | "ephemeral" | "deprecated")
            | ("provider", "alias" | "version") => Self::Literals,
            ("backend" | "cloud" | "workspaces", _) if !is_static => Self::Literals,
            _ => Self::Templates,
        }
    }
}
