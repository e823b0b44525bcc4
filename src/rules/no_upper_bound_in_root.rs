#![doc = include_str!("../../policies/rules/no-upper-bound-in-root.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::policy::Options;
use crate::tree::{Node, Role};

pub(super) struct NoUpperBoundInRoot;

impl Rule for NoUpperBoundInRoot {
    const ID: &'static str = "no-upper-bound-in-root";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        if node.role() != Role::Root {
            return;
        }
        let module = node.module();
        for entry in module.required_providers.values().filter(|entry| !entry.address.is_built_in()) {
            let version = entry.version.as_ref();
            let constraints = version.and_then(|version| version.constraints.as_ref());
            if constraints.is_some_and(|constraints| constraints.for_provider().has_upper_bound()) {
                continue;
            }
            let provider = entry.address.display(module.features.registry_host);
            findings.push(
                Self::finding("No upper bound in a root module")
                    .detail(format!(
                        "The next `init -upgrade` takes the newest {provider}, also one that changes or drops what \
                         is used here."
                    ))
                    .at(version.map_or(entry.span, |version| version.value_span))
                    .help("keep the next major version out, as in \"~> 5.0\"")
                    .address(format!("required_providers.{}", entry.name)),
            );
        }
    }
}
