//! Turns policy files into settings, and patterns of paths into answers.

mod globs;

pub use globs::Globs;
