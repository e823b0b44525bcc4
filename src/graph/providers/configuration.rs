//! Provider configurations, and the tables of them that the graph keeps.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::graph::NodeId;
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{Action, PassedProvider, ProviderConfiguration, ProviderRef, Resource};
use crate::text::Span;

/// The key of a provider configuration in a module, whatever local name the module has for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// The provider.
    pub provider: ProviderAddress,
    /// Its alias; none for the default configuration.
    pub alias: Option<SmolStr>,
}

impl Configuration {
    /// The default configuration of a provider.
    pub fn default_of(provider: ProviderAddress) -> Self {
        Self { provider, alias: None }
    }

    /// The configuration that a reference in a module stands for; none where no provider can have that name.
    pub fn named(module: &Module, reference: &ProviderRef) -> Option<Self> {
        Self::of(module, &reference.name, reference.alias.as_ref())
    }

    /// The configuration that a local name and an alias stand for in a module.
    pub fn of(module: &Module, name: &str, alias: Option<&SmolStr>) -> Option<Self> {
        Some(Self { provider: module.provider_address(name)?, alias: alias.cloned() })
    }

    /// The configuration that a resource of a module asks for.
    pub fn used_by(module: &Module, resource: &Resource) -> Option<Self> {
        match &resource.provider_ref {
            Some(reference) => Self::named(module, reference),
            None => Some(Self::default_of(resource.provider.clone()?)),
        }
    }

    /// The configuration that an action of a module asks for.
    pub(super) fn used_by_action(module: &Module, action: &Action) -> Option<Self> {
        match &action.provider_ref {
            Some(reference) => Self::named(module, reference),
            None => Self::of(module, action.kind.split('_').next()?, None),
        }
    }

    /// The configuration that a provider block makes.
    pub fn by(module: &Module, provider: &ProviderConfiguration) -> Option<Self> {
        Self::of(module, &provider.name, provider.alias.as_ref().map(|alias| &alias.value))
    }

    /// The configuration of a caller that an entry of `providers` asks for. The engines look for the provider of the
    /// left side, under the alias of the right side: the local name there is not used.
    pub fn asked_by(child: &Module, entry: &PassedProvider) -> Option<Self> {
        Self::of(child, &entry.in_child.name, entry.in_parent.alias.as_ref())
    }
}

/// What a module and its calls declare about providers, by address.
#[derive(Debug, Default)]
pub(in crate::graph) struct Table {
    /// The blocks that make a configuration, as `name` or `name.alias`.
    pub(super) blocks: BTreeMap<Configuration, Vec<SmolStr>>,
    /// The entries of `required_providers` for a provider.
    pub(super) names: BTreeMap<ProviderAddress, Vec<SmolStr>>,
    /// By call, the entries of `providers` that pass a configuration: the first one and the last one.
    pub(super) passed: BTreeMap<SmolStr, BTreeMap<Configuration, (usize, usize)>>,
}

/// The configurations that a module uses, and that the modules it calls use through it.
#[derive(Debug)]
pub struct Uses {
    /// Each with what needs it, here or in a module below.
    pub configurations: BTreeMap<Configuration, Need>,
    /// Whether these are all: every module below is known, and was read whole.
    pub complete: bool,
}

/// What needs a provider configuration.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// The header of a resource.
    pub at: Span,
    /// The module that the resource stands in.
    pub node: NodeId,
    /// Whether an entry of `providers` asks for it, so that the module has to have it itself.
    pub by_name: bool,
}
