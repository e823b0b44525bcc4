#![doc = include_str!("../../policies/rules/shared-state-address.md")]

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::support::edits::listed;
use super::{BackendEvidence, Context, Node, Page, Role, Rule, States, page};
use crate::engine::{Companion, is_automatic_values_file};
use crate::finding::{Concern, Finding, Severity};
use crate::module::StateAddress;
use crate::text::Span;
use crate::vfs::{Snapshot, child};

pub(super) struct SharedStateAddress;

impl Rule for SharedStateAddress {
    const PAGE: Page = page!("shared-state-address");
    const ROLES: &'static [Role] = &[Role::Root];

    /// Records the address. Root modules are checked in batches, and [`findings`] compares all of them at the end.
    fn check(&self, node: Node<'_>, context: &Context<'_>, _: &mut Vec<Finding>) {
        if let Some((address, Some(at))) = node.state_address() {
            context.states().note(&node.module().directory, address, at);
        }
    }
}

/// The root modules of a run that share a state, one finding per state.
pub(super) fn findings(states: &States, snapshot: &Snapshot) -> Vec<Finding> {
    let mut by_address: BTreeMap<StateAddress, BTreeMap<SmolStr, Span>> = BTreeMap::new();
    for (directory, (address, at)) in states.certain() {
        by_address.entry(address).or_default().insert(directory, at);
    }
    let mut beside = BackendEvidence::new(snapshot);
    let mut findings = Vec::new();
    for (address, mut roots) in by_address {
        if roots.len() > 1 {
            roots.retain(|directory, _| beside.replacement(directory).is_none());
        }
        let finding = shared(&address, &roots);
        let has_workspaces =
            || address.has_workspaces() || roots.keys().any(|directory| uses_workspaces(directory, snapshot));
        findings.extend(
            finding.map(
                |finding| {
                    if has_workspaces() { finding.severity(Severity::Notice) } else { finding }
                },
            ),
        );
    }
    findings
}

fn shared(address: &StateAddress, roots: &BTreeMap<SmolStr, Span>) -> Option<Finding> {
    let mut places: Vec<(&SmolStr, Span)> = roots.iter().map(|(directory, at)| (directory, *at)).collect();
    // Several root modules may load one file through symbolic links.
    let mut seen = BTreeSet::new();
    places.retain(|(_, at)| seen.insert(*at));
    let [(first, at), others @ ..] = places.as_slice() else { return None };
    if others.is_empty() {
        return None;
    }
    let finding = SharedStateAddress::finding("Root modules share a state")
        .detail(format!(
            "{} root modules keep their state {} plan in one of them proposes to destroy resources that only {} declares.",
            places.len(),
            described(address),
            if places.len() == 2 { "the other" } else { "another one" },
        ))
        .at(*at)
        .module((*first).clone())
        .help(match address.backend {
            "remote" => {
                other_address("workspace (`name`)", "`init -reconfigure`, or `init` for a `cloud` block")
            }
            _ => other_address(&format!("`{}`", address.own), "`init -reconfigure`"),
        })
        .concerns(Concern::Modules(roots.keys().cloned().collect()));
    Some(finding.related_all(others.iter().map(|(_, at)| *at), "the same state"))
}

/// The help. `init -migrate-state` would copy the whole state.
fn other_address(own: &str, init: &str) -> String {
    format!(
        "delete root modules that are copies and no longer used. Keep this {own} in the root module that owns the \
         state. In each other root module, first move its resources out of the state, as `overrule explain \
         shared-state-address` describes. Then set another {own} and run {init}"
    )
}

/// Whether the root module in a directory is likely used with several workspaces, which have separate states: it
/// refers to `terraform.workspace`, or has several variable definitions files.
fn uses_workspaces(directory: &str, snapshot: &Snapshot) -> bool {
    let files = snapshot.directory(directory).map_or(&[][..], |directory| &directory.files);
    let mut texts = files.iter().filter_map(|file| Some(snapshot.sources().get(file.id?).text()));
    let names = snapshot.names(directory);
    let below = names.directories.iter().flat_map(|name| snapshot.names(&child(directory, name)).files);
    let is_chosen =
        |name: &String| Companion::of(name) == Some(Companion::Values) && !is_automatic_values_file(name);
    texts.any(|text| text.contains("terraform.workspace"))
        || names.files.iter().cloned().chain(below).filter(is_chosen).nth(1).is_some()
}

/// The location of a state, and the start of the next sentence.
fn described(StateAddress { backend, arguments, .. }: &StateAddress) -> String {
    let value = |name| arguments.get(name).map_or("", SmolStr::as_str);
    match *backend {
        "remote" => {
            format!(
                "in one workspace, `{}` of the organization `{}`. A",
                value("name"),
                value("organization")
            )
        }
        "local" => format!("in one file, `{}`. In the same workspace, a", value("path")),
        backend => {
            let same = listed(arguments.keys().copied());
            format!("at one address: the `{backend}` backend with the same {same}. In the same workspace, a")
        }
    }
}
