//! Provider requirements, configurations and references of a module.

use std::fmt::Display;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Origin, Spanned, VersionConstraint};
use crate::engine::Features;
use crate::module::address::ProviderAddress;
use crate::module::config::Config;
use crate::syntax::{Attribute, Block, Expr};
use crate::text::Span;

/// An entry of the `providers` argument of a module call.
#[derive(Debug, Clone, PartialEq)]
pub struct PassedProvider {
    /// The key: the configuration in the child module.
    pub in_child: ProviderRef,
    /// The value: the configuration in the parent module.
    pub in_parent: ProviderRef,
}

/// A reference to a provider configuration: `aws` or `aws.west`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderRef {
    /// The local name.
    pub name: SmolStr,
    /// The span of the local name.
    pub name_span: Span,
    /// The alias.
    pub alias: Option<SmolStr>,
    /// The instance key: `aws.by_region["west"]` (OpenTofu).
    pub key: Option<Box<Expr>>,
}

impl ProviderRef {
    /// `name` or `name.alias`, the key of [`Module::providers`](crate::module::Module::providers).
    pub fn compact(&self) -> SmolStr {
        compact_name(&self.name, self.alias.as_deref())
    }

    /// Whether [`ProviderRef::compact`] returns this text.
    pub fn is_written(&self, text: &str) -> bool {
        let alias = self.alias.as_deref().filter(|alias| !alias.is_empty());
        match (text.strip_prefix(self.name.as_str()), alias) {
            (Some(rest), Some(alias)) => rest.strip_prefix('.') == Some(alias),
            (Some(rest), None) => rest.is_empty(),
            (None, _) => false,
        }
    }

    /// Whether it looks like a reference to a value, such as `each.value`. The engine treats its first name as a
    /// provider.
    pub fn resembles_value(&self) -> bool {
        self.alias.is_some() && names_value(&self.name)
    }
}

/// The roots of references to values, which a provider reference cannot start with.
const VALUES: [&str; 7] = ["count", "data", "each", "local", "module", "self", "var"];

/// Whether this name is the root of references to values.
pub fn names_value(root: &str) -> bool {
    VALUES.contains(&root)
}

/// The help for a provider reference that depends on a value, in the `providers` argument of a call or in `provider`.
pub fn one_block_each(argument: &str, features: &Features) -> String {
    let block = if argument == "providers" { "`module` block" } else { "block" };
    let instances = if features.grammar.provider_for_each {
        "; or set `alias` and `for_each` in the `provider` block, and select an instance by its key, as in \
         `aws.by_region[each.key]`"
    } else {
        ""
    };
    format!("write one {block} for each provider configuration{instances}")
}

/// `name` or `name.alias`, the key of a configuration in its module.
pub fn compact_name(name: &str, alias: Option<&str>) -> SmolStr {
    match alias {
        Some(alias) if !alias.is_empty() => smol_str::format_smolstr!("{name}.{alias}"),
        _ => name.into(),
    }
}

/// `provider "name" {}`.
#[derive(Debug, Clone)]
pub struct ProviderConfiguration {
    /// The local name, which is its label.
    pub name: SmolStr,
    /// `alias`.
    pub alias: Option<Spanned<SmolStr>>,
    /// The blocks of the configuration.
    pub origin: Origin,
    /// `version`, which is deprecated.
    pub version: Option<VersionConstraint>,
    /// `for_each` (OpenTofu).
    pub for_each: Option<Arc<Attribute>>,
    /// The arguments and blocks for the provider.
    pub config: Config,
}

impl ProviderConfiguration {
    /// `name` or `name.alias`.
    pub fn compact(&self) -> SmolStr {
        compact_name(&self.name, self.alias.as_ref().map(|alias| alias.value.as_str()))
    }
}

/// An entry of `required_providers`.
#[derive(Debug, Clone)]
pub struct RequiredProvider {
    /// The local name.
    pub name: SmolStr,
    /// The provider source address. Without a `source`, the local name implies it.
    pub address: ProviderAddress,
    /// The `source` as written.
    pub source: Option<Spanned<SmolStr>>,
    /// `version`.
    pub version: Option<VersionConstraint>,
    /// The entries of `configuration_aliases`: `name` or `name.alias`.
    pub aliases: Vec<Spanned<ProviderRefName>>,
    /// The span of the value of the entry.
    pub value_span: Span,
    /// From the name to the end of the value.
    pub span: Span,
    /// The entry in a base file that this entry of an override file replaces.
    pub replaced: Option<Box<RequiredProvider>>,
}

impl RequiredProvider {
    /// An entry as it is written on one line. `aliases` are those of its `configuration_aliases`, separated by commas.
    pub fn written(name: &str, source: impl Display, aliases: &str) -> String {
        let aliases = match aliases {
            "" => String::new(),
            aliases => format!(", configuration_aliases = [{aliases}]"),
        };
        format!("{name} = {{ source = \"{source}\"{aliases} }}")
    }

    /// The original entry: the first one in the chain of replaced entries.
    pub fn first(&self) -> &Self {
        std::iter::successors(Some(self), |entry| entry.replaced.as_deref()).last().unwrap_or(self)
    }

    /// How to require a configuration from callers, for a help text.
    pub fn how_to_require(&self, configuration: &str) -> String {
        let name = &self.name;
        if self.aliases.is_empty() {
            format!(
                "add `configuration_aliases = [{configuration}]` to the entry `{name}` of `required_providers`"
            )
        } else {
            format!(
                "add `{configuration}` to `configuration_aliases` in the entry `{name}` of `required_providers`"
            )
        }
    }
}

/// Name and alias of a provider configuration, without spans.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProviderRefName {
    /// The local name.
    pub name: SmolStr,
    /// The alias, or `None` for a plain `configuration_aliases = [aws]`.
    pub alias: Option<SmolStr>,
}

impl ProviderRefName {
    /// `name` or `name.alias`.
    pub fn compact(&self) -> SmolStr {
        compact_name(&self.name, self.alias.as_deref())
    }
}

/// `provider_meta "name" {}`.
#[derive(Debug, Clone)]
pub struct ProviderMeta {
    /// The local name of the provider, which is its label.
    pub name: SmolStr,
    /// The block.
    pub block: Arc<Block>,
}
