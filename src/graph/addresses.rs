//! Compares the addresses of resources and module calls before and after a change, by module calls.
//!
//! A `moved` block belongs in a module that contains both addresses, directly or in its descendants. So each module is
//! compared with its earlier state, and objects that one of its calls loses and another one gains are matched there.

mod blocks;
mod change;
mod compare;
mod differences;
mod keys;
mod likeness;
mod matching;
mod object;
mod repetition;

pub use change::{AddressChange, Cause};
pub use repetition::Repetition;
