#![doc = include_str!("../../policies/rules/providers-map-redundant.md")]

use hashbrown::HashMap;

use super::providers_map_incomplete::{left_out, repeats_inheritance};
use super::{ADVICE, Context, Page, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::graph::{Found, Level, Node, Role, reaching};
use crate::module::declaration::ModuleCall;

pub(super) struct ProvidersMapRedundant;

impl Rule for ProvidersMapRedundant {
    const PAGE: Page = page!("providers-map-redundant");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        // The calls that get this far pass what the child inherits anyway, so they lack the same.
        let mut lacking = HashMap::new();
        for (call, child) in node.child_calls() {
            let Some(at) = call.providers_span else { continue };
            // A map that leaves something out is incomplete, and not redundant too.
            if !repeats_inheritance(node, child, call)
                || left_out(node, child, call).next().is_some()
                || *lacking.entry(child.id()).or_insert_with(|| lacks_configuration(node, child, call))
                || call.providers.iter().any(|entry| node.lacks_passed(child, entry))
            {
                continue;
            }
            Self::finding("Redundant `providers` map")
                .detail(
                    "The map only passes default configurations for the same providers. Without the map, the \
                         module inherits them.",
                )
                .at(at)
                .help("remove `providers` from this call")
                .fixed_by(removed(call, context).map(Fix::on_request))
                .address(format!("module.{}", call.name))
                .push_to(findings);
        }
    }
}

/// Whether a configuration is missing in the child module, which Terraform reports.
fn lacks_configuration<'t>(node: Node<'t>, child: Node<'t>, call: &'t ModuleCall) -> bool {
    let levels = [Level { node, call: None }, Level { node: child, call: Some(call) }];
    reaching(&levels).iter().any(|reaching| matches!(reaching.found, Found::Missing))
}

/// Removes every `providers` map of the call.
fn removed(call: &ModuleCall, context: &Context<'_>) -> Option<Vec<Edit>> {
    let maps = call.origin.written("providers");
    maps.iter().map(|map| Some(context.editor(map.span.file)?.remove(map.span))).collect()
}
