//! Checks references to instances of provider configurations (OpenTofu): missing and unexpected keys.

use super::declarations::is_configured;
use crate::finding::{EngineRule, Finding, Severity, set_address};
use crate::graph::Node;
use crate::module::Module;
use crate::module::address::Mode;
use crate::module::declaration::{ModuleCall, ProviderRef, Resource};
use crate::syntax::{Attribute, Expr, alike};

pub(in crate::graph) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    if !module.features.grammar.provider_for_each {
        return;
    }
    for call in module.calls.values() {
        let from = findings.len();
        in_call(module, call, findings);
        set_address(&mut findings[from..], &format!("module.{}", call.name));
    }
    for resource in module.resources.values() {
        let from = findings.len();
        in_resource(module, resource, findings);
        set_address(&mut findings[from..], &resource.address.to_string());
    }
}

fn in_call(module: &Module, call: &ModuleCall, findings: &mut Vec<Finding>) {
    for passed in &call.providers {
        if let Some(key) = &passed.in_child.key {
            wrong("module")
                .detail("The left side names a single configuration of the child module, so it cannot have a key.")
                .at(key.span)
                .help("remove the key")
                .push_to(findings);
        }
        findings.extend(unsuitable(module, &passed.in_parent, "module"));
        findings.extend(outlived(module, &passed.in_parent, call.for_each.as_deref(), "module"));
    }
}

fn in_resource(module: &Module, resource: &Resource, findings: &mut Vec<Finding>) {
    let Some(reference) = &resource.provider_ref else { return };
    findings.extend(unsuitable(module, reference, "resource"));
    // Reading needs no provider when an instance is removed.
    match resource.address.mode {
        Mode::Managed => {
            findings.extend(outlived(module, reference, resource.for_each.as_deref(), "resource"));
        }
        Mode::Data | Mode::Ephemeral => {}
    }
}

/// The error for a reference with a key where none is valid, or without a required one.
fn unsuitable(module: &Module, reference: &ProviderRef, kind: &str) -> Option<Finding> {
    let name = reference.compact();
    let provider = module.providers.get(&name);
    let for_each = provider.and_then(|provider| provider.for_each.as_ref());
    let finding = match (&reference.key, for_each) {
        (None, None) | (Some(_), Some(_)) => return None,
        (None, Some(for_each)) => wrong(kind)
            .detail(format!("`{name}` has several instances, so the reference needs the key of one."))
            .at(reference.name_span)
            .related(for_each.name_span, "one instance per element")
            .help(format!("write `{name}[…]`, with the key of an instance")),
        (Some(key), None) => match provider.filter(|provider| is_configured(provider)) {
            Some(provider) => wrong(kind)
                .detail(format!("`{name}` has no `for_each`, so it has no instances with keys."))
                .at(key.span)
                .related(provider.origin.header(), "configured here, once"),
            None => wrong(kind)
                .detail(format!(
                    "No provider block here configures `{name}`, so it has no instances with keys."
                ))
                .at(reference.name_span),
        },
    };
    Some(finding)
}

/// Whether removing an instance of a provider configuration also removes the resources that it must destroy.
fn outlived(
    module: &Module,
    reference: &ProviderRef,
    for_each: Option<&Attribute>,
    kind: &str,
) -> Option<Finding> {
    reference.key.as_ref()?;
    let provider = module.providers.get(&reference.compact())?;
    let (ours, theirs) = (&for_each?.expr, &provider.for_each.as_ref()?.expr);
    let refers = |expr: &Expr| !expr.variables().is_empty();
    if !refers(ours) || !refers(theirs) || !alike(ours, theirs) {
        return None;
    }
    Some(
        Finding::language(
            EngineRule::InvalidProviderConfiguration,
            format!("Provider configuration for_each matches {kind}"),
        )
        .severity(Severity::Warning)
        .detail(format!(
            "The provider has the same keys as this {kind}. Removing a key also removes the provider instance that \
             is needed to destroy the objects of that key."
        ))
        .at(ours.span)
        .related(theirs.span, "the provider has the same `for_each`")
        .help("use a separate collection in `for_each` of the provider, and keep a key in it until the objects of \
        that key are destroyed"),
    )
}

fn wrong(kind: &str) -> Finding {
    Finding::language(
        EngineRule::InvalidProviderConfiguration,
        format!("Invalid {kind} provider configuration"),
    )
}
