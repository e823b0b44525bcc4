//! Parses the `from` argument of `removed` blocks.

use smol_str::SmolStr;

use super::path::{INVALID_ADDRESS, module_name, parts, resource, whole, wrong};
use crate::engine::{Features, Product};
use crate::finding::Finding;
use crate::module::address::{ConfigAddress, Mode, ResourceAddress};
use crate::syntax::{Step, StepKind, Traversal};
use crate::text::{Span, with_article};

/// The target of a `removed` block: a resource or a module with all instances, relative to the module of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoveTarget {
    /// The address.
    pub address: ConfigAddress,
    /// The span of the address.
    pub span: Span,
}

/// Parses a target. It can come with a finding: Terraform continues with a data source after the error.
pub fn remove_target(traversal: &Traversal, features: &Features) -> (Option<RemoveTarget>, Vec<Finding>) {
    let parts = parts(traversal);
    let span = whole(&parts).unwrap_or(traversal.root_span);
    let (path, rest) = match call_path(&parts, features) {
        Ok(found) => found,
        Err(finding) => return (None, vec![*finding]),
    };
    let target = |path, resource| RemoveTarget { address: ConfigAddress { path, resource }, span };
    if rest.is_empty() {
        return (Some(target(path, None)), Vec::new());
    }
    let resource = match whole_resource(rest, features) {
        Ok(resource) => resource,
        Err(finding) => return (None, vec![*finding]),
    };
    let finding = refused(resource.mode, span, features);
    let target = match (&finding, features.engine.product) {
        (Some(_), Product::OpenTofu) => None,
        (Some(_), Product::Terraform) | (None, _) => Some(target(path, Some(resource))),
    };
    (target, finding.into_iter().map(|finding| *finding).collect())
}

/// The module calls at the start of `parts`, and the rest.
fn call_path<'p>(parts: &'p [Step], features: &Features) -> Result<(Vec<SmolStr>, &'p [Step]), Box<Finding>> {
    let mut path = Vec::new();
    let mut rest = parts;
    while let Some((name, behind)) = module_name(rest)? {
        if let Some(key) = behind.first().filter(|part| part.name().is_none()) {
            let detail = "A module call can only be removed as a whole: remove the instance key.";
            return Err(wrong(features.summaries.removed_module_key, Some(key.span), detail));
        }
        path.push(name.clone());
        rest = behind;
    }
    Ok((path, rest))
}

/// The resource that `parts` consist of.
fn whole_resource(parts: &[Step], features: &Features) -> Result<ResourceAddress, Box<Finding>> {
    let product = features.engine.product;
    let (mode, behind) = match parts.split_first() {
        Some((Step { kind: StepKind::Attribute(word), .. }, rest)) => match (word.as_str(), product) {
            ("data", _) => (Mode::Data, rest),
            ("ephemeral", Product::OpenTofu) if features.grammar.ephemeral => (Mode::Ephemeral, rest),
            _ => (Mode::Managed, parts),
        },
        Some(_) | None => (Mode::Managed, parts),
    };
    let (resource, rest) = resource(mode, behind)?;
    match (rest, product) {
        ([], _) => Ok(resource),
        ([first], _) | ([first, ..], Product::Terraform) => {
            let detail =
                "A resource can only be removed as a whole: remove the key or attribute after its name.";
            Err(wrong(features.summaries.removed_resource_key, Some(first.span), detail))
        }
        ([_, second, ..], Product::OpenTofu) => {
            Err(wrong(INVALID_ADDRESS, Some(second.span), "The address is already complete before this."))
        }
    }
}

/// The finding for a mode that cannot be removed.
fn refused(mode: Mode, span: Span, features: &Features) -> Option<Box<Finding>> {
    let (summary, what) = match mode {
        Mode::Managed => return None,
        Mode::Data => (features.summaries.removed_data_source, "data source"),
        Mode::Ephemeral => ("Ephemeral resource address is not allowed", "ephemeral resource"),
    };
    let detail =
        format!("Terraform and OpenTofu never destroy {}: remove its block instead.", with_article(what));
    Some(wrong(summary, Some(span), detail))
}
