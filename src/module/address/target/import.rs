//! Parses the `to` argument of `import` blocks.

use std::borrow::Cow;
use std::fmt;

use super::path::{INVALID_ADDRESS, module_path, resource_instance, whole, wrong};
use crate::engine::{Features, Product};
use crate::finding::{EngineRule, Finding};
use crate::module::address::{ConfigAddress, InstanceKey, ModuleStep, ResourceInstance};
use crate::syntax::{Expr, ExprKind, Step, StepKind};

/// The target of an `import` block, relative to the root module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportTarget {
    /// The module path.
    pub path: Vec<ModuleStep>,
    /// The resource, or one of its instances.
    pub resource: ResourceInstance,
    /// Whether every instance key is a literal. Other keys are missing from the address.
    pub is_static: bool,
}

impl ImportTarget {
    /// The address without instance keys.
    pub fn config(&self) -> ConfigAddress {
        ConfigAddress::of(&self.path, Some(&self.resource.resource))
    }
}

/// Parses a `to` argument. A JSON string must be parsed as an expression first. `keys` are the instance keys that are
/// not literals, from left to right, if they are known.
pub fn import_target(
    to: &Expr,
    keys: &[InstanceKey],
    features: &Features,
) -> Result<ImportTarget, Vec<Finding>> {
    let address = flatten(to, keys, features).map_err(|expr| vec![no_address(expr, features)])?;
    let (path, rest) = module_path(&address.parts)?;
    if rest.is_empty() {
        let detail = "The module path must be followed by the address of a resource.";
        return Err(vec![*wrong(INVALID_ADDRESS, whole(&address.parts), detail)]);
    }
    let resource = resource_instance(rest, features).map_err(|finding| vec![*finding])?;
    Ok(ImportTarget { path, resource, is_static: address.is_static })
}

/// The parts of an address, and whether its keys are literals.
struct Flat {
    parts: Vec<Step>,
    is_static: bool,
}

/// Flattens `to` into names and keys. Keys that are not literals are taken from `keys`, or else skipped where the engine
/// allows them. The error is the first expression that is not allowed.
fn flatten<'a>(to: &'a Expr, mut keys: &[InstanceKey], features: &Features) -> Result<Flat, &'a Expr> {
    let mut backwards: Vec<Cow<'a, [Step]>> = Vec::new();
    let mut is_static = true;
    let mut at = to;
    let root = loop {
        match &at.kind {
            ExprKind::Relative(relative) => {
                backwards.push(Cow::Borrowed(&relative.steps));
                at = &relative.from;
            }
            ExprKind::Index { collection, key, .. } => {
                is_static = false;
                if let Some((last, before)) = keys.split_last() {
                    backwards.push(Cow::Owned(vec![Step { span: key.span, kind: last.step() }]));
                    keys = before;
                }
                at = collection;
            }
            ExprKind::Traversal(traversal) => {
                backwards.push(Cow::Borrowed(&traversal.steps));
                break Step { span: traversal.root_span, kind: StepKind::Attribute(traversal.root.clone()) };
            }
            kind => {
                let name = literal_name(kind, features).ok_or(at)?;
                break Step { span: at.span, kind: StepKind::Attribute(name.into()) };
            }
        }
    };
    if !is_static && !features.grammar.import_for_each {
        return Err(to);
    }
    let steps = backwards.iter().rev().flat_map(|steps| steps.iter());
    let parts = std::iter::once(root).chain(steps.cloned()).collect();
    Ok(Flat { parts, is_static })
}

/// The name that a literal is in an address, if it is one: Terraform treats `true`, `false` and `null` as names
/// there.
fn literal_name(kind: &ExprKind, features: &Features) -> Option<&'static str> {
    if has_own_words(features) {
        return None;
    }
    match kind {
        ExprKind::Null => Some("null"),
        ExprKind::Bool(true) => Some("true"),
        ExprKind::Bool(false) => Some("false"),
        _ => None,
    }
}

/// Whether the engine parses `to` with separate code, with its own messages.
fn has_own_words(features: &Features) -> bool {
    features.engine.product == Product::OpenTofu && features.grammar.import_for_each
}

fn no_address(expr: &Expr, features: &Features) -> Finding {
    let summary =
        if has_own_words(features) { "Invalid import address expression" } else { "Invalid expression" };
    Finding::language(EngineRule::InvalidMovedRemovedImport, summary).at(expr.span).detail(
        "This must be the address of a resource, made of names and keys only, and neither in quotes nor in parentheses.",
    )
}

impl fmt::Display for ImportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().try_for_each(|step| write!(f, "{step}."))?;
        self.resource.fmt(f)
    }
}
