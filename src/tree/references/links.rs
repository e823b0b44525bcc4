//! Turns what the declarations of a module refer to into an answer to one question: may some of them need each other?
//!
//! Most modules hold no circle even if a module call counts as one thing, and to see that takes a fraction of the time
//! that the whole graph takes.

use std::ptr;

use crate::module::Module;
use crate::module::address::{Reference, Subject};
use crate::tree::cycles::components;
use crate::tree::references::sites::{Owner, Site};

/// Which declarations refer to which.
#[derive(Debug, Default)]
pub(in crate::tree) struct Links {
    /// A declaration is known by its place in memory.
    pairs: Vec<(usize, usize)>,
    /// Something that this simple picture does not show.
    is_more: bool,
}

impl Links {
    /// The links of a module before anything of it was looked at.
    pub(super) fn of(module: &Module) -> Self {
        let is_more =
            module.resources.values().any(|resource| !resource.managed.replace_triggered_by.is_empty());
        Self { pairs: Vec::new(), is_more }
    }

    /// Takes note of a reference at a site.
    pub(super) fn add(&mut self, site: &Site<'_>, reference: &Reference<'_>, module: &Module) {
        if site.on_destroy {
            return;
        }
        let to = match &reference.subject {
            Subject::Variable(name) => module.variables.get(name).map(|variable| address_of(&**variable)),
            Subject::Local(name) => module.locals.get(name).map(address_of),
            Subject::Resource { address, .. } => {
                module.resources.get(address).map(|resource| address_of(&**resource))
            }
            Subject::Module { call, .. } => module.calls.get(call).map(|call| address_of(&**call)),
            Subject::Action { .. }
            | Subject::List { .. }
            | Subject::Count(_)
            | Subject::Each(_)
            | Subject::Path(_)
            | Subject::Terraform(_)
            | Subject::Tofu(_)
            | Subject::Itself
            | Subject::TypeName(_) => None,
        };
        let Some(to) = to else { return };
        match &site.owner {
            Owner::Variable(variable) => {
                // A provider may need the variable.
                self.is_more |= !matches!(reference.subject, Subject::Variable(_));
                self.link(address_of(*variable), to);
            }
            Owner::Local(local) => self.link(address_of(*local), to),
            Owner::Resource(resource) => self.link(address_of(*resource), to),
            Owner::Call(call) | Owner::Argument(call, _) => {
                let from = address_of(*call);
                // Of one call, an argument may need an output: whether that is a circle, only the whole graph shows.
                self.is_more |= from == to;
                self.link(from, to);
            }
            // Resources need providers, and what is imported needs what its import names.
            Owner::Provider(_) | Owner::Import(_) => {
                self.is_more |= !matches!(reference.subject, Subject::Variable(_));
            }
            // Nothing in a module needs these.
            Owner::Output(_) | Owner::Check(_) | Owner::Action(_) => {}
        }
    }

    /// Whether there may be a circle.
    pub(in crate::tree) fn may_circle(&self) -> bool {
        self.is_more || self.has_circle()
    }

    /// Whoever needs itself directly is none.
    fn link(&mut self, from: usize, to: usize) {
        if from != to {
            self.pairs.push((from, to));
        }
    }

    fn has_circle(&self) -> bool {
        let mut known: Vec<usize> = self.pairs.iter().map(|(from, _)| *from).collect();
        known.sort_unstable();
        known.dedup();
        let mut edges = vec![Vec::new(); known.len()];
        for (from, to) in &self.pairs {
            // What needs nothing stands in no circle.
            if let (Ok(from), Ok(to)) = (known.binary_search(from), known.binary_search(to)) {
                edges[from].push(to);
            }
        }
        components(&edges).iter().any(|component| component.len() > 1)
    }
}

fn address_of<T>(declaration: &T) -> usize {
    ptr::from_ref(declaration).addr()
}
