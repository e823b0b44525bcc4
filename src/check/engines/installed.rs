//! Limits the findings in installed modules, which belong to other repositories.

use crate::check::location::place_of;
use crate::finding::{Category, Finding, Severity, Stage};
use crate::vfs::Snapshot;

/// Reports whether a finding is kept. In an installed module these are the errors of `validate`, and no fix edits one.
pub(super) fn is_kept(finding: &mut Finding, snapshot: &Snapshot) -> bool {
    let sources = snapshot.sources();
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
    if edits.into_iter().any(|edit| snapshot.is_installed(sources.get(edit.span.file).name())) {
        finding.fix = None;
    }
    !snapshot.is_installed(place_of(finding, sources)) && !snapshot.is_installed(&finding.module)
        || finding.category == Category::Language
            && finding.severity == Severity::Error
            && matches!(finding.stage, Stage::Load | Stage::Validate)
}
