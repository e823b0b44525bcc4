//! Turns `from` and `to` of a `moved` block into what is moved.

use std::fmt;

use super::path::{module_path, parts, resource_instance, whole};
use crate::engine::Features;
use crate::finding::Finding;
use crate::module::address::{ModuleStep, ResourceInstance};
use crate::syntax::Traversal;
use crate::text::Span;

/// One side of a `moved` block: a resource or a module, or an instance of one, seen from the module of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveEndpoint {
    /// The modules on the way; what is moved itself, where `resource` is none.
    pub path: Vec<ModuleStep>,
    /// The resource, where one is moved.
    pub resource: Option<ResourceInstance>,
    /// Where the address stands.
    pub span: Span,
}

/// What `traversal` says is moved.
pub fn move_endpoint(traversal: &Traversal, features: &Features) -> Result<MoveEndpoint, Vec<Finding>> {
    let parts = parts(traversal);
    let (path, rest) = module_path(&parts)?;
    let resource = match rest {
        [] => None,
        rest => Some(resource_instance(rest, features).map_err(|finding| vec![*finding])?),
    };
    Ok(MoveEndpoint { path, resource, span: whole(&parts).unwrap_or(traversal.root_span) })
}

impl MoveEndpoint {
    /// Whether a move from one to the other can mean anything: both must be resources, or both modules.
    ///
    /// A module without a key stands for the whole call, or for its one instance, as the other side asks for it; so
    /// keys on one side alone are no hindrance.
    pub fn might_unify_with(&self, other: &Self) -> bool {
        self.resource.is_some() == other.resource.is_some()
    }
}

impl fmt::Display for MoveEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for step in &self.path {
            write!(f, "{between}{step}")?;
            between = ".";
        }
        self.resource.iter().try_for_each(|resource| write!(f, "{between}{resource}"))
    }
}
