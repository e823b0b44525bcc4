//! Finds what a `provider` block refers to, which another module does not have.

use std::collections::BTreeSet;

use crate::graph::Node;
use crate::module::address::{Subject, reference};
use crate::module::declaration::ProviderConfiguration;
use crate::text::joined;

impl Node<'_> {
    /// The objects of this module that a block refers to, and what replaces them in another module, for a help.
    pub fn objects_to_replace(self, provider: &ProviderConfiguration) -> Option<String> {
        let module = self.module();
        let (mut variables, mut others) = (BTreeSet::new(), BTreeSet::new());
        provider.config.for_each_expression(&mut |expr| {
            expr.for_each_variable(|traversal| {
                match reference(traversal, &module.features).map(|found| found.subject) {
                    Ok(Subject::Variable(name)) => {
                        variables.insert(format!("`var.{name}`"));
                    }
                    Ok(Subject::Local(name)) => {
                        others.insert(format!("`local.{name}`"));
                    }
                    Ok(Subject::Module { call, .. }) => {
                        others.insert(format!("`module.{call}`"));
                    }
                    // The iterator of a `dynamic` block looks like a resource.
                    Ok(Subject::Resource { address, .. }) if module.resources.contains_key(&address) => {
                        others.insert(format!("`{address}`"));
                    }
                    _ => {}
                }
            });
        });
        let with = if others.is_empty() {
            "values of the callers"
        } else {
            "values of the callers or outputs of this module"
        };
        let named: Vec<String> = others.into_iter().chain(variables).collect();
        (!named.is_empty()).then(|| format!("{} with {with}", joined(&named)))
    }
}
