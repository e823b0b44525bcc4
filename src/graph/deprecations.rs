//! Finds uses of deprecated variables and outputs of child modules.

use std::collections::BTreeSet;

use smol_str::format_smolstr;

use crate::engine::Product;
use crate::finding::{Concern, EngineRule, Finding, Severity};
use crate::graph::references::sites::{self, Found, Owner, Site};
use crate::graph::{Node, NodeId, arguments};
use crate::module::declaration::{ModuleCall, Variable};
use crate::module::{Module, Variables};
use crate::syntax::{Attribute, Expr, ExprKind, Step, StepKind};

/// Checks every call of a module in the graph.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    for (call, child) in node.child_calls() {
        if child.module().has_variables_with(Variables::Deprecated) {
            in_call(call, child.module(), findings);
        }
    }
    let has_deprecated = |child: NodeId| {
        node.graph().node(child).module().outputs.values().any(|output| output.deprecated.is_some())
    };
    // Many calls may lead to one large module.
    let children: BTreeSet<NodeId> = node.child_calls().map(|(_, child)| child.id()).collect();
    if children.into_iter().any(has_deprecated) {
        sites::for_each(node, &mut |site, found| {
            if let Found::Expression(expr, _) = found {
                findings.extend(used_output(node, site, expr));
            }
        });
    }
}

/// The finding for a reference to a deprecated output, unless its value becomes a deprecated output itself.
fn used_output(node: Node<'_>, site: &Site<'_>, expr: &Expr) -> Option<Finding> {
    if matches!(&site.owner, Owner::Output(output) if output.deprecated.is_some()) {
        return None;
    }
    let ExprKind::Traversal(traversal) = &expr.kind else { return None };
    let (first, rest) = traversal.steps.split_first().filter(|_| traversal.root == "module")?;
    let StepKind::Attribute(call) = &first.kind else { return None };
    let is_instance = |step: &Step| matches!(step.kind, StepKind::Number(_) | StepKind::Key(_));
    let rest = rest.split_first().filter(|(step, _)| is_instance(step)).map_or(rest, |(_, rest)| rest);
    let StepKind::Attribute(name) = &rest.first()?.kind else { return None };
    let reported = node.child(call)?.module().outputs.get(name)?.deprecated.as_ref()?;
    let finding = |summary: &str, detail: String| {
        Finding::language(EngineRule::DeprecatedModuleOutput, summary)
            .severity(Severity::Warning)
            .at_validate()
            .detail(detail)
            .at(expr.span)
            .address(site.to_string())
            .concerns(Concern::Name(format_smolstr!("module.{call}.{name}")))
            .related(reported.span, "deprecated here")
    };
    Some(match node.graph().engine().product {
        Product::Terraform => finding(
            "Deprecated value used",
            format!("The child module marks `{name}` as deprecated: {}", reported.value),
        ),
        Product::OpenTofu => finding(
            "Value derived from a deprecated source",
            format!(
                "This value is derived from module.{call}.{name}, which is deprecated: {}",
                reported.value
            ),
        ),
    })
}

fn in_call(call: &ModuleCall, child: &Module, findings: &mut Vec<Finding>) {
    for attribute in arguments::given(call, child) {
        if let Some(variable) = child.variables.get(&attribute.name) {
            findings.extend(deprecated(call, variable, &attribute, child.features.engine.product));
        }
    }
}

fn deprecated(
    call: &ModuleCall,
    variable: &Variable,
    attribute: &Attribute,
    product: Product,
) -> Option<Finding> {
    let reported = variable.deprecated.as_ref()?;
    let summary = match product {
        // Terraform treats null as not set.
        Product::Terraform if matches!(attribute.expr.kind, ExprKind::Null) => return None,
        Product::Terraform => "Deprecated variable got a value",
        Product::OpenTofu if reported.value.is_empty() => return None,
        Product::OpenTofu => "Variable marked as deprecated by the module author",
    };
    Some(
        Finding::language(EngineRule::DeprecatedModuleArgument, summary)
            .severity(Severity::Warning)
            .at_validate()
            .detail(format!("The child module marks `{}` as deprecated: {}", variable.name, reported.value))
            .at(attribute.expr.span)
            .address(format!("module.{}", call.name))
            .related(reported.span, "marked as deprecated here"),
    )
}
