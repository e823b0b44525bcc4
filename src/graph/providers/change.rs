//! Changes to the provider configurations of existing resources.

use std::fmt;

use smol_str::SmolStr;

use crate::graph::NodeId;
use crate::module::address::ProviderAddress;
use crate::text::Span;

/// A change to the provider configuration of existing resources, with one cause.
#[derive(Debug)]
pub struct ProviderChange {
    /// The module, after the change, that contains the cause.
    pub node: NodeId,
    /// The span of the cause, or `None` if something was removed.
    pub at: Option<Span>,
    /// The file of the removed part.
    pub file: Option<String>,
    /// How the configuration of the resources changes.
    pub effect: Effect,
    /// The local name of the provider in that module, with the alias.
    pub name: SmolStr,
    /// The configuration before the change, in words.
    pub before: String,
    /// The configuration after the change, in words.
    pub after: String,
    /// The header of the block that is used after the change.
    pub block: Option<Span>,
    /// The addresses of the resources, each with the directory of the module in which the address starts.
    pub resources: Vec<(SmolStr, String)>,
}

/// How the provider configuration of a resource changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Another provider.
    OtherProvider(ProviderAddress, ProviderAddress),
    /// Another block, with different identifying arguments.
    OtherBlock(Vec<Difference>),
    /// Another block, or one that callers choose. Whether its identifying arguments differ is unknown.
    MayDiffer,
    /// The same block, with different identifying arguments.
    OtherArguments(Vec<Difference>),
    /// No block, so that the configuration is empty.
    Empty,
    /// One of several blocks, at random.
    Random,
}

/// An identifying argument with two values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The name of the argument: `region` or `assume_role.role_arn`.
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

/// All changes to the provider configurations of existing resources.
#[derive(Debug)]
pub struct ProviderChanges {
    /// The changes.
    pub changes: Vec<ProviderChange>,
    /// The first root module with too many module instances to compare them all.
    pub incomplete_from: Option<NodeId>,
}
