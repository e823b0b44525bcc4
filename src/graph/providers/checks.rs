//! The engines' checks of provider configurations: declarations, passing, and configurations that are missing.

pub(super) mod declarations;
pub(super) mod instances;
pub(super) mod missing;
pub(super) mod passing;
pub(super) mod repeated;
