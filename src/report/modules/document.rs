//! Writes modules as a JSON document: each module with its calls, and each module instance with the provider
//! configurations that reach it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::provider_lines::Placed;
use super::{DEEPEST, Picture};
use crate::graph::{Callee, Configuration, Found, Node, Own, Reaching};
use crate::module::declaration::ModuleCall;
use crate::report::json::Range;

#[derive(Debug, Serialize)]
pub(super) struct Document {
    format_version: &'static str,
    roots: Vec<Root>,
    modules: Vec<Entry>,
}

/// A module to start from.
#[derive(Debug, Serialize)]
struct Root {
    module: String,
    engine: String,
    /// Whether all instances below it are listed: there can be too many call paths.
    complete: bool,
    instances: Vec<Instance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<Resource>>,
}

/// A module on a call path.
#[derive(Debug, Serialize)]
struct Instance {
    /// `module.a.module.b`; empty for the root module.
    address: String,
    module: String,
    providers: Vec<Provider>,
}

/// The instances below a root module.
#[derive(Debug, Default)]
struct Listing {
    instances: Vec<Instance>,
    resources: Vec<Resource>,
}

/// A provider configuration in a module.
#[derive(Debug, Serialize)]
struct Provider {
    /// The local name of the provider in the module.
    name: String,
    /// The provider source address.
    address: String,
    alias: Option<String>,
    kind: &'static str,
    /// The directory of the module that has the block.
    defined_in: Option<String>,
    /// The header of the block.
    range: Option<Range>,
    /// The entry of the call that passes it.
    via: Option<String>,
}

/// A resource with its provider configuration.
#[derive(Debug, Serialize)]
struct Resource {
    address: String,
    provider: String,
    /// The alias of the configuration in the module that declares it.
    alias: Option<String>,
    how: &'static str,
    configuration: Option<Block>,
}

/// The location of a provider configuration.
#[derive(Debug, Serialize)]
struct Block {
    /// `module.a.module.b`; empty for the root module.
    module: String,
    range: Range,
    /// Whether it has no arguments, or none that take effect.
    empty: bool,
    /// Whether the engine chooses between several blocks at random.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undetermined: bool,
}

#[derive(Debug, Serialize)]
struct Entry {
    module: String,
    role: &'static str,
    because: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    changed: bool,
    calls: Vec<Call>,
    callers: Vec<Caller>,
    /// The Terragrunt unit files that run it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terragrunt_units: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Call {
    name: String,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    leads_to: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    for_each: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<String>,
    providers: BTreeMap<String, String>,
    range: Range,
}

#[derive(Debug, Serialize)]
struct Caller {
    module: String,
    call: String,
}

impl Document {
    pub(super) fn of(picture: &Picture<'_>) -> Self {
        let modules = picture.reached(|node| &node.module().directory).into_iter();
        let modules: BTreeMap<String, Entry> =
            modules.map(|node| (picture.name(node), picture.module(node))).collect();
        let mut left = picture.most_parts();
        let roots = picture.tops.iter().map(|(engine, top)| {
            let mut listing = Listing::default();
            let complete = picture.place_below(&Placed::top(*top), &mut listing, &mut left);
            Root {
                module: picture.name(*top),
                engine: engine.word().to_string(),
                complete,
                instances: listing.instances,
                resources: picture.resources.then_some(listing.resources),
            }
        });
        Self { format_version: "1.0", roots: roots.collect(), modules: modules.into_values().collect() }
    }
}

impl Picture<'_> {
    /// Adds a module and its descendants, at most `left` parts ([`super::MOST_PARTS`]). Returns whether all of them fit.
    fn place_below(&self, placed: &Placed<'_>, listing: &mut Listing, left: &mut usize) -> bool {
        let providers =
            placed.configurations.iter().map(|reaching| self.provider(placed, reaching)).collect();
        let (address, module) = (placed.address(), self.name(placed.node));
        *left = left.saturating_sub(placed.parts());
        if self.resources {
            let before = listing.resources.len();
            let prefix = if address.is_empty() { String::new() } else { format!("{address}.") };
            let consumers = placed.node.consumers();
            listing.resources.extend(
                consumers
                    .filter_map(|(resource, key)| self.resource(placed, format!("{prefix}{resource}"), key)),
            );
            *left = left.saturating_sub(listing.resources.len() - before);
        }
        listing.instances.push(Instance { address, module, providers });
        let mut complete = true;
        for (call, _) in self.calls(placed.node) {
            if placed.levels.len() >= DEEPEST || *left == 0 {
                complete = false;
                break;
            }
            if let Some(called) = placed.called(call).filter(|called| !placed.leads_through(called.node)) {
                complete &= self.place_below(&called, listing, left);
            }
        }
        complete
    }

    fn provider(&self, placed: &Placed<'_>, reaching: &Reaching<'_>) -> Provider {
        let (defined_in, range) = match &reaching.found {
            Found::Blocks(level, own) => {
                (Some(self.name(placed.levels[*level].node)), Some(self.header(own)))
            }
            Found::Implicit | Found::FromCaller | Found::Missing => (None, None),
        };
        Provider {
            name: reaching.name.to_string(),
            address: reaching.requested.provider.to_string(),
            alias: reaching.requested.alias.as_ref().map(ToString::to_string),
            kind: placed.kind(reaching).word(),
            defined_in,
            range,
            via: reaching
                .entry
                .map(|entry| format!("{} = {}", entry.in_child.compact(), entry.in_parent.compact())),
        }
    }

    fn resource(&self, placed: &Placed<'_>, address: String, key: Configuration) -> Option<Resource> {
        let reaching = placed.resolve(key)?;
        let configuration = match &reaching.found {
            Found::Blocks(level, own) => Some(Block {
                module: placed.address_of(*level),
                range: self.header(own),
                empty: !own.is_random() && own.attached().is_none_or(|block| block.config.is_empty()),
                undetermined: own.is_random(),
            }),
            Found::Implicit | Found::FromCaller | Found::Missing => None,
        };
        Some(Resource {
            address,
            provider: reaching.effective.provider.to_string(),
            alias: reaching.effective.alias.as_ref().map(ToString::to_string),
            how: placed.how(&reaching),
            configuration,
        })
    }

    /// The header of the block of a provider configuration.
    fn header(&self, own: &Own<'_>) -> Range {
        let block = own.attached().unwrap_or(own.block);
        Range::new(block.origin.header(), self.sources, &self.style.names)
    }

    fn module(&self, node: Node<'_>) -> Entry {
        let (role, reason) = node.role_with_reason();
        let calls = self.calls(node).into_iter().map(|(call, callee)| self.call(node, call, callee));
        let callers = node
            .callers()
            .map(|(caller, call)| Caller { module: self.name(caller), call: call.name.to_string() });
        Entry {
            module: self.name(node),
            role: role.word(),
            because: reason.clause(),
            changed: self.changed.contains(&node.module().directory),
            calls: calls.collect(),
            callers: callers.collect(),
            terragrunt_units: node
                .run_by_units()
                .units
                .iter()
                .map(|unit| self.style.names.of(unit))
                .collect(),
        }
    }

    fn call(&self, node: Node<'_>, call: &ModuleCall, callee: Callee) -> Call {
        let mut repetition: BTreeMap<&str, String> = self.repetition(call).into_iter().collect();
        let passed = call.providers.iter();
        Call {
            name: call.name.to_string(),
            source: self.target(node, call, Callee::Opaque),
            module: node.child(&call.name).map(|child| self.name(child)),
            leads_to: match callee {
                Callee::Module(_) => "module",
                Callee::Missing => "nothing",
                Callee::Outside => "outside",
                Callee::Opaque => "elsewhere",
            },
            count: repetition.remove("count"),
            for_each: repetition.remove("for_each"),
            enabled: repetition.remove("enabled"),
            providers: passed
                .map(|passed| (passed.in_child.compact().to_string(), passed.in_parent.compact().to_string()))
                .collect(),
            range: Range::new(call.origin.header(), self.sources, &self.style.names),
        }
    }
}
