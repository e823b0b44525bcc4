//! Changes to the provider configurations of existing resources.

use std::fmt;

use smol_str::SmolStr;

use crate::graph::NodeId;
use crate::module::address::ProviderAddress;
use crate::module::interface::{Impact, InterfaceChange, Part};
use crate::text::{Span, counted};

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
    /// The addresses of modules outside the repository whose resources it concerns, likewise.
    pub modules: Vec<(SmolStr, String)>,
}

impl ProviderChange {
    /// The number of resources, and of modules whose resources are not known.
    pub fn counted(&self) -> String {
        let resources = counted(self.resources.len(), "resource");
        let modules = format!("{} outside this repository", counted(self.modules.len(), "module"));
        match (self.resources.is_empty(), self.modules.is_empty()) {
            (_, true) => resources,
            (true, false) => format!("the resources of {modules}"),
            (false, false) => format!("{resources} and those of {modules}"),
        }
    }

    /// The addresses of the resources and modules, and the number of further ones.
    pub fn listed(&self) -> String {
        let all: Vec<&(SmolStr, String)> = self.resources.iter().chain(&self.modules).collect();
        let has_several_roots = all.iter().any(|(top, _)| *top != all[0].0);
        let name = |(top, address): &&(SmolStr, String)| {
            if has_several_roots { format!("`{address}` in `{top}`") } else { format!("`{address}`") }
        };
        let mut names: Vec<String> = all.iter().take(MOST_LISTED).map(name).collect();
        if all.len() > MOST_LISTED {
            names.push(format!("and {} more", all.len() - MOST_LISTED));
        }
        names.join(", ")
    }

    /// The change in a list of interface changes. `host` is the default registry host.
    pub fn as_interface_change(&self, host: &str) -> InterfaceChange {
        let (before, after) = (&self.before, &self.after);
        let number = self.counted();
        let (impact, what) = match &self.effect {
            Effect::OtherProvider(from, to) => {
                let (from, to) = (from.display(host), to.display(host));
                (Impact::Breaking, format!("{number} moved from {from} to {to}"))
            }
            Effect::OtherBlock(_) => (Impact::Breaking, format!("{number} moved from {before} to {after}")),
            Effect::MayDiffer => (Impact::Fix, format!("{number} moved from {before} to {after}")),
            Effect::OtherArguments(differences) => {
                let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
                (Impact::Breaking, format!("{} for {number}", differences.join(", ")))
            }
            Effect::Empty => (Impact::Breaking, format!("{before} removed from {number}")),
            Effect::Random => {
                (Impact::Breaking, format!("{number} moved from {before} to one of several blocks at random"))
            }
        };
        InterfaceChange {
            impact,
            part: Part::ProviderConfiguration,
            subject: format!("provider.{}", self.name).into(),
            what: format!("{what}: {}", self.listed()),
        }
    }
}

/// The maximal number of addresses in a list.
const MOST_LISTED: usize = 20;

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
    /// The first root module with too many resources to compare them all.
    pub incomplete_from: Option<NodeId>,
}
