//! Recognizes versions that a program or a person replaces in examples, such as `x.x.x`.

use crate::finding::{Concern, EngineRule, Finding};
use crate::graph::Role;

/// The findings of loading a module. In an example or a test, a placeholder for a version is left to the reader.
pub(super) fn reduced(findings: &[Finding], role: Role) -> Vec<Finding> {
    let is_for_readers = matches!(role, Role::Example | Role::Test);
    findings.iter().filter(|finding| !(is_for_readers && is_placeholder(finding))).cloned().collect()
}

/// Whether the version that a finding refuses is a placeholder: `x.x.x`, `X.Y.Z`, or a name in angle brackets.
fn is_placeholder(finding: &Finding) -> bool {
    let Concern::Name(text) = &finding.concern else { return false };
    let trimmed = text.trim_start_matches(['~', '>', '=', ' ', 'v']);
    let is_in_brackets = trimmed.starts_with('<') && trimmed.ends_with('>');
    let mut parts = trimmed.split('.');
    let is_blank =
        trimmed.contains('.') && parts.all(|part| matches!(part, "x" | "X" | "y" | "Y" | "z" | "Z"));
    finding.rule == EngineRule::InvalidVersionConstraint.id() && (is_in_brackets || is_blank)
}
