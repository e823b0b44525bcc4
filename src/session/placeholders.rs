//! Reduces the findings about versions that a program or a person replaces in examples, such as `x.x.x`.

use std::collections::BTreeMap;

use crate::finding::{Concern, EngineRule, Finding, Related, Severity};
use crate::graph::Role;

/// The findings of loading a module. In an example or a test, those about one placeholder become one notice.
pub(super) fn reduced(findings: &[Finding], role: Role) -> Vec<Finding> {
    if !matches!(role, Role::Example | Role::Test) {
        return findings.to_vec();
    }
    let mut reduced: Vec<Finding> = Vec::new();
    let mut first_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut in_order: Vec<&Finding> = findings.iter().collect();
    in_order.sort_by_key(|finding| finding.primary);
    for finding in in_order {
        let Some(text) = placeholder(finding) else {
            reduced.push(finding.clone());
            continue;
        };
        let first = *first_of.entry(text).or_insert(reduced.len());
        if let Some(first) = reduced.get_mut(first) {
            first
                .related
                .extend(finding.primary.map(|span| Related { span, message: "the same placeholder".into() }));
        } else {
            let notice = Finding { summary: "Placeholder for a version".into(), ..finding.clone() };
            notice
                .severity(Severity::Notice)
                .detail(format!("`{text}` is not a version, so `init` fails until something replaces it."))
                .push_to(&mut reduced);
        }
    }
    reduced
}

/// The version that a finding refuses, if it is a placeholder: `x.x.x`, `X.Y.Z`, or a name in angle brackets.
fn placeholder(finding: &Finding) -> Option<&str> {
    let Concern::Name(text) = &finding.concern else { return None };
    let trimmed = text.trim_start_matches(['~', '>', '=', ' ', 'v']);
    let is_in_brackets = trimmed.starts_with('<') && trimmed.ends_with('>');
    let mut parts = trimmed.split('.');
    let is_blank =
        trimmed.contains('.') && parts.all(|part| matches!(part, "x" | "X" | "y" | "Y" | "z" | "Z"));
    (finding.rule == EngineRule::InvalidVersionConstraint.id() && (is_in_brackets || is_blank))
        .then_some(text)
}
