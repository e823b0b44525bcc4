//! Compares the addresses of resources and module calls before and after a change, by module calls.
//!
//! A `moved` block stands in a module that both addresses lie in or below. So each module is compared with what it was,
//! and what one of its calls loses and another one gains is matched in it.

mod change;
mod compare;
mod keys;
mod likeness;
mod matching;
mod object;

pub use change::{AddressChange, Cause};
