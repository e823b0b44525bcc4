//! Describes the provider configurations that reach a module on a call path.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use smol_str::SmolStr;

use super::Picture;
use crate::graph::{Configuration, Found, Level, Node, Own, Reaching, reaching, resolve};
use crate::module::address::ProviderAddress;
use crate::module::declaration::{ModuleCall, ProviderConfiguration};
use crate::report::one_line;

/// A module on a call path, with the provider configurations that reach it.
#[derive(Debug, Clone)]
pub(super) struct Placed<'t> {
    pub(super) node: Node<'t>,
    /// The modules from the start to this one.
    pub(super) levels: Vec<Level<'t>>,
    /// The configurations, sorted by name.
    pub(super) configurations: Vec<Reaching<'t>>,
}

/// How a provider configuration reaches a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Configured,
    OwnEmpty,
    Undetermined,
    Inherited,
    Passed,
    WithoutBlock,
    FromCaller,
    FromCallerRequired,
    Missing,
}

impl Kind {
    /// The word in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Configured => "configured",
            Self::OwnEmpty => "own-empty",
            Self::Undetermined => "undetermined",
            Self::Inherited => "inherited",
            Self::Passed => "passed",
            Self::WithoutBlock => "without-block",
            Self::FromCaller => "from-caller",
            Self::FromCallerRequired => "from-caller-required",
            Self::Missing => "missing",
        }
    }
}

impl<'t> Placed<'t> {
    /// The start of a path.
    pub(super) fn top(node: Node<'t>) -> Self {
        Self::at(vec![Level { node, call: None }], node)
    }

    /// The child module of a call, if it is known.
    pub(super) fn called(&self, call: &'t ModuleCall) -> Option<Self> {
        let node = self.node.child(&call.name)?;
        let level = Level { node, call: Some(call) };
        Some(Self::at(self.levels.iter().copied().chain([level]).collect(), node))
    }

    fn at(levels: Vec<Level<'t>>, node: Node<'t>) -> Self {
        let configurations = reaching(&levels);
        Self { node, levels, configurations }
    }

    /// The size of what the output says about the module on this path.
    pub(super) fn parts(&self) -> usize {
        self.levels.len() + self.configurations.len()
    }

    /// Whether the path contains a module.
    pub(super) fn leads_through(&self, node: Node<'_>) -> bool {
        self.levels.iter().any(|level| level.node.id() == node.id())
    }

    /// Resolves a configuration from here.
    pub(super) fn resolve(&self, key: Configuration) -> Option<Reaching<'t>> {
        resolve(&self.levels, key, false)
    }

    /// `module.a.module.b`; empty for the first module.
    pub(super) fn address(&self) -> String {
        self.address_of(self.levels.len() - 1)
    }

    /// The address of the module at a level of the path.
    pub(super) fn address_of(&self, level: usize) -> String {
        let calls = self.levels[..=level].iter().filter_map(|level| level.call);
        calls.map(|call| format!("module.{}", call.name)).collect::<Vec<_>>().join(".")
    }

    /// A hash that is equal for modules with equal output, here and below.
    pub(super) fn likeness(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.node.graph().engine(), self.node.id()).hash(&mut hasher);
        for reaching in &self.configurations {
            (&reaching.name, &reaching.requested, self.kind(reaching)).hash(&mut hasher);
            if let Found::Blocks(level, own) = &reaching.found {
                (self.levels[*level].node.id(), own.block.origin.header()).hash(&mut hasher);
            }
            let entry = reaching.entry.map(|entry| (entry.in_child.compact(), entry.in_parent.compact()));
            entry.hash(&mut hasher);
        }
        hasher.finish()
    }

    pub(super) fn kind(&self, reaching: &Reaching<'_>) -> Kind {
        match &reaching.found {
            Found::Blocks(_, own) if own.is_random() => Kind::Undetermined,
            Found::Blocks(level, own) if level + 1 == self.levels.len() => {
                if own.attached().is_some_and(|block| !block.config.is_empty()) {
                    Kind::Configured
                } else {
                    Kind::OwnEmpty
                }
            }
            Found::Blocks(..) if reaching.entry.is_some() => Kind::Passed,
            Found::Blocks(..) => Kind::Inherited,
            Found::Implicit => Kind::WithoutBlock,
            Found::FromCaller if self.node.required_from_callers(&reaching.requested).is_some() => {
                Kind::FromCallerRequired
            }
            Found::FromCaller => Kind::FromCaller,
            Found::Missing => Kind::Missing,
        }
    }

    /// The word in JSON for the way a resource gets its configuration.
    pub(super) fn how(&self, reaching: &Reaching<'_>) -> &'static str {
        match &reaching.found {
            Found::Blocks(level, own) if level + 1 == self.levels.len() => {
                let is_empty = !own.is_random() && own.attached().is_none_or(|block| block.config.is_empty());
                if is_empty { "empty" } else { "own" }
            }
            Found::Blocks(..) if reaching.entry.is_some() => "passed",
            Found::Blocks(..) => "inherited",
            Found::Implicit => "implicit",
            Found::FromCaller => "from-caller",
            Found::Missing => "missing",
        }
    }

    /// The configurations of providers that are built into the engine, which need no block.
    pub(super) fn built_in_configurations(&self) -> BTreeSet<Configuration> {
        let used = self.node.consumers().map(|(_, key)| key);
        let shown =
            |key: &Configuration| self.configurations.iter().any(|reaching| reaching.requested == *key);
        used.filter(|key| key.provider.is_built_in() && !shown(key)).collect()
    }
}

/// The local names with several providers in the output.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<SmolStr, BTreeSet<ProviderAddress>>);

impl Names {
    pub(super) fn of(picture: &Picture<'_>) -> Self {
        let mut names = Self::default();
        for node in picture.reached(|node| (node.graph().engine(), node.id())) {
            let module = node.module();
            let required =
                module.required_providers.values().map(|entry| (&entry.name, Some(entry.address.clone())));
            let blocks =
                module.providers.values().map(|block| (&block.name, module.provider_address(&block.name)));
            for (name, address) in required.chain(blocks) {
                names.0.entry(name.clone()).or_default().extend(address);
            }
            for key in node.uses().configurations.keys() {
                names.0.entry(node.local_name(key)).or_default().insert(key.provider.clone());
            }
        }
        names
    }

    /// Whether a local name identifies the provider for the reader.
    fn is_plain(&self, name: &str, provider: &ProviderAddress, host: &str) -> bool {
        provider.is_default(host)
            && provider.name == name
            && self.0.get(name).is_none_or(|addresses| addresses.len() <= 1)
    }
}

/// A line about the provider configurations of a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Line {
    /// How a configuration reaches the module.
    Configuration(String),
    /// A missing configuration, or a block without effect.
    Problem(String),
    /// The resources that use the configuration in the line before.
    Users(String),
}

impl Line {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Configuration(text) | Self::Problem(text) | Self::Users(text) => text,
        }
    }
}

impl Picture<'_> {
    /// Describes how a provider configuration reaches a module.
    fn provider_line(&self, placed: &Placed<'_>, reaching: &Reaching<'_>, names: &Names) -> String {
        let host = placed.node.module().features.registry_host;
        let provider = one_line(&reaching.requested.provider.display(host)).into_owned();
        let local = placed.node.local_name(&reaching.requested);
        let name = one_line(&reaching.name).into_owned();
        let shown = if names.is_plain(&local, &reaching.requested.provider, host) {
            name.clone()
        } else {
            format!("{name} [{provider}]")
        };
        let entry = reaching.entry.map(|entry| {
            let entry = format!("{} = {}", entry.in_child.compact(), entry.in_parent.compact());
            format!("{}{}", one_line(&entry), shown.strip_prefix(&name).unwrap_or_default())
        });
        match &reaching.found {
            Found::Blocks(level, own) => {
                self.line_of_blocks(placed, reaching, (&shown, entry), (*level, own))
            }
            Found::Implicit => format!(
                "empty configuration: {name} ({provider}; the root module has no `provider` block for it)"
            ),
            Found::FromCaller => match entry {
                Some(entry) => {
                    format!("passed: {entry}, from the caller of {}", self.name(placed.levels[0].node))
                }
                None if placed.kind(reaching) == Kind::FromCallerRequired => {
                    format!("from the caller (required): {shown}")
                }
                None => format!("from the caller: {shown}"),
            },
            Found::Missing => {
                let missing = entry.unwrap_or(shown);
                match &reaching.needed {
                    Some((what, place)) => {
                        format!("missing: {missing}, needed by {} ({})", one_line(what), self.place(*place))
                    }
                    None => format!("missing: {missing}"),
                }
            }
        }
    }

    /// Describes a configuration by `provider` blocks of the module or of a caller, which is at `level` of the path to
    /// the module. `shown` names the configuration, and `entry` is the entry of a `providers` map that passes it.
    fn line_of_blocks(
        &self,
        placed: &Placed<'_>,
        reaching: &Reaching<'_>,
        (shown, entry): (&str, Option<String>),
        (level, own): (usize, &Own<'_>),
    ) -> String {
        let is_own = level + 1 == placed.levels.len();
        let from = if is_own { String::new() } else { self.name(placed.levels[level].node) };
        if own.is_random() {
            let blocks: Vec<String> = own.effective().map(|block| self.block(block)).collect();
            let or_empty = if blocks.len() < 2 { " or none" } else { "" };
            let from = if is_own { from } else { format!(", from {from}") };
            return format!("undetermined: {shown} ({}{or_empty}){from}", blocks.join(" or "));
        }
        let attached = own.attached();
        let place = attached.map(|block| self.place(block.origin.header()));
        let is_empty = attached.is_some_and(|block| block.config.is_empty());
        if is_own {
            let Some(place) = place else {
                return format!("empty configuration: {shown} (no `provider` block has this local name)");
            };
            let kind = if is_empty { "empty provider block" } else { "configured here" };
            return format!("{kind}: {shown} ({place})");
        }
        let empty = if is_empty { ", which is empty" } else { "" };
        let or_no_block =
            |shown: Option<String>| shown.unwrap_or_else(|| "an empty configuration".to_owned());
        let Some(entry) = entry else {
            let block = or_no_block(attached.map(|block| self.block(block)));
            return format!("inherited: {shown}, from {from}: {block}{empty}");
        };
        let replaced = reaching.replaced.map(|replaced| self.place(replaced.origin.header()));
        let replaced = replaced.map(|place| format!(", replaces {place}")).unwrap_or_default();
        format!("passed: {entry}, from {from} ({}){empty}{replaced}", or_no_block(place))
    }

    /// The lines for the provider configurations of a module, with their resources if requested.
    pub(super) fn provider_lines(&self, placed: &Placed<'_>, names: &Names) -> Vec<Line> {
        let mut lines = Vec::new();
        let users = self.users(placed);
        let users = |key: &Configuration| {
            users.get(key).map(|users| Line::Users(format!("  used by: {}", users.join(", "))))
        };
        for reaching in &placed.configurations {
            let text = self.provider_line(placed, reaching, names);
            let is_missing = placed.kind(reaching) == Kind::Missing;
            lines.push(if is_missing { Line::Problem(text) } else { Line::Configuration(text) });
            lines.extend(users(&reaching.requested));
        }
        lines.extend(self.blocks_without_effect(placed).into_iter().map(Line::Problem));
        if self.resources {
            for key in placed.built_in_configurations() {
                lines.push(Line::Configuration(format!("built in: {}", key.provider.name)));
                lines.extend(users(&key));
            }
        }
        lines
    }

    /// The resources of a module that use each configuration, if requested.
    fn users(&self, placed: &Placed<'_>) -> BTreeMap<Configuration, Vec<String>> {
        let mut users: BTreeMap<Configuration, Vec<String>> = BTreeMap::new();
        for (resource, used) in placed.node.consumers().take_while(|_| self.resources) {
            users.entry(used).or_default().push(one_line(&resource.to_string()).into_owned());
        }
        users
    }

    /// The blocks of a module whose arguments the engines drop, because the provider has another name there.
    fn blocks_without_effect(&self, placed: &Placed<'_>) -> Vec<String> {
        let (node, module) = (placed.node, placed.node.module());
        let line = |block: &ProviderConfiguration| {
            let key = Configuration::by(module, block)?;
            let own = node.own_configuration(&key)?;
            let has_effect = own.has_effect(block);
            let name =
                node.requirements_of(&key.provider).next().map_or(&key.provider.name, |entry| &entry.name);
            (!has_effect && !own.is_random() && !block.config.is_empty()).then(|| {
                format!(
                    "without effect: {}, the local name of this provider here is {}",
                    self.block(block),
                    one_line(name)
                )
            })
        };
        module.providers.values().filter_map(|block| line(block)).collect()
    }

    fn block(&self, block: &ProviderConfiguration) -> String {
        format!("{} ({})", one_line(&block.compact()), self.place(block.origin.header()))
    }
}
