//! Turns a tree into the provider configurations that reach a module on one way of calls down to it, and how each of
//! them comes.
//!
//! What a call passes and what a module inherits depends on all calls above it, so this is the one place that looks at
//! ways of calls; whoever asks for many of them has to bound how many.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use smol_str::SmolStr;

use crate::graph::{Configuration, Node, NodeId, Role};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{ModuleCall, compact_name};
use crate::text::Span;

/// How a provider configuration comes into a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// A provider block of the module itself, with this header.
    Declared(Span),
    /// The call passes the caller's configuration of that name.
    Passed(SmolStr),
    /// It is the default configuration of a module further up, where a block declares it or a call passes it.
    Inherited(NodeId),
    /// Whoever calls the module brings it.
    FromCallers,
    /// It is a default configuration that no module further up has a block for: the engine takes an empty one.
    WithoutBlock,
    /// It does not come, although the module asks for it or uses it.
    Missing,
}

/// A provider configuration in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaching {
    /// `name` or `name.alias`, as the module calls it.
    pub name: SmolStr,
    /// Which provider it configures.
    pub provider: ProviderAddress,
    /// How it comes.
    pub way: Way,
}

/// A module with the provider configurations that reach it.
#[derive(Debug, Clone)]
pub struct Instance<'t> {
    /// The module.
    pub node: Node<'t>,
    /// In the order of their names.
    pub configurations: Vec<Reaching>,
}

impl<'t> Instance<'t> {
    /// A module that one starts from: the engine is run there, or others call it.
    pub fn top(node: Node<'t>) -> Self {
        let is_run = match node.role() {
            Role::Root | Role::Example | Role::Test => !node.is_called(),
            Role::Shared => false,
        };
        let way = |alias: Option<&str>| match (is_run, alias) {
            (false, _) => Way::FromCallers,
            (true, None) => Way::WithoutBlock,
            (true, Some(_)) => Way::Missing,
        };
        Self::of(node, &|named| way(named.alias.as_deref()), &BTreeSet::new())
    }

    /// The module that a call of this one leads to, where it is known.
    pub fn called(&self, call: &ModuleCall) -> Option<Instance<'t>> {
        let node = self.node.child(&call.name)?;
        let passed: BTreeMap<SmolStr, SmolStr> = call
            .providers
            .iter()
            .map(|passed| (passed.in_child.compact(), passed.in_parent.compact()))
            .collect();
        let defaults = self.defaults();
        let way = |named: &Named| {
            if let Some(ours) = passed.get(&named.compact()) {
                return self.passed(ours);
            }
            match named.alias {
                None => defaults.get(&named.provider).cloned().unwrap_or(Way::WithoutBlock),
                Some(_) => Way::Missing,
            }
        };
        Some(Self::of(node, &way, &passed.keys().cloned().collect()))
    }

    /// What a call passes under a name of this module.
    fn passed(&self, name: &SmolStr) -> Way {
        let known = self.configurations.binary_search_by(|reaching| reaching.name.cmp(name));
        let is_missing = match known {
            Ok(number) => self.configurations[number].way == Way::Missing,
            // A default configuration is there even where nothing speaks of it.
            Err(_) => name.contains('.'),
        };
        if is_missing { Way::Missing } else { Way::Passed(name.clone()) }
    }

    /// How a called module inherits each provider that this one has a default configuration of.
    fn defaults(&self) -> HashMap<&ProviderAddress, Way> {
        let defaults = self.configurations.iter().filter(|reaching| !reaching.name.contains('.'));
        let inherited = defaults.map(|reaching| {
            let way = match &reaching.way {
                Way::Declared(_) | Way::Passed(_) => Way::Inherited(self.node.id()),
                way @ (Way::Inherited(_) | Way::FromCallers | Way::WithoutBlock) => way.clone(),
                Way::Missing => Way::WithoutBlock,
            };
            (&reaching.provider, way)
        });
        inherited.collect()
    }

    fn of(node: Node<'t>, otherwise: &dyn Fn(&Named) -> Way, passed: &BTreeSet<SmolStr>) -> Self {
        let declared: BTreeMap<SmolStr, Span> = node
            .configured_providers()
            .map(|provider| (provider.compact(), provider.origin.header()))
            .collect();
        let mut named = named(node);
        for name in passed {
            let (local, alias) = name.split_once('.').map_or((name.as_str(), None), |(a, b)| (a, Some(b)));
            named.extend(Named::of(node.module(), local, alias.map(SmolStr::new)));
        }
        let reaching = |named: Named| {
            let name = named.compact();
            let way = match declared.get(&name) {
                Some(header) => Way::Declared(*header),
                None => otherwise(&named),
            };
            Reaching { name, provider: named.provider, way }
        };
        let mut configurations: Vec<Reaching> = named.into_iter().map(reaching).collect();
        configurations.sort_by(|a, b| a.name.cmp(&b.name));
        Self { node, configurations }
    }
}

/// A configuration under the name that a module has for it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    local: SmolStr,
    alias: Option<SmolStr>,
    provider: ProviderAddress,
}

impl Named {
    fn of(module: &Module, local: &str, alias: Option<SmolStr>) -> Option<Self> {
        Some(Self { local: local.into(), alias, provider: module.provider_address(local)? })
    }

    fn compact(&self) -> SmolStr {
        compact_name(&self.local, self.alias.as_deref())
    }
}

/// Every configuration that a module declares, asks for or uses, itself or through what it calls.
fn named(node: Node<'_>) -> BTreeSet<Named> {
    let module = node.module();
    let mut named = BTreeSet::new();
    for provider in node.configured_providers() {
        let alias = provider.alias.as_ref().map(|alias| alias.value.clone());
        named.extend(Named::of(module, &provider.name, alias));
    }
    for required in module.required_providers.values() {
        let aliases = required.aliases.iter().filter_map(|alias| alias.value.alias.clone());
        let all = std::iter::once(None).chain(aliases.map(Some));
        named.extend(all.filter_map(|alias| Named::of(module, &required.name, alias)));
    }
    let required = module.required_providers.values().rev();
    let local_names: HashMap<_, _> = required.map(|required| (&required.address, &required.name)).collect();
    for Configuration { provider, alias } in node.uses().configurations.keys() {
        let local = local_names.get(provider).map_or_else(|| provider.name.clone(), |name| (*name).clone());
        named.insert(Named { local, alias: alias.clone(), provider: provider.clone() });
    }
    // What is built into the engine is configured nowhere.
    named.retain(|named| !named.provider.is_built_in());
    named
}
