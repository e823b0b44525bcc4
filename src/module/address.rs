//! Converts traversals and strings to addresses, or explains why they are invalid.

mod block;
mod config;
mod hostname;
mod instance;
mod provider;
mod reference;
mod source;
mod target;

pub use block::block_address;
pub use config::ConfigAddress;
pub(crate) use config::leads_below;
pub use hostname::host_names;
pub use instance::{InstanceKey, ModuleStep, ResourceInstance};
pub use provider::{ProviderAddress, legal_part};
pub use reference::{
    Reference, ReferenceError, Subject, TestReference, TestSubject, reference, reference_in_test,
};
pub(crate) use source::clean;
pub use source::{ModuleSource, RegistryModule, RemoteModule};
pub use target::{
    ImportTarget, MoveEndpoint, MovedAddress, RemoveTarget, import_target, move_endpoint, remove_target,
};

use std::fmt;

use smol_str::SmolStr;

/// The error for an invalid address. The caller adds the span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressError {
    /// The summary, which is the exact text of the engine.
    pub summary: &'static str,
    /// The explanation, in sentences.
    pub detail: String,
    /// The way to correct it, if it is known.
    pub help: Option<String>,
}

/// The mode of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `resource`.
    Managed,
    /// `data`.
    Data,
    /// `ephemeral`.
    Ephemeral,
}

impl Mode {
    /// The block type.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Managed => "resource",
            Self::Data => "data",
            Self::Ephemeral => "ephemeral",
        }
    }
}

/// The address of a resource in its module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceAddress {
    /// The mode.
    pub mode: Mode,
    /// The resource type, which is the first label.
    pub kind: SmolStr,
    /// The name, which is the second label.
    pub name: SmolStr,
}

impl ResourceAddress {
    /// The local name of the default provider of the type.
    pub fn implied_provider(&self) -> &str {
        implied_provider(&self.kind)
    }
}

/// The local name of the default provider of a type of resources or actions: the part before the first `_`.
pub fn implied_provider(kind: &str) -> &str {
    kind.split_once('_').map_or(kind, |(provider, _)| provider)
}

impl fmt::Display for ResourceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mode {
            Mode::Managed => write!(f, "{}.{}", self.kind, self.name),
            Mode::Data => write!(f, "data.{}.{}", self.kind, self.name),
            Mode::Ephemeral => write!(f, "ephemeral.{}.{}", self.kind, self.name),
        }
    }
}
