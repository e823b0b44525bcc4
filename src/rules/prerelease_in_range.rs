#![doc = include_str!("../../policies/rules/prerelease-in-range.md")]

use super::{ADVICE, Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::{Node, Role};
use crate::module::declaration::VersionConstraint;
use crate::policy::Options;
use crate::value::Operator;

pub(super) struct PrereleaseInRange;

impl Rule for PrereleaseInRange {
    const ID: &'static str = "prerelease-in-range";
    const ROLES: &'static [Role] = ADVICE;

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // In `required_version` the engines refuse any prerelease.
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

fn ranged(version: &VersionConstraint) -> Option<Finding> {
    let mut conditions = version.constraints.as_ref()?.conditions().iter();
    let ranged = conditions.find(|condition| {
        condition.version.is_prerelease()
            && match condition.operator {
                Operator::Greater | Operator::GreaterOrEqual | Operator::Pessimistic => true,
                Operator::Equal | Operator::NotEqual | Operator::Less | Operator::LessOrEqual => false,
            }
    })?;
    Some(
        PrereleaseInRange::finding("Prerelease in a range of versions")
            .detail(format!(
                "A range selects no prerelease, not even {}: only an exact constraint does.",
                ranged.version
            ))
            .at(version.value_span)
            .help(format!("write \"= {}\" to use it, or the release to be waited for", ranged.version)),
    )
}
