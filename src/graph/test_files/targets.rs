//! Reports overrides in tests whose targets do not exist.

use std::collections::BTreeMap;

use super::runs;
use crate::finding::{EngineRule, Finding, Severity};
use crate::graph::{Node, NodeId, Test};
use crate::module::address::MoveEndpoint;
use crate::module::test_file::{Override, Run};

/// Checks the overrides of a file: the module under test, or that of some run, must have the target.
pub(super) fn of_file(node: Node<'_>, test: &Test, findings: &mut Vec<Finding>) {
    if !is_checked(node) {
        return;
    }
    let mocks = test.file.providers.values().filter_map(|provider| provider.mock.as_ref());
    let overrides = test.file.overrides.all().iter().chain(mocks.flat_map(|mock| mock.data.overrides.all()));
    // A run with an error may use any module.
    let is_unknown =
        test.file.runs.iter().any(|run| run.is_broken) || runs(node, test).any(|(_, under)| under.is_none());
    if is_unknown {
        return;
    }
    let mut under: BTreeMap<NodeId, Node<'_>> = BTreeMap::from([(node.id(), node)]);
    under.extend(runs(node, test).filter_map(|(_, under)| under).map(|under| (under.id(), under)));
    let absent = |target: &&Override| under.values().all(|under| is_absent(*under, &target.target));
    findings.extend(overrides.filter(absent).map(no_target));
}

/// Checks the overrides of one run.
pub(super) fn of_run(run: &Run, under: Option<Node<'_>>, findings: &mut Vec<Finding>) {
    if let Some(node) = under.filter(|node| is_checked(*node)) {
        let absent = run.overrides.all().iter().filter(|it| is_absent(node, &it.target));
        findings.extend(absent.map(no_target));
    }
}

/// Only Terraform checks this, since the release in which `validate` warns about tests.
fn is_checked(node: Node<'_>) -> bool {
    node.module().features.override_targets_validated
}

/// Whether the module under test certainly lacks a target.
fn is_absent(mut node: Node<'_>, target: &MoveEndpoint) -> bool {
    for step in &target.path {
        if !node.module().calls.contains_key(&step.name) {
            return !node.module().may_have(&format!("module.{}", step.name));
        }
        let Some(child) = node.child(&step.name) else { return false };
        node = child;
    }
    let module = node.module();
    target.resource.as_ref().map(|resource| &resource.resource).is_some_and(|address| {
        !module.resources.contains_key(address) && !module.may_have(&address.to_string())
    })
}

fn no_target(target: &Override) -> Finding {
    Finding::language(EngineRule::InvalidTest, "Invalid override target")
        .severity(Severity::Warning)
        .at_validate()
        .detail(format!(
            "The configuration under test has no `{}`, so this override has no effect.",
            target.target
        ))
        .at(target.argument)
        .help("correct the address, or remove the block")
}
