//! Turns modules and their calls into the provider configurations that reach each module.
//!
//! The engines look up a provider configuration by provider source address and alias, never by local name: every module
//! chooses its local names for itself. A `provider` block and an entry of `providers` each make a configuration in the
//! module that they belong to; a default configuration that a module does not have is inherited from the nearest module
//! above it that has one. This is the one place where that is decided: [`Node::supply`] is a single step, from a module
//! to its caller, and everything else follows the steps.

mod change;
mod changes;
mod checks;
mod configuration;
mod identity;
mod resolve;
mod supply;
mod uses;

pub use change::{Difference, Effect, ProviderChange};
pub use changes::State;
pub(super) use checks::declarations::{check as check_declarations, is_configured};
pub(super) use checks::missing::check as check_missing;
pub(super) use checks::passing::check as check_passing;
pub(super) use checks::repeated::repeated;
pub(super) use configuration::Table;
pub use configuration::{Configuration, Uses};
pub use resolve::{Found, Level, Reaching, in_root, reaching, resolve};
pub use supply::{Own, Supply};
pub use uses::ProviderMention;
