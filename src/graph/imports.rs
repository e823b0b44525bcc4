//! Checks that the targets of imports exist and have the given instances.

use crate::finding::{EngineRule, Finding};
use crate::graph::{Callee, Node};
use crate::module::address::{ImportTarget, InstanceKey};
use crate::module::declaration::{Import, Resource};
use crate::syntax::{Attribute, ExprKind, Step, StepKind};
use crate::text::{Span, with_article};
use crate::value::{Value, elements};

pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    if node.is_called() || !node.module().features.import_targets_validated {
        // The addresses are relative to a root module.
        return;
    }
    for import in &node.module().imports {
        let Some(target) = &import.target else { continue };
        let wrong = wrong(node, import).into_iter();
        findings.extend(wrong.map(|finding| finding.at_validate().address(format!("import.{target}"))));
    }
}

/// Whether the engine evaluates the `id` of an import: only if the resource is valid, and there is something to
/// import.
pub(super) fn reaches_id(node: Node<'_>, import: &Import) -> bool {
    if !node.module().features.import_targets_validated {
        return true;
    }
    reaches_for_each(node, import)
        && import.for_each.as_ref().is_none_or(|for_each| has_elements(node, for_each))
}

/// Whether the value of a `for_each` is known and not empty.
fn has_elements(node: Node<'_>, for_each: &Attribute) -> bool {
    let value = node.values().of(&for_each.expr);
    value.is_wholly_known() && value.parts().next().is_some()
}

/// Whether the engine evaluates the `for_each` of an import.
pub(super) fn reaches_for_each(node: Node<'_>, import: &Import) -> bool {
    !node.module().features.import_targets_validated || wrong(node, import).is_empty()
}

/// The errors in the target of an import in a root module.
fn wrong(node: Node<'_>, import: &Import) -> Vec<Finding> {
    let (Some(target), Some(to)) = (&import.target, &import.to) else { return Vec::new() };
    let finding = absent_or_other(node, import, target, to.span);
    if finding.is_none() && !target.is_static && import.for_each.is_none() {
        let found = |summary: &str| Finding::language(EngineRule::InvalidMovedRemovedImport, summary);
        let detail = "Without `for_each`, every key of this address must be a constant.";
        return vec![
            found("Invalid expression").at(to.span).detail(detail),
            // The engine continues with an empty address.
            found("Invalid address").detail(detail).related(to.span, "this address"),
        ];
    }
    finding.into_iter().collect()
}

fn absent_or_other(node: Node<'_>, import: &Import, target: &ImportTarget, at: Span) -> Option<Finding> {
    let mut module = node;
    for step in &target.path {
        if !module.module().complete {
            return None;
        }
        match module.callee(&step.name) {
            Callee::Module(child) => module = node.graph().node(child),
            Callee::Opaque if !module.module().calls.contains_key(&step.name) => {
                return Some(absent(target, at, &format!("no module call is named `{}`", step.name)));
            }
            Callee::Missing | Callee::Outside | Callee::Opaque => return None,
        }
    }
    let resource = module.module().resources.get(&target.resource.resource);
    match resource {
        Some(resource) if target.is_static => {
            let is_reached = import.for_each.as_ref().is_none_or(|for_each| has_elements(node, for_each));
            instances(resource, target.resource.key.as_ref(), at).filter(|_| is_reached)
        }
        Some(resource) => made_for_each(node, import, resource, at),
        None if !module.module().complete => None,
        None if !target.path.is_empty() => Some(absent(target, at, "the module does not declare it")),
        // A missing resource in the root module can be generated, but not with an instance key.
        None if target.is_static && (target.resource.key.is_some() || import.for_each.is_some()) => {
            let resource = &target.resource.resource;
            let finding = absent(target, at, "no configuration can be generated for a single instance");
            Some(
                finding
                    .detail(format!(
                        "This module does not declare `{resource}`, and its configuration cannot be generated for a \
                         single instance."
                    ))
                    .help(format!("add a `resource` block for `{resource}`")),
            )
        }
        None => None,
    }
}

/// The errors in a target that ends in `[each.key]` or `[each.value]`, with the first element of `for_each`.
fn made_for_each(node: Node<'_>, import: &Import, resource: &Resource, at: Span) -> Option<Finding> {
    let value = node.values().of(&import.for_each.as_ref()?.expr);
    if !value.is_wholly_known() || value.parts().next().is_none() {
        return None;
    }
    let ExprKind::Index { key, .. } = &import.to.as_ref()?.kind else { return None };
    let ExprKind::Traversal(each) = &key.kind else { return None };
    let [Step { kind: StepKind::Attribute(name), span }] = &each.steps[..] else { return None };
    if each.root != "each" {
        return None;
    }
    if name != "key" && name != "value" {
        return Some(
            Finding::language(EngineRule::InvalidReference, "Unsupported attribute")
                .detail(format!("`each` has no attribute `{name}`, only `each.key` and `each.value`."))
                .at(*span),
        );
    }
    let (key, value) = elements(&value)?.into_iter().next()?;
    let key = match if name == "key" { &*key } else { value } {
        Value::String(text) => InstanceKey::Text(text.clone()),
        Value::Number(_) => InstanceKey::Number(0),
        Value::Bool(_) => return None,
        other => {
            let is = if other.is_null() { "null".to_owned() } else { with_article(&other.ty().name()) };
            let finding = Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid address");
            let detail = format!("An instance key is a string or a number, and `each.{name}` is {is} here.");
            return Some(finding.detail(detail).at(at));
        }
    };
    let finding = instances(resource, Some(&key), at)?;
    Some(match key {
        InstanceKey::Number(_) if name == "key" => {
            let finding = finding.detail(format!(
                "`each.key` is a number here, because `for_each` is a list. `{}` does not use `count`, so its keys are not \
                 numbers.",
                resource.address
            ));
            let with_map = "give `for_each` a map from instance keys to import IDs";
            match value {
                // Without `for_each`, the resource has no instances with keys.
                _ if resource.for_each.is_none() => finding,
                Value::String(_) => {
                    finding.help(format!("replace `each.key` with `each.value`, or {with_map}"))
                }
                _ => finding.help(with_map),
            }
        }
        _ => finding,
    })
}

fn absent(target: &ImportTarget, at: Span, why: &str) -> Finding {
    Finding::language(EngineRule::InvalidReference, "Configuration for import target does not exist")
        .detail(format!("{target} cannot be imported: {why}."))
        .at(at)
}

/// The type of key must match the resource.
fn instances(resource: &Resource, key: Option<&InstanceKey>, at: Span) -> Option<Finding> {
    let (count, for_each) = (resource.count.as_ref(), resource.for_each.as_ref());
    let (why, argument) = match key {
        Some(InstanceKey::Text(_)) if for_each.is_none() => {
            ("does not use `for_each`, so a key cannot be a string", count)
        }
        Some(InstanceKey::Number(_)) if count.is_none() => {
            ("does not use `count`, so a key cannot be a number", for_each)
        }
        None if for_each.is_some() => ("uses `for_each`, so there must be a key", for_each),
        None if count.is_some() => ("uses `count`, so there must be a number", count),
        Some(InstanceKey::Text(_) | InstanceKey::Number(_)) | None => return None,
    };
    let (place, label) = match argument {
        Some(argument) => (argument.name_span, format!("this resource uses `{}`", argument.name)),
        None => (resource.origin.header(), "declared here, without `count` and `for_each`".to_owned()),
    };
    Some(
        Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid import 'to' expression")
            .detail(format!("`{}` {why}.", resource.address))
            .at(at)
            .related(place, label),
    )
}
