//! Finds imports into resources that are not there, or that have other instances.

use crate::finding::{Finding, Language};
use crate::module::address::{ImportTarget, InstanceKey};
use crate::module::declaration::{Import, Resource};
use crate::text::Span;
use crate::tree::{Callee, Node};

pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    if node.is_called() || !node.module().features.import_targets_validated {
        // The addresses count from a root.
        return;
    }
    for import in &node.module().imports {
        let (Some(target), Some(to)) = (&import.target, &import.to) else { continue };
        if let Some(finding) = wrong(node, import, target, to.span) {
            findings.push(finding.at_validate().address(format!("import.{target}")));
        }
    }
}

fn wrong(node: Node<'_>, import: &Import, target: &ImportTarget, at: Span) -> Option<Finding> {
    let mut module = node;
    for step in &target.path {
        if !module.module().complete {
            return None;
        }
        match module.callee(&step.name) {
            Callee::Module(child) => module = node.tree().node(child),
            Callee::Opaque if !module.module().calls.contains_key(&step.name) => {
                return Some(absent(target, at, &format!("there is no module call `{}`", step.name)));
            }
            Callee::Missing | Callee::Outside | Callee::Opaque => return None,
        }
    }
    let resource = module.module().resources.get(&target.resource.resource);
    if !target.is_static || import.for_each.is_some() {
        return None;
    }
    match resource {
        Some(resource) => instances(resource, target, at),
        None if !module.module().complete => None,
        None if !target.path.is_empty() => Some(absent(target, at, "the module does not declare it")),
        // What is missing in the root can be generated, but not as one of many.
        None if target.resource.key.is_some() => {
            Some(absent(target, at, "no configuration can be generated for one of several instances"))
        }
        None => None,
    }
}

fn absent(target: &ImportTarget, at: Span, why: &str) -> Finding {
    Finding::language(Language::InvalidReference, "Configuration for import target does not exist")
        .detail(format!("{target} cannot be imported: {why}."))
        .at(at)
}

/// The key has to be of the kind that the resource has.
fn instances(resource: &Resource, target: &ImportTarget, at: Span) -> Option<Finding> {
    let (count, for_each) = (resource.count.as_ref(), resource.for_each.as_ref());
    let (why, argument) = match &target.resource.key {
        Some(InstanceKey::Text(_)) if for_each.is_none() => ("does not use `for_each`", count),
        Some(InstanceKey::Number(_)) if count.is_none() => ("does not use `count`", for_each),
        None if for_each.is_some() => ("uses `for_each`, so there must be a key", for_each),
        None if count.is_some() => ("uses `count`, so there must be a number", count),
        Some(InstanceKey::Text(_) | InstanceKey::Number(_)) | None => return None,
    };
    let place = argument.map_or(resource.origin.header(), |argument| argument.name_span);
    Some(
        Finding::language(Language::InvalidMovedRemovedImport, "Invalid import 'to' expression")
            .detail(format!("{} {why}.", resource.address))
            .at(at)
            .related(place, "see here"),
    )
}
