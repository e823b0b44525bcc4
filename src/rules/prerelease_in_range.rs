#![doc = include_str!("../../policies/rules/prerelease-in-range.md")]

use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};
use crate::module::declaration::VersionConstraint;
use crate::value::{Condition, Operator, Version};

pub(super) struct PrereleaseInRange;

impl Rule for PrereleaseInRange {
    const PAGE: Page = page!("prerelease-in-range");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // In `required_version`, the engine refuses all prereleases.
        for entry in module.required_providers.values() {
            let version = entry.version.as_ref();
            let of_provider = |finding: Finding| finding.concerns(Concern::Provider(entry.name.clone()));
            findings.extend(version.and_then(ranged).map(of_provider));
        }
        for call in module.calls.values() {
            let version = call.version.as_ref();
            let of_call = |finding: Finding| finding.address(format!("module.{}", call.name));
            findings.extend(version.and_then(ranged).map(of_call));
        }
    }
}

/// The first prerelease in a range of this constraint.
pub(super) fn prerelease(version: &VersionConstraint) -> Option<&Version> {
    let mut conditions = version.constraints.as_ref()?.conditions().iter();
    conditions.find(|condition| is_ranged(condition)).map(|condition| &condition.version)
}

fn ranged(version: &VersionConstraint) -> Option<Finding> {
    let ranged = prerelease(version)?;
    let conditions = version.constraints.as_ref()?.conditions();
    let released = conditions.iter().zip(version.text.split(','));
    let released: Vec<String> =
        released.map(|(condition, text)| without_prerelease(condition, text)).collect();
    Some(
        PrereleaseInRange::finding("Prerelease in a range of versions")
            .detail(format!("A range never selects a prerelease: only the exact constraint \"= {ranged}\" selects {ranged}."))
            .at(version.value_span)
            .help(format!("write \"= {ranged}\" to select the prerelease, or {:?} to select releases", released.join(", "))),
    )
}

/// Whether a condition has a prerelease as the lower end of a range.
fn is_ranged(condition: &Condition) -> bool {
    condition.version.is_prerelease()
        && match condition.operator {
            Operator::Greater | Operator::GreaterOrEqual | Operator::Pessimistic => true,
            Operator::Equal | Operator::NotEqual | Operator::Less | Operator::LessOrEqual => false,
        }
}

/// The condition for the same releases without a prerelease.
fn without_prerelease(condition: &Condition, text: &str) -> String {
    let text = text.trim();
    if !is_ranged(condition) {
        return text.to_owned();
    }
    let text = text.split_once('-').map_or(text, |(release, _)| release);
    // The release is newer than its prereleases.
    match text.strip_prefix('>').filter(|rest| !rest.starts_with('=')) {
        Some(version) => format!(">={version}"),
        None => text.to_owned(),
    }
}
