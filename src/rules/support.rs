//! Helpers of several rules: edits of blocks, the module before a change, source addresses, and backends.

pub(super) mod backend_evidence;
pub(super) mod before_change;
pub(super) mod edits;
pub(super) mod expressions;
pub(super) mod module_source;
pub(super) mod own_module;
pub(super) mod provider_source;
pub(super) mod read_outputs;
pub(super) mod state_addresses;
