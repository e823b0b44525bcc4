//! Turns findings into verdicts: which of them are told, at which level, on whose word, in which order.

mod additions;
mod allow;
mod atlas;
mod baseline;
pub mod book;
mod calls;
mod change;
mod engines;
mod equals;
pub mod example;
mod exceptions;
mod fingerprint;
mod fix;
mod foreign;
mod forest;
mod gone;
mod impact;
mod library;
mod load;
mod memory;
mod renames;
mod rulebook;
mod run;
mod sayings;
mod threads;
mod verdict;

pub use additions::Additions;
pub use atlas::{Atlas, View};
pub use baseline::Baseline;
pub use change::{Checked, run_change, run_named};
pub use exceptions::{EXPIRED_EXCEPTION, UNUSED_EXCEPTION};
pub use fix::{Fixed, fix};
pub use load::{load_policy, rule_names, rule_names_under};
pub use run::run;
pub use threads::in_threads;
pub use verdict::{AskedBy, Excuse, Excused, Outcome, Settings, Verdict, judge};
