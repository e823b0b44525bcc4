//! Turns a module and all that it calls into the versions that are asked for: of each provider, and of the engine.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::Node;
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::text::Span;
use crate::value::Constraints;

/// What versions are asked for of: a provider, or, where that is none, the engine itself.
pub type Subject = Option<ProviderAddress>;

/// One constraint of a module.
#[derive(Debug, Clone)]
pub struct Demand {
    /// What it lets through; of a provider by the rules for providers.
    pub constraints: Constraints,
    /// As it is written.
    pub text: SmolStr,
    /// Where it is written.
    pub at: Span,
    /// The call that leads to the module; none for the module that is asked about.
    pub via: Option<Span>,
}

impl Node<'_> {
    /// What this module and all below it ask for, its own demands first.
    pub fn demands(self) -> BTreeMap<Subject, Vec<Demand>> {
        let mut demands = BTreeMap::new();
        let mut seen = BTreeSet::from([self.id()]);
        let mut level = vec![(self, None)];
        while !level.is_empty() {
            let mut next = Vec::new();
            for (node, via) in level {
                demanded(node.module(), via, &mut demands);
                for (call, _) in node.calls() {
                    if let Some(child) = node.child(&call.name)
                        && seen.insert(child.id())
                    {
                        next.push((child, via.or(Some(call.origin.header()))));
                    }
                }
            }
            level = next;
        }
        demands
    }
}

/// Adds what a module asks for by itself.
fn demanded(module: &Module, via: Option<Span>, into: &mut BTreeMap<Subject, Vec<Demand>>) {
    let of_engine = module.required_versions.iter().map(|version| (None, version));
    let required = module
        .required_providers
        .values()
        .filter_map(|entry| Some((Some(entry.address.clone()), entry.version.as_ref()?)));
    let configured = module
        .providers
        .values()
        .filter_map(|block| Some((Some(module.provider_address(&block.name)?), block.version.as_ref()?)));
    for (subject, version) in of_engine.chain(required).chain(configured) {
        let Some(constraints) = &version.constraints else { continue };
        let constraints = if subject.is_some() { constraints.for_provider() } else { constraints.clone() };
        let demand = Demand { constraints, text: version.text.clone(), at: version.value_span, via };
        into.entry(subject).or_default().push(demand);
    }
}
