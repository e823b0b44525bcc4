//! Checks Terraform and OpenTofu modules against the documented rules of the language, before `init`.
//!
//! Data goes down the list of modules below, and imports go up it: a module may use those above it and none below
//! (`tests/layers.rs` holds it to that). What is true everywhere:
//!
//! - Only [`vfs`] reads what is checked, and only [`cli`] writes, and reads what a person hands it. Between them
//! nothing
//!   fails but by a [`finding::Finding`].
//! - A node of the [`graph`] is a module as one engine sees it, with all its callers; never one per call path.
//! - [`policy`] knows rules by name only; [`check`] is the one place that knows both.
//! - [`finding`] knows no rule, and no format.
//! - The same input gives the same bytes, whatever the number of threads.

pub mod text;
pub mod limits;
pub mod finding;
pub mod engine;
pub mod vfs;
pub mod syntax;
pub mod value;
pub mod module;
pub mod graph;
pub mod policy;
pub mod rules;
pub mod session;
pub mod check;
pub mod report;
pub mod cli;
