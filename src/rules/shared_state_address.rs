#![doc = include_str!("../../policies/rules/shared-state-address.md")]

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::mend::listed;
use super::{Context, Rule, States};
use crate::engine::is_module_file;
use crate::finding::{Concern, Finding};
use crate::graph::{Node, Role};
use crate::module::StateAddress;
use crate::policy::Options;
use crate::text::Span;
use crate::vfs::{Snapshot, child, parent};

pub(super) struct SharedStateAddress;

impl Rule for SharedStateAddress {
    const ID: &'static str = "shared-state-address";
    const ROLES: &'static [Role] = &[Role::Root];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    /// Notes the address. Root modules are looked at in batches, so that [`findings`] compares them once all are known.
    fn check(&self, node: Node<'_>, context: &Context<'_>, _: &mut Vec<Finding>) {
        let module = node.module();
        let Some(storage) = module.cloud.as_ref().or(module.backend.as_ref()) else { return };
        if node.is_called() || !module.complete {
            return;
        }
        let address = StateAddress::of(storage.kind.as_deref(), &storage.block, &module.limits);
        if let Some(address) = address.and_then(|address| address.from_top(&module.directory)) {
            context.states().note(&module.directory, address, storage.block.header);
        }
    }
}

/// The root modules of a run that share a state with others, one finding for each state.
pub fn findings(states: States, snapshot: &Snapshot) -> Vec<Finding> {
    let mut by_address: BTreeMap<StateAddress, BTreeMap<SmolStr, Span>> = BTreeMap::new();
    for (directory, (address, at)) in states.certain() {
        by_address.entry(address).or_default().insert(directory, at);
    }
    let mut findings = Vec::new();
    for (address, mut roots) in by_address {
        if roots.len() > 1 {
            roots.retain(|directory, _| !may_be_configured_elsewhere(directory, snapshot));
        }
        findings.extend(shared(&address, &roots));
    }
    findings
}

fn shared(address: &StateAddress, roots: &BTreeMap<SmolStr, Span>) -> Option<Finding> {
    let mut places: Vec<(&SmolStr, Span)> = roots.iter().map(|(directory, at)| (directory, *at)).collect();
    // Several root modules may load one file by symbolic links.
    let mut seen = BTreeSet::new();
    places.retain(|(_, at)| seen.insert(*at));
    let [(first, at), others @ ..] = places.as_slice() else { return None };
    if others.is_empty() {
        return None;
    }
    let finding = SharedStateAddress::finding("Root modules share a state")
        .detail(format!(
            "{} root modules keep their state at one address: the `{}` backend with the same {}. In the same workspace, a \
             plan in one of them proposes to destroy the resources of the others.",
            places.len(),
            address.backend,
            listed(address.arguments.keys().copied()),
        ))
        .at(*at)
        .module((*first).clone())
        .help(format!("give each root module its own `{}`", address.own))
        .concerns(Concern::Modules(roots.keys().cloned().collect()));
    Some(others.iter().fold(finding, |finding, (_, at)| finding.related(*at, "the same state")))
}

/// Whether a file shows that the backend may get other arguments: from Terragrunt, or by `-backend-config`.
fn may_be_configured_elsewhere(directory: &str, snapshot: &Snapshot) -> bool {
    let is_about_backends = |name: &String| name.contains("backend") && !is_module_file(name);
    let has_configuration = |directory: &str| {
        let names = snapshot.names(directory);
        names.files.iter().chain(&names.directories).any(is_about_backends)
    };
    let has_terragrunt = |directory: &str| snapshot.names(directory).files.contains("terragrunt.hcl");
    let mut around = std::iter::successors(Some(directory), |path| parent(path));
    let below = snapshot.names(directory).directories;
    has_configuration(directory)
        || below.iter().any(|name| has_configuration(&child(directory, name)))
        || around.any(has_terragrunt)
}
