//! Decides which findings are reported, at which level and in which order.

mod active_rules;
mod analysis;
mod change;
mod counts;
pub mod doctest;
mod engines;
mod fingerprint;
mod fix;
mod judge;
mod linked;
mod load_policy;
mod location;
mod run;
mod settings;
mod state_map;
mod suppress;
mod verdict;

pub use analysis::{Analysis, EngineView};
pub(crate) use change::readers;
pub use change::{
    Affected, AffectedModule, AffectedUnit, Asked, Checked, ModuleChange, affected, interface_changes,
    run_change, run_named,
};
pub use counts::ProgressCounts;
pub use fix::{Fixed, fix};
pub use judge::judge;
pub use load_policy::{load_policy, page_names_under, rule_names, rule_names_under};
pub use run::run;
pub use settings::Settings;
pub use state_map::{Certainty, RootState, StateRead, state_map};
pub use suppress::{Additions, Baseline, EXPIRED_EXCEPTION, UNUSED_EXCEPTION};
pub use verdict::{AppliedException, Outcome, SetBy, Suppressed, Verdict};
