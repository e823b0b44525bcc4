//! Suppressed findings: exceptions in comments and policies, and the findings of a baseline.

mod add_exceptions;
mod allow;
pub(super) mod baseline;
mod comment_scope;
pub(super) mod exceptions;

pub use add_exceptions::Additions;
pub use baseline::Baseline;
pub use exceptions::{EXPIRED_EXCEPTION, UNUSED_EXCEPTION};
