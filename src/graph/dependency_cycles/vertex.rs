//! The vertices of the dependency graph.

use smol_str::SmolStr;

use crate::module::address::ResourceAddress;

/// A vertex: an object that the engine evaluates after its dependencies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Vertex<'t> {
    Local(&'t SmolStr),
    /// A variable, with its validations.
    Variable(&'t SmolStr),
    Resource(&'t ResourceAddress),
    /// A provider configuration, by `name` or `name.alias`.
    Provider(&'t SmolStr),
    /// A provider configuration of a caller.
    Inherited(SmolStr),
    Output(&'t SmolStr),
    Check(&'t SmolStr),
    Action(&'t SmolStr, &'t SmolStr),
    /// The instances of a module call, with its `depends_on`.
    Instances(&'t SmolStr),
    /// An argument of a module call.
    Argument(&'t SmolStr, SmolStr),
    /// An output of a called module.
    Result(&'t SmolStr, SmolStr),
    /// A called module as a whole.
    Everything(&'t SmolStr),
}
