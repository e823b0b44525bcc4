//! Finds arguments of module calls for variables that the called module wants nobody to set any more.

use crate::engine::Product;
use crate::finding::{EngineRule, Finding, Severity};
use crate::graph::{Node, arguments};
use crate::module::Module;
use crate::module::declaration::{ModuleCall, Variable};
use crate::syntax::{Attribute, ExprKind};

/// Looks at every call of a module that is known.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    for (call, _) in node.calls() {
        let Some(child) = node.child(&call.name).map(Node::module) else { continue };
        if child.variables.values().any(|variable| variable.deprecated.is_some()) {
            in_call(call, child, findings);
        }
    }
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
    let said = variable.deprecated.as_ref()?;
    let summary = match product {
        // To Terraform null is no value.
        Product::Terraform if matches!(attribute.expr.kind, ExprKind::Null) => return None,
        Product::Terraform => "Deprecated variable got a value",
        Product::OpenTofu if said.value.is_empty() => return None,
        Product::OpenTofu => "Variable marked as deprecated by the module author",
    };
    Some(
        Finding::language(EngineRule::DeprecatedModuleArgument, summary)
            .severity(Severity::Warning)
            .at_validate()
            .detail(format!("The child module marks `{}` as deprecated: {}", variable.name, said.value))
            .at(attribute.expr.span)
            .address(format!("module.{}", call.name))
            .related(said.span, "set here"),
    )
}
