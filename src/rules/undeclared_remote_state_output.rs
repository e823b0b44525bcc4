#![doc = include_str!("../../policies/rules/undeclared-remote-state-output.md")]

use std::collections::{BTreeMap, BTreeSet};

use smol_str::{SmolStr, format_smolstr};

use super::support::state_addresses::{OutputRead, StateOutputs};
use super::{ADVICE, BackendEvidence, Context, Node, Page, Role, Rule, States, page};
use crate::finding::{Concern, Finding};
use crate::module::ByStateAddress;
use crate::text::{Span, Suggestions, module_at};
use crate::vfs::Snapshot;

pub(super) struct UndeclaredRemoteStateOutput;

impl Rule for UndeclaredRemoteStateOutput {
    const PAGE: Page = page!("undeclared-remote-state-output");
    const ROLES: &'static [Role] = ADVICE;

    /// Records outputs and reads. Root modules are checked in batches, and [`findings`] compares all of them at the end.
    fn check(&self, node: Node<'_>, context: &Context<'_>, _: &mut Vec<Finding>) {
        let module = node.module();
        if let Some((address, _)) = node.state_address() {
            let names = module.outputs.keys().cloned().collect();
            context.states().note_outputs(&module.directory, StateOutputs { address, names });
        }
        for state in node.remote_states().into_iter().filter(|state| !state.has_defaults) {
            let Some(address) = state.address else { continue };
            for (output, at) in state.outputs {
                context.states().note_read(OutputRead {
                    directory: module.directory.clone(),
                    data: state.name.clone(),
                    address: address.clone(),
                    output,
                    at,
                });
            }
        }
    }
}

/// The outputs that are read from the states of root modules that do not declare them.
pub(super) fn findings(states: &States, snapshot: &Snapshot) -> Vec<Finding> {
    let outputs = states.outputs();
    let mut by_address = ByStateAddress::default();
    for of_root in &outputs {
        by_address.insert(&of_root.1.address, of_root);
    }
    let mut evidence = BackendEvidence::new(snapshot);
    let mut missing: BTreeMap<(SmolStr, SmolStr, SmolStr), BTreeSet<Span>> = BTreeMap::new();
    let mut declared: BTreeMap<SmolStr, &BTreeSet<SmolStr>> = BTreeMap::new();
    for OutputRead { directory, data, address, output, at } in states.reads() {
        let mut kept = by_address.near(&address).filter(|(_, kept)| address.selects(&kept.address));
        let (Some((root, kept)), None) = (kept.next(), kept.next()) else { continue };
        if kept.names.contains(&output) || *root == directory || evidence.replacement(root).is_some() {
            continue;
        }
        declared.insert(root.clone(), &kept.names);
        let data = format_smolstr!("data.terraform_remote_state.{data}");
        missing.entry((directory, data, format_smolstr!("{root}\0{output}"))).or_default().insert(at);
    }
    let suggestions = Suggestions::default();
    let found = missing.into_iter().filter_map(|((directory, data, output), places)| {
        let (root, output) = output.split_once('\0')?;
        let at = *places.first()?;
        let names = declared.get(root)?.iter().map(SmolStr::as_str);
        let shown = module_at(root);
        Some(
            UndeclaredRemoteStateOutput::finding("Output of another root module is not declared")
                .detail(format!(
                    "`{data}` reads the state of {shown}, which declares no output `{output}`. Once {shown} is applied, \
                     its state does not have the output, and `plan` fails here with \"Unsupported attribute\"."
                ))
                .at(at)
                .label("not declared there")
                .help(format!("declare `output \"{output}\"` in {shown} and apply it first, or remove the reference"))
                .meant(suggestions.nearest(output, names))
                .module(directory)
                .address(data.clone())
                .concerns(Concern::Name(output.into())),
        )
    });
    found.collect()
}
