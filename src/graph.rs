//! The graph of all modules that one engine loads, and the checks that need more than one module.
//!
//! A node is a module with all its callers, not one node per call path. A module that is called from a thousand
//! places is one node, so the cost is proportional to the source.

mod addresses;
mod arguments;
mod backends;
mod builtin;
mod caller_breaks;
mod children;
mod constant_arguments;
mod dependency_cycles;
mod deprecations;
mod diagnostics;
mod dynamic_blocks;
mod evaluation;
mod import_checks;
mod imports;
mod instance_keys;
mod left_by_callers;
mod location;
mod module_call_cycles;
mod moves;
mod named_below;
mod named_files;
mod node;
mod node_id;
mod providers;
mod reach;
mod read_outputs;
mod references;
mod remote_states;
mod role;
mod role_signs;
mod similar;
mod test_files;
mod unmodelled;
mod value_flow;
mod versions;
#[cfg(test)]
mod tests;

pub use addresses::{AddressChange, Cause as AddressCause, Repetition};
pub use diagnostics::{ModuleDiagnostics, Validation};
pub(crate) use evaluation::{Absence, contains_null};
pub use evaluation::{Cut, Evaluated, Planned, PlannedCall, RefusedDefault, Values};
pub(crate) use moves::{MovedObjects, Sight};
pub use node::{Callee, ModuleGraph, Node, Test};
pub use node_id::NodeId;
pub(crate) use providers::is_configured;
pub use providers::{
    Configuration, Difference, Effect, Found, Level, Need, Own, ProviderChange, ProviderChanges, Reaching,
    State, Supply, Uses, in_root, reaching, resolve, too_many_instances,
};
pub(crate) use read_outputs::for_each_read_output;
pub use remote_states::RemoteState;
pub use role::{Reason, Role, Surroundings};
pub use role_signs::is_aside;
pub(crate) use value_flow::{Used, User, ValueFlow, for_each_user};
pub use versions::conflicts::{Conflicts, Subject};
pub use versions::{VersionRequirement, VersionsBelow};
