//! The version constraints of modules.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::text::Span;
use crate::value::{Constraints, Version};

pub(super) mod checks;
mod below;
pub(super) mod conflicts;

/// One constraint of a module.
#[derive(Debug, Clone)]
pub struct VersionRequirement {
    /// The parsed constraint. For a provider, parsed by the rules for providers.
    pub constraints: Constraints,
    /// The text as written.
    pub text: SmolStr,
    /// Its span.
    pub at: Span,
    /// The call that leads to the module, or `None` for the starting module.
    pub via: Option<Span>,
}

/// The version of the engine that a module and its descendants require.
#[derive(Debug, Clone, Default)]
pub struct VersionsBelow {
    /// Whether one of them requires a version that no release known here meets.
    pub is_unmodelled: bool,
    /// Whether one of them calls a module of another repository, which may require a version.
    pub calls_unread: bool,
    /// The constraint that requires the newest version, with that version.
    pub newest: Option<Arc<(Version, VersionRequirement)>>,
}

impl VersionsBelow {
    /// Adds the results for another module. Of two constraints for the same version, its own counts.
    pub(super) fn add(&mut self, other: &Self) {
        self.is_unmodelled |= other.is_unmodelled;
        self.calls_unread |= other.calls_unread;
        let is_newer = |newest: &Arc<(Version, VersionRequirement)>| {
            self.newest.as_ref().is_none_or(|known| newest.0 >= known.0)
        };
        if let Some(newest) = other.newest.as_ref().filter(|newest| is_newer(newest)) {
            self.newest = Some(Arc::clone(newest));
        }
    }
}
