//! Suggests source addresses for local provider names.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::{SmolStr, format_smolstr};

use crate::graph::Node;
use crate::text::Span;

/// The providers that HashiCorp publishes.
const OF_HASHICORP: [&str; 28] = [
    "ad",
    "archive",
    "aws",
    "awscc",
    "azuread",
    "azurerm",
    "azurestack",
    "boundary",
    "cloudinit",
    "consul",
    "dns",
    "external",
    "google",
    "google-beta",
    "googleworkspace",
    "hcp",
    "helm",
    "http",
    "kubernetes",
    "local",
    "nomad",
    "null",
    "random",
    "template",
    "tfe",
    "time",
    "tls",
    "vault",
];

/// The maximal number of related modules to search for a source.
const MOST_ASKED: usize = 100;

/// The source address of a provider that a module uses without declaring it.
pub(in crate::rules) struct Source {
    /// For example `hashicorp/aws`.
    pub(in crate::rules) address: SmolStr,
    /// Where a caller of the module, or a module that it calls, declares it.
    pub(in crate::rules) at: Option<Span>,
}

/// The callers of a module and the modules that it calls, each once, up to [`MOST_ASKED`].
pub(in crate::rules) struct Related<'t>(Vec<Node<'t>>);

impl<'t> Related<'t> {
    /// The modules around a module.
    pub(in crate::rules) fn to(node: Node<'t>) -> Self {
        let mut seen = BTreeSet::new();
        let callers = node.callers().map(|(caller, _)| caller);
        let children = node.child_calls().map(|(_, child)| child);
        Self(callers.chain(children).filter(|other| seen.insert(other.id())).take(MOST_ASKED).collect())
    }

    /// The source address that they declare for a local name, if they agree; else that of HashiCorp's own providers.
    /// Returns `None` if it is unknown.
    pub(in crate::rules) fn source(&self, name: &str) -> Option<Source> {
        let mut stated = BTreeMap::new();
        for other in &self.0 {
            if let Some(entry) = other.module().required_providers.get(name)
                && let Some(source) = &entry.source
            {
                stated.entry(entry.address.clone()).or_insert(source);
            }
        }
        if stated.len() > 1 {
            return None;
        }
        let stated = stated.into_values().next();
        let stated = stated.map(|source| Source { address: source.value.clone(), at: Some(source.span) });
        let of_hashicorp = || OF_HASHICORP.contains(&name).then(|| format_smolstr!("hashicorp/{name}"));
        stated.or_else(|| Some(Source { address: of_hashicorp()?, at: None }))
    }
}
