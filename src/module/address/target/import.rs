//! Turns `to` of an `import` block into the resource that is imported.

use std::fmt;

use smol_str::SmolStr;

use super::path::{INVALID_ADDRESS, Part, PartKind, module_path, resource_instance, whole, wrong};
use crate::engine::Features;
use crate::finding::{Finding, Language};
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
    let address = flatten(to).map_err(|finding| vec![*finding])?;
    let (path, rest) = module_path(&address.parts)?;
    if rest.is_empty() {
        let detail = "The path of modules must be followed by the address of a resource.";
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

/// The names and literal keys that `expr` is made of. Calculated keys are left out.
fn flatten(expr: &Expr) -> Result<Flat<'_>, Box<Finding>> {
    let mut backwards: Vec<&[Step]> = Vec::new();
    let mut is_static = true;
    let mut at = expr;
    loop {
        let root = match &at.kind {
            ExprKind::Relative { from, steps } => {
                backwards.push(steps);
                at = from;
                continue;
            }
            ExprKind::Index { collection, .. } => {
                is_static = false;
                at = collection;
                continue;
            }
            ExprKind::Traversal(traversal) => {
                backwards.push(&traversal.steps);
                Part { span: traversal.root_span, kind: PartKind::Name(&traversal.root) }
            }
            // In an address these words are names like others.
            ExprKind::Null => Part { span: at.span, kind: PartKind::Name(&NULL) },
            ExprKind::Bool(true) => Part { span: at.span, kind: PartKind::Name(&TRUE) },
            ExprKind::Bool(false) => Part { span: at.span, kind: PartKind::Name(&FALSE) },
            ExprKind::Number(_)
            | ExprKind::Template(_)
            | ExprKind::Tuple(_)
            | ExprKind::Object(_)
            | ExprKind::Splat { .. }
            | ExprKind::Element
            | ExprKind::Call(_)
            | ExprKind::Conditional(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::For(_)
            | ExprKind::Parens(_)
            | ExprKind::JsonString(_)
            | ExprKind::JsonObject(_)
            | ExprKind::Invalid => return Err(no_address(at)),
        };
        let steps = backwards.iter().rev().flat_map(|steps| steps.iter());
        let parts = std::iter::once(root).chain(steps.map(Part::of)).collect();
        return Ok(Flat { parts, is_static });
    }
}

static NULL: SmolStr = SmolStr::new_static("null");
static TRUE: SmolStr = SmolStr::new_static("true");
static FALSE: SmolStr = SmolStr::new_static("false");

fn no_address(expr: &Expr) -> Box<Finding> {
    let finding = Finding::language(Language::InvalidMovedRemovedImport, "Invalid expression")
        .at(expr.span)
        .detail("This must be the address of a resource, made of names and keys only, and not in quotes.");
    Box::new(finding)
}

impl fmt::Display for ImportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().try_for_each(|step| write!(f, "{step}."))?;
        self.resource.fmt(f)
    }
}
