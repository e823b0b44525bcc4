//! What a module says of providers: which it requires, configures, refers to and passes on.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Origin, Spanned, VersionConstraint};
use crate::engine::Features;
use crate::module::address::ProviderAddress;
use crate::module::config::Config;
use crate::syntax::{Attribute, Block, Expr};
use crate::text::Span;

/// An entry of `providers` in a module call.
#[derive(Debug, Clone, PartialEq)]
pub struct PassedProvider {
    /// Left: the name in the child module.
    pub in_child: ProviderRef,
    /// Right: the name in the calling module.
    pub in_parent: ProviderRef,
}

/// A reference to a provider configuration: `aws` or `aws.west`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderRef {
    /// Its local name.
    pub name: SmolStr,
    /// Where that stands.
    pub name_span: Span,
    /// Its alias.
    pub alias: Option<SmolStr>,
    /// The key of an instance: `aws.by_region["west"]` (OpenTofu).
    pub key: Option<Box<Expr>>,
}

impl ProviderRef {
    /// `name` or `name.alias`, as configurations are listed.
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

    /// Whether it is written like a reference to a value, such as `each.value`. The engines take its first name for a
    /// provider.
    pub fn resembles_value(&self) -> bool {
        self.alias.is_some() && names_value(&self.name)
    }
}

/// The first names of references to values, which a provider reference cannot be.
const VALUES: [&str; 7] = ["count", "data", "each", "local", "module", "self", "var"];

/// Whether references to values begin with this name.
pub fn names_value(root: &str) -> bool {
    VALUES.contains(&root)
}

/// The help where a reference to a provider configuration depends on a value: in `providers` of a call, or in
/// `provider`.
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

/// `name` or `name.alias`: how the configurations of a module are told apart.
pub fn compact_name(name: &str, alias: Option<&str>) -> SmolStr {
    match alias {
        Some(alias) if !alias.is_empty() => smol_str::format_smolstr!("{name}.{alias}"),
        _ => name.into(),
    }
}

/// `provider "name" {}`.
#[derive(Debug, Clone)]
pub struct ProviderConfiguration {
    /// Its label: the local name.
    pub name: SmolStr,
    /// `alias`.
    pub alias: Option<Spanned<SmolStr>>,
    /// Where it was made from.
    pub origin: Origin,
    /// `version`, long deprecated.
    pub version: Option<VersionConstraint>,
    /// `for_each` (OpenTofu).
    pub for_each: Option<Arc<Attribute>>,
    /// What the provider itself is to be told.
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
    /// Which provider it is; implied by the name where no `source` is written.
    pub address: ProviderAddress,
    /// `source` as written.
    pub source: Option<Spanned<SmolStr>>,
    /// `version`.
    pub version: Option<VersionConstraint>,
    /// `configuration_aliases`: each `name` or `name.alias`.
    pub aliases: Vec<Spanned<ProviderRefName>>,
    /// Where the entry's value stands.
    pub value_span: Span,
    /// From the name to the end of the value.
    pub span: Span,
    /// The entry in a primary file that this one, in an override file, has replaced.
    pub replaced: Option<Box<RequiredProvider>>,
}

impl RequiredProvider {
    /// The entry that was there first, before any other replaced it; this one if none did.
    pub fn first(&self) -> &Self {
        std::iter::successors(Some(self), |entry| entry.replaced.as_deref()).last().unwrap_or(self)
    }
}

/// Name and alias of a provider configuration, without places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProviderRefName {
    /// The local name.
    pub name: SmolStr,
    /// The alias; none in a bare `configuration_aliases = [aws]`.
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
    /// Its label: the local name of the provider.
    pub name: SmolStr,
    /// The block.
    pub block: Arc<Block>,
}
