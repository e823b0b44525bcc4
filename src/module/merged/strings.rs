//! The meaning of strings in JSON files, by their position in the configuration.

use crate::engine::{Features, ModuleAddress};

/// The meaning of the strings in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strings {
    /// Templates, which may contain interpolations.
    Templates,
    /// Literal strings: the engine requires a constant here, without interpolation.
    Literals,
    /// Addresses, types or keywords.
    Addresses,
    /// Literal strings, except that the elements of lists are addresses (`configuration_aliases`).
    AddressesInLists,
}

impl Strings {
    /// The meaning of the strings in an argument of a block type.
    pub fn of(kind: &str, argument: &str, features: &Features) -> Self {
        // OpenTofu allows variables in `backend` blocks.
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
