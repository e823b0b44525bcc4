//! Checks the requirements that the engine verifies after loading: its own version, and provider versions.

use crate::finding::{EngineRule, Finding};
use crate::graph::Node;
use crate::module::Module;
use crate::module::address::Mode;
use crate::module::declaration::VersionConstraint;
use crate::value::Constraints;

pub(in crate::graph) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    findings.extend(module.unmet_versions());
    let required = module.required_providers.values().filter_map(|required| required.version.as_ref());
    let configured = module.providers.values().filter_map(|provider| provider.version.as_ref());
    for constraint in required.chain(configured) {
        findings.extend(unreadable_for_provider(constraint));
    }
    import_providers(module, findings);
}

/// The engine parses provider constraints twice, the second time more strictly.
fn unreadable_for_provider(constraint: &VersionConstraint) -> Option<Finding> {
    constraint.constraints.as_ref()?;
    let reason = Constraints::parse_for_provider(&constraint.text).err()?;
    Some(
        Finding::language(EngineRule::InvalidVersionConstraint, "Invalid version constraint")
            .at_validate()
            .detail(format!("This is not a valid version constraint for a provider: {reason}."))
            .at(constraint.span),
    )
}

/// An import of a declared resource uses the provider of the resource.
fn import_providers(module: &Module, findings: &mut Vec<Finding>) {
    for import in &module.imports {
        let (Some(target), Some(reference), Some(at)) =
            (&import.target, &import.provider_ref, import.provider_span)
        else {
            continue;
        };
        if !target.path.is_empty() || target.resource.resource.mode != Mode::Managed {
            continue;
        }
        let Some(resource) = module.resources.get(&target.resource.resource) else { continue };
        if resource.provider_ref.as_ref().is_some_and(|own| own.compact() == reference.compact()) {
            continue;
        }
        Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid import provider argument")
            .at_validate()
            .detail(format!("{} is declared, and its own `provider` argument applies.", resource.address))
            .at(at)
            .related(resource.origin.header(), "declared here")
            .help("remove `provider` here, and set it in the resource")
            .push_to(findings);
    }
}
