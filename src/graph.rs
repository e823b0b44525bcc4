//! Turns all modules that one engine sees into a tree: calls resolved, and what can be said only where modules meet.
//!
//! A node is a module with all its callers, never one for each path of calls: a module that is called from a thousand
//! places is one node, and so the work stays in proportion to what is written.

mod arguments;
mod builtin;
mod children;
mod conflicts;
mod dependency_cycles;
mod version_requirements;
mod deprecations;
mod static_eval;
mod test_files;
mod evaluation;
mod imports;
mod instances;
mod location;
mod node;
mod node_id;
mod providers;
mod reach;
mod references;
mod requirements;
mod module_call_cycles;
mod named_files;
mod similar;
mod role;
mod role_signs;
mod unmodelled;
mod validation;
#[cfg(test)]
mod tests;

pub use conflicts::{Conflicts, Subject};
pub use evaluation::{RefusedDefault, Values};
pub use node::{Callee, ModuleGraph, Node, Test};
pub use node_id::NodeId;
pub use providers::{
    Configuration, Difference, Effect, Found, Level, Own, ProviderChange, ProviderMention, Reaching, State,
    Supply, Uses, in_root, reaching, resolve,
};
pub use role::{Reason, Role, Surroundings};
pub use role_signs::is_aside;
pub use validation::{ModuleDiagnostics, Validation};
pub use version_requirements::Demand;
