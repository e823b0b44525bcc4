//! Reports overrides in tests whose targets do not exist.

use super::{UnderTest, runs};
use crate::finding::{EngineRule, Finding, Severity};
use crate::graph::{Callee, Node, Test};
use crate::module::address::MoveEndpoint;
use crate::module::test_file::{Override, Run};

/// Whether the target of an override exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    There,
    Absent,
    Unknown,
}

/// Checks the overrides of a file: the module under test, or that of some run, must have the target.
pub(super) fn of_file(node: Node<'_>, test: &Test, findings: &mut Vec<Finding>) {
    if !is_checked(node) {
        return;
    }
    let mocks = test.file.providers.values().filter_map(|provider| provider.mock.as_ref());
    let overrides = test.file.overrides.iter().chain(mocks.flat_map(|mock| &mock.data.overrides));
    // A run with an error may use any module.
    let is_unknown = test.file.runs.iter().any(|run| run.is_broken);
    for target in overrides {
        let under = runs(node, test).map(|(_, under)| under).chain([UnderTest::Module(node)]);
        let is_absent = under.map(|under| presence(under, &target.target)).all(|it| it == Presence::Absent);
        if is_absent && !is_unknown {
            findings.push(no_target(target));
        }
    }
}

/// Checks the overrides of one run.
pub(super) fn of_run(run: &Run, under: UnderTest<'_>, findings: &mut Vec<Finding>) {
    if let UnderTest::Module(node) = under
        && is_checked(node)
    {
        let absent = run.overrides.iter().filter(|it| presence(under, &it.target) == Presence::Absent);
        findings.extend(absent.map(no_target));
    }
}

/// Only Terraform checks this, since the release in which `validate` warns about tests.
fn is_checked(node: Node<'_>) -> bool {
    node.module().features.override_targets_validated
}

fn presence(under: UnderTest<'_>, target: &MoveEndpoint) -> Presence {
    let UnderTest::Module(mut node) = under else { return Presence::Unknown };
    for step in &target.path {
        match node.callee(&step.name) {
            Callee::Module(child) if node.module().calls.contains_key(&step.name) => {
                node = node.graph().node(child);
            }
            _ if node.module().calls.contains_key(&step.name)
                || node.module().may_have(&format!("module.{}", step.name)) =>
            {
                return Presence::Unknown;
            }
            _ => return Presence::Absent,
        }
    }
    let Some(resource) = &target.resource else { return Presence::There };
    let address = &resource.resource;
    if node.module().resources.contains_key(address) {
        Presence::There
    } else if node.module().may_have(&address.to_string()) {
        Presence::Unknown
    } else {
        Presence::Absent
    }
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
