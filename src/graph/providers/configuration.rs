//! Provider configurations, and the tables of them that the graph keeps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::graph::NodeId;
use crate::module::Module;
use crate::module::address::{ProviderAddress, implied_provider};
use crate::module::declaration::{Action, PassedProvider, ProviderConfiguration, ProviderRef, Resource};
use crate::text::Span;
use crate::vfs::Memo;

/// A provider configuration in a module: provider and alias, independent of local names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// The provider.
    pub provider: ProviderAddress,
    /// The alias, or `None` for the default configuration.
    pub alias: Option<SmolStr>,
}

impl Configuration {
    /// The default configuration of a provider.
    pub fn default_of(provider: ProviderAddress) -> Self {
        Self { provider, alias: None }
    }

    /// The configuration that a reference in a module names. Returns `None` if the provider name is not valid.
    pub fn named(module: &Module, reference: &ProviderRef) -> Option<Self> {
        Self::of(module, &reference.name, reference.alias.as_ref())
    }

    /// The configuration with this local name and alias in a module.
    pub fn of(module: &Module, name: &str, alias: Option<&SmolStr>) -> Option<Self> {
        Some(Self { provider: module.provider_address(name)?, alias: alias.cloned() })
    }

    /// Its address in a root module, such as `provider["registry.terraform.io/hashicorp/aws"].west`.
    pub fn address(&self) -> String {
        let alias = self.alias.as_ref().map(|alias| format!(".{alias}")).unwrap_or_default();
        format!("provider[\"{}\"]{alias}", self.provider)
    }

    /// The configuration that a resource uses.
    pub fn used_by(module: &Module, resource: &Resource) -> Option<Self> {
        match &resource.provider_ref {
            Some(reference) => Self::named(module, reference),
            None => Some(Self::default_of(resource.provider.clone()?)),
        }
    }

    /// The configuration that an action uses.
    pub(super) fn used_by_action(module: &Module, action: &Action) -> Option<Self> {
        match &action.provider_ref {
            Some(reference) => Self::named(module, reference),
            None => Self::of(module, implied_provider(&action.kind), None),
        }
    }

    /// The configuration that a provider block declares.
    pub fn by(module: &Module, provider: &ProviderConfiguration) -> Option<Self> {
        Self::of(module, &provider.name, provider.alias.as_ref().map(|alias| &alias.value))
    }

    /// The configuration of the caller that an entry of `providers` passes. The engine uses the provider of the key
    /// and the alias of the value: the local name in the value has no effect.
    pub fn passed_by(child: &Module, entry: &PassedProvider) -> Option<Self> {
        Self::of(child, &entry.in_child.name, entry.in_parent.alias.as_ref())
    }
}

/// The provider declarations of a module and of its calls, by configuration.
#[derive(Debug, Default)]
pub(in crate::graph) struct Table {
    /// The blocks of each configuration.
    pub(super) blocks: BTreeMap<Configuration, Blocks>,
    /// The local names of each provider in `required_providers`.
    pub(super) names: BTreeMap<ProviderAddress, Vec<SmolStr>>,
    /// The first element of `configuration_aliases` for each configuration.
    pub(super) required: BTreeMap<Configuration, Span>,
    /// For each call, the first and the last entry of `providers` that pass a configuration.
    pub(super) passed: BTreeMap<SmolStr, BTreeMap<Configuration, (usize, usize)>>,
    /// The configurations that its calls pass on.
    pub(super) passed_on: HashSet<Configuration>,
    /// The aliases of each provider that the module declares or is passed, each once.
    pub(super) aliases: BTreeMap<ProviderAddress, Vec<SmolStr>>,
    /// The configurations with these aliases.
    pub(super) with_alias: HashSet<Configuration>,
    /// The same aliases and those of unknown providers.
    pub(super) alias_names: HashSet<SmolStr>,
    /// The first calls that do not pass a configuration to the module, by configuration; searched on first use.
    pub(super) lacking: Memo<Configuration, Arc<[(NodeId, SmolStr)]>>,
}

/// The blocks of a module that declare a configuration, as `name` or `name.alias`.
#[derive(Debug, Default)]
pub(in crate::graph) struct Blocks {
    /// All of them.
    pub(super) all: Vec<SmolStr>,
    /// Those whose arguments may take effect, sorted. The engine looks for a block under the local name that
    /// `required_providers` has for the provider. If there are several, it chooses one at random.
    pub(super) effective: Vec<SmolStr>,
    /// Whether the effective block is chosen at random.
    pub(super) is_random: bool,
    /// Whether none has arguments.
    pub(super) are_empty: bool,
}

/// The configurations that a module and the modules that it calls need from it.
#[derive(Debug, Default)]
pub struct Uses {
    /// Each configuration with the resource that needs it, here or in a descendant.
    pub configurations: BTreeMap<Arc<Configuration>, Need>,
    /// The providers of resources in `removed` blocks. Only the state knows their configurations.
    pub of_removed: BTreeSet<ProviderAddress>,
    /// Whether the list is complete: every descendant is known and was understood completely.
    pub complete: bool,
    /// Whether the list lacks configurations of descendants because a limit was reached.
    pub is_cut: bool,
}

impl Uses {
    /// Notes that configurations of descendants are left out because of a limit. Returns whether that is new.
    pub(super) fn cut(&mut self) -> bool {
        self.is_cut = true;
        std::mem::replace(&mut self.complete, false)
    }

    /// Whether something may use a configuration.
    pub fn may_contain(&self, configuration: &Configuration) -> bool {
        !self.complete
            || self.configurations.contains_key(configuration)
            || self.of_removed.contains(&configuration.provider)
    }

    /// The providers with a configuration that something uses. The same provider can occur several times.
    pub fn providers(&self) -> impl Iterator<Item = &ProviderAddress> {
        self.configurations.keys().map(|used| &used.provider).chain(&self.of_removed)
    }
}

/// The object that needs a provider configuration.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// The header of a resource.
    pub at: Span,
    /// The module of the resource.
    pub node: NodeId,
    /// Whether an entry of `providers` names it, so that the module must declare it itself.
    pub by_name: bool,
}
