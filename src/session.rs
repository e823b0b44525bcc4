//! The files of a snapshot, each parsed once, and the modules of a repository as the engines see them.
//!
//! A run requests modules here: all of them, batch by batch, or those that a change can affect.

pub(crate) mod batches;
pub(crate) mod call_index;
pub(crate) mod calls;
pub(crate) mod companions;
pub(crate) mod fragments;
pub(crate) mod installed;
pub(crate) mod load;
pub(crate) mod parse_cache;
mod placeholders;
mod plans;
pub(crate) mod reads;
pub(crate) mod roots;
mod shared_files;
pub(crate) mod terragrunt;
mod terraspace;
pub(crate) mod test_calls;
pub(crate) mod test_files;
pub(crate) mod test_paths;
pub(crate) mod threads;
pub(crate) mod values_files;

pub use threads::in_threads;
