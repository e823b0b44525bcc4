//! Parses the `from` and `to` arguments of `moved` blocks.

use std::fmt;

use super::path::{module_path, parts, resource_instance, whole};
use crate::engine::Features;
use crate::finding::Finding;
use crate::module::address::{ConfigAddress, ModuleStep, ResourceInstance};
use crate::syntax::Traversal;
use crate::text::Span;

/// An endpoint of a `moved` block: a resource, a module, or an instance of one, relative to the module of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveEndpoint {
    /// The module path. Without a `resource`, it is the endpoint itself.
    pub path: Vec<ModuleStep>,
    /// The resource, if the endpoint is one.
    pub resource: Option<ResourceInstance>,
    /// The span of the address.
    pub span: Span,
}

/// Parses an endpoint.
pub fn move_endpoint(traversal: &Traversal, features: &Features) -> Result<MoveEndpoint, Vec<Finding>> {
    let parts = parts(traversal);
    let (path, rest) = module_path(&parts)?;
    let resource = match rest {
        [] => None,
        rest => Some(resource_instance(rest, features).map_err(|finding| vec![*finding])?),
    };
    Ok(MoveEndpoint { path, resource, span: whole(&parts).unwrap_or(traversal.root_span) })
}

/// The address of an endpoint, to compare it with others.
pub type MovedAddress<'e> = (&'e [ModuleStep], Option<&'e ResourceInstance>);

impl MoveEndpoint {
    /// The address, without its place in a file.
    pub fn address(&self) -> MovedAddress<'_> {
        (&self.path, self.resource.as_ref())
    }

    /// The address without instance keys.
    pub fn config(&self) -> ConfigAddress {
        ConfigAddress::of(&self.path, self.resource.as_ref().map(|resource| &resource.resource))
    }

    /// Whether there is a key at the end.
    pub fn has_last_key(&self) -> bool {
        let of_module = self.path.last().and_then(|step| step.key.as_ref());
        self.resource.as_ref().map_or(of_module, |resource| resource.key.as_ref()).is_some()
    }

    /// Whether objects can move between these endpoints: both are resources, or both are modules.
    ///
    /// A module without a key means the whole call or its single instance, depending on the other endpoint. So a key
    /// on one side only is allowed.
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
