#![doc = include_str!("../../policies/rules/unused-output.md")]

use std::collections::{BTreeMap, BTreeSet, HashSet};

use smol_str::SmolStr;

use super::support::expressions;
use super::{Context, Rule};
use crate::finding::Finding;
use crate::graph::{Node, NodeId, Reason, Role};
use crate::syntax::{Expr, ExprKind, Step, StepKind, Traversal};
use crate::text::Span;

#[derive(Default)]
pub(super) struct UnusedOutput;

impl Rule for UnusedOutput {
    const ID: &'static str = "unused-output";
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
            findings.push(node.callers().take(3).fold(finding, |finding, (_, call)| {
                finding.related(call.origin.header(), "this call does not use it")
            }));
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
    node.role() == Role::Shared && !runs && is_called_here && has_root_above(node)
}

fn has_root_above(node: Node<'_>) -> bool {
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    let mut next = vec![node];
    while let Some(one) = next.pop() {
        let (role, reason) = one.role_with_reason();
        if role == Role::Root && reason != Reason::Uncalled {
            return true;
        }
        next.extend(one.callers().map(|(caller, _)| caller).filter(|caller| seen.insert(caller.id())));
    }
    false
}

/// The outputs of a module that its callers read. Returns `None` if a caller may read any of them.
fn read_by_callers(node: Node<'_>, context: &Context<'_>) -> Option<HashSet<SmolStr>> {
    let mut calls: BTreeMap<NodeId, HashSet<&str>> = BTreeMap::new();
    let mut callers = BTreeMap::new();
    for (caller, call) in node.callers() {
        calls.entry(caller.id()).or_default().insert(&call.name);
        callers.insert(caller.id(), caller);
    }
    let mut reads = Reads { named: HashSet::new(), any: false };
    for (id, caller) in callers {
        if !caller.module().complete || context.is_tested(caller.module()) {
            return None;
        }
        expressions::for_each(caller, context, &mut |expr, _| reads.look(expr, &calls[&id]));
    }
    (!reads.any).then_some(reads.named)
}

/// The outputs that are read.
struct Reads {
    named: HashSet<SmolStr>,
    /// Whether the module is used as a whole.
    any: bool,
}

impl Reads {
    /// Checks every reference to these calls in an expression.
    fn look(&mut self, expr: &Expr, calls: &HashSet<&str>) {
        // References whose output an enclosing expression selects.
        let mut done: HashSet<Span> = HashSet::new();
        expr.walk(&mut |inner, _| match &inner.kind {
            ExprKind::Relative(relative) => {
                if let ExprKind::Index { collection, .. } = &relative.from.kind
                    && let Some(output) = attribute(relative.steps.first())
                    && is_bare(collection, calls)
                {
                    self.named.insert(output.clone());
                    done.insert(collection.span);
                }
            }
            ExprKind::Splat { source, each, .. } => {
                if let ExprKind::Relative(relative) = &each.kind
                    && let ExprKind::Element = relative.from.kind
                    && let Some(output) = attribute(relative.steps.first())
                    && is_bare(source, calls)
                {
                    self.named.insert(output.clone());
                    done.insert(source.span);
                }
            }
            ExprKind::Traversal(traversal) if is_of(traversal, calls) && !done.contains(&inner.span) => {
                match output(traversal) {
                    Some(output) => {
                        self.named.insert(output.clone());
                    }
                    None => self.any = true,
                }
            }
            _ => {}
        });
    }
}

/// The output in a reference to a module, with or without an instance key.
fn output(traversal: &Traversal) -> Option<&SmolStr> {
    let behind = traversal.steps.get(1)?;
    attribute(Some(behind)).or_else(|| attribute(traversal.steps.get(2)))
}

fn attribute(step: Option<&Step>) -> Option<&SmolStr> {
    match &step?.kind {
        StepKind::Attribute(name) => Some(name),
        StepKind::Key(_) | StepKind::Number(_) | StepKind::Word(_) => None,
    }
}

/// Whether this is exactly `module.name` of one of these calls.
fn is_bare(expr: &Expr, calls: &HashSet<&str>) -> bool {
    matches!(&expr.kind, ExprKind::Traversal(traversal) if traversal.steps.len() == 1 && is_of(traversal, calls))
}

/// Whether a reference is to one of these calls, or may be.
fn is_of(traversal: &Traversal, calls: &HashSet<&str>) -> bool {
    traversal.root == "module"
        && attribute(traversal.steps.first()).is_none_or(|name| calls.contains(name.as_str()))
}
