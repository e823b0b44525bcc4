//! Turns findings into verdicts: which of them are told, at which level, on whose word, in which order.

mod engines;
pub mod example;
mod fingerprint;
mod foreign;
mod forest;
mod library;
mod rulebook;
mod run;
mod sayings;
mod threads;
mod verdict;

pub use run::run;
pub use threads::in_threads;
pub use verdict::{AskedBy, Outcome, Settings, Verdict, can_be_off, judge};
