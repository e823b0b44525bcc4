//! What can depend on something in a module.

use smol_str::SmolStr;

use crate::module::address::ResourceAddress;

/// Something that is made once everything that it needs is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Vertex<'t> {
    Local(&'t SmolStr),
    /// A variable, with its validations.
    Variable(&'t SmolStr),
    Resource(&'t ResourceAddress),
    /// A provider configuration, by `name` or `name.alias`.
    Provider(&'t SmolStr),
    /// A provider configuration that a caller has.
    Inherited(SmolStr),
    Output(&'t SmolStr),
    Check(&'t SmolStr),
    Action(&'t SmolStr, &'t SmolStr),
    /// The number of instances of a module call, and what its `depends_on` names.
    Instances(&'t SmolStr),
    /// An argument of a module call.
    Argument(&'t SmolStr, SmolStr),
    /// An output of a called module.
    Result(&'t SmolStr, SmolStr),
    /// Everything in a called module.
    Everything(&'t SmolStr),
}
