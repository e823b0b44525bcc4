//! Turns `to` of an `import` block into the resource that is imported.

use std::fmt;

use smol_str::SmolStr;

use super::path::{INVALID_ADDRESS, Part, PartKind, module_path, resource_instance, whole, wrong};
use crate::engine::{Features, Product};
use crate::finding::{EngineRule, Finding};
use crate::module::address::{ModuleStep, ResourceInstance};
use crate::syntax::{Expr, ExprKind, Step};

/// What an `import` block imports, seen from the root of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportTarget {
    /// The modules on the way.
    pub path: Vec<ModuleStep>,
    /// The resource, or one instance of it.
    pub resource: ResourceInstance,
    /// Whether every key is a literal. Where not, keys that are calculated are left out of the address.
    pub is_static: bool,
}

/// What `to` says is imported; a JSON string must have been parsed as an expression before.
pub fn import_target(to: &Expr, features: &Features) -> Result<ImportTarget, Vec<Finding>> {
    let address = flatten(to, features).map_err(|expr| vec![no_address(expr, features)])?;
    let (path, rest) = module_path(&address.parts)?;
    if rest.is_empty() {
        let detail = "The module path must be followed by the address of a resource.";
        return Err(vec![*wrong(INVALID_ADDRESS, whole(&address.parts), detail)]);
    }
    let resource = resource_instance(rest, features).map_err(|finding| vec![*finding])?;
    Ok(ImportTarget { path, resource, is_static: address.is_static })
}

/// The parts of an address.
struct Flat<'a> {
    parts: Vec<Part<'a>>,
    is_static: bool,
}

/// The names and literal keys that `to` is made of. Calculated keys are left out, where the engine allows them; else,
/// or where anything else stands in it, this is the expression that has no place there.
fn flatten<'a>(to: &'a Expr, features: &Features) -> Result<Flat<'a>, &'a Expr> {
    let mut backwards: Vec<&[Step]> = Vec::new();
    let mut is_static = true;
    let mut at = to;
    let root = loop {
        match &at.kind {
            ExprKind::Relative(relative) => {
                backwards.push(&relative.steps);
                at = &relative.from;
            }
            ExprKind::Index { collection, .. } => {
                is_static = false;
                at = collection;
            }
            ExprKind::Traversal(traversal) => {
                backwards.push(&traversal.steps);
                break Part { span: traversal.root_span, kind: PartKind::Name(&traversal.root) };
            }
            kind => {
                let name = literal_name(kind, features).ok_or(at)?;
                break Part { span: at.span, kind: PartKind::Name(name) };
            }
        }
    };
    if !is_static && !features.grammar.import_for_each {
        return Err(to);
    }
    let steps = backwards.iter().rev().flat_map(|steps| steps.iter());
    let parts = std::iter::once(root).chain(steps.map(Part::of)).collect();
    Ok(Flat { parts, is_static })
}

/// The name that a literal is in an address, where it is one: Terraform knows no special words there.
fn literal_name(kind: &ExprKind, features: &Features) -> Option<&'static SmolStr> {
    if has_own_words(features) {
        return None;
    }
    match kind {
        ExprKind::Null => Some(&NULL),
        ExprKind::Bool(true) => Some(&TRUE),
        ExprKind::Bool(false) => Some(&FALSE),
        _ => None,
    }
}

/// Whether the engine reads `to` by itself, and not as any other address.
fn has_own_words(features: &Features) -> bool {
    features.engine.product == Product::OpenTofu && features.grammar.import_for_each
}

static NULL: SmolStr = SmolStr::new_static("null");
static TRUE: SmolStr = SmolStr::new_static("true");
static FALSE: SmolStr = SmolStr::new_static("false");

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
