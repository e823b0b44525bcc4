//! Changes to the provider configurations of existing resources.

use std::fmt;

use smol_str::SmolStr;

use crate::graph::NodeId;
use crate::module::address::ProviderAddress;
use crate::text::Span;

/// A change to the provider configuration of existing resources, with one cause.
#[derive(Debug)]
pub struct ProviderChange {
    /// The module, after the change, that the cause is in.
    pub node: NodeId,
    /// The place of the cause; none where something was removed.
    pub at: Option<Span>,
    /// The file of what was removed.
    pub file: Option<String>,
    /// What the resources use now in place of what they used before.
    pub effect: Effect,
    /// The local name of the provider in that module, with the alias.
    pub name: SmolStr,
    /// The configuration before the change, in words.
    pub before: String,
    /// The configuration after the change, in words.
    pub after: String,
    /// The header of the block that is used after the change.
    pub block: Option<Span>,
    /// The addresses of the resources, each with the directory of the module that the address starts in.
    pub resources: Vec<(SmolStr, String)>,
}

/// What becomes of the provider configuration of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Another provider takes its place.
    OtherProvider(ProviderAddress, ProviderAddress),
    /// Another block, with different identifying arguments.
    OtherBlock(Vec<Difference>),
    /// Another block, or one that callers choose; whether it differs is not known.
    MayDiffer,
    /// The same block, with other identifying arguments.
    OtherArguments(Vec<Difference>),
    /// No block, so that the configuration is empty.
    Empty,
    /// One of several blocks, at random.
    Random,
}

/// An identifying argument with two values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name, as in `region` or `assume_role.role_arn`.
    pub argument: SmolStr,
    /// The value before the change.
    pub before: String,
    /// The value after the change.
    pub after: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` changes from {} to {}", self.argument, self.before, self.after)
    }
}
