#![doc = include_str!("../../policies/rules/unused-output.md")]

use std::collections::BTreeMap;

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::support::expressions;
use super::{Context, Finding, Page, Rule, page};
use crate::graph::{Node, NodeId, Role, for_each_read_output};
use crate::module::Module;
use crate::module::address::{Subject, reference};

pub(super) struct UnusedOutput;

impl Rule for UnusedOutput {
    const PAGE: Page = page!("unused-output");
    const ASKS_FOR_ALL_SHARERS: bool = true;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if module.outputs.is_empty() || !is_internal(node) || context.is_tested(module) {
            return;
        }
        let Some(read) = read_by_callers(node, context) else { return };
        for output in module.outputs.values().filter(|output| !read.contains(&output.name)) {
            let finding = Self::finding("Output is not used")
                .detail(format!("No caller of this module in this repository uses `output.{}`.", output.name))
                .at(output.origin.header())
                .help("remove it, unless modules in other repositories use it")
                .address(format!("output.{}", output.name));
            let calls = node.callers().take(3).map(|(_, call)| call.origin.header());
            findings.push(finding.related_all(calls, "this call does not use it"));
        }
    }
}

/// Whether a module is internal: a root module of this repository leads to it, and nothing shows that it is run by
/// itself.
fn is_internal(node: Node<'_>) -> bool {
    let module = node.module();
    let runs = module.backend.is_some() || module.cloud.is_some();
    let may_be_run = node.run_by_units().may_be_run;
    let is_called_here = !may_be_run && !node.is_called_from_outside();
    node.role() == Role::Shared && !runs && is_called_here && node.is_below_root()
}

/// The outputs of a module that its callers read. Returns `None` if a caller may read any of them.
fn read_by_callers(node: Node<'_>, context: &Context<'_>) -> Option<HashSet<SmolStr>> {
    let mut calls: BTreeMap<NodeId, HashSet<&str>> = BTreeMap::new();
    let mut callers = BTreeMap::new();
    for (caller, call) in node.callers() {
        calls.entry(caller.id()).or_default().insert(&call.name);
        callers.insert(caller.id(), caller);
    }
    let (mut named, mut is_whole) = (HashSet::new(), false);
    for (id, caller) in callers {
        if !caller.module().complete || context.is_tested(caller.module()) {
            return None;
        }
        let of_caller = &calls[&id];
        let depended_on = depended_on(caller.module()).filter(|(call, _)| of_caller.contains(call.as_str()));
        named.extend(depended_on.map(|(_, output)| output));
        expressions::for_each(caller, context, &mut |expr, _| {
            for_each_read_output(expr, &|_| false, &mut |call, output| match output {
                _ if call.is_some_and(|call| !of_caller.contains(call.as_str())) => {}
                Some(output) => {
                    named.insert(output.clone());
                }
                None => is_whole = true,
            });
        });
    }
    (!is_whole).then_some(named)
}

/// The outputs that `depends_on` of a caller names, each with the call.
fn depended_on(caller: &Module) -> impl Iterator<Item = (SmolStr, SmolStr)> {
    let of_resources = caller.resources.values().flat_map(|resource| &resource.depends_on);
    let of_calls = caller.calls.values().flat_map(|call| &call.depends_on);
    let of_outputs = caller.outputs.values().flat_map(|output| &output.depends_on);
    of_resources.chain(of_calls).chain(of_outputs).filter_map(|dependency| {
        match reference(&dependency.traversal, &caller.features).ok()?.subject {
            Subject::Module { call, output: Some(output), .. } => Some((call, output)),
            _ => None,
        }
    })
}
