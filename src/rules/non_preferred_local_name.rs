#![doc = include_str!("../../policies/rules/non-preferred-local-name.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::policy::Options;
use crate::tree::Node;

pub(super) struct NonPreferredLocalName;

impl Rule for NonPreferredLocalName {
    const ID: &'static str = "non-preferred-local-name";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let required = &node.module().required_providers;
        for entry in required.values().filter(|entry| entry.source.is_some()) {
            let preferred = &entry.address.name;
            // Two providers that are called the same cannot both have that name.
            let others = required.values().filter(|other| other.name != entry.name);
            let is_taken =
                others.into_iter().any(|other| other.name == *preferred || other.address.name == *preferred);
            if entry.name == *preferred || is_taken {
                continue;
            }
            findings.push(
                Self::finding("Local name that differs from the provider's own")
                    .detail(format!(
                        "The provider is called `{preferred}`, and so are its resources. Under the name `{}` every \
                         one of them needs `provider = {}`.",
                        entry.name, entry.name
                    ))
                    .at(entry.span)
                    .help(format!("rename the entry, and what refers to it, to `{preferred}`"))
                    .address(format!("required_providers.{}", entry.name)),
            );
        }
    }
}
