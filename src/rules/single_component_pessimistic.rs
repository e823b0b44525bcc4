#![doc = include_str!("../../policies/rules/single-component-pessimistic.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::module::declaration::VersionConstraint;
use crate::policy::Options;
use crate::tree::Node;

pub(super) struct SingleComponentPessimistic;

impl Rule for SingleComponentPessimistic {
    const ID: &'static str = "single-component-pessimistic";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for version in &module.required_versions {
            findings.extend(floating(version, "terraform.required_version".to_owned()));
        }
        for call in module.calls.values() {
            let version = call.version.as_ref();
            findings.extend(version.and_then(|version| floating(version, format!("module.{}", call.name))));
        }
    }
}

fn floating(version: &VersionConstraint, address: String) -> Option<Finding> {
    let conditions = version.constraints.as_ref()?.conditions();
    let major = conditions.iter().find(|condition| condition.floats())?.version.segments()[0];
    Some(
        SingleComponentPessimistic::finding("Pessimistic constraint with a single number")
            .detail(format!(
                "Of what stands behind `~>` only the last number may grow, and here that is the first: `~> {major}` \
                 means `>= {major}`. Only for providers does it keep the next major version out."
            ))
            .at(version.value_span)
            .help(format!("write \"~> {major}.0\" to stay below the next major version, or \">= {major}\""))
            .address(address),
    )
}
