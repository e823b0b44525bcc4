//! A fast test for dependency cycles: may some declarations of a module depend on each other?
//!
//! Most modules have no cycle even if each module call counts as one vertex. This test takes a fraction of the time
//! of the whole dependency graph.

use std::ptr;

use crate::graph::dependency_cycles::components;
use crate::graph::references::declared::Declared;
use crate::graph::references::sites::{Owner, Site};
use crate::module::Module;
use crate::module::declaration::{Repeated, Resource};

/// The references between declarations.
#[derive(Debug, Default)]
pub(in crate::graph) struct Links {
    /// Pairs of declarations, each identified by its address in memory.
    pairs: Vec<(usize, usize)>,
    /// Whether a variable refers to another object. If none does, no variable is in a cycle.
    from_variables: bool,
    /// Whether a provider configuration may depend on more than variables, so that its users are relevant.
    through_providers: bool,
    /// Whether there are dependencies that this test does not model.
    is_more: bool,
}

impl Links {
    /// The links of a module before its references are added.
    pub(super) fn of(module: &Module) -> Self {
        let has_both = |(count, for_each): Repeated<'_>| count.is_some() && for_each.is_some();
        let has_more = |resource: &Resource| {
            !resource.managed.replace_triggered_by.is_empty() || has_both(resource.repeated())
        };
        let is_more = module.resources.values().any(|resource| has_more(resource))
            || module.calls.values().any(|call| has_both(call.repeated()));
        Self { is_more, ..Self::default() }
    }

    /// Adds a reference at a site to a declaration.
    pub(super) fn add(&mut self, site: &Site<'_>, declared: Declared<'_>) {
        if site.on_destroy {
            return;
        }
        let is_variable = matches!(declared, Declared::Variable(_));
        let to = match declared {
            Declared::Variable(variable) => address_of(variable),
            Declared::Local(local) => address_of(local),
            Declared::Resource(resource) => address_of(resource),
            Declared::Call(call) => address_of(call),
        };
        if let Owner::Variable(variable) = &site.owner {
            self.from_variables |= address_of(*variable) != to;
        }
        if is_variable && !self.from_variables {
            return;
        }
        match &site.owner {
            Owner::Variable(variable) => {
                // A provider may need the variable.
                self.through_providers |= !is_variable;
                self.link(address_of(*variable), to);
            }
            Owner::Provider(provider) => {
                self.through_providers |= !is_variable;
                self.link(address_of(*provider), to);
            }
            Owner::Local(local) => self.link(address_of(*local), to),
            Owner::Resource(resource) => self.link(address_of(*resource), to),
            Owner::Call(call) | Owner::Argument(call, _) => {
                let from = address_of(*call);
                // An argument of a call may depend on an output of the same call. Only the whole graph shows whether
                // this is a cycle.
                self.is_more |= from == to;
                self.link(from, to);
            }
            // The imported resource depends on the references of its import.
            Owner::Import(_) => self.is_more |= !is_variable,
            // No other declaration depends on these.
            Owner::Output(_) | Owner::Check(_) | Owner::Action(_) => {}
        }
    }

    /// Whether `module`, whose links these are, may have a cycle.
    pub(in crate::graph) fn may_circle(&self, module: &Module) -> bool {
        self.is_more || self.has_circle(module)
    }

    /// A direct self-reference is not a cycle.
    fn link(&mut self, from: usize, to: usize) {
        if from != to {
            self.pairs.push((from, to));
        }
    }

    fn has_circle(&self, module: &Module) -> bool {
        let users = if self.through_providers { users_of_providers(module) } else { Vec::new() };
        let pairs = || self.pairs.iter().chain(&users);
        let mut known: Vec<usize> = pairs().map(|(from, _)| *from).collect();
        known.sort_unstable();
        known.dedup();
        let mut edges = vec![Vec::new(); known.len()];
        for (from, to) in pairs() {
            // A declaration without dependencies is in no cycle.
            if let (Ok(from), Ok(to)) = (known.binary_search(from), known.binary_search(to)) {
                edges[from].push(to);
            }
        }
        components(&edges).iter().any(|component| component.len() > 1)
    }
}

/// The users of the provider configurations of the module. A module call may use each of them.
fn users_of_providers(module: &Module) -> Vec<(usize, usize)> {
    let providers = module.providers.values().map(|provider| address_of(&**provider));
    let calls =
        providers.flat_map(|provider| module.calls.values().map(move |call| (address_of(&**call), provider)));
    let resources = module.resources.values().filter_map(|resource| {
        let provider = module.providers.get(&resource.provider_key())?;
        Some((address_of(&**resource), address_of(&**provider)))
    });
    calls.chain(resources).collect()
}

fn address_of<T>(declaration: &T) -> usize {
    ptr::from_ref(declaration).addr()
}
