//! Turns traversals and strings into addresses: what a name in a module stands for, or why it stands for nothing.

mod block;
mod hostname;
mod identifier;
mod instance;
mod provider;
mod reference;
mod source;
mod target;

pub use block::block_address;
pub use identifier::valid_identifier;
pub use instance::{InstanceKey, ModuleStep, ResourceInstance};
pub use provider::{ProviderAddress, legal_part};
pub use reference::{
    Reference, ReferenceError, Subject, TestReference, TestSubject, reference, reference_in_test,
};
pub use source::{ModuleSource, RegistryModule, RemoteModule};
pub use target::{ImportTarget, MoveEndpoint, RemoveTarget, import_target, move_endpoint, remove_target};

use std::fmt;

use smol_str::SmolStr;

/// Why a string is no address: the engine's summary and our detail. The place is the caller's to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressError {
    /// The engine's own text, to the letter.
    pub summary: &'static str,
    /// What is wrong, in sentences.
    pub detail: String,
}

/// What kind of resource.
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
    /// The first word of its block.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Managed => "resource",
            Self::Data => "data",
            Self::Ephemeral => "ephemeral",
        }
    }
}

/// The address of a resource inside its module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceAddress {
    /// What kind.
    pub mode: Mode,
    /// The first label.
    pub kind: SmolStr,
    /// The second label.
    pub name: SmolStr,
}

impl ResourceAddress {
    /// The local name of the provider that the type's name implies: what stands before its first `_`.
    pub fn implied_provider(&self) -> &str {
        self.kind.split('_').next().unwrap_or(&self.kind)
    }
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
