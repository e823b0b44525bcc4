#![doc = include_str!("../ARCHITECTURE.md")]

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
