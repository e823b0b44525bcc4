//! Turns findings into verdicts: which of them are told, at which level, on whose word, in which order.

mod fingerprint;
mod verdict;

pub use verdict::{AskedBy, Outcome, Settings, Verdict, judge};
