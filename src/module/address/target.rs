//! Parses the addresses in `moved`, `removed` and `import` blocks.

mod import;
mod moved;
mod path;
mod removed;
#[cfg(test)]
mod tests;

pub use import::{ImportTarget, import_target};
pub use moved::{MoveEndpoint, MovedAddress, move_endpoint};
pub use removed::{RemoveTarget, remove_target};
