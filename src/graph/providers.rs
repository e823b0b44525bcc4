//! Resolves the provider configurations that reach each module.
//!
//! The engine looks up a provider configuration by provider source address and alias, never by local name: each
//! module chooses its own local names. A `provider` block and an entry of `providers` each create a configuration in
//! their module. A default configuration that a module does not have is inherited from the nearest ancestor that has
//! one. This is decided only here: [`Node::supply`] is one step from a module to its caller, and everything else
//! follows these steps.

mod change;
mod changes;
mod checks;
mod configuration;
mod identity;
mod objects;
mod outside;
mod resolve;
mod supply;
mod uses;

pub use change::{Difference, Effect, ProviderChange, ProviderChanges};
pub use changes::{State, too_many_instances};
pub(crate) use checks::declarations::is_configured;
pub(super) use checks::declarations::{check as check_declarations, display};
pub(super) use checks::instances::check as check_instances;
pub(super) use checks::missing::check as check_missing;
pub(super) use checks::passing::check as check_passing;
pub(super) use checks::repeated::repeated;
pub(super) use configuration::Table;
pub use configuration::{Configuration, Need, Uses};
pub use resolve::{Found, Level, Reaching, in_root, reaching, resolve};
pub use supply::{Own, Supply};
pub(super) use uses::too_many as too_many_uses;
