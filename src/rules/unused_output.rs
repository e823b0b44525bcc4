#![doc = include_str!("../../policies/rules/unused-output.md")]

use super::support::expressions;
use super::support::read_outputs::ReadOutputs;
use super::{Context, Finding, Page, Rule, page};
use crate::graph::{Node, Role, for_each_read_output};
use crate::module::address::{Subject, reference};
use crate::module::declaration::Output;

pub(super) struct UnusedOutput;

impl Rule for UnusedOutput {
    const PAGE: Page = page!("unused-output");
    const ASKS_FOR_ALL_SHARERS: bool = true;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if module.outputs.is_empty() || !is_internal(node) || context.is_tested(module) {
            return;
        }
        let is_readable = |caller: Node<'_>| caller.module().complete && !context.is_tested(caller.module());
        if !node.callers().all(|(caller, _)| is_readable(caller)) {
            return;
        }
        let mut unread: Vec<&Output> = module.outputs.values().map(|output| &**output).collect();
        for (caller, call) in node.callers() {
            let read = context.read_outputs.get(caller.id(), || read_outputs(caller, context));
            unread.retain(|output| !read.has(&call.name, &output.name));
        }
        for output in unread {
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

/// The outputs of its child modules that a module reads in its expressions and in `depends_on`.
fn read_outputs(node: Node<'_>, context: &Context<'_>) -> ReadOutputs {
    let mut read = ReadOutputs::default();
    let module = node.module();
    let of_resources = module.resources.values().flat_map(|resource| &resource.depends_on);
    let of_calls = module.calls.values().flat_map(|call| &call.depends_on);
    let of_outputs = module.outputs.values().flat_map(|output| &output.depends_on);
    for dependency in of_resources.chain(of_calls).chain(of_outputs) {
        let subject = reference(&dependency.traversal, &module.features).map(|found| found.subject);
        if let Ok(Subject::Module { call, output: Some(output), .. }) = subject {
            read.add(Some(&call), Some(&output));
        }
    }
    expressions::for_each(node, context, &mut |expr, _| {
        for_each_read_output(expr, module, &mut |call, output| read.add(call, output));
    });
    read
}
